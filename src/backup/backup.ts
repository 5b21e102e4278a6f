// Makes a backup: every table as of one state of the database, which may be written meanwhile, and the document files
// that it names.
import type { DocumentStorage } from '../documents/storage.ts';
import type { Engine, Snapshot } from '../store/engine.ts';
import { asOfSteps } from '../store/prepared-columns.ts';
import { activitiesIn, copiedRows, type StoredTable, stepsDone, storedTables } from '../store/table-copy.ts';
import { makeArchive } from './archive-folder.ts';
import { copyDocumentsOut, documentsList } from './archived-documents.ts';
import { copyTableOut, type OnRows } from './archived-tables.ts';
import { writeDataFile } from './data-file.ts';
import type { ArchivedFile, ArchivedTable, Manifest } from './manifest.ts';

export interface ArchiveSource {
  readonly engine: Engine;
  /** Name of the database. */
  readonly epoch: string;
  /** Null: the document files are left out. */
  readonly storage: DocumentStorage | null;
  /** Version of this program. */
  readonly program: string;
  readonly onRows: OnRows;
}

/**
 * Makes a backup.
 * @param folder absolute; must not exist
 * @throws OperatorError when the folder exists, or cannot be written
 */
export function makeBackup(source: ArchiveSource, folder: string): Promise<Manifest> {
  const { engine, onRows } = source;
  return makeArchive(folder, (part) =>
    engine.snapshot(async (snapshot) => {
      const facts = await snapshotFacts(source, snapshot);
      const tables: ArchivedTable[] = [];
      const stored = asOfSteps(await storedTables(snapshot.query), facts.steps);
      for (const table of stored)
        tables.push(
          await copyTableOut(
            snapshot,
            table,
            { activity: null },
            { folder: part, path: `tables/${table.name}.ndjson.gz`, onRows },
          ),
        );
      return {
        ...facts,
        ...{ kind: 'backup', tables, records: [], counters: null, series: [] },
        ...(await archiveDocuments(source, snapshot, part, stored, null)),
      };
    }),
  );
}

/** What every manifest says about the copied state. */
export async function snapshotFacts(
  { engine, epoch, program }: ArchiveSource,
  { query }: Snapshot,
): Promise<
  Pick<Manifest, 'format' | 'formatVersion' | 'createdAt' | 'program' | 'engine' | 'epoch' | 'steps' | 'activities'>
> {
  return {
    ...{ format: 'logistics-connect archive', formatVersion: 1, program, engine: engine.dialect, epoch },
    createdAt: new Date(await engine.now()).toISOString(),
    steps: await stepsDone(query),
    activities: await activitiesIn(query),
  };
}

/** The tables that name document files, in the column `stored_as` of each. */
const namingTables: readonly string[] = ['order_document', 'label_file'];

/**
 * Copies the document files that a state names. They are never changed, and are removed at the earliest an hour after
 * nothing names them: a missing file was either removed while the archive was made, or lost before.
 * @param stored the existing tables: an older database may lack some
 * @param activity null: documents of all activities
 */
export async function archiveDocuments(
  { storage, onRows }: ArchiveSource,
  snapshot: Snapshot,
  folder: string,
  stored: readonly StoredTable[],
  activity: string | null,
): Promise<Pick<Manifest, 'documents' | 'missingDocuments'>> {
  if (storage === null) return { documents: null, missingDocuments: [] };
  const missing = new Set<string>();
  const names = async function* (): AsyncGenerator<readonly string[]> {
    for (const { name, columns } of stored) {
      const named = columns.filter((column) => column.name === 'stored_as');
      if (!namingTables.includes(name) || named.length === 0) continue;
      for await (const rows of snapshot.stream(copiedRows({ name, columns: named }, { activity })))
        yield rows.map(([stored]) => String(stored));
    }
  };
  const lines = copyDocumentsOut(storage, names(), {
    folder,
    missing: (name) => missing.add(name),
    copied: () => onRows('documents', 1),
  });
  const documents: ArchivedFile = {
    path: documentsList,
    ...(await writeDataFile(`${folder}/${documentsList}`, lines)),
  };
  return { documents, missingDocuments: [...missing] };
}
