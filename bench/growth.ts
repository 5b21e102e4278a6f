// Part (d): how the pages of part (a) change when the table grows, compared with the bare engine on the same tables.
import { makeMovements } from './data.ts';
import { type EngineName, freeBytes, type Place, withPlaces } from './databases.ts';
import { type Contender, type Effort, rate, ratio, takeTurns } from './measure.ts';
import { enginePages, pagesSpread, programPages } from './pages.ts';
import { startPeer } from './peers.ts';
import { startProgram } from './program.ts';
import type { Figure } from './report.ts';

/** Disk space for a movement with its indexes, and the temporary space for creating them. */
const bytesPerRow = 2_000;
/** Maximum loss from the smallest table to a larger one. */
const flat = 0.2;

export async function measureGrowth(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    const wanted = effort.quick ? [10_000, 1_000_000] : [10_000, 1_000_000, 10_000_000];
    const sizes = wanted.filter((rows) => rows * bytesPerRow < freeBytes());
    for (const rows of wanted.slice(sizes.length))
      process.stderr.write(`${rows.toLocaleString('en-GB')} rows do not fit on the disk\n`);
    figures.push(
      ...(await withPlaces(
        sizes.map(() => engine),
        (places) => growthOf(engine, places, sizes, effort),
      )),
    );
  }
  return figures;
}

/**
 * All sizes exist at once, so that each round measures all of them. The cache of rendered pages is off, because the
 * smallest table has only 100 pages.
 */
async function growthOf(
  engine: EngineName,
  places: readonly Place[],
  sizes: readonly number[],
  effort: Effort,
): Promise<readonly Figure[]> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const load = await startPeer('load-client.ts');
    const bare = await startPeer('bare-engine.ts');
    stops.push(load.stop, bare.stop);
    const contenders: Contender[] = [];
    for (const [index, place] of places.entries()) {
      const rows = sizes[index] ?? 0;
      process.stderr.write(`${engine}: making ${rows.toLocaleString('en-GB')} rows …\n`);
      await makeMovements(place, rows);
      const program = await startProgram(place, { PAGE_CACHE_MB: '0' });
      stops.push(program.stop);
      const pages = await pagesSpread(place, rows);
      contenders.push(
        programPages(program, load, pages, effort.seconds, true),
        enginePages(place, bare, pages, effort.seconds, true),
      );
    }
    const runs = await takeTurns(contenders, effort);
    const [first = [], firstBare = []] = runs;
    return sizes.flatMap((rows, index): readonly Figure[] => {
      const [own = [], engineRuns = []] = [runs[2 * index], runs[2 * index + 1]];
      const kept = ratio(own, first);
      return [
        {
          part: 'd',
          engine,
          what: `distinct pages, ${rows.toLocaleString('en-GB')} rows`,
          reached: rate(own),
          unit: 'pages/s',
          limit: { name: `at ${(sizes[0] ?? 0).toLocaleString('en-GB')}`, value: rate(first) },
          ratio: kept,
          cpuRatio: null,
          aim: `≥ ${100 * (1 - flat)} %`,
          met: kept >= 1 - flat,
          note:
            `the bare engine keeps ${Math.round(100 * ratio(engineRuns, firstBare))} %; the program reaches ` +
            `${Math.round(100 * ratio(own, engineRuns))} % of it here`,
        },
      ];
    });
  } finally {
    await Promise.all(stops.map((each) => each()));
  }
}
