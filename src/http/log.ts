// The log: structured lines without tokens, query texts, bodies or values from paths.
import { type DestinationStream, type Logger, pino } from 'pino';

declare module 'sonic-boom' {
  interface SonicBoom {
    /** What `contentMode: 'buffer'` takes; the library's own types know of texts alone. */
    write(bytes: Buffer): boolean;
  }
}

type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** What the log and the metrics record about one request; filled while it is served. */
export interface RequestNote {
  /** Route pattern in braces. Never the path itself: references and order numbers can be personal data. */
  route: string | null;
  clientId: string | null;
  /** User on whose behalf a client calls, or name of a key. */
  subject: string | null;
  /** Slug of the problem in the response. */
  problem: string | null;
  /** Detail of that problem. */
  problemDetail: string | null;
  /** Trace id of that problem's body. */
  traceId: string | null;
  /** Those of the token; null: the caller is unknown. */
  activityCodes: readonly string[] | null;
  /** The trace that the request belongs to, 32 hexadecimal digits: the caller's, or the server's own. */
  trace: string | null;
}

/** The empty note of a new request. */
export function newNote(): RequestNote {
  return {
    route: null,
    clientId: null,
    subject: null,
    problem: null,
    problemDetail: null,
    traceId: null,
    activityCodes: null,
    trace: null,
  };
}

/**
 * The program's logger: one JSON object per line.
 * @param level lines below it are dropped
 * @param destination default: standard error, written in the background ten times a second or every 16 kB, so that a
 *   slow reader of the log does not delay requests; the rest is written when the process ends
 * @param worker number of this process in a server with several workers; each line contains it
 */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = backgroundOutput(),
  worker: number | null = null,
): Logger {
  const redact = [
    'authorization',
    'cookie',
    'headers.authorization',
    'headers.cookie',
    'req.headers.authorization',
    'req.headers.cookie',
  ];
  return pino({ level, base: worker === null ? null : { worker }, timestamp: timestamps(), redact }, destination);
}

/**
 * RFC 3339 in UTC. Everything but the milliseconds is formatted once per second: formatting it for each line costs as
 * much as the line.
 */
function timestamps(): () => string {
  let second = -1;
  let prefix = '';
  return () => {
    const now = Date.now();
    const current = Math.trunc(now / 1000);
    if (current !== second) {
      second = current;
      prefix = new Date(now).toISOString().slice(0, 20);
    }
    return `,"time":"${prefix}${String(now % 1000).padStart(3, '0')}Z"`;
  };
}

/** What waits while the log cannot be written, because its disk is full or nobody reads it; more lines are lost. */
const maxWaitingBytes = 16_777_216;

/** Lines as bytes: of texts the library measures all that waits to be written again with every further line. */
function backgroundOutput(): DestinationStream & Pick<ReturnType<typeof pino.destination>, 'flush'> {
  const output = pino.destination({
    ...{ dest: 2, sync: false, minLength: 16_000, maxLength: maxWaitingBytes, periodicFlush: 100 },
    contentMode: 'buffer',
  });
  // A full disk is no reason to stop serving. The library tries again with the next flush.
  output.on('error', () => undefined);
  let isOver = false;
  return {
    write: (line) => {
      if (!isOver) output.write(Buffer.from(line));
    },
    flush: (done) =>
      output.flush((error) => {
        // Before the process ends: the library would try for ever to write the rest.
        if (error) {
          isOver = true;
          output.destroy();
        }
        done?.(error);
      }),
  };
}

/**
 * Waits until everything logged has been written, for at most a second. To be awaited before the process ends: the
 * library would write the rest in a loop that never ends when nobody reads the log any more.
 */
export function written(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, 1000);
    logger.flush(() => {
      clearTimeout(limit);
      resolve();
    });
  });
}

/** Polled by monitors every few seconds; successful responses would fill most of the log. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Writes the single line of a request, at level info; for a successful probe, at level debug. `ms` is the time until
 * the response was passed to the socket.
 */
export function logRequest(
  logger: Logger,
  request: { readonly id: string; readonly method: string; readonly note: RequestNote | null },
  route: string | null,
  status: number,
  ms: number,
  bytes: number,
): void {
  const { id: requestId, method, note } = request;
  const level = route !== null && probes.has(route) && status < 400 ? 'debug' : 'info';
  logger[level](
    {
      requestId,
      method,
      route,
      status,
      ms: Math.round(ms * 1000) / 1000,
      bytes,
      client: note?.clientId ?? null,
      // What is undefined is left out of the line.
      trace: note?.trace ?? undefined,
      problem: note?.problem ?? undefined,
      traceId: note?.problem ? note.traceId : undefined,
    },
    'request',
  );
}
