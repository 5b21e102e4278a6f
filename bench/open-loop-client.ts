// A peer that sends requests at a fixed rate, whatever the responses: it counts how many were good, and in time.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerTasks } from './peers.ts';
import type { Measured } from './measure.ts';
import { requestBytes } from './request-bytes.ts';

/** One run against a server on this machine. */
export interface OpenLoad {
  readonly port: number;
  /** Requested in turn, repeatedly. */
  readonly paths: readonly string[];
  /** The paths of each client, instead of these. */
  readonly ownPaths?: readonly string[];
  /** The header lines of each client, each ended by CRLF. They take turns. */
  readonly clients: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /**
   * Opened before the first request is due. A request that finds no free connection is not sent: a queue in front of
   * the server would only make all requests late.
   */
  readonly connections: number;
  /** Milliseconds from when a request was due until its response is useless. */
  readonly deadlineMs: number;
  /** For POST requests; absent: GET requests. See `requestBytes`. */
  readonly body?: string | null;
  /** The status of a good response; default: 200. */
  readonly status?: number;
}

/**
 * The results of a run, counted once it has lasted as long as the deadline, because no response can be late before.
 * `done` are those with 200 within the deadline.
 */
export interface Outcome extends Measured {
  /** How many were due. */
  readonly due: number;
  /** Good ones of the whole run, including those before counting began. */
  readonly doneInAll: number;
  /** 503 and 429. */
  readonly refused: number;
  /** Refusals without `Retry-After`, and responses with any other status. */
  readonly wrong: number;
  /** 200 after the deadline. */
  readonly late: number;
  /** No connection was free: each had a request in progress. */
  readonly unsent: number;
  /** Milliseconds of the good ones, from when they were due: median, and 99th percentile. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** How many of those that were due had a result, good or not. */
  readonly counted: number;
  /** Percentiles of all of them, in milliseconds: late, refused, wrong and unsent ones count as infinite. */
  readonly allMs: { readonly p50: number; readonly p99: number; readonly p999: number };
}

answerTasks(async (task) => {
  if (!isOpenLoad(task)) throw new Error('not an open load');
  return run(task);
});

async function run(load: OpenLoad): Promise<Outcome> {
  const requests = load.clients.map((headers, index) =>
    (load.ownPaths?.slice(index, index + 1) ?? load.paths).map((path) =>
      requestBytes(load.port, path, headers, load.body),
    ),
  );
  const goodStatus = load.status ?? 200;
  const latencies: number[] = [];
  const counts = { refused: 0, wrong: 0, late: 0, unsent: 0 };
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  /** When counting begins. */
  let counted = Number.POSITIVE_INFINITY;
  let doneInAll = 0;
  const count = (status: number, hasRetryAfter: boolean, now: number, due: number): void => {
    const isGood = status === goodStatus && now - due <= load.deadlineMs;
    if (isGood) doneInAll += 1;
    if (now < counted) return;
    if (isGood) latencies.push(now - due);
    else if (status === goodStatus) counts.late += 1;
    else if ((status === 503 || status === 429) && hasRetryAfter) counts.refused += 1;
    else counts.wrong += 1;
  };
  const listeners: Listeners = {
    answered: (connection, status, hasRetryAfter, due) => {
      count(status, hasRetryAfter, performance.now(), due);
      idle.push(connection);
    },
    closed: (connection, due) => {
      open.delete(connection);
      const at = idle.indexOf(connection);
      if (at >= 0) idle.splice(at, 1);
      if (due !== null) counts.wrong += 1;
    },
  };
  for (const connection of await openConnections(load, listeners)) {
    open.add(connection);
    idle.push(connection);
  }
  const started = performance.now();
  counted = started + load.deadlineMs;
  const until = counted + load.seconds * 1000;
  let due = 0;
  const take = (request: Buffer, at: number): void => {
    const free = idle.pop();
    if (free !== undefined) free.send(request, at);
    else if (at >= counted) counts.unsent += 1;
  };
  const tick = (): void => {
    const now = Math.min(performance.now(), until);
    for (;;) {
      const at = started + (due / load.perSecond) * 1000;
      if (at >= now) break;
      const client = requests[due % requests.length] ?? [];
      const request = client[Math.floor(due / requests.length) % client.length];
      if (request !== undefined) take(request(), at);
      due += 1;
    }
  };
  await new Promise<void>((resolve) => {
    const clock = setInterval(() => {
      tick();
      if (performance.now() < until) return;
      clearInterval(clock);
      resolve();
    }, 1);
  });
  const seconds = (performance.now() - counted) / 1000;
  // Requests in progress are neither good nor bad: the same number was in progress when counting began.
  const dueWhenCounted = Math.min(due, Math.round(load.perSecond * seconds));
  const outcome = { ...counts, due: dueWhenCounted, done: latencies.length, doneInAll };
  for (const connection of open) connection.end();
  latencies.sort((a, b) => a - b);
  const ended = latencies.length + counts.refused + counts.wrong + counts.late + counts.unsent;
  const ofAll = (share: number): number => latencies[Math.ceil(share * ended) - 1] ?? Number.POSITIVE_INFINITY;
  return {
    ...outcome,
    ...{ counted: ended, allMs: { p50: ofAll(0.5), p99: ofAll(0.99), p999: ofAll(0.999) } },
    seconds,
    cpuSeconds: 0,
    medianMs: latencies[latencies.length >> 1] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  };
}

interface Connection {
  readonly send: (request: Buffer, due: number) => void;
  readonly end: () => void;
}

interface Listeners {
  readonly answered: (connection: Connection, status: number, hasRetryAfter: boolean, due: number) => void;
  readonly closed: (connection: Connection, due: number | null) => void;
}

/** Connections opened at a time. */
const perBatch = 20;

/** Connections per local address, few enough for a limit of connections from one address. */
const perAddress = 200;

/** Opens all of them, a few at a time, because how fast a server accepts new ones is not measured. */
async function openConnections({ port, connections }: OpenLoad, listeners: Listeners): Promise<readonly Connection[]> {
  const made: Connection[] = [];
  while (made.length < connections) {
    const batch = Array.from({ length: Math.min(perBatch, connections - made.length) }, (_unused, index) =>
      openConnection(port, made.length + index, listeners),
    );
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

/** @returns the connection once it is open */
async function openConnection(port: number, index: number, { answered, closed }: Listeners): Promise<Connection> {
  let due: number | null = null;
  let head = '';
  let status = 0;
  let hasRetryAfter = false;
  /** Bytes of the body that are missing; -1 while the head is read. */
  let missing = -1;
  const take = (chunk: Buffer): void => {
    if (missing < 0) {
      const end = chunk.indexOf('\r\n\r\n');
      head += chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      hasRetryAfter = status !== 200 && /\r\nretry-after: \d/i.test(head);
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) - (chunk.length - end - 4);
      head = '';
    } else missing -= chunk.length;
    if (missing > 0) return;
    missing = -1;
    const asked = due ?? 0;
    due = null;
    answered(connection, status, hasRetryAfter, asked);
  };
  const localAddress = `127.0.0.${1 + Math.floor(index / perAddress)}`;
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  socket.on('data', take);
  socket.on('error', () => undefined);
  socket.on('close', () => closed(connection, due));
  const connection: Connection = {
    send: (request, at) => {
      due = at;
      socket.write(request);
    },
    end: () => {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
  await once(socket, 'connect');
  return connection;
}

function isOpenLoad(task: unknown): task is OpenLoad {
  return typeof task === 'object' && task !== null && 'perSecond' in task && 'clients' in task;
}
