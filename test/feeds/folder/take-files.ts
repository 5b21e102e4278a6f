// Takes what lies in a feed folder, once, as a server does.
import { createFeedTurns } from '../../../src/feeds/feed-turns.ts';
import { folderWatch } from '../../../src/feeds/folder/watch.ts';
import { definitions, resources } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';

/** Does something before and after an operation. */
type Stepped = <Args extends readonly unknown[], Result>(
  operation: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

/**
 * @param stepped is done with each operation of storage
 * @returns what became of each file
 */
export async function takeFiles(
  dataDir: string,
  root: string,
  stepped: Stepped = (operation) => operation,
): Promise<string> {
  const told: unknown[] = [];
  const store = await openStore({ dataDir, databaseUrl: null }, definitions);
  const begin = stepped(store.feeds.begin);
  await folderWatch({
    root,
    resources,
    completeness: { sign: 'rename', quietMs: 0 },
    turns: createFeedTurns(),
    stopping: new AbortController().signal,
    observe: {
      taken: (_place, file, { outcome, messages }) => told.push([file, outcome, messages.map(({ state }) => state)]),
      postponed: (_place, file, error) => told.push(['postponed', file, String(error)]),
      fault: ({ place, code }) => told.push(['fault', place, code]),
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
  return JSON.stringify(told);
}
