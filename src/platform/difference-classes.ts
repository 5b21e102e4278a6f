// Classifies why a stock image differs from the previous one plus the movements between them (decision 52).
import {
  minDifference,
  type PlacedMovement,
  type PlaceSum,
  type StockPlace,
  type StockSum,
} from '../store/stock-sums-contract.ts';

/** Reasons for a difference; the first one that explains it to the last piece applies. */
export const differenceClasses = [
  'unknown',
  'late-movement',
  'grade-change',
  'movement-after-extraction',
  'missing-movement',
] as const;
export type DifferenceClass = (typeof differenceClasses)[number];

/** What is known besides the sums. */
interface Evidence {
  /** Instants of the two images, milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Of movements dated before the earlier image but stored between the two images. */
  readonly lateBefore: readonly PlaceSum[];
  /** Movements close to the instants of the images, in order of time. */
  readonly near: readonly PlacedMovement[];
  /** Halves of grade changes whose other half is missing, which would compensate the difference in another grade. */
  readonly unpaired: readonly PlacedMovement[];
}

/** The quantity that the later image should show. */
export function expectedOf({ before, movedIn, movedOut }: Pick<StockSum, 'before' | 'movedIn' | 'movedOut'>): number {
  return tidy(before + movedIn - movedOut);
}

export function differenceOf(sum: Pick<StockSum, 'before' | 'movedIn' | 'movedOut' | 'after'>): number {
  return tidy(sum.after - expectedOf(sum));
}

/** Removes rounding errors of adding decimals. */
export function tidy(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}

/** The class of each sum; null when there is no difference and everything was counted. */
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

/**
 * Movements that change the grade of goods come in pairs; returns those without a counterpart, for codes whose
 * movements come in pairs.
 */
export function unpairedHalves(
  movements: readonly PlacedMovement[],
  isPairCode: (code: string) => boolean,
): readonly PlacedMovement[] {
  return withoutPair(movements).filter(({ code }) => code !== null && isPairCode(code));
}

/** True when at least half of these movements, all with one code, are pairs. */
export function comesInPairs(movements: readonly PlacedMovement[]): boolean {
  return movements.length > 0 && withoutPair(movements).length * 2 <= movements.length;
}

/** Indexes the evidence by place. */
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

/** The evidence for a sum: for all lots together if they are combined there. */
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

/** In any grade. */
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

/** Movements that wait for their other half: thousands may be alike, so each is found without scanning the others. */
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
 * A movement stored after the later image arrived is counted but not in it; one stored between the two images but dated
 * before the earlier one is in the later image but not counted.
 */
function isLate(sum: StockSum, difference: number, { lateBefore }: Evidence): boolean {
  const before = lateBefore.reduce((total, { quantity }) => total + quantity, 0);
  const candidates = [sum.late, -before, sum.late - before].filter((quantity) => !isNothing(quantity));
  return candidates.some((quantity) => isNothing(difference + quantity));
}

/** One of the images was taken a little earlier or later than it says: the movements in between are the difference. */
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
    // An image taken after its stated instant includes the movements that followed; those included in the earlier
    // image are counted a second time.
    reaches(
      near.filter(({ at }) => at > to),
      1,
    ) ||
    reaches(
      near.filter(({ at }) => at > from && at <= half),
      -1,
    ) ||
    // An image taken too early lacks the movements before its stated instant.
    reaches(near.filter(({ at }) => at > half && at <= to).toReversed(), -1) ||
    reaches(near.filter(({ at }) => at <= from).toReversed(), 1)
  );
}

function isNothing(quantity: number): boolean {
  return Math.abs(quantity) < minDifference;
}
