// A process without the rights of root that takes what lies in a feed folder, and prints what the log would be told:
//   node test/feeds/folder/as-user.ts DATA_DIR ROOT
import { createFeedTurns } from '../../../src/feeds/feed-turns.ts';
import { folderWatch } from '../../../src/feeds/folder/watch.ts';
import { definitions, resources } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';

const [dataDir = '', root = ''] = process.argv.slice(2);
/** Of nobody: files belong to whoever runs the tests. */
const userId = 65534;
// Before the rights go, with the threads that write: the program's own files may be out of reach then.
const store = await openStore({ dataDir, databaseUrl: null }, definitions);
await store.engine.write(async () => undefined);
await store.engine.writeInBackground(async () => undefined);
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(userId);
  process.setuid?.(userId);
}
const round = folderWatch({
  store,
  root,
  resources,
  completeness: { sign: 'rename', quietMs: 0 },
  turns: createFeedTurns(),
  stopping: new AbortController().signal,
  observe: {
    taken: (_place, file, { outcome, fault }) => console.log('taken', file, outcome, fault?.code ?? ''),
    postponed: (_place, file, error) => console.log('postponed', file, String(error)),
    fault: (fault) => console.log('fault', fault.place, fault.code),
  },
});
await round();
await round();
await store.close();
