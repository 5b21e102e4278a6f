// Imports of a file of movements: by this program into its own databases, by peers into their tables in the way in
// which their frameworks insert many rows.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { activity, writeRecordFile } from '../data.ts';
import { type EngineName, type Place, withPlaces } from '../databases.ts';
import { median } from '../measure.ts';
import { launcher, settingsOf } from '../program.ts';
import { installPeer, peerEnvironment } from './install.ts';
import { peerKinds } from './peer-servers.ts';
import { cpuOfTree } from './process-tree.ts';
import { peerIndexStatements, peerTableStatements } from './tables.ts';

/** The cost of an import, from the start of its process to its end. */
export interface Imported {
  readonly name: string;
  readonly kind: 'own' | 'peer';
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** Seconds of processor time per thousand rows: of the process, and of its PostgreSQL server. */
  readonly processCpu: number;
  readonly databaseCpu: number;
}

interface Importer {
  readonly name: string;
  readonly kind: 'own' | 'peer';
  readonly engine: EngineName;
  readonly prepare: (place: Place) => Promise<void>;
  readonly command: readonly string[];
  readonly folder: string;
  readonly environment: (place: Place) => NodeJS.ProcessEnv;
}

/**
 * Imports one file with each of them, in turns; each time into a database of its own.
 * @param peers folders of peers
 */
export async function measureImports(
  folder: string,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
  peers: readonly string[],
  databasePid: number,
): Promise<readonly Imported[]> {
  const path = await writeRecordFile(folder, 'movements', rows);
  const importers = [...(['SQLite', 'PostgreSQL'] as const).map((engine) => ownImporter(engine, path))];
  for (const name of peers) importers.push(...peerImporter(name, path));
  const runs = importers.map((): { seconds: number; cpu: number; database: number }[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const turn of importers.keys()) {
      const index = (turn + round) % importers.length;
      const importer = importers[index];
      if (importer !== undefined) runs[index]?.push(await importOnce(importer, databasePid));
    }
  return importers.map(({ name, kind }, index) => {
    const own = runs[index] ?? [];
    return {
      ...{ name, kind, rows },
      rowsPerSecond: median(own.map(({ seconds }) => rows / seconds)),
      processCpu: median(own.map(({ cpu }) => (1000 * cpu) / rows)),
      databaseCpu: median(own.map(({ database }) => (1000 * database) / rows)),
    };
  });
}

function ownImporter(engine: EngineName, path: string): Importer {
  return {
    name: `Logistics Connect, ${engine}`,
    kind: 'own',
    engine,
    prepare: async ({ storage }) => {
      const store = await openStore(storage, definitions);
      await store.activities.add(activity.code, activity.name);
      await store.close();
    },
    command: [launcher, 'import', 'movements', path, '--activity', activity.code],
    folder: '.',
    environment: (place) => settingsOf(place),
  };
}

function peerImporter(name: string, path: string): readonly Importer[] {
  const kind = peerKinds[name];
  if (kind === undefined || kind.importing === null) return [];
  return [
    {
      name: kind.title,
      kind: 'peer',
      engine: 'PostgreSQL',
      prepare: async ({ storage }) => {
        const client = new Client(storage.databaseUrl ?? '');
        await client.connect();
        for (const text of [...peerTableStatements, ...peerIndexStatements]) await client.query(text);
        await client.end();
      },
      command: kind.importing,
      folder: installPeer(name, kind.scripts),
      environment: ({ storage }) =>
        peerEnvironment({ DATABASE_URL: storage.databaseUrl ?? '', IMPORT: path, TOKEN: '' }),
    },
  ];
}

async function importOnce(
  { engine, prepare, command, folder, environment }: Importer,
  databasePid: number,
): Promise<{ readonly seconds: number; readonly cpu: number; readonly database: number }> {
  return withPlaces([engine], async ([place]) => {
    if (place === undefined) throw new Error('there is no place');
    await prepare(place);
    const database = cpuOfTree(databasePid);
    const started = performance.now();
    // The shell reports the processor time of its children.
    const { stderr } = await promisify(execFile)(
      'bash',
      ['-c', `TIMEFORMAT='took %U %S'; time "$@" >/dev/null`, 'bash', ...command],
      { cwd: folder, env: environment(place), maxBuffer: 1 << 26 },
    );
    const seconds = (performance.now() - started) / 1000;
    const [, user = '', system = ''] = /took ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? [];
    return {
      seconds,
      cpu: Number(user) + Number(system),
      database: engine === 'PostgreSQL' ? cpuOfTree(databasePid) - database : 0,
    };
  });
}
