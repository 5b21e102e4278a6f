// The commands `export` and `import activity`, as an operator moves an activity: lists are the same in every byte, and
// each file can be imported by itself.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { definitions, resources } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

/** An activity with the example record of each resource, changed twice, and two stock images. */
async function placeWithData(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'OTH', 'Another');
  await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
  for (const { name, example, activityField, activityNameField, unpublished } of resources) {
    const record: Record<string, unknown> = { ...example };
    if (activityField !== null) record[activityField] = 'ACM';
    if (activityNameField !== null) record[activityNameField] = 'Acme Home';
    for (const field of Object.keys(unpublished)) record[field] = 'PO-1';
    if (name === 'movements') record.id = null;
    for (const day of name === 'stock' ? ['02', '03'] : ['02']) {
      if (name === 'stock') record.stockImageExtractionDate = `2026-03-${day}T04:00:00.000Z`;
      const stdin = JSON.stringify(record);
      await succeed({ ...place, stdin }, 'import', name, '-', '--activity', 'ACM');
    }
  }
  return place;
}

/** The first page of every list, and the revisions. */
async function pagesOf({ folder, variables = {} }: Place): Promise<readonly (readonly [string, string, unknown])[]> {
  const store = await openStore(readConfig(variables, folder), definitions);
  try {
    const pages: (readonly [string, string, unknown])[] = [];
    for (const resource of resources) {
      const revision = await store.lists.revision(resource, ['ACM']);
      const plan = {
        ...{ resource, activities: ['ACM'], where: [], sort: [], limit: 100 },
        ...{ after: null, updatedSince: null, imageAt: null, walkStarts: null },
      };
      const { bytes, next } = await store.lists.page(plan, revision, { client: 'reader' });
      pages.push([resource.name, bytes.toString(), [revision, next]]);
    }
    return pages;
  } finally {
    await store.close();
  }
}

describe('export', () => {
  it('is imported into another database to the same lists, byte by byte', async (t) => {
    const place = await placeWithData(t);
    const folder = join(place.folder, 'acm');
    const told = await succeed(place, 'export', '--activity', 'ACM', '--to', folder);
    assert.match(told, /^RESOURCE\tRECORDS\tFILE\narticles\t1\t.*\/acm\/articles\.ndjson\nstock\t2\t/);
    assert.equal(statSync(join(folder, 'articles.ndjson')).mode & 0o777, 0o600);
    const other = { folder: temporaryFolder(t) };
    await succeed(other, 'activity', 'add', 'OLD', 'There before');
    assert.match(
      await succeed(other, 'import', 'activity', folder, '--activity', 'ACM'),
      /^Activity ACM is here as it was at .*: 1 articles, 2 stock, 1 movements, 1 orders/,
    );
    const pages = await pagesOf(place);
    assert.deepEqual(await pagesOf(other), pages);
    assert.ok(pages.every(([, text]) => text.length > 100));
    const again = await run(other, 'import', 'activity', folder, '--activity', 'ACM');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is there and has data/);
    // What comes next goes on from there, with the same next id on both sides.
    for (const each of [place, other]) {
      const stdin = JSON.stringify({ orderUniqueID: 'NEXT' });
      await succeed({ ...each, stdin }, 'import', 'orders', '-', '--activity', 'ACM');
    }
    const ids = (text: string): unknown =>
      JSON.parse(text).map(({ internalId }: { readonly internalId: number }) => internalId);
    const orders = async (of: Place): Promise<string> =>
      (await pagesOf(of)).find(([name]) => name === 'orders')?.[1] ?? '';
    assert.deepEqual(ids(await orders(other)), ids(await orders(place)));
  });

  it('can be imported file by file, as a feed: the same records with ids of their own', async (t) => {
    const place = await placeWithData(t);
    const folder = join(place.folder, 'acm');
    await succeed(place, 'export', '--activity', 'ACM', '--to', folder);
    const other = { folder: temporaryFolder(t) };
    await succeed(other, 'activity', 'add', 'ACM', 'Acme Home');
    for (const { name } of resources) {
      const summary = await json<{ readonly new: number; readonly refused: number }>(
        other,
        ...['import', name, join(folder, `${name}.ndjson`), '--activity', 'ACM'],
      );
      assert.deepEqual([summary.new > 0, summary.refused], [true, 0], name);
    }
    await succeed(other, 'export', '--activity', 'ACM', '--to', join(other.folder, 'acm'));
    const without = (text: string): unknown =>
      JSON.parse(text.split('\n')[0] ?? '', (name, value: unknown) => (assigned.test(name) ? undefined : value));
    for (const { name } of resources) {
      const texts = [folder, join(other.folder, 'acm')].map((of) => readFileSync(join(of, `${name}.ndjson`), 'utf8'));
      assert.deepEqual(without(texts[1] ?? ''), without(texts[0] ?? ''), name);
    }
  });

  it('refuses what it cannot do, and leaves nothing', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    const to = join(place.folder, 'x');
    for (const [words, code, said] of [
      [['--activity', 'XXX'], 1, /no activity "XXX"/],
      [['--activity', 'ACM', '--resource', 'order'], 2, /no resource "order"/],
    ] as const) {
      const told = await run(place, 'export', ...words, '--to', to);
      assert.deepEqual([told.code, said.test(told.stderr)], [code, true], told.stderr);
      assert.deepEqual(
        readdirSync(dirname(to)).filter((name) => name.startsWith(basename(to))),
        [],
      );
    }
    const none = await run(place, 'import', 'activity', to, '--activity', 'ACM');
    assert.match(none.stderr, /no whole export/);
  });
});

/** Properties that the service assigns. */
const assigned = /^(id|internalId|date(?:Creation|Created|Last\w*)|parcelId|.*[a-z]Id)$/;
