// What a client sees through the sample proxies: nginx and Caddy, with TLS, in front of the application.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { article } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';
import { until } from '../contract/until.ts';
import { type Asked, type HttpsClient, httpsClient } from './https-client.ts';
import { type RunningProxy, proxies } from './proxy.ts';

/** Codes without an order in them, as lived-in activities have: cursors are compressed. */
const many = Array.from({ length: 600 }, (_, index) =>
  ((index * 7919) % 46_656).toString(36).padStart(3, '0').toUpperCase(),
);
const [engine] = engines;

function articleOf(activityCode: string, articleReference: string): Record<string, unknown> {
  return { activityCode, articleReference, longArticleDescription: 'Long', shortArticleDescription: 'Short' };
}

/** Headers and body of a list of so many MiB, most of them blanks. */
function longList(mebibytes: number, headers: Readonly<Record<string, string>>): Pick<Asked, 'headers' | 'body'> {
  const parts = async function* (): AsyncGenerator<string> {
    yield '[';
    for (let part = 0; part < mebibytes * 16; part += 1) yield ' '.repeat(65_536);
    yield ']';
  };
  return { headers: { ...headers, 'content-length': String(2 + mebibytes * 1_048_576) }, body: parts() };
}

for (const { name, skip, start } of proxies)
  describe(`behind ${name}`, { skip }, () => {
    let running: RunningApp;
    let proxy: RunningProxy;
    let client: HttpsClient;
    let north: Record<string, string>;
    let warehouse: Record<string, string>;
    const leftovers: (() => unknown)[] = [];

    before(async () => {
      assert.ok(engine);
      running = await startApp(engine, { TRUST_PROXY: '127.0.0.1', PAGE_CACHE_MB: '0' });
      await running.load(article, 'NOR', [articleOf('NOR', 'A1')]);
      const origin = await running.app.server.listen({ port: 0, host: '127.0.0.1' });
      proxy = await start({ after: (work) => leftovers.push(work) }, [Number(new URL(origin).port)]);
      client = httpsClient(proxy);
      north = { authorization: `Bearer ${running.tokens.north}`, 'content-type': 'application/json' };
      const sender = { name: 'sender', activityCodes: ['NOR'], roles: ['feed'] } as const;
      const { text } = await addPlatformKey(running.app.store, sender, Date.now());
      warehouse = { authorization: `Bearer ${text}`, 'content-type': 'application/x-ndjson' };
    });
    after(async () => {
      client.close();
      for (const work of leftovers.toReversed()) await work();
      await running.close();
    });

    it('an answer comes over HTTP/2 and HTTP/1.1, byte for byte and with its headers', async () => {
      const direct = await running.get('/v1/articles?limit=1');
      const { status, body, headers } = await client.ask('/v1/articles?limit=1', { headers: north });
      assert.deepEqual([status, body, headers.etag], [200, direct.body, direct.headers.etag]);
      const session = connect(`https://localhost:${proxy.port}`, { ca: proxy.authority });
      const stream = session.request({ ':path': '/v1/articles?limit=1', authorization: north.authorization });
      const [answered] = await once(stream, 'response');
      let text = '';
      for await (const part of stream) text += part;
      session.close();
      assert.deepEqual([answered[':status'], text, session.alpnProtocol], [200, direct.body, 'h2']);
    });

    it('cursors of hundreds of activities come and go', async () => {
      const { store } = running.app;
      for (const code of many) await store.activities.add(code, `Tenant ${code}`);
      // Different positions, as activities have that live.
      for (const [index, code] of many.entries())
        await running.load(
          article,
          code,
          Array.from({ length: 1 + ((index * 7) % 5) }, (_, number) => articleOf(code, `A${number}`)),
        );
      const token = await tokenFor(running.app, many);
      const headers = { authorization: `Bearer ${token}` };
      const first = await client.ask('/v1/articles?limit=100', { headers });
      assert.equal(first.status, 200, first.body);
      const link = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
      // More than the 4 kB that nginx has for headers unless it is told.
      const length = String(first.headers.link).length + String(first.headers['sync-cursor'] ?? '').length;
      assert.ok(length > 4096, `they have ${length} characters`);
      const second = await client.ask(link, { headers });
      assert.equal(second.status, 200, second.body);
      assert.equal(JSON.parse(second.body).length, 100);
    });

    it('a feed is taken in while it is sent', async () => {
      const line = (number: number): string => `${JSON.stringify(articleOf('NOR', `F${number}`))}\n`;
      const half = (from: number): string => Array.from({ length: 2000 }, (_, index) => line(from + index)).join('');
      let seen = false;
      async function* body(): AsyncGenerator<string> {
        yield half(0);
        // The other half comes only when the program has the first.
        await until(async () => {
          const { body: shown } = await client.ask('/platform/feeds/messages', { headers: warehouse });
          seen = JSON.parse(shown).messages.some(({ state }: { state: string }) => state === 'open');
          return seen;
        });
        yield half(2000);
      }
      const answer = await client.ask('/platform/feeds/articles', { method: 'POST', headers: warehouse, body: body() });
      assert.equal(answer.status, 200, answer.body);
      assert.equal(JSON.parse(answer.body).message.counts.new, 4000, answer.body);
      assert.ok(seen);
    });

    it('a long poll of the outbox waits, and is answered when there is something', async () => {
      const headers = { authorization: `Bearer ${running.keys.north}` };
      const outbox = '/platform/outbox?consumer=poll&wait=20';
      const waiting = client.ask(outbox, { headers });
      const created = await client.ask('/v1/articles', {
        method: 'POST',
        headers: { ...north, 'idempotency-key': '"poll"' },
        body: JSON.stringify([articleOf('NOR', 'P1')]),
      });
      assert.equal(created.status, 200, created.body);
      const { status, body } = await waiting;
      assert.equal(status, 200, body);
      assert.match(body, /P1/);
    });

    it('the audit trail has the address of the client, whatever it says of itself', async () => {
      const { body } = await client.ask('/v1/articles', {
        method: 'POST',
        headers: { ...north, 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
        body: JSON.stringify([articleOf('NOR', 'T1')]),
        from: '127.0.0.2',
      });
      const { operationId } = JSON.parse(body);
      const asked = { activityCodes: null, action: null, actor: null, since: null, until: null, after: null };
      const [entry] = await running.app.store.audit.read({ ...asked, operationId, newestFirst: true, limit: 1 });
      assert.equal(entry?.address, '127.0.0.2');
    });

    it('too much is refused by the program, with its problem', async () => {
      const long = await client.ask(`/v1/articles?filter=${'a'.repeat(8200)}`, { headers: north });
      assert.deepEqual(
        [long.status, JSON.parse(long.body).type],
        [414, 'https://api.logistics.example/v1/problems/uri-too-long'],
      );
      const longest = await client.ask(`/v1/articles?limit=1&cursor=${'a'.repeat(8000)}`, { headers: north });
      assert.equal(longest.status, 400, longest.body);
      const large = await client.ask('/v1/articles', {
        method: 'POST',
        ...longList(11, { ...north, 'idempotency-key': '"large"' }),
      });
      assert.deepEqual([large.status, JSON.parse(large.body).status], [413, 413]);
      // Where the proxy keeps the whole of a body first, it keeps no more than any path takes.
      const huge = await client.ask('/v1/articles', {
        method: 'POST',
        ...longList(33, { ...north, 'idempotency-key': '"huge"' }),
      });
      assert.deepEqual([huge.status, JSON.parse(huge.body).status], [413, 413]);
      assert.match(JSON.parse(huge.body).type, /\/v1\/problems\/payload-too-large$/);
    });

    it('what is for the inside is not found', async () => {
      for (const path of ['/metrics', '/healthz', '/readyz']) assert.equal((await client.ask(path)).status, 404, path);
      assert.equal((await client.ask('/.well-known/openid-configuration')).status, 200);
    });

    it('a program that is away is told as a problem, with when to come again', async () => {
      await running.app.server.close();
      const repeatable = { ...north, 'idempotency-key': '"away"' };
      for (const request of [{ headers: north }, { method: 'POST', headers: repeatable, body: '[]' }]) {
        const { status, headers, body } = await client.ask('/v1/articles', request);
        assert.deepEqual([status, headers['retry-after']], [503, '5']);
        assert.match(String(headers['content-type']), /^application\/problem\+json/);
        assert.match(JSON.parse(body).type, /\/v1\/problems\/unavailable$/);
      }
    });
  });
