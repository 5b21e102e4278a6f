// The command `restored`: what clients and the warehouse saw before a restore is not confused with what is written
// after it.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { goodPassword, json, run, type Place, succeed, temporaryFolder } from './fixture.ts';
import { rowIn } from '../contract/database.ts';
import { activityTable } from '../../src/store/tables/activities.ts';

const line = (reference: string): string =>
  `${JSON.stringify({
    articleReference: reference,
    longArticleDescription: 'Mug',
    shortArticleDescription: 'Mug',
    barcodes: [{ code: reference }],
  })}\n`;
const importArticles = (place: Place, ...references: readonly string[]): Promise<string> =>
  succeed({ ...place, stdin: references.map(line).join('') }, 'import', 'articles', '-', '--activity', 'ACM');

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cursor: string;
  readonly etag: string;
}

/** One GET of a server on the storage of a place, started for it alone. */
async function get(place: Place, token: string, query: string, etag = ''): Promise<Answer> {
  const app = await createApp(
    readConfig({ LOG_LEVEL: 'silent', BASE_URL: 'http://localhost/v1', AUTH_URL: 'http://localhost' }, place.folder),
  );
  try {
    const { statusCode, body, headers } = await app.server.inject({
      url: `/v1/articles${query}`,
      headers: { authorization: `Bearer ${token}`, ...(etag !== '' && { 'if-none-match': etag }) },
    });
    return { status: statusCode, body, cursor: String(headers['sync-cursor']), etag: String(headers.etag) };
  } finally {
    await app.close();
  }
}

/** A database with one article, a backup of it, and a client that has seen three more articles since. */
async function restoredPlace(
  t: TestContext,
): Promise<{ readonly place: Place; readonly token: string; readonly seen: Answer }> {
  const place = {
    folder: temporaryFolder(t),
    variables: { BASE_URL: 'http://localhost/v1', AUTH_URL: 'http://localhost' },
  };
  const [data, backup] = [join(place.folder, 'data'), join(place.folder, 'backup')];
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  await succeed({ ...place, stdin: `${goodPassword}\n` }, 'user', 'add', 'mia', '--activity', 'ACM');
  const { id } = await json<{ readonly id: string }>(
    place,
    'client',
    'add',
    'Shop',
    '--redirect',
    'https://shop.example/callback',
    '--activity',
    'ACM',
  );
  const token = (await succeed(place, 'token', '--client', id, '--user', 'mia')).trim();
  await importArticles(place, 'A1');
  assert.equal((await get(place, token, '')).status, 200);
  cpSync(data, backup, { recursive: true });
  await importArticles(place, 'A2', 'A3', 'A4');
  const seen = await get(place, token, '');
  assert.equal(JSON.parse(seen.body).length, 4);
  rmSync(data, { recursive: true });
  cpSync(backup, data, { recursive: true });
  return { place, token, seen };
}

describe('restored', () => {
  it('needs a database', async (t) => {
    const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'restored');
    assert.equal(code, 1);
    assert.match(stderr, /There is no database/);
  });

  it('makes clients read from the start, whose cursors and ETags would fit what they have not seen', async (t) => {
    const { place, token, seen } = await restoredPlace(t);
    assert.deepEqual(await json(place, 'restored'), { activities: 1 });
    await importArticles(place, 'B2', 'B3', 'B4');
    const polled = await get(place, token, `?cursor=${seen.cursor}`);
    assert.deepEqual(
      [polled.status, JSON.parse(polled.body).type],
      [410, 'http://localhost/v1/problems/cursor-expired'],
    );
    const again = await get(place, token, '', seen.etag);
    assert.equal(again.status, 200);
    assert.deepEqual(
      JSON.parse(again.body).map((article: { articleReference: string }) => article.articleReference),
      ['A1', 'B2', 'B3', 'B4'],
    );
    assert.equal((await get(place, token, `?cursor=${again.cursor}`)).body, '[]');
  });

  it('gives no number out again that was lost, and can be run twice', async (t) => {
    const { place } = await restoredPlace(t);
    await succeed(place, 'restored');
    assert.match(await succeed(place, 'restored'), /Start the server now.*\n.*stay connected.*\n.*disabled/);
    const app = await createApp(readConfig({ LOG_LEVEL: 'silent' }, place.folder));
    t.after(() => app.close());
    const { lastChange, lastId } = await rowIn(app.store, activityTable);
    assert.deepEqual([lastChange, lastId], [2_000_000_001, 20_000_000]);
    const actions = (
      await app.store.audit.read({
        activityCodes: null,
        operationId: null,
        action: 'restored',
        actor: null,
        since: null,
        until: null,
        after: null,
        newestFirst: false,
        limit: 9,
      })
    ).map(({ actor }) => actor);
    assert.deepEqual(actions, ['olga', 'olga']);
  });
});
