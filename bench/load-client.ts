// A peer that loads a server: any number of keep-alive connections, with one request at a time on each; it parses only
// the response head.
import { connect } from 'node:net';
import { answerTasks } from './peers.ts';
import type { Measured } from './measure.ts';
import { requestBytes } from './request-bytes.ts';

/** One run against a server on this machine. */
interface Load {
  readonly port: number;
  /** Each is requested once, in this order; with `repeat` they are requested repeatedly. */
  readonly paths: readonly string[];
  readonly repeat: boolean;
  /** Header lines, each ended by CRLF. */
  readonly headers: string;
  readonly connections: number;
  /** For POST requests; absent: GET requests. See `requestBytes`. */
  readonly body?: string | null;
  /** Every response must have it. */
  readonly status: number;
  /** Duration of the run. */
  readonly seconds: number;
}

answerTasks(async (task) => {
  if (!isLoad(task)) throw new Error('not a load');
  return run(task);
});

async function run({ port, paths, repeat, headers, connections, status, seconds, body }: Load): Promise<Measured> {
  const requests = paths.map((path) => requestBytes(port, path, headers, body));
  const started = performance.now();
  const until = started + seconds * 1000;
  let asked = 0;
  let done = 0;
  const next = (): Buffer | undefined =>
    performance.now() < until ? requests[repeat ? asked++ % requests.length : asked++]?.() : undefined;
  const answered = (got: number): void => {
    if (got !== status) throw new Error(`a request was answered with ${got}, not ${status}`);
    done += 1;
  };
  await Promise.all(Array.from({ length: connections }, () => connection(port, next, answered)));
  return { done, seconds: (performance.now() - started) / 1000, cpuSeconds: 0 };
}

/** Sends requests over one connection, until there are none left. */
function connection(port: number, next: () => Buffer | undefined, answered: (status: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let status = 0;
    /** Bytes of the body that are missing; -1 while the head is read. */
    let missing = -1;
    const send = (): void => {
      const request = next();
      if (request === undefined) socket.end(resolve);
      else socket.write(request);
    };
    const take = (chunk: Buffer): void => {
      if (missing < 0) {
        const end = chunk.indexOf('\r\n\r\n');
        head += chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
        if (end < 0) return;
        status = Number(head.slice(9, 12));
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        if (length === undefined && status !== 304) throw new Error(`an answer has no length: ${head}`);
        missing = Number(length ?? 0) - (chunk.length - end - 4);
        head = '';
      } else missing -= chunk.length;
      if (missing > 0) return;
      if (missing < 0) throw new Error('an answer is longer than it says');
      missing = -1;
      answered(status);
      send();
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, send);
    socket.on('data', (chunk) => {
      try {
        take(chunk);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });
}

function isLoad(task: unknown): task is Load {
  return typeof task === 'object' && task !== null && 'paths' in task && 'port' in task;
}
