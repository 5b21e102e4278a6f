// Files as a warehouse sends them round after round: some records new, some changed, some as before, some withdrawn,
// and some lines that cannot be taken.
import { articleStock, order, orderReport, procurement, procurementReport } from '../../src/resources/index.ts';

/** What a file of a round holds, line by line. */
export interface WarehouseFile {
  readonly resource:
    | 'articles'
    | 'orders'
    | 'order-reports'
    | 'procurements'
    | 'procurement-reports'
    | 'movements'
    | 'stock';
  readonly body: string;
  readonly lines: number;
}

type Line = (round: number, index: number) => object;

const at = (round: number, index: number): string =>
  new Date(Date.UTC(2026, 0, 1 + round) + index * 1000).toISOString();

const without = (record: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Every third record is another one in each round, the others stay as they are. */
const version = (round: number, index: number): number => (index % 3 === 0 ? round : 0);

const makers: Readonly<Record<WarehouseFile['resource'], Line>> = {
  articles: (round, index) =>
    index % 50 === 49
      ? { withdraw: { articleReference: `A${index - 2}` } }
      : {
          articleReference: `A${index}`,
          longArticleDescription: `Article ${index} of round ${version(round, index)}`,
          shortArticleDescription: `Article ${index}`,
        },
  orders: (round, index) => ({
    ...without(order.example, 'id', 'dateCreation', 'dateLastUpdate', 'activityCode', 'activityName', 'internalId'),
    // Orders come once, and their parts change.
    orderUniqueID: `R${index % 2 === 0 ? 0 : round}-${index}`,
    deliveryComment: `${version(round, index)}`,
  }),
  'order-reports': (round, index) => ({
    ...without(orderReport.example, 'id', 'dateCreation', 'dateLastUpdate', 'activityCode'),
    orderUniqueID: `R${index % 2 === 0 ? 0 : round}-${index}`,
    totalPrepWeight: version(round, index),
  }),
  procurements: (round, index) => ({
    ...without(procurement.example, 'id', 'dateCreation', 'dateLastUpdate', 'activityCode', 'activityName'),
    uniqueProcurementID: `P${index % 2 === 0 ? 0 : round}-${index}`,
    supplierName: `Supplier ${version(round, index)}`,
  }),
  'procurement-reports': (round, index) => ({
    ...without(procurementReport.example, 'id', 'dateCreation', 'dateLastUpdate', 'activityCode'),
    uniqueProcurementID: `P${index % 2 === 0 ? 0 : round}-${index}`,
    carrierDeliveryBLNumber: `${version(round, index)}`,
  }),
  movements: (round, index) =>
    index % 50 === 49
      ? { withdraw: movement(round, index - 2) }
      : // Some are all alike, and each of them is a movement.
        movement(round, index % 10 === 0 ? 0 : index),
  stock: (round, index) => ({
    ...without(articleStock.example, 'activityCode', 'activityName', 'id'),
    stockImageExtractionDate: at(round, 0),
    articleReference: `A${index}`,
    totalStockQuantity: round,
  }),
};

function movement(round: number, index: number): object {
  return {
    articleReference: `A${index}`,
    movedQuantity: 1 + (index % 7),
    movementDirection: 'O',
    movementTimestamp: at(round, index),
  };
}

/** The file of a round; one line in a hundred is none that can be taken. */
export function warehouseFile(resource: WarehouseFile['resource'], round: number, lines: number): WarehouseFile {
  const make = makers[resource];
  const body = Array.from({ length: lines }, (_none, index) => {
    const line = index % 100 === 77 ? { ...make(round, index), unheardOf: index } : make(round, index);
    return `${JSON.stringify(line)}\n`;
  });
  return { resource, lines, body: body.join('') };
}

/** The instant of the stock image of a round. */
export function imageOf(round: number): string {
  return at(round, 0);
}
