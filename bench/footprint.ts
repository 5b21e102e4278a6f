// Part (e): time from the start of the process to its first answer, memory at rest and under load, and memory during a
// large import.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { activity, importMovements, writeRecordFile } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Effort, median } from './measure.ts';
import { pagesSpread, programPages } from './pages.ts';
import { type Memory, memoryOf, startPeer } from './peers.ts';
import { freePort } from '../src/http/port-check.ts';
import { firstAnswer, grantAccess, launch, pidOf, start, startProgram, stop } from './program.ts';
import type { Figure } from './report.ts';

const mostSeconds = 1.5;
const mostMegabytes = 150;
/** Maximum growth between the middle of the import and its end, MB. */
const mostGrowth = 30;

export async function measureFootprint(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    figures.push(
      ...(await withPlaces([engine, engine], async ([served, filled]) => {
        if (served === undefined || filled === undefined) throw new Error('there is no place');
        await importMovements(served, 10_000);
        return [
          await startUp(served, effort),
          ...(await memoryAtRest(served, effort)),
          await memoryOfImport(filled, effort),
        ];
      })),
    );
  }
  return figures;
}

/** Process start to the first 200 response of a list, on an existing database. */
async function startUp(place: Place, { rounds }: Effort): Promise<Figure> {
  const port = await freePort('127.0.0.1', 0);
  const authorization = await grantAccess(place, port);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const child = launch(place, port);
    await firstAnswer(child, port, authorization);
    seconds.push((performance.now() - started) / 1000);
    await stop(child);
  }
  const middle = median(seconds);
  return alone(place, {
    what: 'start to first answer',
    reached: middle,
    unit: 's',
    aim: `< ${mostSeconds} s`,
    met: middle < mostSeconds,
    note: `fastest ${Math.min(...seconds).toFixed(2)} s, slowest ${Math.max(...seconds).toFixed(2)} s`,
  });
}

async function memoryAtRest(place: Place, { seconds }: Effort): Promise<readonly Figure[]> {
  const program = await startProgram(place);
  const load = await startPeer('load-client.ts');
  try {
    await pause(5000);
    const idle = memoryOf(program.pid);
    const pages = programPages(program, load, await pagesSpread(place, 10_000), seconds, true);
    const loadedMegabytes: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      await pages.run();
      loadedMegabytes.push(memoryOf(program.pid).all);
    }
    return [
      alone(place, {
        what: 'resident memory at rest',
        reached: idle.all,
        unit: 'MB',
        aim: `< ${mostMegabytes} MB`,
        met: idle.all < mostMegabytes,
        note: `5 s after the first answer; ${idle.own.toFixed(0)} MB without pages of files`,
      }),
      alone(place, {
        what: 'resident memory under load',
        reached: Math.max(...loadedMegabytes),
        unit: 'MB',
        aim: '',
        met: null,
        note: 'the most after five runs of pages',
      }),
    ];
  } finally {
    await Promise.all([program.stop(), load.stop()]);
  }
}

/** `./logistics-connect import` of a million movements: its resident memory every tenth of a second. */
async function memoryOfImport(place: Place, { quick }: Effort): Promise<Figure> {
  const rows = quick ? 200_000 : 1_000_000;
  await once(start(place, ['activity', 'add', activity.code, activity.name]), 'exit');
  const path = await writeRecordFile(place.folder, 'movements', rows);
  const child = start(place, ['import', 'movements', path, '--activity', activity.code, '--json']);
  const samples: Memory[] = [];
  const sampler = setInterval(() => samples.push(memoryOf(pidOf(child))), 100);
  try {
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`the import ended with code ${code}`);
  } finally {
    clearInterval(sampler);
    await stop(child);
  }
  const seen = samples.filter(({ all }) => all > 0);
  // The middle of a tenth of the samples; the first hundredths are the start of the process.
  const part = (from: number, of: keyof Memory): number =>
    median(
      seen.slice(Math.floor(seen.length * from), Math.ceil(seen.length * (from + 0.1))).map((memory) => memory[of]),
    );
  const curve = (of: keyof Memory): string =>
    [0.05, 0.45, 0.9].map((from) => part(from, of).toFixed(0)).join(', ') +
    `, most ${Math.max(...seen.map((memory) => memory[of])).toFixed(0)}`;
  const growth = part(0.9, 'all') - part(0.45, 'all');
  return alone(place, {
    what: `memory of an import of ${rows.toLocaleString('en-GB')}`,
    reached: part(0.9, 'all'),
    unit: 'MB at its end',
    aim: `≤ middle + ${mostGrowth} MB`,
    met: growth <= mostGrowth,
    note: `MB at the start, in the middle, at the end: ${curve('all')}; without pages of files: ${curve('own')}`,
  });
}

function alone({ engine }: Place, figure: Pick<Figure, 'what' | 'reached' | 'unit' | 'aim' | 'met' | 'note'>): Figure {
  return { part: 'e', engine, limit: null, ratio: null, cpuRatio: null, ...figure };
}
