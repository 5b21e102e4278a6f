// The stock of one activity, place by place, and the movements that change it. Nothing changes a quantity without a
// movement.
import { iso } from './calendar.ts';
import type { Item, PlainRecord } from './catalogue.ts';

/** Goods of one article, of one lot and grade, in one stock unit. */
export interface Bin {
  readonly item: Item;
  readonly unit: string;
  readonly lot: string | null;
  readonly grade: string;
  /** Sale deadline of the lot; null: it keeps. */
  readonly deadline: number | null;
  quantity: number;
  /** Ordered, not launched; and launched, not shipped. */
  notStarted: number;
  inProgress: number;
  oldestReception: number;
  newestReception: number;
}

/** What tells a bin from the others of its article. */
interface Place {
  readonly unit: string;
  readonly lot: string | null;
  readonly grade: string;
  readonly deadline: number | null;
  readonly receivedAt: number;
}

/** Kind of a movement: the codes of decision D5 and the event behind them. */
interface Cause {
  readonly event: string;
  readonly code: string;
  readonly reason: string;
}

export interface Ledger {
  /** Goods that were there before the history begins. */
  readonly open: (item: Item, place: Place, quantity: number) => void;
  readonly move: (at: number, item: Item, place: Place, quantity: number, cause: Cause) => Bin;
  /** Moves goods of a bin to another place of the same article: a pair of movements whose sum is zero. */
  readonly transfer: (
    at: number,
    from: Bin,
    to: Partial<Pick<Place, 'unit' | 'grade'>>,
    quantity: number,
    cause: Cause,
  ) => void;
  readonly take: (at: number, from: Bin, quantity: number, cause: Cause) => void;
  readonly bins: (item: Item) => readonly Bin[];
  readonly all: () => Iterable<Bin>;
  readonly movements: readonly PlainRecord[];
}

export const CAUSES = {
  reception: { event: 'REC', code: 'RECEPTION', reason: 'STD' },
  shipment: { event: 'SHP', code: 'SHIPMENT', reason: 'ORD' },
  customerReturn: { event: 'RET', code: 'RETURN', reason: 'CUS' },
  count: { event: 'INV', code: 'INVENTORY', reason: 'CNT' },
  missing: { event: 'INV', code: 'INVENTORY', reason: 'PIC' },
  refill: { event: 'TRF', code: 'TRANSFER', reason: 'REP' },
  resale: { event: 'DBL', code: 'UNBLOCK', reason: 'QUA' },
  damage: { event: 'BLO', code: 'BLOCK', reason: 'DAM' },
  quarantine: { event: 'BLO', code: 'BLOCK', reason: 'QUA' },
  release: { event: 'DBL', code: 'UNBLOCK', reason: 'QUA' },
  expiry: { event: 'BLO', code: 'BLOCK', reason: 'EXP' },
  scrap: { event: 'SCR', code: 'SCRAP', reason: 'DES' },
  kit: { event: 'KIT', code: 'KIT', reason: 'STD' },
} as const satisfies Record<string, Cause>;

/** An empty ledger. */
export function createLedger(): Ledger {
  const byItem = new Map<Item, Bin[]>();
  const movements: PlainRecord[] = [];

  const binAt = (item: Item, place: Place): Bin => {
    const bins = byItem.get(item) ?? [];
    byItem.set(item, bins);
    const found = bins.find((bin) => bin.unit === place.unit && bin.lot === place.lot && bin.grade === place.grade);
    if (found !== undefined) {
      found.oldestReception =
        found.quantity === 0 ? place.receivedAt : Math.min(found.oldestReception, place.receivedAt);
      found.newestReception = Math.max(found.newestReception, place.receivedAt);
      return found;
    }
    const { receivedAt, ...where } = place;
    const made: Bin = {
      item,
      ...where,
      quantity: 0,
      notStarted: 0,
      inProgress: 0,
      oldestReception: receivedAt,
      newestReception: receivedAt,
    };
    bins.push(made);
    return made;
  };

  const post = (at: number, bin: Bin, quantity: number, cause: Cause): void => {
    bin.quantity += quantity;
    if (bin.quantity < 0) throw new RangeError(`Less than nothing of ${bin.item.reference} in ${bin.unit}.`);
    movements.push({
      activityCode: cause.event,
      stockUnitID: bin.unit,
      movementTimestamp: iso(at),
      articleReference: bin.item.reference,
      movedQuantity: Math.abs(quantity),
      movementDirection: quantity < 0 ? 'O' : 'I',
      movementCode: cause.code,
      movementReason: cause.reason,
      gradeCode: bin.grade,
      dateProcessed: iso(at + 20_000),
    });
  };

  return {
    open: (item, place, quantity) => {
      binAt(item, place).quantity += quantity;
    },
    move(at, item, place, quantity, cause) {
      const bin = binAt(item, place);
      post(at, bin, quantity, cause);
      return bin;
    },
    transfer(at, from, to, quantity, cause) {
      post(at, from, -quantity, cause);
      const place = {
        unit: to.unit ?? from.unit,
        grade: to.grade ?? from.grade,
        lot: from.lot,
        deadline: from.deadline,
        receivedAt: from.newestReception,
      };
      post(at, binAt(from.item, place), quantity, cause);
    },
    take: (at, from, quantity, cause) => post(at, from, -quantity, cause),
    bins: (item) => byItem.get(item) ?? [],
    *all() {
      for (const bins of byItem.values()) yield* bins;
    },
    movements,
  };
}

/** What of a bin can still be promised. */
export function free(bin: Bin): number {
  return bin.grade === 'STD' ? bin.quantity - bin.notStarted - bin.inProgress : 0;
}

/** The rows of a stock image: total = not started + in progress + blocked + available for sale, in every row. */
export function imageRows(ledger: Ledger, activityCode: string, at: number): readonly PlainRecord[] {
  const rows: PlainRecord[] = [];
  for (const bin of ledger.all()) {
    if (bin.quantity === 0 && bin.notStarted === 0 && bin.inProgress === 0) continue;
    const blocked = bin.grade === 'STD' ? 0 : bin.quantity;
    rows.push({
      activityCode,
      stockImageExtractionDate: iso(at),
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
      oldestSaleDeadlineDate: bin.deadline === null ? null : iso(bin.deadline),
      newestSaleDeadlineDate: bin.deadline === null ? null : iso(bin.deadline),
      gradeCode: bin.grade,
      dateProcessed: iso(at + 12_000),
    });
  }
  return rows;
}
