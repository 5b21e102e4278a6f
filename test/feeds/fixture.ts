// What the tests of feeds share: a folder and a store of their own, and reading everything back through pages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importRecords } from '../../src/feeds/import.ts';
import { refusedFile } from '../../src/feeds/refused-file.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { TestContext } from 'node:test';
import type { ImportOptions, ImportSummary } from '../../src/feeds/import.ts';
import type { ListPlan } from '../../src/model/plan.ts';
import type { Resource } from '../../src/model/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { copySqlite } from '../contract/prepared-databases.ts';

/** A folder that vanishes with the test. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'logistics-connect-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty store with the activity ACM in a folder that vanishes with the test. */
export async function storeFor(t: TestContext): Promise<{ readonly store: Store; readonly folder: string }> {
  const folder = await folderFor(t);
  return { store: await storeIn(t, folder, 'ACM', 'Acme Home'), folder };
}

/** An empty store with an activity in a folder that is there; its database is a copy of one with all steps done. */
export async function storeIn(t: TestContext, folder: string, code: string, name: string): Promise<Store> {
  const dataDir = join(folder, 'data');
  await copySqlite(join(dataDir, 'logistics-connect.db'));
  const store = await openStore({ dataDir, databaseUrl: null }, definitions);
  t.after(() => store.close());
  await store.activities.add(code, name);
  return store;
}

type Given = Pick<ImportOptions, 'source'> &
  Partial<Pick<ImportOptions, 'strict' | 'onProgress' | 'activity' | 'activityName' | 'refusedLines'>>;

/** Imports into ACM; refused lines go to `refused.ndjson` in the folder. */
export function importInto(store: Store, resource: Resource, folder: string, given: Given): Promise<ImportSummary> {
  return importRecords({
    store,
    resource,
    activity: 'ACM',
    activityName: 'Acme Home',
    refusedLines: refusedFile(join(folder, 'refused.ndjson')),
    ...given,
  });
}

/** The source of a text, in pieces of some bytes. */
export function streamOf(text: string | Uint8Array, piece = 1000): ImportOptions['source'] {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  return { kind: 'stream', bytes: pieces() };
}

/** All records of a list, in change order, read page by page; of images the latest, or the one at an instant. */
export async function readAll(
  store: Store,
  resource: Resource,
  activities: readonly string[] = ['ACM'],
  imageAt: number | null = null,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  let after: ListPlan['after'] = null;
  let walkStarts: ListPlan['walkStarts'] = null;
  for (let more = true; more; ) {
    const revision = await store.lists.revision(resource, activities);
    const page = await store.lists.page(
      { resource, activities, where: [], sort: [], after, updatedSince: null, limit: 100, imageAt, walkStarts },
      revision,
      { client: 'test' },
    );
    const rows: typeof found = JSON.parse(page.bytes.toString('utf8'));
    found.push(...rows);
    more = page.more;
    after = page.next;
    walkStarts = page.walkStarts;
  }
  return found;
}
