// Exports one activity: a file of records per resource, in the form in which a feed sends them, and everything else
// that an import needs to reproduce the state: ids, order of changes, lineage, images, documents, labels.
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import type { Resource } from '../model/resource.ts';
import { activityTables, countersOf, publishedRecords, recordRows, seriesOf } from '../store/activity-copy.ts';
import { asOfSteps } from '../store/prepared-columns.ts';
import { copiedRows, storedTables } from '../store/table-copy.ts';
import { makeArchive } from './archive-folder.ts';
import type { OnRows } from './archived-tables.ts';
import { type ArchiveSource, archiveDocuments, snapshotFacts } from './backup.ts';
import { writeDataFile } from './data-file.ts';
import type { ArchivedRecords, ArchivedTable, Manifest } from './manifest.ts';

interface ActivityExport {
  readonly activity: string;
  /** All existing resources. */
  readonly resources: readonly Resource[];
  /**
   * Names of the resources to export; null: all of them and everything else of the activity, so that it can be
   * imported.
   */
  readonly wanted: readonly string[] | null;
  readonly compress: boolean;
}

/**
 * Exports an activity.
 * @param folder absolute; must not exist
 * @throws OperatorError when there is no such activity, or the folder exists or cannot be written
 */
export function exportActivity(
  source: ArchiveSource,
  folder: string,
  { activity, resources, wanted, compress }: ActivityExport,
): Promise<Manifest> {
  const ending = compress ? '.ndjson.gz' : '.ndjson';
  return makeArchive(folder, (part) =>
    source.engine.snapshot(async (snapshot) => {
      const facts = await snapshotFacts(source, snapshot);
      const counters = await countersOf(snapshot.query, activity);
      if (counters === null) throw noActivity(activity);
      const records: ArchivedRecords[] = [];
      for (const resource of resources.filter(({ name }) => wanted === null || wanted.includes(name))) {
        const path = `${resource.name}${ending}`;
        const lines = texts(snapshot.stream(publishedRecords(resource, activity)), (line) => line);
        const file = await writeDataFile(join(part, path), told(lines, resource.name, source.onRows));
        records.push({ resource: resource.name, path, ...file });
      }
      const own = { activities: facts.activities.filter(({ code }) => code === activity), records };
      const partial = { ...facts, ...own, kind: 'activity' as const, tables: [], series: [], counters };
      if (wanted !== null) return { ...partial, documents: null, missingDocuments: [] };
      const stored = asOfSteps(await storedTables(snapshot.query), facts.steps);
      const tables: ArchivedTable[] = [];
      for (const { table, selection } of activityTables(stored, activity)) {
        const path = `tables/${table.name}${ending}`;
        const resource = resources.find((each) => each.table === table.name);
        const rows = resource === undefined ? copiedRows(table, selection) : recordRows(table, resource, activity);
        const lines = texts(snapshot.stream(rows), (row) => JSON.stringify(row));
        tables.push({
          ...table,
          path,
          ...(await writeDataFile(join(part, path), told(lines, table.name, source.onRows))),
        });
      }
      const documents = await archiveDocuments(source, snapshot, part, stored, activity);
      return { ...partial, tables, series: await seriesOf(snapshot.query, activity), ...documents };
    }),
  );
}

async function* texts<T>(
  groups: AsyncIterable<readonly T[]>,
  toText: (row: T) => string,
): AsyncGenerator<readonly string[]> {
  for await (const rows of groups) yield rows.map(toText);
}

async function* told(
  lines: AsyncIterable<readonly string[]>,
  what: string,
  onRows: OnRows,
): AsyncGenerator<readonly string[]> {
  for await (const group of lines) {
    yield group;
    onRows(what, group.length);
  }
}

function noActivity(code: string): OperatorError {
  return new OperatorError(`There is no activity "${code}".`, 'See `activity list`.');
}
