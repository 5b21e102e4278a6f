// Part (w): the gain from a second worker, on either engine: pages, polls, single writes with the slowest, new
// connections under load; and the memory of two workers at rest.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { importMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Contender, type Effort, type Measured, median, takeTurns } from './measure.ts';
import { pagesSpread, programPages } from './pages.ts';
import { type Peer, startPeer } from './peers.ts';
import { type Program, startProgram } from './program.ts';
import { compared, type Figure } from './report.ts';
import type { SingleWrites } from './single-write-client.ts';

const mostMegabytes = 250;
/** Connections that write one article after another. */
const writers = 8;
/** New connections at once, under load. */
const newcomers = 1000;
/** Nothing is refused, and no page comes from memory. */
const unlimited = {
  ...{ RATE_WRITES: '0', RATE_READS: '0', PAGE_CACHE_MB: '0', MAX_WAIT_SECONDS: '60' },
  ...{
    MAX_CONNECTIONS: '0',
    MAX_ADDRESS_CONNECTIONS: '0',
    MAX_OPEN_REQUESTS: '8000',
    MAX_CLIENT_OPEN_REQUESTS: '4000',
  },
};

export async function measureWorkers(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], async ([place]) => {
        if (place === undefined) throw new Error('there is no place');
        return workersAt(place, effort);
      })),
    );
  return figures;
}

async function workersAt(place: Place, effort: Effort): Promise<readonly Figure[]> {
  const rows = effort.quick ? 20_000 : 200_000;
  await importMovements(place, rows);
  const [one, two] = await Promise.all(
    ['1', '2'].map((count) => startProgram(place, { ...unlimited, WORKERS: count })),
  );
  const [load, client] = await Promise.all(['load-client.ts', 'single-write-client.ts'].map(startPeer));
  if (one === undefined || two === undefined || load === undefined || client === undefined)
    throw new Error('a peer is missing');
  try {
    await pause(5000);
    const memory = memoryOfTree(two.pid);
    const pages = await pagesSpread(place, rows);
    const compare = async (what: string, unit: string, contender: (program: Program) => Contender): Promise<Figure> => {
      const [single, double] = await takeTurns([contender(one), contender(two)], effort);
      if (single === undefined || double === undefined) throw new Error('a run is missing');
      const about = {
        part: 'w',
        engine: place.engine,
        what: `${what}, 2 workers`,
        unit,
        limitName: '1 worker',
        aim: null,
      };
      const { cpuRatio: _unknown, ...figure } = compared(about, double, single);
      return { ...figure, cpuRatio: null, note: `1 worker: ${slowest(single)}; 2: ${slowest(double)}` };
    };
    return [
      atRest(place, memory),
      await compare('pages of 100 movements', 'pages/s', (program) =>
        programPages(program, load, pages, effort.seconds, true),
      ),
      await compare(`single articles of ${writers} connections`, 'writes/s', (program) =>
        asking(program, client, { connections: writers, path: null, seconds: effort.seconds }),
      ),
      await compare(`${newcomers} new connections beside a load`, 'answers/s', (program) =>
        besideLoad(
          programPages(program, load, pages, 4, true),
          asking(program, client, { connections: newcomers, path: '/v1/articles/movements?limit=1', seconds: 0 }),
        ),
      ),
    ];
  } finally {
    await Promise.all([one, two, load, client].map((each) => each.stop()));
  }
}

let run = 0;

function asking(
  program: Program,
  client: Peer,
  task: Omit<SingleWrites, 'port' | 'authorization' | 'prefix'>,
): Contender {
  const { port, authorization } = program;
  return {
    name: 'program',
    run: () => {
      run += 1;
      return client.ask({ ...task, port, authorization, prefix: `W${run}` });
    },
  };
}

/** Only the newcomer is measured, one second after the load began. */
function besideLoad(load: Contender, comer: Contender): Contender {
  return {
    name: comer.name,
    run: async (): Promise<Measured> => {
      const loaded = load.run();
      await pause(1000);
      const measured = await comer.run();
      await loaded;
      return measured;
    },
  };
}

function slowest(runs: readonly Measured[]): string {
  const of = (name: 'median' | 'p99' | 'slowest'): string =>
    median(runs.map(({ times }) => times?.[name] ?? Number.NaN)).toFixed(1);
  return runs.some(({ times }) => times === undefined)
    ? `${median(runs.map(({ done }) => done)).toFixed(0)} in a run`
    : `median ${of('median')} ms, p99 ${of('p99')} ms, slowest ${of('slowest')} ms`;
}

function atRest({ engine }: Place, { shared, resident }: Memory): Figure {
  return {
    ...{
      part: 'w',
      engine,
      what: 'memory of 2 workers and their supervisor at rest',
      reached: shared,
      unit: 'MB (PSS)',
    },
    ...{ limit: null, ratio: null, cpuRatio: null, aim: `< ${mostMegabytes} MB`, met: shared < mostMegabytes },
    note: `resident, with what is shared counted in each: ${resident.toFixed(0)} MB`,
  };
}

/** Of a process and its descendants, MB: shared memory is divided among them (PSS), or counted in each (RSS). */
interface Memory {
  readonly shared: number;
  readonly resident: number;
}

function memoryOfTree(pid: number): Memory {
  const text = procText(`/proc/${pid}/smaps_rollup`);
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  const children = procText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children
    .map(memoryOfTree)
    .reduce((sum, { shared, resident }) => ({ shared: sum.shared + shared, resident: sum.resident + resident }), {
      shared: of('Pss'),
      resident: of('Rss'),
    });
}

function procText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
