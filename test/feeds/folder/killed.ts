// A process that takes what lies in a feed folder and is killed at one of its steps, as by kill -9:
//   node test/feeds/folder/killed.ts DATA_DIR ROOT STEP
// Steps are counted before and after each change of the file system and of storage. Without a step it runs to its end.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [dataDir = '', root = '', at = '0'] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(at)) process.kill(process.pid, 'SIGKILL');
}

/** The same operation, with a step before and one behind it. */
function stepped<Args extends readonly unknown[], Result>(
  operation: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    step();
    const result = await operation(...args);
    step();
    return result;
  };
}

const { rename, unlink, mkdir, open } = fs.promises;
Object.assign(fs.promises, {
  rename: stepped(rename),
  unlink: stepped(unlink),
  mkdir: stepped(mkdir),
  open: (...args: Parameters<typeof open>) =>
    typeof args[1] === 'number' && (args[1] & fs.constants.O_CREAT) !== 0 ? stepped(open)(...args) : open(...args),
});
syncBuiltinESMExports();

const { openStore } = await import('../../../src/store/open.ts');
const { definitions, resources } = await import('../../../src/resources/index.ts');
const { folderWatch } = await import('../../../src/feeds/folder/watch.ts');
const { createFeedTurns } = await import('../../../src/feeds/feed-turns.ts');

const store = await openStore({ dataDir, databaseUrl: null }, definitions);
const begin = stepped(store.feeds.begin);
await folderWatch({
  root,
  resources,
  completeness: { sign: 'rename', quietMs: 0 },
  turns: createFeedTurns(),
  stopping: new AbortController().signal,
  observe: {
    taken: (_place, file, { outcome, messages }) =>
      console.log(file, outcome, JSON.stringify(messages.map(({ state }) => state))),
    postponed: (_place, file, error) => console.log('postponed', file, error),
    fault: (fault) => console.log('fault', fault.place, fault.code),
  },
  store: {
    activities: store.activities,
    feedLines: store.feedLines,
    feeds: {
      ...store.feeds,
      begin: async (...args) => {
        const begun = await begin(...args);
        if (begun.state !== 'begun') return begun;
        const { held } = begun;
        return { ...begun, held: { ...held, apply: stepped(held.apply), finish: stepped(held.finish) } };
      },
    },
  },
})();
await store.close();
console.log('steps', steps);
