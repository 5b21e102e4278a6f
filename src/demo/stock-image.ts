// The nightly stock image: a record for every place that holds something.
import { iso } from './calendar.ts';
import type { PlainRecord } from './catalogue.ts';
import { type Bin, isEmpty, type Ledger } from './ledger.ts';

/** The rows of the image of an instant; in each, total = not started + in progress + blocked + available for sale. */
export function imageRows(ledger: Ledger, activityCode: string, at: number): readonly PlainRecord[] {
  const rows: PlainRecord[] = [];
  const image = {
    ...{ activityCode, stockImageExtractionDate: iso(at), dateProcessed: iso(at + 12_000) },
    isoOf: rememberedIso(),
  };
  for (const bin of ledger.all()) if (!isEmpty(bin)) rows.push(imageRow(bin, image));
  return rows;
}

interface Image {
  readonly activityCode: string;
  readonly stockImageExtractionDate: string;
  readonly dateProcessed: string;
  readonly isoOf: (at: number) => string;
}

/** Most rows are of a few deliveries; to write each date once takes a fifth of the time. */
function rememberedIso(): (at: number) => string {
  const known = new Map<number, string>();
  return (at) => {
    const text = known.get(at) ?? iso(at);
    known.set(at, text);
    return text;
  };
}

function imageRow(bin: Bin, { activityCode, stockImageExtractionDate, dateProcessed, isoOf }: Image): PlainRecord {
  const blocked = bin.grade === 'STD' ? 0 : bin.quantity;
  const deadline = bin.deadline === null ? null : isoOf(bin.deadline);
  return {
    activityCode,
    stockImageExtractionDate,
    articleReference: bin.item.reference,
    stockUnitID: bin.unit,
    totalStockQuantity: bin.quantity,
    notStartedProductionQuantity: bin.notStarted,
    inProgressPreparationQuantity: bin.inProgress,
    totalAvailableForSaleQuantity: bin.quantity - bin.notStarted - bin.inProgress - blocked,
    totalBlockedQuantity: blocked,
    logisticsDefinedPCB: bin.item.pcb,
    articleLotNumber: bin.lot,
    oldestReceptionDate: isoOf(bin.oldestReception),
    newestReceptionDate: isoOf(bin.newestReception),
    oldestSaleDeadlineDate: deadline,
    newestSaleDeadlineDate: deadline,
    gradeCode: bin.grade,
    dateProcessed,
  };
}
