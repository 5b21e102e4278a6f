// The nightly stock image: a record for every place that holds something.
import { iso } from './calendar.ts';
import type { PlainRecord } from './catalogue.ts';
import { type Bin, isEmpty, type Ledger } from './ledger.ts';

/** The rows of the image of an instant; in each, total = not started + in progress + blocked + available for sale. */
export function imageRows(ledger: Ledger, activityCode: string, at: number): readonly PlainRecord[] {
  const rows: PlainRecord[] = [];
  const dates = { stockImageExtractionDate: iso(at), dateProcessed: iso(at + 12_000) };
  for (const bin of ledger.all()) if (!isEmpty(bin)) rows.push(imageRow(bin, activityCode, dates));
  return rows;
}

interface ImageDates {
  readonly stockImageExtractionDate: string;
  readonly dateProcessed: string;
}

function imageRow(bin: Bin, activityCode: string, dates: ImageDates): PlainRecord {
  const blocked = bin.grade === 'STD' ? 0 : bin.quantity;
  const deadline = bin.deadline === null ? null : iso(bin.deadline);
  return {
    activityCode,
    stockImageExtractionDate: dates.stockImageExtractionDate,
    articleReference: bin.item.reference,
    stockUnitID: bin.unit,
    totalStockQuantity: bin.quantity,
    notStartedProductionQuantity: bin.notStarted,
    inProgressPreparationQuantity: bin.inProgress,
    totalAvailableForSaleQuantity: bin.quantity - bin.notStarted - bin.inProgress - blocked,
    totalBlockedQuantity: blocked,
    logisticsDefinedPCB: bin.item.pcb,
    articleLotNumber: bin.lot,
    oldestReceptionDate: iso(bin.oldestReception),
    newestReceptionDate: iso(bin.newestReception),
    oldestSaleDeadlineDate: deadline,
    newestSaleDeadlineDate: deadline,
    gradeCode: bin.grade,
    dateProcessed: dates.dateProcessed,
  };
}
