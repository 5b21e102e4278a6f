// What a line of a CSV file would change, before anything is done.
import type { SayWord } from '../words/words.ts';

/** A fault of a single line, in the words of the page. */
export interface LineFault {
  readonly word: Parameters<SayWord>[0];
  readonly values?: Readonly<Record<string, string>>;
}

interface Compared<Listed, Known> {
  readonly listed: Listed;
  /** Null: it does not exist yet. */
  readonly known: Known | null;
}

export type Planned<Listed, Known> = Compared<Listed, Known> &
  (
    | { readonly action: 'add' | 'change' | 'none'; readonly fault: null }
    | { readonly action: 'fault'; readonly fault: LineFault }
  );

/** @param isSame whether the line equals the current state */
export function planned<Listed, Known>(
  listed: Listed,
  known: Known | null,
  fault: LineFault | null,
  isSame: (known: Known) => boolean,
): Planned<Listed, Known> {
  if (fault !== null) return { listed, known, action: 'fault', fault };
  return { listed, known, action: known === null ? 'add' : isSame(known) ? 'none' : 'change', fault };
}

/** Whether a list equals the current one, in any order and with any repetitions; undefined: not given. */
export function isSameList(listed: readonly string[] | undefined, known: readonly string[]): boolean {
  return listed === undefined || [...new Set(listed)].toSorted().join(' ') === known.toSorted().join(' ');
}

/** @param codes of all activities @param held those that may stay although they no longer exist */
export function activityFault(
  listed: readonly string[] | undefined,
  codes: ReadonlySet<string>,
  held: readonly string[] = [],
): LineFault | null {
  const unknown = listed?.find((code) => !codes.has(code) && !held.includes(code));
  return unknown === undefined ? null : { word: 'row-activity', values: { at: unknown } };
}
