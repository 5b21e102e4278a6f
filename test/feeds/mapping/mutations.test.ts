// Files that were damaged in every way: no crash, and no line unaccounted for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../../src/model/operator-error.ts';
import { rounds } from '../../contract/rounds.ts';
import { linesIn, made, mappingOf } from './fixture.ts';
import { mutated, randomOf, seeds } from './mutation.ts';

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

const layouts = [
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
].map(mappingOf);

describe('damaged files', () => {
  it('are read to their end: each line is in a record, skipped, or of the file itself', async () => {
    let [whole, refusedRecords, wholeFiles] = [0, 0, 0];
    for (let seed = 1; seed <= rounds(10_000); seed += 1) {
      const random = randomOf(seed);
      const bytes = mutated(seeds[seed % seeds.length] ?? Buffer.alloc(0), random);
      const mapping = layouts[random(layouts.length)];
      assert.ok(mapping);
      for (const { resource } of mapping.resources) {
        try {
          const found = await made(mapping, bytes, { resource: resource.name, piece: 1 + random(400) });
          whole += 1;
          refusedRecords += found.refused.length;
          if (mapping.format.kind !== 'json' && mapping.format.kind !== 'ndjson')
            assert.equal(found.counts.lines, linesIn(bytes), `seed ${seed}`);
        } catch (error) {
          // A file of another layout or encoding altogether is refused as a whole.
          assert.ok(
            error instanceof OperatorError,
            `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`,
          );
          wholeFiles += 1;
        }
      }
    }
    // The seeds fit some of the layouts: it is not one refusal after the other.
    assert.ok(whole > wholeFiles / 4 && refusedRecords > 0, `${whole} read, ${wholeFiles} refused as a whole`);
  });
});
