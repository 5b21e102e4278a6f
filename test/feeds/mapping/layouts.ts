// Mapping files of every kind, each for the columns of the same order lines.

const fields = {
  orderUniqueID: 'no',
  customerOrderPlacementDate: { column: 'at', format: 'dd/MM/yyyy HH:mm', zone: 'Europe/Paris' },
  deliveryAddressCity: 'city',
};
const lists = {
  orderEntries: {
    fields: {
      orderLineID: { position: true },
      articleReference: 'sku',
      quantityToPrepare: { column: 'qty', decimal: ',' },
    },
  },
};
const skip = [{ rule: 'charges', when: { column: 'sku', equals: 'POST' } }];
const orders = { skip, fields, lists, group: { by: ['no'] } };
const articles = {
  skip,
  fields: { articleReference: 'sku', shortArticleDescription: 'city' },
  distinct: { differences: 'warn' },
};
const columns = ['no', 'at', 'city', 'sku', 'qty'];
const fixed = columns.map((name, index) => ({ name, start: 1 + 20 * index, length: 20 }));
const trailer = { pattern: '^END;(?<count>\\d+)$' };

/** Mapping files for the files of `mutation.ts`, and for none of them. */
export const layouts = [
  { format: { kind: 'csv', delimiter: ';' }, trailer, resources: { articles, orders } },
  {
    format: { kind: 'csv', encoding: 'windows-1252', comment: '#' },
    resources: { articles, orders: { ...orders, group: { by: ['no'], apart: 'gather' } } },
  },
  { format: { kind: 'csv', header: false, columns, quote: 'none', missingColumns: 'empty' }, resources: { orders } },
  { format: { kind: 'fixed', columns: fixed, shortLines: 'pad' }, resources: { articles, orders } },
  { format: { kind: 'fixed', columns: fixed }, trailer, resources: { orders } },
  { format: { kind: 'json' }, resources: { orders } },
  { format: { kind: 'ndjson' }, resources: { articles, orders } },
];

/** Of each file of `mutation.ts` the layout that it has. */
export const layoutOfSeed: readonly number[] = [0, 1, 4, 5, 6];
