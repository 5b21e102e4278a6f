// What is compared: a server that is up, and how it is asked.
import type { PageQuery, Work } from './work.ts';

/** One server, or a limit that does less than any server could. */
export interface Subject {
  readonly name: string;
  /** `own`: this program; `peer`: another framework; `limit`: what nothing that answers alike can exceed. */
  readonly kind: 'own' | 'peer' | 'limit';
  readonly engine: 'SQLite' | 'PostgreSQL' | null;
  /** Of the tree of processes that answers. */
  readonly pid: number;
  /** A tree that may use all processors, because it is there to use several. */
  readonly hasSeveralProcesses: boolean;
  readonly port: number;
  readonly pathOf: (query: PageQuery) => string;
  /** Where articles are created; null where they cannot be. */
  readonly articlesPath: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Its records as the interface has them: what is not a record is taken off. */
  readonly recordsOf: (answer: unknown) => readonly unknown[];
  /** Called before each kind of work; limits take up the answer that they are to give. */
  readonly prepare: (work: Work, answer: Uint8Array) => Promise<void>;
  /** What the results tell about it. */
  readonly note: string;
  readonly stop: () => Promise<void>;
}

/** An answer that is a list of records as it is. */
export function plainRecords(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new Error(`an answer is no list: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer;
}
