// Lists by the client of `packages/client`, on the real server: pages, records, changes, and what cannot be gone on
// with.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionError, createClient, isWithdrawn, ProblemError } from '../../packages/client/src/index.ts';
import { nextOf } from '../../packages/client/src/lists.ts';
import { startService } from '../auth/flow.ts';
import { articleLike, clientOf, sendFeed, tokenOf } from './fixture.ts';

const references = ['A1', 'A2', 'A3', 'A4', 'A5'];

describe('lists by the client', { timeout: 900_000 }, () => {
  it('gives every record of every page once, and asks for no more than was wanted', async (t) => {
    const service = await startService(t);
    const client = await clientOf(service);
    await client.articles.create(references.map(articleLike));
    const seen: string[] = [];
    for await (const article of client.articles.records({ limit: 2 })) seen.push(article.articleReference);
    assert.deepEqual(seen, references);

    const pages: number[] = [];
    for await (const page of client.articles.pages({ limit: 2 })) pages.push(page.records.length);
    assert.deepEqual(pages, [2, 2, 1]);

    const sorted = await client.articles.page({ sort: '-articleReference', filter: 'articleReference=in=(A1,A4)' });
    assert.deepEqual(
      sorted.records.map(({ articleReference }) => articleReference),
      ['A4', 'A1'],
    );
    assert.equal(sorted.syncCursor, null);
    const named = await client.articles.page({ articleReference: ['A2', 'A3'] });
    assert.equal(named.records.length, 2);
  });

  it('says with an ETag that nothing has changed', async (t) => {
    const client = await clientOf(await startService(t));
    const empty = await client.articles.page();
    assert.deepEqual(empty.records, []);
    assert.equal(await client.articles.pageIfChanged(empty.etag ?? ''), null);
    await client.articles.create([articleLike('A1')]);
    assert.equal((await client.articles.pageIfChanged(empty.etag ?? ''))?.records.length, 1);
  });

  it('tells what has changed since a cursor, and that a record was withdrawn', async (t) => {
    const service = await startService(t);
    const client = await clientOf(service);
    await client.articles.create(references.map(articleLike));
    const copy = new Map<string, string>();
    const update = async (
      cursor: string | null,
    ): Promise<{ readonly cursor: string | null; readonly told: number }> => {
      let [last, told] = [cursor, 0];
      for await (const batch of client.articles.changes(last, { limit: 2 })) {
        assert.equal(batch.startsAnew, false);
        for (const article of batch.records) {
          told += 1;
          if (isWithdrawn(article)) copy.delete(article.articleReference);
          else copy.set(article.articleReference, article.longArticleDescription);
        }
        last = batch.cursor;
      }
      return { cursor: last, told };
    };
    const first = await update(null);
    assert.equal(first.told, 5);
    assert.deepEqual(await update(first.cursor), { cursor: first.cursor, told: 0 });
    await client.articles.create([{ ...articleLike('A3'), longArticleDescription: 'Desk lamp, brass' }]);
    await sendFeed(service, 'articles', [{ withdraw: { articleReference: 'A5' } }]);
    assert.equal((await update(first.cursor)).told, 2);
    assert.equal(copy.get('A3'), 'Desk lamp, brass');
    assert.deepEqual([...copy.keys()].toSorted(), ['A1', 'A2', 'A3', 'A4']);
  });

  it('starts anew, and says so, where the service was restored from a backup', async (t) => {
    const service = await startService(t);
    const token = await tokenOf(service);
    const client = createClient({ baseUrl: service.baseUrl, token });
    await client.articles.create(references.map(articleLike));
    let cursor = '';
    for await (const batch of client.articles.changes(null)) cursor = batch.cursor;
    await service.app.store.beginHistory();
    const restored = await service.again();
    const moved = createClient({
      ...{ baseUrl: service.baseUrl, token },
      fetch: (address, given) => fetch(String(address).replace(`:${service.port}/`, `:${restored.port}/`), given),
    });
    const told: boolean[] = [];
    let count = 0;
    for await (const batch of moved.articles.changes(cursor, { limit: 2 })) {
      told.push(batch.startsAnew);
      count += batch.records.length;
    }
    assert.deepEqual(told, [true, false, false]);
    assert.equal(count, 5);
  });

  it('gives a stock image as a whole, and nothing where it is known', async (t) => {
    const service = await startService(t);
    const client = await clientOf(service);
    const none = await client.stock.image('BBB', null);
    assert.deepEqual(none?.rows, []);
    assert.equal(await client.stock.image('BBB', none?.etag ?? null), null);
  });

  it('throws a problem with its kind, what is wrong where, and the id of the request', async (t) => {
    const client = await clientOf(await startService(t));
    await assert.rejects(client.articles.page({ filter: 'nonsense==1' }, { requestId: 'asked-by-me' }), (error) => {
      assert.ok(error instanceof ProblemError);
      assert.equal(error.status, 400);
      assert.equal(error.slug, 'invalid-filter');
      assert.equal(error.requestId, 'asked-by-me');
      assert.equal(error.problem.code, 'unknown-field');
      assert.match(error.message, /nonsense/);
      return true;
    });
  });

  it('sends its token nowhere but below the base URL', async (t) => {
    const client = await clientOf(await startService(t));
    for (const address of ['https://elsewhere.example/v1/articles', 'http://localhost:1/v1/articles'])
      await assert.rejects(client.articles.pageAt(address), ConnectionError);
  });

  it('reads the relation of a link whatever stands beside it', () => {
    const headers = (link: string): Headers => new Headers({ link });
    assert.equal(nextOf(headers('<https://a.example/v1?c=1>; rel="next"')), 'https://a.example/v1?c=1');
    assert.equal(
      nextOf(headers('<https://a.example/1>; rel="prev", <https://a.example/2>; rel="next"')),
      'https://a.example/2',
    );
    assert.equal(nextOf(headers('<https://a.example/1>; rel="prev"')), null);
    assert.equal(nextOf(new Headers()), null);
  });
});
