// Part (h): how much is done when more is requested than possible, at rates independent of the responses, compared with
// a bare server.
import { setTimeout as wait } from 'node:timers/promises';
import { makeMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Effort, type Measured, median } from './measure.ts';
import type { OpenLoad, Outcome } from './open-loop-client.ts';
import { bareAnswer, pagesSpread } from './pages.ts';
import { cpuOf, type Peer, startPeer } from './peers.ts';
import { freePort } from '../src/http/port-check.ts';
import { onProcessor } from './processors.ts';
import { grantAccess, startProgram } from './program.ts';
import type { Figure } from './report.ts';

/** Rates in relation to what a few connections reach. */
const factors = [0.5, 1, 1.5, 2, 4];
/** Clients take turns, so that together they have more requests than the server admits. */
const clients = 6;
const connections = 1500;
const deadlineMs = 1000;
const leastGoodput = 0.9;

export async function measureOverload(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], ([place]) =>
        place === undefined ? Promise.resolve([]) : overloadOf(place, effort),
      )),
    );
  return figures;
}

async function overloadOf(place: Place, effort: Effort): Promise<readonly Figure[]> {
  const rows = 200_000;
  await makeMovements(place, rows);
  // Otherwise repeated pages would be served from memory.
  const program = await startProgram(place, { PAGE_CACHE_MB: '0' });
  const [load, few, server] = await Promise.all(
    ['open-loop-client.ts', 'load-client.ts', 'bare-server.ts'].map(startPeer),
  );
  if (load === undefined || few === undefined || server === undefined) throw new Error('a peer is missing');
  try {
    if (!onProcessor(0, [program.pid, server.pid]) || !onProcessor(1, [load.pid, few.pid]))
      process.stderr.write('(h) runs without taskset: the server and who loads it share the processors\n');
    const { paths } = await pagesSpread(place, rows);
    const authorizations = [program.authorization];
    while (authorizations.length < clients) authorizations.push(await grantAccess(place, program.port));
    const port = await freePort('127.0.0.1', 0);
    await server.ask({ port, ...(await bareAnswer(program, paths[0] ?? '')) });
    const target = (targetPort: number): Omit<OpenLoad, 'perSecond' | 'seconds'> => ({
      port: targetPort,
      paths,
      clients: authorizations.map((value) => `Authorization: ${value}\r\n`),
      connections,
      deadlineMs,
    });
    const about = { part: 'h', engine: place.engine };
    return [
      ...(await curve({ load, few }, program.pid, target(program.port), effort)).map((point) =>
        figure({ ...about, what: 'pages', aim: leastGoodput }, point),
      ),
      ...(await curve({ load, few }, server.pid, target(port), effort)).map((point) =>
        figure({ ...about, what: 'bare server, same bytes', aim: null }, point),
      ),
    ];
  } finally {
    await Promise.all([program, load, few, server].map((each) => each.stop()));
  }
}

/** What was reached at one rate: medians of all rounds. */
interface Point {
  readonly factor: number;
  readonly due: number;
  readonly good: number;
  /** What eight connections reached, and the ratio of the good ones to that, each compared within a few seconds. */
  readonly saturation: number;
  readonly ratio: number;
  readonly refused: number;
  readonly late: number;
  readonly unsent: number;
  readonly wrong: number;
  readonly medianMs: number;
  /** Microseconds of the server's processor time per good response, and the ratio to those at saturation. */
  readonly cpu: number;
  readonly cpuRatio: number;
}

interface Saturation {
  readonly perSecond: number;
  readonly cpu: number;
}

/** One run at a rate, and the mean of the saturations right before and after it. */
interface Pair {
  readonly outcome: Outcome;
  readonly saturation: Saturation;
}

/**
 * Measures all rates in every round. Saturation is what eight closed-loop connections reach; it is measured before and
 * after each rate, because the speed of a shared machine changes within seconds.
 */
async function curve(
  { load, few }: { readonly load: Peer; readonly few: Peer },
  pid: number,
  target: Omit<OpenLoad, 'perSecond' | 'seconds'>,
  effort: Effort,
): Promise<readonly Point[]> {
  const seconds = effort.quick ? 2 : 3;
  const run = async (perSecond: number): Promise<Outcome> => {
    const before = cpuOf(pid);
    const outcome = await load.ask({ ...target, seconds, perSecond });
    if (!isOutcome(outcome)) throw new Error('not what became of an open load');
    // Requests in progress must not affect the next run.
    await wait(deadlineMs);
    return { ...outcome, cpuSeconds: cpuOf(pid) - before };
  };
  const saturate = async (): Promise<Saturation> => {
    const before = cpuOf(pid);
    const { done, seconds: took } = await few.ask({
      port: target.port,
      paths: target.paths,
      repeat: true,
      headers: target.clients[0] ?? '',
      connections: 8,
      status: 200,
      seconds: 1.5,
    });
    return { perSecond: done / took, cpu: (1e6 * (cpuOf(pid) - before)) / done };
  };
  await saturate();
  const pairs: Pair[][] = factors.map(() => []);
  let before = await saturate();
  for (let round = 0; round < (effort.quick ? 3 : 9); round += 1)
    for (const [index, factor] of factors.entries()) {
      const outcome = await run(factor * before.perSecond);
      const after = await saturate();
      const mean = (of: (saturation: Saturation) => number): number => (of(before) + of(after)) / 2;
      const saturation = { perSecond: mean(({ perSecond }) => perSecond), cpu: mean(({ cpu }) => cpu) };
      pairs[index]?.push({ outcome, saturation });
      before = after;
    }
  return factors.map((factor, index) => pointOf(factor, pairs[index] ?? []));
}

function pointOf(factor: number, pairs: readonly Pair[]): Point {
  const middle = (value: (pair: Pair) => number): number => median(pairs.map(value));
  const perSecond = (count: (outcome: Outcome) => number): number =>
    middle(({ outcome }) => count(outcome) / outcome.seconds);
  const cpuOfGood = ({ cpuSeconds, doneInAll }: Outcome): number => (1e6 * cpuSeconds) / doneInAll;
  return {
    factor,
    due: perSecond(({ due }) => due),
    good: perSecond(({ done }) => done),
    saturation: middle(({ saturation }) => saturation.perSecond),
    ratio: middle(({ outcome, saturation }) => outcome.done / outcome.seconds / saturation.perSecond),
    refused: perSecond(({ refused }) => refused),
    late: perSecond(({ late }) => late),
    unsent: perSecond(({ unsent }) => unsent),
    wrong: middle(({ outcome }) => outcome.wrong),
    medianMs: middle(({ outcome }) => outcome.medianMs),
    cpu: middle(({ outcome }) => cpuOfGood(outcome)),
    cpuRatio: middle(({ outcome, saturation }) => saturation.cpu / cpuOfGood(outcome)),
  };
}

function figure(
  { part, engine, what, aim }: Pick<Figure, 'part' | 'engine' | 'what'> & { readonly aim: number | null },
  point: Point,
): Figure {
  const isAbove = point.factor >= 1;
  const whole = (value: number): string => value.toFixed(0);
  return {
    part,
    engine,
    what: `${what}, asked at ${point.factor}x`,
    reached: point.good,
    unit: 'good/s',
    limit: { name: 'on eight connections', value: point.saturation },
    ratio: isAbove ? point.ratio : null,
    aim: isAbove && aim !== null ? `≥ ${aim * 100} %` : '',
    met: isAbove && aim !== null ? point.ratio >= aim : null,
    cpuRatio: isAbove ? point.cpuRatio : null,
    note:
      `${whole(point.due)} were due a second, ${whole(point.refused)} refused, ${whole(point.late)} late, ` +
      `${whole(point.unsent)} not sent, ${whole(point.wrong)} wrong; median ${whole(point.medianMs)} ms; ` +
      `${whole(point.cpu)} µs of processor time each`,
  };
}

function isOutcome(measured: Measured): measured is Outcome {
  return 'refused' in measured && 'due' in measured;
}
