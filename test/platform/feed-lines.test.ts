// Refused lines over the whole HTTP path, on every engine: who sees them, how they are paged, downloaded, mended and
// dropped.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { feedLineExample } from '../../src/platform/feed-line-schemas.ts';
import { packed } from '../../src/store/packed-text.ts';
import { update } from '../../src/store/table-statements.ts';
import { feedLineTable } from '../../src/store/tables/feeds.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { addRefusedLines, longComment } from '../feeds/refused-lines.ts';

for (const engine of engines) {
  describe(`refused lines on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let keys: Record<'north' | 'both' | 'big' | 'outbox', string>;
    before(async () => {
      running = await startApp(engine);
      const add = async (activityCodes: readonly string[], role: string): Promise<string> =>
        (await addPlatformKey(running.app.store, { name: role, activityCodes, roles: [role] }, Date.now())).text;
      await running.app.store.activities.add('BIG', 'Big Trading');
      keys = {
        north: await add(['NOR'], 'feed'),
        both: await add(['NOR', 'SOU'], 'feed'),
        big: await add(['BIG'], 'feed'),
        outbox: await add(['NOR'], 'outbox'),
      };
      await addRefusedLines(running.app.store, 'NOR', 1, 7);
      await addRefusedLines(running.app.store, 'NOR', 2, 3);
      await addRefusedLines(running.app.store, 'SOU', 1, 2);
    });
    after(() => running.close());

    const get = (path: string, token: keyof typeof keys = 'both'): Promise<Answered> =>
      running.get(`/platform/feeds/${path}`, { token: keys[token] });
    const send = (path: string, body: unknown = '', token: keyof typeof keys = 'both'): Promise<Answered> =>
      running.send(`/platform/feeds/${path}`, body, { token: keys[token] });
    const ids = async (query: string, token: keyof typeof keys = 'both'): Promise<readonly string[]> => {
      const found: string[] = [];
      for (let after: unknown = ''; after !== null; ) {
        const page = (await get(`lines?${query}${after === '' ? '' : `&after=${String(after)}`}`, token)).object();
        found.push(...linesIn(page).map(({ id }) => String(id)));
        after = page.after ?? null;
      }
      return found;
    };

    it('refuses what it does not understand, and keys without the role', async () => {
      const cases: readonly (readonly [path: string, status: number, detail: RegExp])[] = [
        ['lines?state=lost', 400, /refused or dropped or replayed/],
        ['lines?limit=0', 400, /from 1 to 100/],
        ['lines?after=NOR', 400, /ACM:17:4/],
        ['lines?message=XXX:1', 400, /activities/],
        ['lines?activity=SOU&message=NOR:1', 400, /not one of SOU/],
        ['lines?activity=XXX', 400, /does not open/],
        ['lines?resource=parcels', 400, /movements/],
        ['lines?colour=red', 400, /colour/],
        ['lines/NOR:1:99', 404, /no refused line/],
        ['lines/nothing', 404, /no refused line/],
      ];
      for (const [path, status, detail] of cases) {
        const answer = await get(path);
        assert.equal(answer.status, status, path);
        assert.match(String(answer.object().detail), detail, path);
      }
      assert.equal((await get('lines', 'outbox')).status, 403);
      assert.equal((await get('lines/SOU:1:1', 'north')).status, 404);
      assert.equal((await get('lines?activity=SOU', 'north')).status, 400);
      assert.equal((await send('lines/SOU:1:1/drop', '', 'north')).status, 404);
      assert.equal((await send('messages/SOU:1/drop', '', 'north')).status, 404);
    });

    it('gives all lines of the activities of a key, whatever the length of a page', async () => {
      const all = ['NOR:1:1', 'NOR:1:2', 'NOR:1:3', 'NOR:1:4', 'NOR:1:5', 'NOR:1:6', 'NOR:1:7'];
      const others = ['NOR:2:1', 'NOR:2:2', 'NOR:2:3'];
      for (const limit of [1, 2, 7, 10, 100])
        assert.deepEqual(await ids(`limit=${limit}`), [...all, ...others, 'SOU:1:1', 'SOU:1:2'], String(limit));
      assert.deepEqual(await ids('limit=3', 'north'), [...all, ...others]);
      assert.deepEqual(await ids('message=NOR:2'), others);
      assert.deepEqual(await ids('activity=SOU'), ['SOU:1:1', 'SOU:1:2']);
      assert.deepEqual(await ids('resource=articles'), []);
      assert.deepEqual(await ids('state=dropped'), []);
    });

    it('leaves a long content out of a list, and gives it alone and in a download', async () => {
      const listed = linesIn((await get('lines?message=NOR:1')).object())[6];
      assert.deepEqual([listed?.isLong, listed?.content], [true, null]);
      const alone = (await get('lines/NOR:1:7')).object();
      assert.equal(alone.isLong, false);
      assert.equal(JSON.stringify(alone.content).length, longComment.length + '{"comment":""}'.length);
      const file = await get('lines.ndjson?message=NOR:1');
      assert.match(file.headers['content-type'] ?? '', /^application\/x-ndjson/);
      const records: readonly Record<string, unknown>[] = file.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        records.map(({ line }) => line),
        [1, 2, 3, 4, 5, 6, 7],
      );
      assert.deepEqual(records[6]?.record, { comment: longComment });
      assert.equal(records[1]?.text, 'no JSON "2"');
      assert.equal(file.headers.link, undefined);
    });

    it('gives each line with its members in order, and what is no JSON as a text', async () => {
      const [record, text] = linesIn((await get('lines?message=NOR:1&limit=2')).object());
      for (const line of [record, text]) assert.deepEqual(Object.keys(line ?? {}), Object.keys(feedLineExample));
      assert.deepEqual(
        [record, text].map((line) => [line?.content, line?.edited, line?.reasons]),
        [{ movedQuantity: 'x' }, 'no JSON "2"'].map((content) => [content, null, reasons]),
      );
    });

    it('ends a page once it has a megabyte, and leads to the next', async () => {
      const { engine: rows } = running.app.store;
      await addRefusedLines(running.app.store, 'BIG', 1, 100);
      const content = `{"unheardOf": [\n${Array.from({ length: 16_000 }, () => '[]').join(',')}]}`;
      await rows.writeOnce(update(feedLineTable, { content: packed(content), kind: 'record' }, { activity: 'BIG' }));
      const compact = JSON.stringify(JSON.parse(content));
      const found: unknown[] = [];
      for (let after: unknown = ''; after !== null; ) {
        const page = await get(`lines${after === '' ? '' : `?after=${String(after)}`}`, 'big');
        const lines = linesIn(page.object());
        const isLast = found.length + lines.length === 100;
        assert.ok(isLast || page.body.length >= 1_048_576, String(page.body.length));
        assert.ok(page.body.length < 1_048_576 + 2 * content.length, String(page.body.length));
        for (const line of lines) assert.ok(JSON.stringify(line.content) === compact);
        found.push(...lines.map(({ record }) => record));
        after = page.object().after ?? null;
      }
      assert.deepEqual(
        found,
        Array.from({ length: 100 }, (_none, index) => index + 1),
      );
      const alone = (await get('lines?limit=1', 'big')).object();
      assert.deepEqual([linesIn(alone).length, alone.after], [1, 'BIG:1:1']);
      // A line of a download is one line, however it came.
      const file = await get('lines.ndjson', 'big');
      assert.equal(file.body.trimEnd().split('\n').length, 100);
    });

    it('leads from one part of a download to the next', async () => {
      const parts: string[] = [];
      for (let path = 'lines.ndjson?limit=5'; path !== ''; ) {
        const part = await get(path);
        parts.push(part.body);
        path = /feeds\/([^>]+)>; rel="next"/.exec(part.headers.link ?? '')?.[1] ?? '';
      }
      assert.equal(parts.join('').trimEnd().split('\n').length, 12);
    });

    it('checks a mended record at once, and keeps it only when nothing is wrong with it', async () => {
      const wrong = await send('lines/NOR:1:1/edit', { movedQuantity: 'many' });
      assert.equal(wrong.status, 400);
      assert.ok(Object.hasOwn(Object(wrong.object().errors), '/movedQuantity'), wrong.body);
      assert.equal((await send('lines/NOR:1:1/edit', '{"a":')).status, 400);
      assert.equal((await send('lines/NOR:1:1/edit', '[]')).status, 400);
      const long = await send('lines/NOR:1:1/edit', JSON.stringify({ comment: 'x'.repeat(600 * 1024) }));
      assert.equal(long.status, 413);
      assert.match(String(long.object().detail), /Download the line .* send the file as a feed/);
      assert.equal((await get('lines/NOR:1:1')).object().edited, null);
      const right = { articleReference: 'A1', movedQuantity: 3 };
      const edited = await send('lines/NOR:1:1/edit', right);
      assert.equal(edited.status, 200, edited.body);
      assert.deepEqual((await get('lines/NOR:1:1')).object().edited, right);
      const [first = ''] = (await get('lines.ndjson?message=NOR:1&limit=1')).body.split('\n');
      assert.deepEqual(JSON.parse(first).record, right);
    });

    it('keeps a mended record only if nobody changed the line since the request says', async () => {
      const { changedAt } = (await get('lines/NOR:1:2')).object();
      const edit = (record: object, since: unknown) =>
        send(`lines/NOR:1:2/edit?changedAt=${encodeURIComponent(String(since))}`, record);
      assert.equal((await edit({ articleReference: 'A1', movedQuantity: 3 }, 'lately')).status, 400);
      const first = await edit({ articleReference: 'A1', movedQuantity: 3 }, changedAt);
      assert.equal(first.status, 200, first.body);
      const second = await edit({ articleReference: 'A1', movedQuantity: 4 }, changedAt);
      assert.equal(second.status, 409, second.body);
      assert.match(String(second.object().type), /line-changed$/);
      assert.deepEqual((await get('lines/NOR:1:2')).object().edited, { articleReference: 'A1', movedQuantity: 3 });
      const again = await edit({ articleReference: 'A1', movedQuantity: 4 }, first.object().changedAt);
      assert.deepEqual([again.status, again.object().edited], [200, { articleReference: 'A1', movedQuantity: 4 }]);
    });

    it('takes a line that withdraws a record in place of one that was wrong', async () => {
      const wrong = await send('lines/NOR:1:3/edit', { withdraw: { id: 'seven' } });
      assert.equal(wrong.status, 400);
      assert.ok(Object.hasOwn(Object(wrong.object().errors), '/withdraw/id'), wrong.body);
      assert.equal((await send('lines/NOR:1:3/edit', { withdraw: { id: 7 }, id: 7 })).status, 400);
      const right = { withdraw: { id: 7 } };
      const edited = await send('lines/NOR:1:3/edit', right);
      assert.deepEqual([edited.status, edited.object().edited], [200, right], edited.body);
    });

    it('drops a line once, or all that are left of a message, and says so in the audit trail', async () => {
      assert.deepEqual((await send('lines/NOR:2:1/drop')).object(), { dropped: 1 });
      const again = await send('lines/NOR:2:1/drop');
      assert.equal(again.status, 409);
      assert.match(String(again.object().type), /line-settled$/);
      assert.equal((await send('lines/NOR:2:1/edit', { articleReference: 'A1' })).status, 409);
      assert.deepEqual((await send('messages/NOR:2/drop')).object(), { dropped: 2 });
      assert.deepEqual((await send('messages/NOR:2/drop')).object(), { dropped: 0 });
      assert.deepEqual(await ids('message=NOR:2'), []);
      assert.deepEqual(await ids('message=NOR:2&state=dropped'), ['NOR:2:1', 'NOR:2:2', 'NOR:2:3']);
      const { entries } = (
        await running.get('/platform/audit?action=feed.drop', { token: running.keys.both })
      ).object();
      const accepted = Array.isArray(entries) ? entries.filter(({ outcome }) => outcome === 'accepted') : [];
      assert.deepEqual(
        accepted.map(({ target, details }) => [target, details]),
        [
          ['NOR:2', { records: [1] }],
          ['NOR:2', { records: 'all' }],
        ],
      );
    });
  });
}

const reasons = [{ code: 'wrong-type', pointer: '/movedQuantity', detail: 'must be a number' }];

function linesIn(page: Record<string, unknown>): readonly Record<string, unknown>[] {
  assert.ok(Array.isArray(page.lines));
  return page.lines;
}
