// Feeds over HTTP: what comes in, what is answered, what is refused, and going on with what was cut, on every engine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { addPlatformKey, revokePlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { leftToGate } from '../contract/rounds.ts';

const anArticle = (reference: string, more: object = {}): object => ({
  articleReference: reference,
  longArticleDescription: `Article ${reference}`,
  shortArticleDescription: reference,
  ...more,
});
const lines = (...records: readonly (object | string)[]): string =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');
const ndjson = { 'content-type': 'application/x-ndjson' };

interface Message {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}
interface Refused {
  readonly line: number;
  readonly element: number | null;
  readonly reasons: readonly { readonly pointer: string }[];
}
const messageOf = (answer: Answered): Message => {
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body).message;
};

for (const engine of engines) {
  describe(`feeds over HTTP on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let key: string;
    let both: string;
    let port: number;
    before(async () => {
      running = await startApp(engine, { MAX_FEEDS: '4' });
      const add = async (activityCodes: readonly string[]): Promise<string> =>
        (await addPlatformKey(running.app.store, { name: 'wms', activityCodes, roles: ['feed'] }, Date.now())).text;
      [key, both] = [await add(['NOR']), await add(['NOR', 'SOU'])];
      await running.app.server.listen({ host: '127.0.0.1', port: 0 });
      port = (running.app.server.server.address() as AddressInfo).port;
    });
    after(() => running.close());

    const send = (path: string, body: unknown, headers: Record<string, string> = ndjson, token = key) =>
      running.send(`/platform/feeds/${path}`, body, { token, headers });
    const get = (path: string, token = key) => running.get(`/platform/feeds${path}`, { token });

    const feedNamed = async (name: string) =>
      (await running.app.store.feeds.list(['NOR'])).find(({ feed }) => feed === name);
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      for (let times = 0; times < 1000 && !(await isSo()); times += 1) await pause(20);
    };

    /** Sends a body of which only a part arrives. */
    const cut = async (
      path: string,
      body: string,
      { headers, hasBegun }: { headers: Record<string, string>; hasBegun: () => Promise<boolean> },
    ) => {
      const length = body.length - 100;
      const bytes = Buffer.from(body);
      await new Promise<void>((resolve) => {
        const sent = request({ port, method: 'POST', path: `/platform/feeds/${path}` });
        for (const [name, value] of Object.entries({ ...headers, authorization: `Bearer ${key}`, host: 'x' }))
          sent.setHeader(name, value);
        sent.setHeader('content-length', bytes.length);
        sent.on('error', () => undefined);
        sent.on('close', resolve);
        sent.write(bytes.subarray(0, length));
        void until(hasBegun).finally(() => sent.destroy());
      });
    };
    const settled = async (id: string): Promise<Message> => {
      for (let times = 0; times < 500; times += 1) {
        const { holder } = (await running.app.store.feeds.message('NOR', Number(id.split(':')[1]))) ?? {};
        if (holder === null) return JSON.parse((await get(`/messages/${id}`)).body);
        await pause(20);
      }
      throw new Error(`message ${id} is still held`);
    };

    it('are taken in as lines or as an array, plain or compressed, and answered with counts and reasons', async () => {
      const first = await send('articles?messageId=m1&sequence=1', lines(anArticle('H1'), { x: 1 }, anArticle('H2')));
      assert.deepEqual(messageOf(first).counts, {
        ...{ lines: 3, skipped: 0, read: 3, new: 2, changed: 0, unchanged: 0, refused: 1, warned: 0, withdrawn: 0 },
      });
      const { refusedLines, refusedLinesUrl } = JSON.parse(first.body);
      assert.equal(refusedLines[0].line, 2);
      assert.ok(refusedLines[0].reasons.some(({ code }: { code: string }) => code === 'unknown-property'));
      assert.match(refusedLinesUrl, /\/platform\/feeds\/lines\?message=NOR%3A\d+$/);
      const array = JSON.stringify([anArticle('H1'), anArticle('H3')]);
      for (const [body, headers] of [
        [gzipSync(array), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
        [zstdCompressSync(array), { 'content-type': 'application/json', 'content-encoding': 'zstd' }],
        [array, { 'content-type': 'application/json' }],
      ] as const) {
        const { counts } = messageOf(await send('articles', body, headers));
        assert.equal(counts.read, 2);
        assert.equal(counts.refused, 0);
      }
    });

    it('stop where their key is revoked: what was written stays, and nothing follows', async () => {
      const { store } = running.app;
      const made = await addPlatformKey(store, { name: 'lost', activityCodes: ['NOR'], roles: ['feed'] }, Date.now());
      const sent = request({ port, method: 'POST', path: '/platform/feeds/articles?feed=revoked' });
      for (const [name, value] of Object.entries({ ...ndjson, authorization: `Bearer ${made.text}`, host: 'x' }))
        sent.setHeader(name, value);
      const answered = once(sent, 'response');
      const batch = (name: string): string =>
        lines(...Array.from({ length: 1500 }, (_none, index) => anArticle(`${name}-${index}`)));
      sent.write(batch('EARLY'));
      await until(async () => {
        const { messages } = JSON.parse((await get('/messages?resource=articles&feed=revoked')).body);
        return messages[0]?.counts.read === 1000;
      });
      await revokePlatformKey(store, made.key.id, Date.now());
      await pause(1100);
      sent.end(batch('LATE'));
      const [answer] = await answered;
      const problem = JSON.parse(await text(answer));
      assert.deepEqual([answer.statusCode, problem.counts.read], [401, 1000]);
      assert.match(problem.detail, /revoked.* 1000 records of message NOR:\d+ have been dealt with/);
      const message = await settled(problem.message);
      assert.deepEqual([message.state, message.counts.new], ['interrupted', 1000]);
    });

    it('stop where their activity is removed, though their key opens others', async () => {
      const { store } = running.app;
      await store.activities.add('GON', 'Gone');
      const activityCodes = ['GON', 'NOR'];
      const made = await addPlatformKey(store, { name: 'gone', activityCodes, roles: ['feed'] }, Date.now());
      const sent = request({ port, method: 'POST', path: '/platform/feeds/articles?activity=GON&feed=gone' });
      for (const [name, value] of Object.entries({ ...ndjson, authorization: `Bearer ${made.text}`, host: 'x' }))
        sent.setHeader(name, value);
      const answered = once(sent, 'response');
      const batch = (name: string): string =>
        lines(
          ...Array.from({ length: 1500 }, (_none, index) => ({
            ...anArticle(`${name}-${index}`),
            ...{ activityCode: 'GON', activityName: 'Gone' },
          })),
        );
      sent.write(batch('EARLY'));
      await until(async () => (await store.feeds.message('GON', 1))?.read === 1000);
      await store.activityRemoval.remove('GON', Date.now());
      await pause(1100);
      sent.end(batch('LATE'));
      const [answer] = await answered;
      const problem = JSON.parse(await text(answer));
      assert.equal(answer.statusCode, 403);
      assert.match(problem.detail, /^The activity GON was withdrawn while the request was under way\./);
      assert.deepEqual((await store.activityRemoval.contents('GON'))?.rows, {});
    });

    it('of a key that is revoked begin and end nothing: strict ones, which come in first, and known ones', async () => {
      const { store } = running.app;
      const made = await addPlatformKey(store, { name: 'lost', activityCodes: ['NOR'], roles: ['feed'] }, Date.now());
      const body = lines(anArticle('KNOWN'), anArticle('KNOWN-2'));
      assert.equal((await send('articles?feed=known&messageId=k1', body)).status, 200);
      const late = ['strict=true', 'messageId=k1'].map((query) => {
        const sent = request({ port, method: 'POST', path: `/platform/feeds/articles?feed=known&${query}` });
        for (const [name, value] of Object.entries({ ...ndjson, authorization: `Bearer ${made.text}`, host: 'x' }))
          sent.setHeader(name, value);
        sent.write(body.slice(0, 20));
        return { sent, answered: once(sent, 'response') };
      });
      await until(async () =>
        (await store.platformKeys.list()).some(({ id, lastUsedAt }) => id === made.key.id && lastUsedAt !== null),
      );
      await revokePlatformKey(store, made.key.id, Date.now());
      await pause(1100);
      for (const { sent, answered } of late) {
        sent.end(body.slice(20));
        const [answer] = await answered;
        assert.equal(answer.statusCode, 401, await text(answer));
      }
      const { messages } = JSON.parse((await get('/messages?resource=articles&feed=known')).body);
      assert.equal(messages.length, 1);
    });

    it('withdraw a stock image by a line, and say so', async () => {
      const at = '2026-01-02T04:00:00.000Z';
      const row = { stockImageExtractionDate: at, articleReference: 'H1' };
      const line = { withdraw: { stockImageExtractionDate: at } };
      for (const [body, changed, images] of [
        [lines(row), 0, [{ at, rows: 1, outcome: 'new' }]],
        [lines(line), 1, [{ at, rows: 1, outcome: 'withdrawn' }]],
        [lines(line), 0, []],
      ] as const) {
        const answer = await send('stock', body);
        assert.deepEqual([messageOf(answer).counts.changed, JSON.parse(answer.body).images], [changed, images]);
      }
    });

    it('are refused with what would be right: resource, activity, role, type, encoding, parameters', async () => {
      const body = lines(anArticle('R1'));
      const problems: readonly (readonly [number, string, RegExp, () => Promise<Answered>])[] = [
        [404, 'resource-not-found', /there are articles, /, () => send('widgets', body)],
        [404, 'resource-not-found', /it opens NOR\./, () => send('articles?activity=SOU', body)],
        [400, 'invalid-parameter', /this key opens NOR, SOU/, () => send('articles', body, ndjson, both)],
        [403, 'role-missing', /role feed/, () => send('articles', body, ndjson, running.keys.north)],
        [415, 'unsupported-media-type', /x-ndjson/, () => send('articles', body, { 'content-type': 'text/csv' })],
        [
          415,
          'unsupported-media-type',
          /gzip and zstd/,
          () => send('articles', body, { ...ndjson, 'content-encoding': 'br' }),
        ],
        [400, 'invalid-parameter', /whole number/, () => send('articles?sequence=one', body)],
        [400, 'invalid-parameter', /letters, digits/, () => send('articles?feed=a%2Fb', body)],
        [400, 'invalid-parameter', /for stock/, () => send('articles?extractionDate=2026-01-01T00:00:00Z', body)],
        [400, 'unknown-parameter', /did you mean 'sequence'/, () => send('articles?sequnce=1', body)],
        [400, 'message-refused', /no records/, () => send('articles', '\n\n')],
        [
          400,
          'message-refused',
          /whose "\/items" holds the records/,
          () => send('articles', JSON.stringify({ items: [anArticle('A')] })),
        ],
        [400, 'message-refused', /begins with "a;b/, () => send('articles', 'a;b\n1;2\n')],
        [400, 'message-refused', /UTF-16/, () => send('articles', Buffer.from(body, 'utf16le'))],
        [
          400,
          'message-refused',
          /Not every record is right/,
          () => send('articles?strict=true', lines(anArticle('S1'), { x: 1 })),
        ],
        [400, 'message-refused', /compressed/, () => send('articles', gzipSync(body))],
      ];
      for (const [status, slug, detail, sent] of problems) {
        const answer = await sent();
        assert.equal(answer.status, status, answer.body);
        assert.match(String(answer.object().type), new RegExp(`/${slug}$`));
        assert.match(String(answer.object().detail), detail);
      }
      const strict = JSON.parse((await get('/messages?state=refused&limit=1')).body).messages;
      assert.equal(strict.length, 1);
    });

    it('refused because one record is wrong name the wrong ones, in the answer and in the message', async () => {
      const wrong = { ...anArticle('S3'), netWeightPerUVC: 'heavy' };
      const answer = await send('articles?strict=true', lines(anArticle('S2'), wrong, anArticle('S4')));
      const { message, refusedLines, refusedLinesUrl } = JSON.parse(answer.body);
      assert.equal(answer.status, 400, answer.body);
      assert.deepEqual(refusedLinesUrl, null, 'none is kept, since the right ones would be missing beside it');
      assert.deepEqual(
        refusedLines.map(({ line, element, reasons: [reason] }: Refused) => [line, element, reason?.pointer]),
        [[2, null, '/netWeightPerUVC']],
      );
      const { fault } = JSON.parse((await get(`/messages/${String(message)}`)).body);
      assert.match(fault.detail, /1 of 3 is not\. Line 2: \/netWeightPerUVC: /);
    });

    it('repeat: the same id is a duplicate with the counts of the first, the same key gets its answer', async () => {
      const body = lines(anArticle('D1'), { x: 1 });
      const first = await send('articles?feed=twice&messageId=d1', body);
      const again = await send('articles?feed=twice&messageId=d1', body);
      assert.equal(messageOf(again).state, 'duplicate');
      assert.deepEqual(JSON.parse(again.body).duplicateOf, JSON.parse(first.body).message);
      const other = await send('articles?feed=twice&messageId=d1', lines(anArticle('D2')));
      assert.deepEqual([other.status, /message-id-reused$/.test(String(other.object().type))], [409, true]);
      const keyed = { ...ndjson, 'idempotency-key': '"k-1"' };
      const one = await send('articles?feed=keyed', body, keyed);
      const two = await send('articles?feed=keyed', gzipSync(body), { ...keyed, 'content-encoding': 'gzip' });
      assert.equal(one.status, 200);
      assert.equal(two.body, one.body);
      for (const different of [
        await send('articles?feed=keyed', lines(anArticle('D3')), keyed),
        await send('articles?feed=keyed&sequence=4', body, keyed),
      ])
        assert.deepEqual(
          [different.status, /idempotency-key-reused$/.test(String(different.object().type))],
          [422, true],
        );
    });

    it('that are cut stay open with what was written, and the same request goes on', async () => {
      const body = lines(...Array.from({ length: 6000 }, (_, index) => anArticle(`C${index}`)));
      const keyed = { ...ndjson, 'idempotency-key': 'cut-1' };
      const hasBegun = async (): Promise<boolean> => {
        const feed = await feedNamed('cut');
        const message = feed && (await running.app.store.feeds.message('NOR', feed.lastMessage));
        return (message?.read ?? 0) > 0;
      };
      await cut('articles?feed=cut', body, { headers: keyed, hasBegun });
      const id = JSON.parse((await get('?activity=NOR')).body).feeds.find(
        ({ feed }: { feed: string }) => feed === 'cut',
      ).lastMessage.id;
      const open = await settled(id);
      assert.equal(open.state, 'open');
      assert.ok((open.counts.new ?? 0) > 0 && open.counts.new === open.counts.read, JSON.stringify(open.counts));
      const done = messageOf(await send('articles?feed=cut', body, keyed));
      assert.deepEqual([done.id, done.counts.read, done.counts.new, done.counts.unchanged], [id, 6000, 6000, 0]);
    });

    it('that were cut can be ended, those of the key alone', async () => {
      const body = lines(...Array.from({ length: 6000 }, (_, index) => anArticle(`E${index}`)));
      const keyed = { ...ndjson, 'idempotency-key': 'cut-end' };
      const hasBegun = async (): Promise<boolean> => {
        const feed = await feedNamed('ended');
        const message = feed && (await running.app.store.feeds.message('NOR', feed.lastMessage));
        return (message?.read ?? 0) > 0;
      };
      await cut('articles?feed=ended', body, { headers: keyed, hasBegun });
      const id = `NOR:${(await feedNamed('ended'))?.lastMessage}`;
      await settled(id);
      const end = (path: string) => running.send(`/platform/feeds/messages/${path}/end`, '', { token: key });
      const ended = await end(id);
      assert.deepEqual([ended.status, ended.object().state], [200, 'interrupted']);
      assert.deepEqual((await end(id)).object(), ended.object(), 'again: as it is');
      for (const other of ['NOR:99999', 'SOU:1', 'x']) assert.equal((await end(other)).status, 404, other);
      assert.equal(messageOf(await send('articles?feed=ended', body, keyed)).counts.read, 6000);
    });

    it('that are broken in the middle of their compression say how to go on', { skip: leftToGate }, async () => {
      const body = lines(
        ...Array.from({ length: 20_000 }, (_, index) =>
          anArticle(`G${index}`, { longArticleDescription: `${Math.sin(index)}` }),
        ),
      );
      const packed = gzipSync(body);
      packed.fill(7, packed.length - 2000);
      const headers = { ...ndjson, 'content-encoding': 'gzip', 'idempotency-key': 'gz-1' };
      const broken = await send('articles?feed=gz', packed, headers);
      assert.equal(broken.status, 400, broken.body);
      assert.match(
        String(broken.object().detail),
        /\d+ records of message NOR:\d+ have been dealt with\. Send the whole body/,
      );
      const done = messageOf(await send('articles?feed=gz', gzipSync(body), headers));
      assert.deepEqual([done.id, done.counts.read, done.counts.new], [broken.object().message, 20_000, 20_000]);
    });

    it('that are compressed to less than a byte for each record end there, and go on uncompressed', async () => {
      const right = Array.from({ length: 1100 }, (_, index) => anArticle(`I${index}`));
      const wrong = Array.from({ length: 20_000 }, () => ({}));
      const body = lines(...right, ...wrong);
      const headers = { ...ndjson, 'idempotency-key': 'inflated' };
      const packed = gzipSync(body);
      const cut = await send('articles?feed=inflated', packed, { ...headers, 'content-encoding': 'gzip' });
      assert.equal(cut.status, 413, cut.body.slice(0, 300));
      const { type, detail, message, counts } = JSON.parse(cut.body);
      assert.match(type, /\/payload-too-large$/);
      assert.match(detail, /: send it uncompressed\. \d+ records of message NOR:\d+ have been dealt with\./);
      assert.ok(counts.read >= 1000 && counts.read <= 500 + packed.length, String(counts.read));
      assert.equal(counts.read, counts.new + counts.refused);
      const whole = messageOf(await send('articles?feed=inflated', body, headers));
      assert.deepEqual(
        [whole.id, whole.counts.read, whole.counts.new, whole.counts.refused],
        [message, 21_100, 1100, 20_000],
      );
      const lone = await send('articles?feed=lone', gzipSync(lines(...wrong)), {
        ...ndjson,
        'content-encoding': 'gzip',
      });
      assert.deepEqual([lone.status, JSON.parse(lone.body).counts.read], [413, 0]);
    });

    it('of two sides at once: one works, the other is told', async () => {
      const body = lines(...Array.from({ length: 3000 }, (_, index) => anArticle(`T${index}`)));
      const answers = await Promise.all([1, 2].map(() => send('articles?feed=sides&messageId=t1', body)));
      const states = answers.map(({ status, body: text }) =>
        status === 200 ? JSON.parse(text).message.state : status,
      );
      assert.equal(states.filter((state) => state === 'done').length, 1, JSON.stringify(states));
      assert.ok(states.every((state) => ['done', 'duplicate', 409].includes(state)));
      for (const { status, headers } of answers)
        if (status === 409) assert.match(String(headers['retry-after']), /^\d+$/);
    });

    it('whose activity is emptied meanwhile are told so, and come again', async () => {
      const body = lines(...Array.from({ length: 2500 }, (_, index) => anArticle(`E${index}`)));
      const { store } = running.app;
      const sent = request({ port, method: 'POST', path: '/platform/feeds/articles?activity=SOU&feed=emptied' });
      for (const [name, value] of Object.entries({ ...ndjson, authorization: `Bearer ${both}`, host: 'x' }))
        sent.setHeader(name, value);
      const answered = new Promise<readonly [number | undefined, string]>((resolve) => {
        sent.on('response', async (answer) => resolve([answer.statusCode, (await answer.toArray()).join('')]));
      });
      sent.write(body);
      await until(async () => (await store.feeds.messages({ activities: ['SOU'], limit: 1 }))[0]?.read === 2000);
      await store.activityRemoval.empty('SOU');
      sent.end(body);
      const [status, told] = await answered;
      assert.equal(status, 503, told);
      assert.match(told, /was removed while the message came in\. Send the whole body again/);
      const again = messageOf(await send('articles?activity=SOU&feed=emptied', body, ndjson, both));
      assert.deepEqual([again.state, again.counts.new], ['done', 2500]);
    });

    it('of which too many come at a time are turned away', async () => {
      const held = Array.from({ length: 2 }, (_, index) => {
        const sent = request({ port, method: 'POST', path: `/platform/feeds/articles?feed=slow${index}` });
        for (const [name, value] of Object.entries({ ...ndjson, authorization: `Bearer ${key}`, host: 'x' }))
          sent.setHeader(name, value);
        sent.on('error', () => undefined);
        sent.write(lines(anArticle(`SL${index}`)));
        return sent;
      });
      await until(async () => (await feedNamed('slow0')) !== undefined && (await feedNamed('slow1')) !== undefined);
      assert.equal((await send('articles', lines(anArticle('SL')))).status, 429);
      const other = await send('articles', lines(anArticle('SL')), ndjson, both);
      assert.equal(other.status, 400, 'another key has places');
      for (const sent of held) sent.destroy();
      await until(async () => (await send('articles', lines(anArticle('SL')))).status === 200);
    });

    it('show what is missing until it comes', async () => {
      for (const sequence of [1, 4])
        messageOf(await send(`articles?feed=numbered&sequence=${sequence}`, lines(anArticle(`N${sequence}`))));
      const feedOf = async () =>
        JSON.parse((await get('')).body).feeds.find(({ feed }: { feed: string }) => feed === 'numbered');
      assert.deepEqual([(await feedOf()).lastSequence, (await feedOf()).missing], [4, [[2, 3]]]);
      const late = await send(
        'articles?feed=numbered&sequence=2',
        lines(anArticle('N4', { shortArticleDescription: 'old' })),
      );
      assert.deepEqual([messageOf(late).counts.refused, JSON.parse(late.body).missing], [1, [[3, 3]]]);
      assert.equal(JSON.parse(late.body).refusedLines[0].reasons[0].code, 'older-than-stored');
    });

    it('are listed newest first, page by page, and only those of the key', async () => {
      const found: string[] = [];
      for (let after = ''; ; ) {
        const { messages, after: next } = JSON.parse((await get(`/messages?limit=3${after}`)).body);
        found.push(...messages.map(({ id }: Message) => id));
        if (next === null) break;
        after = `&after=${encodeURIComponent(next)}`;
      }
      assert.equal(new Set(found).size, found.length);
      assert.deepEqual(
        found,
        found.toSorted((a, b) => Number(b.split(':')[1]) - Number(a.split(':')[1])),
      );
      assert.equal((await get('/messages/SOU:1')).status, 404);
      assert.equal((await get('/messages/x')).status, 404);
      assert.equal((await get('/messages?activity=SOU')).status, 400);
    });

    it('leave an entry in the audit trail, with the counts', async () => {
      const entries = await running.app.store.audit.read({
        ...{ activityCodes: ['NOR'], operationId: null, action: 'feed.receive', actor: null },
        ...{ since: null, until: null, after: null, newestFirst: true, limit: 100 },
      });
      assert.ok(entries.some(({ outcome }) => outcome === 'accepted'));
      assert.ok(
        entries.some(({ outcome, details }) => outcome === 'partly' && JSON.stringify(details).includes('"refused":1')),
      );
      assert.ok(entries.some(({ outcome }) => outcome === 'refused'));
    });
  });
}
