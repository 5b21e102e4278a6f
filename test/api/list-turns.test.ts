// When a list waits for its turn, and what its page shows then.
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { createPageCache, listHandling } from '../../src/api/lists.ts';
import type { Answer, Call } from '../../src/http/route.ts';
import { article } from '../../src/resources/index.ts';
import { importInto, storeFor, streamOf } from '../feeds/fixture.ts';

const activityCodes = ['ACM'];
const principal: Call['principal'] = { kind: 'client', clientId: 'shop', subject: null, activityCodes, readOnly: true };
const noTurn = (): never => assert.fail('this answer costs nothing, and waits for nobody');

describe('a list', () => {
  it('that waited for its turn shows what was written meanwhile, under its own tag', async (t) => {
    const { store, folder } = await storeFor(t);
    const write = async (reference: string): Promise<void> => {
      const record = { articleReference: reference, longArticleDescription: 'Mug', shortArticleDescription: 'Mug' };
      await importInto(store, article, folder, { source: streamOf(JSON.stringify(record)) });
    };
    const list = listHandling(
      {
        store,
        cursorSecret: createSecretKey(Buffer.alloc(32, 1)),
        baseUrl: 'http://127.0.0.1/v1',
        pages: createPageCache(1),
        now: Date.now,
      },
      '/articles',
      'listArticles',
    );
    const read = async (turn: Call['turn'], tag?: string): Promise<Answer> => {
      const answer = await list.handle(callOf(turn, tag));
      assert.ok('status' in answer);
      return answer;
    };
    await write('A1');
    const first = await read(async () => false);
    assert.deepEqual(referencesIn(first), ['A1']);
    const waited = await read(async () => {
      await write('A2');
      return true;
    });
    assert.deepEqual(referencesIn(waited), ['A1', 'A2']);
    assert.notEqual(waited.headers.ETag, first.headers.ETag);
    assert.equal((await read(noTurn, waited.headers.ETag)).status, 304);
    const again = await read(async () => false);
    assert.equal(again.headers.ETag, waited.headers.ETag);
    assert.deepEqual(referencesIn(await read(noTurn)), ['A1', 'A2'], 'kept since it was read twice');
    await write('A3');
    assert.deepEqual(referencesIn(await read(async () => false)), ['A1', 'A2', 'A3']);
  });
});

function referencesIn({ body }: Answer): readonly unknown[] {
  assert.ok(Buffer.isBuffer(body));
  const records: readonly { readonly articleReference: unknown }[] = JSON.parse(body.toString());
  return records.map(({ articleReference }) => articleReference);
}

function callOf(turn: Call['turn'], tag: string | undefined): Call {
  return {
    method: 'GET',
    path: '/v1/articles',
    queryText: '',
    query: [],
    params: {},
    requestId: 'r',
    address: '127.0.0.1',
    standAside: () => undefined,
    confirmAccess: async () => undefined,
    isGone: () => false,
    gone: AbortSignal.any([]),
    turn,
    body: noTurn,
    bodyStream: noTurn,
    bodyArrived: noTurn,
    principal,
    header: (name) => (name === 'if-none-match' ? tag : undefined),
  };
}
