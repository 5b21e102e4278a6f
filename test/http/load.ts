// Loads a server over connections of its own: each asks again as soon as it is answered (closed loop), or requests come
// at a rate whatever the answers (open loop).
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** One answer, as far as a load cares. */
export interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number | null;
  /** When it was over, milliseconds since 1970. */
  readonly at: number;
}

export interface Asked {
  readonly port: number;
  readonly path: string;
  readonly client: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A client with so many connections. */
export function principal(connections: number): {
  readonly ask: (asked: Asked) => Promise<Outcome>;
  readonly end: () => void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: ({ port, path, client, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const method = body === undefined ? 'GET' : 'POST';
        request(
          { port, host: '127.0.0.1', path, method, agent, headers: { authorization: `Bearer ${client}`, ...headers } },
          (answer) => {
            answer.resume().once('end', () => {
              const retryAfter = answer.headers['retry-after'];
              resolve({
                status: answer.statusCode ?? 0,
                ms: performance.now() - started,
                retryAfter: retryAfter === undefined ? null : Number(retryAfter),
                at: Date.now(),
              });
            });
          },
        )
          .once('error', reject)
          .end(body);
      }),
    end: () => agent.destroy(),
  };
}

/** Asks on so many connections until told to stop, and gives what came of it. */
export async function closedLoop(asked: Asked, connections: number, until: AbortSignal): Promise<readonly Outcome[]> {
  const { ask, end } = principal(connections);
  const outcomes: Outcome[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!until.aborted) outcomes.push(await ask(asked));
    }),
  );
  end();
  return outcomes;
}

/** The same in a thread of its own. @returns what ends it and gives what came of it */
export function attack(asked: Asked, connections: number): () => Promise<readonly Outcome[]> {
  const worker = new Worker(new URL('load-worker.ts', import.meta.url), { workerData: { asked, connections } });
  const outcomes = once(worker, 'message');
  return async () => {
    worker.postMessage('stop');
    const [first] = await outcomes;
    await worker.terminate();
    return first;
  };
}

/** Asks so many times a second for a while, on as many connections as that takes. */
export async function openLoop(
  asked: Asked,
  perSecond: number,
  seconds: number,
  connections: number,
): Promise<readonly Outcome[]> {
  const { ask, end } = principal(connections);
  const started = performance.now();
  const running: Promise<Outcome>[] = [];
  while (performance.now() - started < seconds * 1000) {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond);
    while (running.length < due) {
      const one = ask(asked);
      // Told at the end, to whoever waits for all of them.
      one.catch(() => {});
      running.push(one);
    }
    await pause(2);
  }
  const outcomes = await Promise.all(running);
  end();
  return outcomes;
}

/** Asks one after the other, with a pause in between, as a client that does nothing unusual. */
export async function nowAndThen(asked: Asked, times: number, pauseMs: number): Promise<readonly Outcome[]> {
  const { ask, end } = principal(1);
  const outcomes: Outcome[] = [];
  for (let count = 0; count < times; count++) {
    outcomes.push(await ask(asked));
    await pause(pauseMs);
  }
  end();
  return outcomes;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
