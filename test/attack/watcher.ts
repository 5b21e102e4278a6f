// A thread that is the victim: asks cheap requests at a steady pace whatever becomes of the last one, and looks at the
// server's process.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import {
  backendsOf,
  mainThreadOf,
  mainThreadsOf,
  processOf,
  type Shares,
  slownessesOf,
  slownessOf,
} from './processes.ts';

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
