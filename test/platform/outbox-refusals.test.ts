// What the outbox refuses whatever is in it: callers, methods, parameters and bodies; and the limits of its answers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { maxConsumers } from '../../src/platform/outbox.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { turns, until } from '../contract/until.ts';
import { articleOf, type Page } from './outbox-pages.ts';

const path = '/platform/outbox';
let running: RunningApp;
before(async () => {
  running = await started();
});
after(() => running.close());
const get = (query: string, options?: Parameters<RunningApp['get']>[1]): Promise<Answered> =>
  running.get(`${path}?${query}`, options);
const ack = (body: unknown, options?: Parameters<RunningApp['send']>[2]): Promise<Answered> =>
  running.send(`${path}/ack`, body, options);

async function started(): Promise<RunningApp> {
  const [engine] = engines;
  assert.ok(engine !== undefined);
  return startApp(engine);
}

describe('the outbox is closed', () => {
  const asked: readonly (readonly [method: 'get' | 'send', path: string])[] = [
    ['get', path],
    ['send', `${path}/ack`],
    ['get', '/platform/audit'],
    ['get', `/platform/documents/${crypto.randomUUID()}`],
    ['get', `/platform/documents/${crypto.randomUUID()}/content`],
  ];
  for (const [method, at] of asked) {
    it(`to whoever has no key, at ${at.replace(/[0-9a-f-]{36}/, 'ID')}`, async () => {
      for (const token of [
        null,
        running.tokens.north,
        running.keys.north.slice(0, -1),
        `${running.keys.north.slice(0, -4)}AAAA`,
      ]) {
        const answer =
          method === 'get'
            ? await running.get(at, { token })
            : await running.send(at, { position: 'NOR:1' }, { token });
        assert.equal(answer.status, 401);
        assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="platform"/);
      }
    });
  }

  it('to keys in the query, and keys open nothing of the client interface', async () => {
    assert.equal((await get(`access_token=${running.keys.north}`, { token: null })).status, 401);
    for (const at of ['/v1/articles', '/v1/orders'])
      assert.equal((await running.get(at, { token: running.keys.both })).status, 401);
    assert.equal((await running.send('/v1/articles', [], { token: running.keys.both })).status, 401);
  });

  it('to other methods and media types, and says what it has', async () => {
    assert.deepEqual(
      [
        (await running.get(path, { method: 'DELETE' })).status,
        (await running.get(path, { method: 'DELETE' })).headers.allow,
      ],
      [405, 'GET, HEAD, OPTIONS'],
    );
    assert.deepEqual(
      [(await running.get(`${path}/ack`)).status, (await running.get(`${path}/ack`)).headers.allow],
      [405, 'POST, OPTIONS'],
    );
    assert.equal((await running.get(path, { method: 'OPTIONS', token: null })).headers.allow, 'GET, HEAD, OPTIONS');
    assert.equal((await running.get(path, { headers: { accept: 'text/csv' } })).status, 406);
    assert.equal(
      (await ack('position=NOR:1', { headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status,
      415,
    );
    assert.equal((await running.get('/platform/nothing')).status, 404);
  });
});

describe('the outbox refuses', () => {
  const queries: readonly (readonly [query: string, problem: string])[] = [
    ['position=NOR:1', 'unknown-parameter'],
    ['limit=0', 'invalid-parameter'],
    ['limit=101', 'invalid-parameter'],
    ['limit=x', 'invalid-parameter'],
    ['wait=26', 'invalid-parameter'],
    ['wait=-1', 'invalid-parameter'],
    ['consumer=.hidden', 'invalid-parameter'],
    ['consumer=a%20b', 'invalid-parameter'],
    [`consumer=${'c'.repeat(41)}`, 'invalid-parameter'],
    ['after=NOR:1&after=NOR:2', 'invalid-parameter'],
    ['after=%FF', 'invalid-parameter'],
    ...[
      'NOR',
      'NOR:',
      ':1',
      'NOR:x',
      'NOR:-1',
      'NOR:1.5',
      'NOR:1e3',
      'NOR:1234567890123456',
      'NOR: 1',
      'nor:1',
      'NORD:1',
      'NOR:1,',
      ',NOR:1',
      'NOR:1;SOU:1',
      'NOR:1,NOR:1',
      '__proto__:1',
      'NOR:1\0',
      `${'NOR:1,'.repeat(1200)}NOR:1`,
      'NOR:999999999999999',
    ].map(
      (text) =>
        [
          `after=${encodeURIComponent(text)}`,
          text.length > 7000 ? 'uri-too-long|invalid-position' : 'invalid-position',
        ] as const,
    ),
  ];
  for (const [query, problem] of queries) {
    it(`?${query.slice(0, 40)}: ${problem}`, async () => {
      const answer = await get(query);
      assert.match(String(answer.object().type), new RegExp(`/(${problem})$`), answer.body);
    });
  }

  const bodies: readonly (readonly [body: unknown, problem: string])[] = [
    ['', 'malformed-json'],
    ['{', 'malformed-json'],
    [Buffer.from('{"position":"\xe9"}', 'latin1'), 'malformed-json'],
    ['[]', 'validation-failed'],
    ['null', 'validation-failed'],
    ['"NOR:1"', 'validation-failed'],
    ['{}', 'validation-failed'],
    [{ position: null }, 'validation-failed'],
    [{ position: 7 }, 'validation-failed'],
    [{ position: ['NOR:1'] }, 'validation-failed'],
    [{ position: 'NOR:1', more: 'x' }, 'validation-failed'],
    ['{"position":"NOR:1","__proto__":{"a":1}}', 'validation-failed'],
    [{ position: 'NOR:1', '': 1 }, 'validation-failed'],
    [{ position: 'NOR:1', '\ud800': 1 }, 'validation-failed'],
    [{ position: 'NOR:1', consumer: '' }, 'validation-failed'],
    [{ position: 'NOR:1', consumer: 'a b' }, 'validation-failed'],
    [{ position: 'NOR:0', consumer: null }, 'validation-failed'],
    ['{"position":"NOR:0","position":"NOR:0"}', 'validation-failed'],
    ['{"position":7,"position":"NOR:0"}', 'validation-failed'],
    ['{"consumer":"a","position":"NOR:0","consumer":"b"}', 'validation-failed'],
    ['{"position":"NOR:0","\\u0070osition":"NOR:0"}', 'validation-failed'],
    ['{"consumer" :{"consumer":""},"consumer":"b","position":"NOR:0"}', 'validation-failed'],
    [{ position: '' }, 'invalid-position'],
    [{ position: 'NOR' }, 'invalid-position'],
    [{ position: 'NOR:1,NOR:2' }, 'invalid-position'],
    [{ position: 'NOR:999999999999999' }, 'invalid-position'],
    [{ position: 'N'.repeat(7001) }, 'invalid-position'],
  ];
  for (const [body, problem] of bodies) {
    it(`to acknowledge ${JSON.stringify(body).slice(0, 60)}: ${problem}`, async () => {
      const answer = await ack(body);
      assert.match(String(answer.object().type), new RegExp(`/${problem}$`), answer.body);
      for (const name of Object.keys(Object(answer.object().errors))) assert.notEqual(name, '');
    });
  }

  it('no text that only looks like a repeated property', async () => {
    const answer = await ack({ consumer: 'x', position: 'NOR:0' }, { headers: { 'content-type': 'application/json' } });
    assert.equal(answer.status, 200);
    assert.match(
      (await ack('{"consumer":"\\"consumer\\":","position":"NOR:0"}')).body,
      /consumer: expected 1 to 40 letters/,
    );
  });

  it('to acknowledge where a property is repeated, and says which', async () => {
    assert.deepEqual((await ack('{"position":"NOR:0","position":"NOR:0"}')).object().errors, {
      position: ['A property of this name is there more than once: send it once.'],
    });
    assert.deepEqual((await ack({ position: 'NOR:0', consumer: null })).object().errors, {
      consumer: ['consumer must be a text, or be left out.'],
    });
  });

  it('a body of more than 64 KiB', async () => {
    assert.equal((await ack(' '.repeat(65_537))).status, 413);
  });
});

describe('a server that stops', () => {
  it('answers those who wait, however many they are, and ends', async (t) => {
    const own = await started();
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(String(warning));
    process.on('warning', warned);
    t.after(() => process.off('warning', warned));
    const deadline = performance.now() + 25_000;
    // Over connections, whose requests a stop waits for.
    const address = await own.app.server.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${own.keys.north}` };
    let arrived = 0;
    own.app.server.server.on('request', () => {
      arrived += 1;
    });
    const waiting = Array.from({ length: maxConsumers }, async (_, index) => {
      const answer = await fetch(`${address}${path}?consumer=waiting-${index}&wait=25`, { headers });
      return { status: answer.status, page: await answer.json() };
    });
    await until(() => arrived === maxConsumers);
    // Until each of them waits.
    await turns(30);
    await own.close();
    for (const answer of await Promise.all(waiting))
      assert.deepEqual(answer, { status: 200, page: { entries: [], position: 'NOR:0', more: false } });
    assert.ok(performance.now() < deadline, 'they waited to the end');
    assert.deepEqual(warnings, []);
  });
});

describe('an outbox of long articles', () => {
  it('gives fewer of them at a time, and says that there are more', async (t) => {
    const own = await started();
    t.after(() => own.close());
    const logisticalVariants = Array.from({ length: 999 }, (_, index) => ({ logisticalVariantCode: `${index}` }));
    const items = Array.from({ length: 25 }, (_, index) => ({ ...articleOf('NOR', `A${index}`), logisticalVariants }));
    assert.equal((await own.send('/v1/articles', items)).object().status, 200);
    const counts: number[] = [];
    for (let after = 'NOR:0', more = true; more; ) {
      // Too long to be held against the description.
      const { payload } = await own.app.server.inject({
        url: `${path}?after=${after}`,
        headers: { authorization: `Bearer ${own.keys.north}` },
      });
      const page: Page = JSON.parse(payload);
      counts.push(page.entries.length);
      ({ position: after, more } = page);
    }
    assert.ok(counts.length > 1 && counts.reduce((sum, count) => sum + count) === 25, counts.join());
  });
});
