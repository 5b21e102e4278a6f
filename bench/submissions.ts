// Part (g): articles per second that clients create in full batches over HTTP, compared with the engine's own bulk load
// of the same rows.
import { stat } from 'node:fs/promises';
import { definitions } from '../src/resources/index.ts';
import { openStore } from '../src/store/open.ts';
import { type ArticleSize, articleSizes } from './article-sizes.ts';
import { activity, writeRecordFile } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Contender, type Effort, type Measured, takeTurns } from './measure.ts';
import { cpuOf, memoryOf, type Peer, startPeer } from './peers.ts';
import { type Program, startProgram } from './program.ts';
import { compared, type Figure } from './report.ts';

/** Articles per request, the most that the interface accepts. */
const batch = 500;
const leastPerSecond = 5000;

export async function measureSubmissions(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    for (const size of articleSizes) {
      figures.push(
        ...(await withPlaces([engine, engine], async ([served, origin]) => {
          if (served === undefined || origin === undefined) throw new Error('there is no place');
          return submissionsTo(engine, served, origin, size, effort);
        })),
      );
    }
  }
  return figures;
}

async function submissionsTo(
  engine: EngineName,
  served: Place,
  origin: Place,
  size: ArticleSize,
  effort: Effort,
): Promise<readonly Figure[]> {
  const count = effort.quick ? 5_000 : 20_000;
  const path = await writeRecordFile(origin.folder, 'articles', count, size.reduce);
  const bytes = Math.round((await stat(path)).size / count);
  const store = await openStore(served.storage, definitions);
  await store.activities.add(activity.code, activity.name);
  await store.close();
  const program = await startProgram(served, { RATE_WRITES: '0' });
  const [client, importer, loader] = await Promise.all(
    ['submit-client.ts', 'import-file.ts', 'bulk-load.ts'].map(startPeer),
  );
  if (client === undefined || importer === undefined || loader === undefined) throw new Error('a peer is missing');
  try {
    await importer.ask({ storage: origin.storage, resource: 'articles', path });
    const memory: number[] = [];
    const [own, bulk] = await takeTurns([submitting(program, client, path, memory), loading(engine, loader, origin)], {
      warmUps: 2,
      rounds: Math.min(effort.rounds, 5),
    });
    if (own === undefined || bulk === undefined) throw new Error('a run is missing');
    const limitName = engine === 'SQLite' ? 'prepared inserts' : 'COPY';
    const figure = compared(
      {
        part: 'g',
        engine,
        what: `articles created, ${size.name}, ${bytes} bytes each`,
        unit: 'articles/s',
        limitName,
        aim: null,
      },
      own,
      bulk,
    );
    const [first = 0, last = 0] = [memory[Math.floor(memory.length / 2)], memory.at(-1)];
    return [
      { ...figure, aim: `≥ ${leastPerSecond}/s`, met: figure.reached >= leastPerSecond },
      {
        part: 'g',
        engine,
        what: `memory after ${(memory.length * count).toLocaleString('en-GB')} articles ${size.name}`,
        reached: last,
        unit: 'MB at its end',
        limit: null,
        ratio: null,
        cpuRatio: null,
        aim: '≤ middle + 30 MB',
        met: last <= first + 30,
        note: `without pages of files, after each run: ${memory.map((each) => each.toFixed(0)).join(', ')}`,
      },
    ];
  } finally {
    await Promise.all([program, client, importer, loader].map((each) => each.stop()));
  }
}

/** @param memory receives the program's memory after each run, MB */
function submitting(program: Program, client: Peer, path: string, memory: number[]): Contender {
  let run = 0;
  return {
    name: 'program',
    run: async (): Promise<Measured> => {
      const before = cpuOf(program.pid);
      run += 1;
      const measured = await client.ask({
        port: program.port,
        authorization: program.authorization,
        path,
        batch,
        connections: 4,
        prefix: `R${run}-`,
      });
      memory.push(memoryOf(program.pid).own);
      return { ...measured, cpuSeconds: cpuOf(program.pid) - before };
    },
  };
}

/** Each run loads a database of its own, which is removed afterwards. */
function loading(engine: EngineName, loader: Peer, origin: Place): Contender {
  return {
    name: 'bulk load',
    run: () =>
      withPlaces([engine], async ([place]) => {
        if (place === undefined) throw new Error('there is no place');
        await (await openStore(place.storage, definitions)).close();
        return loader.ask({ resource: 'articles', from: origin.storage, to: place.storage });
      }),
  };
}
