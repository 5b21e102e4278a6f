// The list of feeds over HTTP, on every engine: page by page, only those with gaps, and never those of others.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

interface Listed {
  readonly feeds: readonly {
    readonly activityCode: string;
    readonly resource: string;
    readonly feed: string;
    readonly missing: readonly (readonly [number, number])[];
    readonly lastMessage: { readonly id: string; readonly resource: string; readonly feed: string } | null;
  }[];
  readonly after: string | null;
}

const article = `${JSON.stringify({
  ...{ articleReference: 'A-1', longArticleDescription: 'Article', shortArticleDescription: 'Article' },
})}\n`;

/** Names of feeds in the order of the list. */
const names = {
  NOR: ['NOR articles Zulu', 'NOR articles main', 'NOR articles wms.2', 'NOR orders main'],
  SOU: ['SOU articles 1', 'SOU articles main'],
} as const;

for (const engine of engines) {
  describe(`the list of feeds on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let both: string;
    let north: string;
    before(async () => {
      running = await startApp(engine);
      const add = async (activityCodes: readonly string[]): Promise<string> =>
        (await addPlatformKey(running.app.store, { name: 'wms', activityCodes, roles: ['feed'] }, Date.now())).text;
      [both, north] = [await add(['NOR', 'SOU']), await add(['NOR'])];
      for (const name of [...names.SOU, ...names.NOR]) {
        const [activity, resource, feed] = name.split(' ');
        // Of one feed in each activity, numbers 2 to 4 do not come.
        for (const sequence of feed === 'main' && resource === 'articles' ? [1, 5] : [1]) {
          const path = `/platform/feeds/${resource}?activity=${activity}&feed=${feed}&sequence=${sequence}`;
          const sent = await running.send(path, article, {
            token: both,
            headers: { 'content-type': 'application/x-ndjson' },
          });
          assert.equal(sent.status, 200, sent.body);
        }
      }
    });
    after(() => running.close());

    const list = async (query: string, token = both): Promise<Listed> => {
      const answer = await running.get(`/platform/feeds?${query}`, { token });
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body);
    };
    const namesIn = ({ feeds }: Listed): readonly string[] =>
      feeds.map(({ activityCode, resource, feed }) => `${activityCode} ${resource} ${feed}`);

    it('is read page by page, each feed once, with its own last message', async () => {
      for (const limit of [1, 2, 3, 6, 500])
        for (const [token, expected] of [
          [both, [...names.NOR, ...names.SOU]],
          [north, names.NOR],
        ] as const) {
          const found: string[] = [];
          for (let after: string | null = ''; after !== null; ) {
            const page: Listed = await list(`limit=${limit}${after === '' ? '' : `&after=${after}`}`, token);
            assert.ok(page.feeds.length <= limit);
            for (const { activityCode, resource, feed, lastMessage } of page.feeds) {
              assert.ok(lastMessage?.id.startsWith(`${activityCode}:`), lastMessage?.id);
              assert.deepEqual([lastMessage?.resource, lastMessage?.feed], [resource, feed]);
            }
            found.push(...namesIn(page));
            after = page.after;
          }
          assert.deepEqual(found, expected);
        }
    });

    it('without a page is the first one, and of one activity only its feeds', async () => {
      const all = await list('');
      assert.deepEqual([all.feeds.length, all.after], [6, null]);
      assert.deepEqual(namesIn(await list('activity=SOU')), names.SOU);
    });

    it('gives only those with gaps if asked, page by page too', async () => {
      const first = await list('missing=true&limit=1');
      assert.deepEqual(namesIn(first), ['NOR articles main']);
      assert.deepEqual(first.feeds[0]?.missing, [[2, 4]]);
      const second = await list(`missing=true&limit=1&after=${first.after}`);
      assert.deepEqual([namesIn(second), second.after], [['SOU articles main'], null]);
      assert.equal((await list('missing=false')).feeds.length, 6);
    });

    for (const query of [
      'limit=0',
      'limit=501',
      'limit=x',
      'after=',
      'after=NOR',
      'after=NOR:articles',
      'after=NOR:articles:%00',
      'activity=SOU',
      'missing=yes',
      'missing=true&missing=true',
      'resource=articles',
    ])
      it(`refuses "${query}" of who may see one activity`, async () => {
        const answer = await running.get(`/platform/feeds?${query}`, { token: north });
        assert.equal(answer.status, 400, answer.body);
      });
  });
}
