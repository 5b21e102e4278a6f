// What the tests of the folder drop share: a folder with its inbox, a store, and one round of taking what is there.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createFeedTurns } from '../../../src/feeds/feed-turns.ts';
import type { Completeness } from '../../../src/feeds/folder/inbox.ts';
import type { FolderFault } from '../../../src/feeds/folder/drop-places.ts';
import { folderWatch, type WatchParts } from '../../../src/feeds/folder/watch.ts';
import { resources } from '../../../src/resources/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type { EngineUnderTest } from '../../contract/engines.ts';
import { openedStore } from '../../contract/opened-store.ts';
import { folderFor, storeFor } from '../fixture.ts';

export interface Drop {
  readonly store: Store;
  readonly root: string;
  /** Writes a file below the folder, with the folders on the way. */
  readonly put: (path: string, content: string | Uint8Array) => Promise<void>;
  /** One round; a new watch each time, as after a start, unless `again` goes on with the last one. */
  readonly round: (options?: Partial<WatchParts>) => Promise<void>;
  readonly again: () => Promise<void>;
  /** Every file below the folder but those of mappings, in order. */
  readonly files: () => Promise<readonly string[]>;
  readonly json: (path: string) => Promise<Record<string, unknown>>;
  /** What the log was told: `taken NAME OUTCOME`, `postponed NAME REASON`, `fault PLACE CODE`. */
  readonly told: string[];
  readonly faults: FolderFault[];
}

const renamed: Completeness = { sign: 'rename', quietMs: 0 };

/** @param engine SQLite where none is named */
export async function dropFor(t: TestContext, engine?: EngineUnderTest): Promise<Drop> {
  const { store, folder } = engine === undefined ? await storeFor(t) : await storeOf(t, engine);
  const root = join(folder, 'feeds');
  const told: string[] = [];
  const faults: FolderFault[] = [];
  const watch = (options: Partial<WatchParts>): (() => Promise<void>) =>
    folderWatch({
      store,
      root,
      resources,
      completeness: renamed,
      turns: createFeedTurns(),
      stopping: new AbortController().signal,
      observe: {
        taken: (_place, file, { outcome }) => told.push(`taken ${file} ${outcome}`),
        postponed: (_place, file, error) =>
          told.push(`postponed ${file} ${error instanceof Error ? error.message : String(error)}`),
        fault: (fault) => {
          told.push(`fault ${fault.place} ${fault.code}`);
          faults.push(fault);
        },
      },
      ...options,
    });
  let last = watch({});
  const put: Drop['put'] = async (path, content) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await mkdir(join(root, 'inbox'), { recursive: true });
  return {
    ...{ store, root, put, told, faults },
    round: (options = {}) => {
      last = watch(options);
      return last();
    },
    again: () => last(),
    files: async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((path) => !path.startsWith('mappings/'))
        .toSorted(),
    json: async (path) => JSON.parse(await readFile(join(root, path), 'utf8')),
  };
}

async function storeOf(t: TestContext, engine: EngineUnderTest): Promise<{ store: Store; folder: string }> {
  const { store } = await openedStore(t, engine, ['ACM', 'Acme Home']);
  return { store, folder: await folderFor(t) };
}

export const article = (reference: string, name = 'Lamp'): string =>
  `${JSON.stringify({ articleReference: reference, longArticleDescription: name, shortArticleDescription: name })}\n`;
