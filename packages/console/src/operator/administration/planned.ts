// What a line of a CSV file would change, before anything is done.
import type { SayWord } from '../words/words.ts';

/** What is wrong with a line by itself, in the words of the page. */
export interface LineFault {
  readonly word: Parameters<SayWord>[0];
  readonly values?: Readonly<Record<string, string>>;
}

interface Compared<Listed, Known> {
  readonly listed: Listed;
  /** Null: it is not there yet. */
  readonly known: Known | null;
}

export type Planned<Listed, Known> = Compared<Listed, Known> &
  (
    | { readonly action: 'add' | 'change' | 'none'; readonly fault: null }
    | { readonly action: 'fault'; readonly fault: LineFault }
  );

/** @param isSame whether the line says nothing else than what there is */
export function planned<Listed, Known>(
  listed: Listed,
  known: Known | null,
  fault: LineFault | null,
  isSame: (known: Known) => boolean,
): Planned<Listed, Known> {
  if (fault !== null) return { listed, known, action: 'fault', fault };
  return { listed, known, action: known === null ? 'add' : isSame(known) ? 'none' : 'change', fault };
}

/** Whether a list says what there is, in whatever order and however often; undefined: it says nothing. */
export function isSameList(listed: readonly string[] | undefined, known: readonly string[]): boolean {
  return listed === undefined || [...new Set(listed)].toSorted().join(' ') === known.toSorted().join(' ');
}

/** @param codes of all activities @param held those that may stay though they are gone */
export function activityFault(
  listed: readonly string[] | undefined,
  codes: ReadonlySet<string>,
  held: readonly string[] = [],
): LineFault | null {
  const unknown = listed?.find((code) => !codes.has(code) && !held.includes(code));
  return unknown === undefined ? null : { word: 'row-activity', values: { at: unknown } };
}
