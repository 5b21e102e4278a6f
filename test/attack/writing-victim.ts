// A victim that writes: a thread that sends one article at a time at a steady pace, whatever became of the last one.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { oneArticle } from './articles.ts';
import { mainThreadOf, processOfConnection, servingProcesses } from './processes.ts';

interface Wanted {
  readonly port: number;
  readonly pid: number;
  /** More than one: the process of `pid` supervises as many. */
  readonly workers: number;
  readonly token: string;
  readonly activity: string;
  /** From one request to the next. */
  readonly paceMs: number;
  /** Address that the victim comes from. */
  readonly from: string;
}

/** What the victim saw while it wrote. */
interface Seen {
  /**
   * Milliseconds from when each request was sent until it was answered, without those in which the main thread that
   * served it or that of the victim waited for a processor.
   */
  readonly net: readonly number[];
  /** How often each status came; 422 stands for an answer that says that the article was not written. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface WritingVictim {
  /** Writes for so long. */
  readonly write: (milliseconds: number) => Promise<Seen>;
  readonly end: () => Promise<unknown>;
}

export async function startWritingVictim(wanted: Wanted): Promise<WritingVictim> {
  const thread = new Worker(new URL(import.meta.url), { workerData: wanted });
  await once(thread, 'message');
  return {
    write: async (milliseconds) => {
      const answered = once(thread, 'message');
      thread.postMessage(milliseconds);
      const [seen] = await answered;
      return seen;
    },
    end: () => thread.terminate(),
  };
}

if (!isMainThread && parentPort !== null) {
  const main = parentPort;
  const wanted: Wanted = workerData;
  const agent = new Agent({ keepAlive: true });
  main.on('message', async (milliseconds: number) => {
    const seen = { net: [] as number[], statuses: {} as Record<string, number> };
    const sent: Promise<void>[] = [];
    for (let due = 0; due < milliseconds; due += wanted.paceMs) {
      sent.push(writeOne(wanted, agent, seen));
      await wait(wanted.paceMs);
    }
    await Promise.all(sent);
    main.postMessage(seen);
  });
  main.postMessage('ready');
}

/** Which process serves a connection: it takes milliseconds to know. */
const servers = new WeakMap<Socket, number>();

async function writeOne(
  { port, pid, workers, token, activity, from }: Wanted,
  agent: Agent,
  seen: { readonly net: number[]; readonly statuses: Record<string, number> },
): Promise<void> {
  const body = JSON.stringify([oneArticle(activity)]);
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    'content-length': String(Buffer.byteLength(body)),
  };
  const pids = servingProcesses(pid, workers);
  const [sentAt, before, own] = [performance.now(), pids.map(waitedOf), waitedOf('thread-self')];
  let served: number | undefined;
  const servedOn = (socket: Socket): number | undefined => {
    const found = servers.get(socket) ?? processOfConnection(pids, { port, from: socket.localPort ?? 0 });
    if (found !== undefined) servers.set(socket, found);
    return found;
  };
  const status = await new Promise<string>((resolve) => {
    const options = { port, host: '127.0.0.1', localAddress: from, method: 'POST', path: '/v1/articles', agent };
    const sent = request({ ...options, headers }, (answer) => {
      served = servedOn(answer.socket);
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.once('end', () => {
        const isRefused = answer.statusCode === 200 && !text.includes('"status":200,');
        resolve(isRefused ? '422' : String(answer.statusCode));
      });
    });
    sent.once('error', () => resolve('none'));
    sent.end(body);
  });
  const server = served === undefined ? 0 : waitedOf(served) - (before[pids.indexOf(served)] ?? 0);
  const waited = Math.max(server, waitedOf('thread-self') - own);
  seen.net.push(performance.now() - sentAt - waited / 1e6);
  seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
}

/** Nanoseconds that a main thread has waited for a processor. */
function waitedOf(pid: number | 'thread-self'): number {
  return mainThreadOf(pid).waited;
}
