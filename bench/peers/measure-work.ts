// Measures one kind of work: first the maximum throughput, in turns; then latency at a fixed rate below that.
import type { Measured } from '../measure.ts';
import { type Contender, median, takeTurns, warmUp } from '../measure.ts';
import type { OpenLoad, Outcome } from '../open-loop-client.ts';
import { cpuOf, type Peer } from '../peers.ts';
import { cpuOfTree, memoryOfTree, type TreeMemory } from './process-tree.ts';
import type { Subject } from './subject.ts';
import type { Work } from './work.ts';

/** What the runs need besides the servers. */
export interface Bench {
  readonly load: Peer;
  readonly openLoad: Peer;
  /** The root process of a PostgreSQL server. */
  readonly databasePid: number;
  /** Queries the peers' tables without a server. */
  readonly bareSql: { readonly peer: Peer; readonly databaseUrl: string } | null;
  readonly rounds: number;
  readonly seconds: number;
  /** Rounds at a fixed rate. */
  readonly latencyRounds: number;
}

/** Processor time by consumer, in seconds. */
interface Costs extends Measured {
  readonly databaseCpuSeconds: number;
  readonly loadCpuSeconds: number;
}

/** The result of one server in one kind of work. */
export interface Reached {
  readonly name: string;
  readonly kind: Subject['kind'];
  readonly engine: Subject['engine'];
  readonly perSecond: number;
  /** Seconds of processor time per thousand requests: of the server, and of its PostgreSQL server. */
  readonly serverCpu: number;
  readonly databaseCpu: number;
  /** Both together, per round; for ratios between neighbours. */
  readonly cpuOfRounds: readonly number[];
  /** The load generator's share of a processor. */
  readonly loadShare: number;
  readonly latency: Latency | null;
  /** After the runs, for the server's processes. */
  readonly memory: TreeMemory | null;
}

/** Milliseconds from when a request was due, at a fixed rate. */
export interface Latency {
  readonly perSecond: number;
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Concurrent requests in a closed loop. */
export const connections = 16;
/** Connections for requests at a fixed rate; and the rate as a share of what the same server reached. */
const openConnections = 64;
export const rateShare = 0.5;
const deadlineMs = 1000;

/** Measures all servers that support the work. */
export async function measureWork(work: Work, subjects: readonly Subject[], bench: Bench): Promise<readonly Reached[]> {
  const able = subjects.filter(({ articlesPath }) => work.body === null || articlesPath !== null);
  const targets = await Promise.all(able.map((subject) => targetOf(subject, work)));
  const contenders: Contender[] = able.map((subject, index) => closedLoop(subject, targets[index], bench));
  if (bench.bareSql !== null && work.body === null) contenders.push(bareSqlLoop(work, bench.bareSql, bench));
  await warmUp(contenders, (run) => (isCosts(run) ? (run.cpuSeconds + run.databaseCpuSeconds) / run.done : Number.NaN));
  const runs = (await takeTurns(contenders, { ...bench, warmUps: 0 })).map((each) => each.filter(isCosts));
  const latencies = await measureLatencies(targets, runs, bench);
  return contenders.map(({ name }, index) => {
    const subject = able[index];
    const own = runs[index] ?? [];
    const perThousand = (seconds: (costs: Costs) => number): number =>
      median(own.map((each) => (1000 * seconds(each)) / each.done));
    return {
      name,
      kind: subject?.kind ?? 'limit',
      engine: subject === undefined ? 'PostgreSQL' : subject.engine,
      perSecond: median(own.map(({ done, seconds }) => done / seconds)),
      serverCpu: perThousand(({ cpuSeconds }) => cpuSeconds),
      databaseCpu: perThousand(({ databaseCpuSeconds }) => databaseCpuSeconds),
      cpuOfRounds: own.map((each) => (1000 * (each.cpuSeconds + each.databaseCpuSeconds)) / each.done),
      loadShare: median(own.map(({ loadCpuSeconds, seconds }) => loadCpuSeconds / seconds)),
      latency: latencies[index] ?? null,
      memory: subject === undefined ? null : memoryOfTree(subject.pid),
    };
  });
}

/** The destination of requests of one kind of work. */
interface Target {
  readonly port: number;
  readonly paths: readonly string[];
  readonly headers: string;
  readonly body: string | null;
  readonly status: number;
}

async function targetOf(
  { port, pathOf, articlesPath, headers, kind }: Subject,
  { queries, isUnchanged, body }: Work,
): Promise<Target> {
  const paths = body === null ? queries.map(pathOf) : [articlesPath ?? ''];
  const sent: Record<string, string> = { ...headers };
  if (kind === 'own' && isUnchanged) {
    const answer = await fetch(`http://127.0.0.1:${port}${paths[0]}`, { headers });
    await answer.arrayBuffer();
    sent['if-none-match'] = answer.headers.get('etag') ?? '';
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return { port, paths, headers: lines.join(''), body, status: 'if-none-match' in sent ? 304 : 200 };
}

function closedLoop(subject: Subject, target: Target | undefined, bench: Bench): Contender {
  if (target === undefined) throw new Error(`${subject.name} has no target`);
  let at = 0;
  return {
    name: subject.name,
    run: () =>
      costsOf(subject, bench, bench.load.pid, async () => {
        // Starts where the last run ended, so that a page is not repeated before all others.
        const paths = [...target.paths.slice(at), ...target.paths.slice(0, at)];
        const run = { ...target, paths, repeat: true, connections, seconds: bench.seconds };
        const measured = await bench.load.ask(run).catch((error: unknown) => {
          throw new Error(`${subject.name} could not be measured`, { cause: error });
        });
        at = (at + measured.done) % target.paths.length;
        return measured;
      }),
  };
}

function bareSqlLoop(work: Work, { peer, databaseUrl }: NonNullable<Bench['bareSql']>, bench: Bench): Contender {
  return {
    name: 'bare SQL, PostgreSQL',
    run: () =>
      costsOf({ pid: peer.pid, engine: 'PostgreSQL' }, bench, peer.pid, () =>
        peer.ask({ databaseUrl, queries: work.queries, connections: 10, seconds: bench.seconds }),
      ),
  };
}

async function costsOf(
  { pid, engine }: Pick<Subject, 'pid' | 'engine'>,
  { databasePid }: Bench,
  loadPid: number,
  work: () => Promise<Measured>,
): Promise<Costs> {
  const read = (): readonly [number, number, number] => [
    cpuOfTree(pid),
    engine === 'PostgreSQL' ? cpuOfTree(databasePid) : 0,
    cpuOf(loadPid),
  ];
  const [server, database, loading] = read();
  const measured = await work();
  const [serverAfter, databaseAfter, loadingAfter] = read();
  return {
    ...measured,
    cpuSeconds: serverAfter - server,
    databaseCpuSeconds: databaseAfter - database,
    loadCpuSeconds: loadingAfter - loading,
  };
}

/** At fixed rates, in turns; the percentiles are the medians of those of the rounds. */
async function measureLatencies(
  targets: readonly Target[],
  runs: readonly (readonly Measured[])[],
  { openLoad, latencyRounds, seconds }: Bench,
): Promise<readonly Latency[]> {
  const rates = targets.map((_target, index) =>
    Math.max(1, rateShare * median((runs[index] ?? []).map(({ done, seconds: took }) => done / took))),
  );
  const outcomes = await takeTurns(
    targets.map(({ port, paths, headers, body, status }, index) => ({
      name: String(port),
      run: () => {
        const run: OpenLoad = {
          ...{ port, paths, body, status, deadlineMs },
          clients: [headers],
          perSecond: rates[index] ?? 1,
          seconds: 2 * seconds,
          connections: openConnections,
        };
        return openLoad.ask(run);
      },
    })),
    { warmUps: 0, rounds: latencyRounds },
  );
  return outcomes.map((each, index) => latencyOf(each.filter(isOutcome), rates[index] ?? Number.NaN));
}

/** The percentiles of runs at one rate: the median of each. */
export function latencyOf(runs: readonly Outcome[], perSecond: number): Latency {
  const middle = (value: (outcome: Outcome) => number): number => median(runs.map(value));
  return {
    perSecond,
    answers: runs.reduce((sum, { counted }) => sum + counted, 0),
    p50: middle(({ allMs }) => allMs.p50),
    p99: middle(({ allMs }) => allMs.p99),
    p999: middle(({ allMs }) => allMs.p999),
  };
}

function isCosts(measured: Measured): measured is Costs {
  return 'databaseCpuSeconds' in measured;
}

/** Whether a measured run was one at a fixed rate. */
export function isOutcome(measured: Measured): measured is Outcome {
  return 'allMs' in measured;
}
