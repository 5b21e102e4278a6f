// In charge of why a stock image is not what the movements make of the one before: the class of each difference
// (decision 52).
import {
  leastDifference,
  type PlacedMovement,
  type PlaceSum,
  type StockPlace,
  type StockSum,
} from '../store/stock-sums-contract.ts';

/** Why the two differ; what explains a difference to the last piece, tried in this order. */
export const differenceClasses = [
  'unknown',
  'late-movement',
  'grade-change',
  'movement-after-extraction',
  'missing-movement',
] as const;
export type DifferenceClass = (typeof differenceClasses)[number];

/** What is known beside the sums. */
interface Evidence {
  /** Instants of the two images, milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Of movements before the earlier image that were stored between the two. */
  readonly lateBefore: readonly PlaceSum[];
  /** Movements near the instants of the images, in order of time. */
  readonly near: readonly PlacedMovement[];
  /** Halves of grade changes whose other half is missing: it makes good the difference of another grade. */
  readonly unpaired: readonly PlacedMovement[];
}

/** What the later image should hold. */
export function expectedOf({ before, movedIn, movedOut }: Pick<StockSum, 'before' | 'movedIn' | 'movedOut'>): number {
  return tidy(before + movedIn - movedOut);
}

export function differenceOf(sum: Pick<StockSum, 'before' | 'movedIn' | 'movedOut' | 'after'>): number {
  return tidy(sum.after - expectedOf(sum));
}

/** Without what is left over from adding decimals. */
export function tidy(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}

/** The class of each sum; null where there is no difference, and all was counted. */
export function classesOf(sums: readonly StockSum[], evidence: Evidence): readonly (DifferenceClass | null)[] {
  const evidenceOf = byPlace(evidence);
  return sums.map((sum) => {
    const difference = differenceOf(sum);
    const own = evidenceOf(sum);
    if (sum.uncounted > 0) return 'unknown';
    if (isNothing(difference)) return null;
    if (isLate(sum, difference, own)) return 'late-movement';
    if (sum.grades.differing > 1 && isNothing(sum.grades.difference)) return 'grade-change';
    if (isShifted(difference, own)) return 'movement-after-extraction';
    const half = own.unpaired.some(({ gradeCode }) => gradeCode !== sum.gradeCode);
    return half ? 'grade-change' : 'missing-movement';
  });
}

/** Movements that change the grade of goods come in pairs; those whose pair is missing, of codes that come in pairs. */
export function unpairedHalves(
  movements: readonly PlacedMovement[],
  isPairCode: (code: string) => boolean,
): readonly PlacedMovement[] {
  return withoutPair(movements).filter(({ code }) => code !== null && isPairCode(code));
}

/** True where at least half of these movements, all of one code, are pairs. */
export function comesInPairs(movements: readonly PlacedMovement[]): boolean {
  return movements.length > 0 && withoutPair(movements).length * 2 <= movements.length;
}

/** The evidence of each place, looked at once. */
function byPlace({ from, to, ...found }: Evidence): (sum: StockSum) => Evidence {
  const lateBefore = atPlaces(found.lateBefore, nameOfPlace, nameOfPlace);
  const near = atPlaces(found.near, nameOfPlace, nameOfPlace);
  const unpaired = atPlaces(
    found.unpaired,
    (half) => nameOfHalf(half, half.quantity),
    (sum) => nameOfHalf(sum, -differenceOf(sum)),
  );
  return (sum) => ({ from, to, lateBefore: lateBefore(sum), near: near(sum), unpaired: unpaired(sum) });
}

/** What was found for a sum: of all lots where they are joined there. */
function atPlaces<T extends StockPlace>(
  found: readonly T[],
  nameOf: (one: T) => string,
  nameOfSum: (sum: StockSum) => string,
) {
  const ofLot = Map.groupBy(found, nameOf);
  const ofAllLots = Map.groupBy(found, (one) => nameOf({ ...one, articleLotNumber: null }));
  return (sum: StockSum): readonly T[] => (sum.lotsJoined ? ofAllLots : ofLot).get(nameOfSum(sum)) ?? [];
}

function nameOfPlace({ articleReference, stockUnitID, articleLotNumber, gradeCode }: StockPlace): string {
  return JSON.stringify([articleReference, stockUnitID, articleLotNumber, gradeCode]);
}

/** Of any grade. */
function nameOfHalf({ articleReference, stockUnitID, articleLotNumber }: StockPlace, quantity: number): string {
  return JSON.stringify([articleReference, stockUnitID, articleLotNumber, tidy(quantity)]);
}

function withoutPair(movements: readonly PlacedMovement[]): readonly PlacedMovement[] {
  const waiting = new Map<string, ByGrade>();
  const paired = new Set<PlacedMovement>();
  const nameOf = ({ articleReference, stockUnitID, at, code }: PlacedMovement, quantity: number): string =>
    JSON.stringify([articleReference, stockUnitID, at, code, quantity]);
  for (const movement of movements) {
    const { quantity, gradeCode } = movement;
    const partner = takeOfOtherGrade(waiting.get(nameOf(movement, -quantity)), gradeCode);
    if (partner !== undefined) {
      paired.add(movement).add(partner);
      continue;
    }
    const name = nameOf(movement, quantity);
    const ofName: ByGrade = waiting.get(name) ?? new Map();
    const ofGrade = ofName.get(gradeCode) ?? [];
    ofGrade.push(movement);
    waiting.set(name, ofName.set(gradeCode, ofGrade));
  }
  return movements.filter((movement) => !paired.has(movement));
}

/** Movements that wait for their other half: thousands may be alike, so none is looked at for another one's sake. */
type ByGrade = Map<PlacedMovement['gradeCode'], PlacedMovement[]>;

function takeOfOtherGrade(byGrade: ByGrade | undefined, gradeCode: PlacedMovement['gradeCode']) {
  for (const [other, ofGrade] of byGrade ?? []) {
    if (other === gradeCode) continue;
    const partner = ofGrade.pop();
    if (ofGrade.length === 0) byGrade?.delete(other);
    return partner;
  }
  return undefined;
}

/**
 * What was stored after the later image came is counted and not in it; what was stored between the two but lies before
 * the earlier one is in the later one and not counted.
 */
function isLate(sum: StockSum, difference: number, { lateBefore }: Evidence): boolean {
  const before = lateBefore.reduce((total, { quantity }) => total + quantity, 0);
  const candidates = [sum.late, -before, sum.late - before].filter((quantity) => !isNothing(quantity));
  return candidates.some((quantity) => isNothing(difference + quantity));
}

/** One of the images was taken a little earlier or later than it says: what moved in between is the difference. */
function isShifted(difference: number, { from, to, near }: Evidence): boolean {
  const reaches = (movements: readonly PlacedMovement[], sign: 1 | -1): boolean => {
    let total = 0;
    for (const { quantity } of movements) {
      total += quantity;
      if (isNothing(total * sign - difference)) return true;
    }
    return false;
  };
  const half = (from + to) / 2;
  return (
    // An image taken later than it says has what came after; the earlier one has it already, and it is counted again.
    reaches(
      near.filter(({ at }) => at > to),
      1,
    ) ||
    reaches(
      near.filter(({ at }) => at > from && at <= half),
      -1,
    ) ||
    // One taken earlier lacks what came before.
    reaches(near.filter(({ at }) => at > half && at <= to).toReversed(), -1) ||
    reaches(near.filter(({ at }) => at <= from).toReversed(), 1)
  );
}

function isNothing(quantity: number): boolean {
  return Math.abs(quantity) < leastDifference;
}
