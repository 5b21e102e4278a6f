// Keeps the last requests of each client: gathers those that end, and writes some of them together now and then.
import type { EndedRequest } from '../http/ended-request.ts';
import type { LoggedRequest } from '../store/request-log.ts';
import type { Store } from '../store/store.ts';

interface RecorderOptions {
  readonly store: Pick<Store, 'requestLog'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told when requests could not be written: they are lost. */
  readonly onLost: (error: unknown) => void;
  /** From one writing to the next; two seconds when absent. */
  readonly everyMs?: number;
}

interface RequestRecorder {
  /** Never waits, and never fails. */
  readonly record: (ended: EndedRequest) => void;
  /** Writes what has been gathered. */
  readonly close: () => Promise<void>;
}

/** Of one client between two writings: requests that ended in a problem, and others, with rows of their own. */
export const maxProblemsAtOnce = 20;
export const maxOthersAtOnce = 5;
/** Rows of all clients between two writings. */
export const maxRowsAtOnce = 200;
/** Characters of a path with its query, and of the sentences of a problem. */
const maxTextLength = 1000;

/** What is gathered of one client until it is written. */
interface Gathered {
  readonly rows: Omit<LoggedRequest, 'id'>[];
  problems: number;
  others: number;
  further: number;
}

/**
 * Makes what keeps the requests of one process. However many there are, it writes at most 200 rows every two seconds;
 * those of a client that have no row are counted in its next one.
 */
export function createRequestRecorder({ store, now, onLost, everyMs = 2000 }: RecorderOptions): RequestRecorder {
  let gathered = new Map<string, Gathered>();
  let rows = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();
  const write = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const all = [...gathered.values()].flatMap((each) => withFurther(each));
    gathered = new Map();
    rows = 0;
    if (all.length > 0) writing = writing.then(() => store.requestLog.add(all)).catch(onLost);
    return writing;
  };
  return {
    record: (ended) => {
      const known = gathered.get(ended.clientId) ?? { rows: [], problems: 0, others: 0, further: 0 };
      // A client that has no row yet is not gathered once there are too many rows: nothing grows without bound.
      if (rows >= maxRowsAtOnce && known.rows.length === 0) return;
      gathered.set(ended.clientId, known);
      timer ??= setTimeout(() => void write(), everyMs).unref();
      if (rows >= maxRowsAtOnce || isBeyond(known, ended)) {
        known.further += 1;
        return;
      }
      rows += 1;
      known[ended.problem === null ? 'others' : 'problems'] += 1;
      known.rows.push(rowOf(ended, now()));
    },
    close: write,
  };
}

function isBeyond({ problems, others }: Gathered, { problem }: EndedRequest): boolean {
  return problem === null ? others >= maxOthersAtOnce : problems >= maxProblemsAtOnce;
}

function withFurther({ rows, further }: Gathered): readonly Omit<LoggedRequest, 'id'>[] {
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, further } : row));
}

function rowOf(ended: EndedRequest, at: number): Omit<LoggedRequest, 'id'> {
  const { requestId, clientId, subject, method, target, route, status, problem, detail, milliseconds, bytes } = ended;
  return {
    ...{ requestId, at, clientId, subject, method, route, status, problem, bytes, further: 0 },
    target: target.slice(0, maxTextLength),
    detail: detail === null ? null : detail.slice(0, maxTextLength),
    milliseconds: Math.round(milliseconds),
  };
}
