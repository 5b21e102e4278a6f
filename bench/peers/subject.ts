// A subject of the comparison: a running server, and how it is queried.
import type { PageQuery, Work } from './work.ts';

/** One server, or a limit that does less than any server could. */
export interface Subject {
  readonly name: string;
  /** `own`: this program; `peer`: another framework; `limit`: an upper bound for anything with the same answers. */
  readonly kind: 'own' | 'peer' | 'limit';
  readonly engine: 'SQLite' | 'PostgreSQL' | null;
  /** Root of the process tree that responds. */
  readonly pid: number;
  /** It may use all processors, because it is meant to use several. */
  readonly hasSeveralProcesses: boolean;
  readonly port: number;
  readonly pathOf: (query: PageQuery) => string;
  /** Where articles are created; null if that is not possible. */
  readonly articlesPath: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Its records in the form of the interface, without anything around them. */
  readonly recordsOf: (answer: unknown) => readonly unknown[];
  /** Called before each kind of work; limits store the answer that they have to return. */
  readonly prepare: (work: Work, answer: Uint8Array) => Promise<void>;
  /** What the results say about it. */
  readonly note: string;
  readonly stop: () => Promise<void>;
}

/** An answer that already is a list of records. */
export function plainRecords(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new Error(`an answer is no list: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer;
}
