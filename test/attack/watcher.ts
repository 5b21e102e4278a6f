// A thread that is the victim: asks cheap requests at a steady pace whatever becomes of the last one, and looks at the
// server's process.
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** What the thread is started with. */
export interface Watched {
  readonly port: number;
  readonly pid: number;
  /** More than one: the process of `pid` supervises as many. */
  readonly workers: number;
  /** Name of the database on a PostgreSQL server of this machine; null: there is none. */
  readonly database: string | null;
  readonly token: string;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  /** Milliseconds from one request to the next. */
  readonly pace: number;
  /** Address that the victim comes from. */
  readonly from: string;
}

/** What was seen from one question of the main thread to the next. */
export interface Lap {
  /**
   * Milliseconds from when each request was due, in no order. One that had no answer counts as long as it was waited
   * for.
   */
  readonly latencies: readonly number[];
  /**
   * Milliseconds of each answer, from when its request was sent, without those in which the server's main thread or
   * that of the victim waited for a processor: what they would have been on a machine of their own.
   */
  readonly net: readonly number[];
  /** How often each status came; `none`: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes. */
  readonly memoryAtStart: number;
  readonly peakMemory: number;
  /** Seconds of the process and those that it started. */
  readonly processorSeconds: number;
  readonly seconds: number;
  /**
   * How many times longer the server's main threads, or the processes of its database, took than they worked, because
   * other programs, the attackers among them, had the processor: 1 on a machine of its own.
   */
  readonly slowness: number;
}

/** Longest wait for answers when a lap is over, milliseconds. */
const maxWaitMs = 5000;
const ticksPerSecond = 100;

/** Nanoseconds that threads worked, and waited for a processor. */
interface Shares {
  readonly worked: number;
  readonly waited: number;
}

interface Running {
  latencies: number[];
  net: number[];
  statuses: Record<string, number>;
  memoryAtStart: number;
  peak: number;
  ticks: number;
  server: Shares;
  backends: ReadonlyMap<number, Shares>;
  started: number;
  open: number;
}

if (parentPort !== null) watch(workerData, parentPort);

function watch(watched: Watched, main: NonNullable<typeof parentPort>): void {
  const { port, pid, workers, database, token, paths, pace, from } = watched;
  const agent = new Agent({ keepAlive: true });
  let asked = 0;
  const begin = (): Running => {
    const { memory, ticks } = processOf(pid);
    return {
      latencies: [],
      net: [],
      statuses: {},
      memoryAtStart: memory,
      peak: memory,
      ticks,
      server: mainThreadsOf(pid, workers),
      backends: backendsOf(database),
      started: performance.now(),
      open: 0,
    };
  };
  let lap = begin();
  let due = performance.now();
  /** Of the server, one of its workers on average, and of this thread. */
  const shares = (): readonly [Shares, number] => {
    const { worked, waited } = mainThreadsOf(pid, workers);
    return [{ worked: worked / workers, waited: waited / workers }, mainThreadOf('thread-self').waited];
  };
  const ask = (at: number, own: Running): void => {
    own.open += 1;
    const [sentAt, [serverBefore, ownBefore]] = [performance.now(), shares()];
    const over = (status: string): void => {
      own.open -= 1;
      own.latencies.push(performance.now() - at);
      const [server, victim] = shares();
      // The longer of the two: they may have waited at the same time.
      const waited = Math.max(server.waited - serverBefore.waited, victim - ownBefore);
      own.net.push(Math.max(0, performance.now() - sentAt - waited / 1e6));
      own.statuses[status] = (own.statuses[status] ?? 0) + 1;
    };
    let done = false;
    const once = (status: string): void => {
      if (!done) over(status);
      done = true;
    };
    const path = paths[asked++ % paths.length];
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ port, host: '127.0.0.1', localAddress: from, path, agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => once(String(answer.statusCode)));
      answer.once('close', () => once('none'));
    });
    sent.once('error', () => once('none'));
    sent.end();
  };
  // A timer that comes late asks for all that was due meanwhile: the pace does not depend on the answers.
  const askWhatIsDue = (): void => {
    for (; due <= performance.now(); due += pace) ask(due, lap);
    const { memory } = processOf(pid);
    lap.peak = Math.max(lap.peak, memory);
  };
  let timer = setInterval(askWhatIsDue, pace);
  main.on('message', async (wanted: 'lap' | 'pause' | 'resume') => {
    if (wanted !== 'lap') {
      clearInterval(timer);
      // The server ends a connection that rests for long, and may do so just when it is used again.
      agent.destroy();
      due = performance.now();
      if (wanted === 'resume') timer = setInterval(askWhatIsDue, pace);
      return;
    }
    const ended = lap;
    const { memory, ticks } = processOf(pid);
    const [server, backends] = [mainThreadsOf(pid, workers), backendsOf(database)];
    const seconds = (performance.now() - ended.started) / 1000;
    lap = begin();
    const until = performance.now() + maxWaitMs;
    while (ended.open > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    const unanswered = Array.from({ length: ended.open }, () => maxWaitMs);
    const outcome: Lap = {
      latencies: [...ended.latencies, ...unanswered],
      net: [...ended.net, ...unanswered],
      statuses:
        ended.open === 0 ? ended.statuses : { ...ended.statuses, none: (ended.statuses.none ?? 0) + ended.open },
      memoryAtStart: ended.memoryAtStart,
      peakMemory: Math.max(ended.peak, memory),
      processorSeconds: (ticks - ended.ticks) / ticksPerSecond,
      seconds,
      slowness: Math.max(slownessOf(ended.server, server), ...slownessesOf(ended.backends, backends)),
    };
    main.postMessage(outcome);
  });
  main.postMessage('ready');
}

/**
 * Memory in bytes, and processor time in ticks, of a process and those that it started; zeros where that cannot be
 * known.
 */
export function processOf(pid: number): { readonly memory: number; readonly ticks: number } {
  let [memory, ticks] = [0, 0];
  for (const each of [pid, ...descendantsOf(pid)]) {
    const stat = textOf(`/proc/${each}/stat`);
    // Behind the name, which may hold anything: utime, stime, and those of children that have ended, are fields 14 to
    // 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    memory += Number(/VmRSS:\s+(\d+)/.exec(textOf(`/proc/${each}/status`))?.[1] ?? 0) * 1024;
  }
  return { memory, ticks };
}

/**
 * Nanoseconds that the main thread of a process, or the thread that asks, has worked, and waited for a processor; zeros
 * where that cannot be known.
 */
export function mainThreadOf(pid: number | 'thread-self'): Shares {
  const [worked = 0, waited = 0] = textOf(`/proc/${pid}/schedstat`).split(' ').map(Number);
  return { worked, waited };
}

/** The same of a server: of its workers together, where there are several. */
function mainThreadsOf(pid: number, workers: number): Shares {
  return sumOf(workers > 1 ? childrenOf(pid).map(mainThreadOf) : [mainThreadOf(pid)]);
}

function sumOf(all: readonly Shares[]): Shares {
  const sum = (what: 'worked' | 'waited'): number => all.reduce((total, one) => total + one[what], 0);
  return { worked: sum('worked'), waited: sum('waited') };
}

function slownessOf(before: Shares, after: Shares): number {
  return 1 + (after.waited - before.waited) / Math.max(1, after.worked - before.worked);
}

/** Of all processes of a database together that were there all the while; nothing where there are none. */
function slownessesOf(before: ReadonlyMap<number, Shares>, after: ReadonlyMap<number, Shares>): readonly number[] {
  const standing = [...after].filter(([pid]) => before.has(pid));
  if (standing.length === 0) return [];
  const [sumBefore, sumAfter] = [standing.map(([pid]) => before.get(pid)), standing.map(([, shares]) => shares)];
  return [slownessOf(sumOf(sumBefore.filter((one) => one !== undefined)), sumOf(sumAfter))];
}

/** The processes that PostgreSQL has for the connections to a database, as their titles tell. */
function backendsOf(database: string | null): ReadonlyMap<number, Shares> {
  if (database === null) return new Map();
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const own = pids.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(` ${database} `));
  return new Map(own.map((pid) => [pid, mainThreadOf(pid)]));
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
