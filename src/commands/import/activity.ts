// `import activity`: imports an export back to the state that it was taken from.
import { resolve } from 'node:path';
import { checkExport, importActivity } from '../../backup/activity-import.ts';
import { throwStorageFailure } from '../../backup/storage-failure.ts';
import { openDocumentStorage } from '../../documents/open.ts';
import { resources } from '../../resources/index.ts';
import { aloneAtActivity } from '../activity/alone.ts';
import { archiveProgress } from '../archive-progress.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { withNewStore } from '../storage.ts';

interface Request {
  readonly folder: string;
  readonly activity: string;
  readonly json: boolean;
}

/**
 * Imports an activity with its ids, dates and order of changes; creates the database if there is none.
 * @throws OperatorError when the export is damaged or incompatible, or the activity has data
 */
export async function runActivityImport(environment: Environment, request: Request): Promise<ExitCode> {
  const { activity, json } = request;
  const folder = resolve(environment.folder, request.folder);
  const left = 'the activity is not there yet. Run it again.';
  const manifest = await checkExport(folder, activity, archiveProgress(environment, { does: 'check', json, left }));
  const { createdAt, records, documents } = manifest;
  await withNewStore(environment, async (store, config) => {
    await aloneAtActivity(config, activity, async () =>
      importActivity(folder, manifest, {
        engine: store.engine,
        activityRemoval: store.activityRemoval,
        storage: await openDocumentStorage(config, { database: store.epoch, failed: throwStorageFailure }),
        resources,
        now: environment.now(),
        audit: commandEntry(environment, {
          action: 'activity.import',
          target: activity,
          activityCodes: [activity],
          details: { exportOf: createdAt, records: records.reduce((sum, { lines }) => sum + lines, 0) },
        }),
        onRows: archiveProgress(environment, { does: 'import', json, left }),
      }),
    );
    await store.optimize();
  });
  const counts = Object.fromEntries(records.map(({ resource, lines }) => [resource, lines]));
  if (json)
    writeJson(environment.stdout, { activity, createdAt, records: counts, documents: documents?.lines ?? null });
  else
    environment.stdout.write(
      `Activity ${activity} is here as it was at ${createdAt}, with its ids and dates: ${Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}.\n` +
        'Grant it to users and clients, and enter the secrets of its carrier accounts; see carrier-account list.\n',
    );
  return exitCodes.done;
}
