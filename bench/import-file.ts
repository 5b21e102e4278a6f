// A peer that imports one file like the command, into an activity that it creates, and reports how long that took.
import { importRecords } from '../src/feeds/import.ts';
import { refusedFile } from '../src/feeds/refused-file.ts';
import { definitions, resources } from '../src/resources/index.ts';
import { openStore, type StorageSettings } from '../src/store/open.ts';
import { activity } from './data.ts';
import { answerTasks, cpuSoFar } from './peers.ts';

/** One import into empty storage. */
interface FileImport {
  readonly storage: StorageSettings;
  readonly resource: string;
  readonly path: string;
}

answerTasks(async (task) => {
  if (!isFileImport(task)) throw new Error('not an import');
  const resource = resources.find(({ name }) => name === task.resource);
  if (resource === undefined) throw new Error(`there is no resource ${task.resource}`);
  const store = await openStore(task.storage, definitions);
  try {
    await store.activities.add(activity.code, activity.name);
    const cpu = cpuSoFar();
    const summary = await importRecords({
      store,
      resource,
      activity: activity.code,
      activityName: activity.name,
      source: { kind: 'file', path: task.path },
      refusedLines: refusedFile(`${task.path}.refused.ndjson`),
    });
    if (summary.new !== summary.read) throw new Error(`not every record was new: ${JSON.stringify(summary)}`);
    return { done: summary.read, seconds: summary.seconds, cpuSeconds: cpuSoFar() - cpu };
  } finally {
    await store.close();
  }
});

function isFileImport(task: unknown): task is FileImport {
  return typeof task === 'object' && task !== null && 'path' in task && 'storage' in task;
}
