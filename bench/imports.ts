// Part (c): rows per second of an import, from a file to committed rows, compared with the engine's own bulk load of
// the same rows.
import { definitions } from '../src/resources/index.ts';
import { openStore, type StorageSettings } from '../src/store/open.ts';
import { type Multiplied, writeRecordFile } from './data.ts';
import { type EngineName, withPlaces } from './databases.ts';
import { type Contender, type Effort, takeTurns } from './measure.ts';
import { type Peer, startPeer } from './peers.ts';
import { compared, type Figure } from './report.ts';

type Imported = Extract<Multiplied, 'movements' | 'orders' | 'articles'>;

/** Records per file. */
const counts: Readonly<Record<Imported, { readonly quick: number; readonly full: number }>> = {
  movements: { quick: 40_000, full: 200_000 },
  orders: { quick: 5_000, full: 20_000 },
  articles: { quick: 5_000, full: 20_000 },
};

export async function measureImports(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    for (const resource of ['movements', 'orders', 'articles'] as const)
      figures.push(await importOf(engine, resource, effort));
  }
  return figures;
}

async function importOf(engine: EngineName, resource: Imported, effort: Effort): Promise<Figure> {
  const count = counts[resource][effort.quick ? 'quick' : 'full'];
  const [importer, loader] = await Promise.all([startPeer('import-file.ts'), startPeer('bulk-load.ts')]);
  try {
    return await withPlaces([engine], async ([origin]) => {
      if (origin === undefined) throw new Error('there is no place');
      const path = await writeRecordFile(origin.folder, resource, count);
      await importer.ask({ storage: origin.storage, resource, path });
      const rendered = origin.storage;
      const [own, bulk] = await takeTurns(
        [
          intoEmpty(engine, importer, 'import', async (storage) => ({ storage, resource, path })),
          intoEmpty(engine, loader, 'bulk load', async (storage) => {
            await (await openStore(storage, definitions)).close();
            return { resource, from: rendered, to: storage };
          }),
        ],
        { warmUps: 1, rounds: Math.min(effort.rounds, 5) },
      );
      if (own === undefined || bulk === undefined) throw new Error('a run is missing');
      const limitName = engine === 'SQLite' ? 'prepared inserts' : 'COPY';
      return compared(
        {
          part: 'c',
          engine,
          what: `import of ${count.toLocaleString('en-GB')} ${resource}`,
          unit: 'rows/s',
          limitName,
          aim: 0.3,
        },
        own,
        bulk,
      );
    });
  } finally {
    await Promise.all([importer.stop(), loader.stop()]);
  }
}

/** Each run has a database of its own, which is removed afterwards. */
function intoEmpty(
  engine: EngineName,
  peer: Peer,
  name: string,
  taskFor: (storage: StorageSettings) => Promise<object>,
): Contender {
  return {
    name,
    run: () =>
      withPlaces([engine], async ([place]) => {
        if (place === undefined) throw new Error('there is no place');
        return peer.ask(await taskFor(place.storage));
      }),
  };
}
