// Keeps the last requests of each client: collects requests that have ended, and periodically writes some of them.
import type { EndedRequest } from '../http/ended-request.ts';
import type { LoggedRequest } from '../store/request-log.ts';
import type { Store } from '../store/store.ts';

interface RecorderOptions {
  readonly store: Pick<Store, 'requestLog'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when requests could not be written: they are lost. */
  readonly onLost: (error: unknown) => void;
  /** Interval between writes; default: two seconds. */
  readonly everyMs?: number;
}

interface RequestRecorder {
  /** Never waits, and never fails. */
  readonly record: (ended: EndedRequest) => void;
  /** Writes what has been collected. */
  readonly close: () => Promise<void>;
}

/**
 * Limit for one client between two writes, separately for requests that ended in a problem and for others, that get
 * rows of their own.
 */
export const maxProblemsAtOnce = 20;
export const maxOthersAtOnce = 5;
/** Limit on rows for all clients between two writes. */
export const maxRowsAtOnce = 200;
/** Characters of a path with its query, and of the texts of a problem. */
const maxTextLength = 1000;

/** What is collected for one client until it is written. */
interface Gathered {
  readonly rows: Omit<LoggedRequest, 'id'>[];
  problems: number;
  others: number;
  further: number;
}

/**
 * Makes the recorder of one process. Whatever the load, it writes at most 200 rows every two seconds; requests of a
 * client without a row are counted in its next one.
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
      // Once there are too many rows, clients without a row are not recorded, so that memory stays bounded.
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
