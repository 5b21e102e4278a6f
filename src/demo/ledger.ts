// The stock of one activity, place by place, and the movements that change it. No quantity changes without a movement.
import { iso } from './calendar.ts';
import type { Item, PlainRecord } from './catalogue.ts';

/** Goods of one article, lot and grade in one stock unit. */
export interface Bin {
  readonly item: Item;
  readonly unit: string;
  readonly lot: string | null;
  readonly grade: string;
  /** Sale deadline of the lot; null: it does not expire. */
  readonly deadline: number | null;
  quantity: number;
  /** Ordered but not launched; and launched but not shipped. */
  notStarted: number;
  inProgress: number;
  oldestReception: number;
  newestReception: number;
}

/** What distinguishes a bin from the others of its article. */
export interface StockAttributes {
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
  /** Adds goods that were in stock before the history begins. */
  readonly open: (item: Item, place: StockAttributes, quantity: number) => void;
  readonly move: (at: number, item: Item, place: StockAttributes, quantity: number, cause: Cause) => Bin;
  /**
   * Moves goods of a bin to another place of the same article: a pair of movements whose sum is zero. Returns their new
   * place.
   */
  readonly transfer: (
    at: number,
    from: Bin,
    to: Partial<Pick<StockAttributes, 'unit' | 'grade'>>,
    quantity: number,
    cause: Cause,
  ) => Bin;
  /** @param bookedAt when the warehouse system learns of it, if that is later */
  readonly take: (at: number, from: Bin, quantity: number, cause: Cause, bookedAt?: number) => void;
  readonly bins: (item: Item) => readonly Bin[];
  readonly all: () => Iterable<Bin>;
  /** Forgets empty places. */
  readonly tidy: () => void;
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

/** From a movement until the warehouse system has processed it. */
const processingMs = 20_000;

/** Receives each movement, and when it can be sent; the record is made only if it is needed. */
type OnMovement = (readyAt: number, make: () => PlainRecord) => void;

/** An empty ledger. */
export function createLedger(onMovement: OnMovement): Ledger {
  const byReference = new Map<string, Bin[]>();

  const post = (at: number, bin: Bin, quantity: number, cause: Cause, bookedAt = at): void => {
    if (bin.quantity + quantity < 0) throw new RangeError(`Less than nothing of ${bin.item.reference} in ${bin.unit}.`);
    bin.quantity += quantity;
    const processedAt = bookedAt + processingMs;
    onMovement(processedAt, () => movementRecord({ at, processedAt }, bin, quantity, cause));
  };

  return {
    open: (item, place, quantity) => {
      binAt(byReference, item, place).quantity += quantity;
    },
    move: (at, item, place, quantity, cause) => {
      const bin = binAt(byReference, item, place);
      post(at, bin, quantity, cause);
      return bin;
    },
    transfer: (at, from, to, quantity, cause) => {
      post(at, from, -quantity, cause);
      const { unit = from.unit, grade = from.grade } = to;
      const { lot, deadline, newestReception: receivedAt } = from;
      const target = binAt(byReference, from.item, { unit, grade, lot, deadline, receivedAt });
      post(at, target, quantity, cause);
      return target;
    },
    take: (at, from, quantity, cause, bookedAt) => post(at, from, -quantity, cause, bookedAt),
    bins: (item) => byReference.get(item.reference) ?? [],
    *all() {
      for (const bins of byReference.values()) yield* bins;
    },
    tidy: () => {
      for (const [reference, bins] of byReference) {
        if (bins.some(isEmpty))
          byReference.set(
            reference,
            bins.filter((bin) => !isEmpty(bin)),
          );
      }
    },
  };
}

/** The quantity in a bin that can still be promised. */
export function free(bin: Bin): number {
  return bin.grade === 'STD' ? bin.quantity - bin.notStarted - bin.inProgress : 0;
}

export function isEmpty({ quantity, notStarted, inProgress }: Bin): boolean {
  return quantity === 0 && notStarted === 0 && inProgress === 0;
}

function binAt(byReference: Map<string, Bin[]>, item: Item, place: StockAttributes): Bin {
  const bins = byReference.get(item.reference) ?? [];
  byReference.set(item.reference, bins);
  const found = bins.find((bin) => bin.unit === place.unit && bin.lot === place.lot && bin.grade === place.grade);
  if (found !== undefined) {
    found.oldestReception = found.quantity === 0 ? place.receivedAt : Math.min(found.oldestReception, place.receivedAt);
    found.newestReception = Math.max(found.newestReception, place.receivedAt);
    return found;
  }
  const { unit, lot, grade, deadline, receivedAt } = place;
  const made: Bin = {
    item,
    unit,
    lot,
    grade,
    deadline,
    quantity: 0,
    notStarted: 0,
    inProgress: 0,
    oldestReception: receivedAt,
    newestReception: receivedAt,
  };
  bins.push(made);
  return made;
}

function movementRecord(
  { at, processedAt }: { readonly at: number; readonly processedAt: number },
  bin: Bin,
  quantity: number,
  cause: Cause,
): PlainRecord {
  return {
    activityCode: cause.event,
    stockUnitID: bin.unit,
    movementTimestamp: iso(at),
    articleReference: bin.item.reference,
    movedQuantity: Math.abs(quantity),
    movementDirection: quantity < 0 ? 'O' : 'I',
    movementCode: cause.code,
    movementReason: cause.reason,
    gradeCode: bin.grade,
    dateProcessed: iso(processedAt),
    articleLotNumber: bin.lot,
  };
}
