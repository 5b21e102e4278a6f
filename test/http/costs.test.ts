// What anybody may ask for costs the process little, however often it is asked for: static texts, health, metrics.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { jsonTypes } from '../../src/http/negotiate.ts';
import { staticText } from '../../src/http/static-text.ts';
import { shareResult } from '../../src/http/memoize.ts';
import { referencePage } from '../../src/http/reference-page.ts';
import { ownProcess } from './own-process.ts';
import { baseUrl, route, sample } from './sample-server.ts';

describe('a text that stays the same', () => {
  it('is compressed once in each coding, whoever asks', async (t) => {
    const server = await ownProcess(t);
    const ask = async (coding: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/v1/fixed`, {
        headers: { 'accept-encoding': coding },
      });
      assert.equal(answer.headers.get('content-encoding'), coding);
      return (await answer.arrayBuffer()).byteLength;
    };
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const before = (await server.usage()).cpuMs;
      await work();
      return (await server.usage()).cpuMs - before;
    };
    for (const coding of ['br', 'gzip']) {
      const first = await time(() => ask(coding));
      const twenty = await time(() => Promise.all(Array.from({ length: 20 }, () => ask(coding))));
      assert.ok(twenty < 10 * first, `${coding}: ${first} ms, then ${twenty} ms for twenty`);
    }
  });

  it('is the same text for everybody', async (t) => {
    const { server } = sample(t, {}, [
      route(
        '/long',
        staticText(async () => 'long text '.repeat(1000)),
        { access: 'public', produces: jsonTypes },
      ),
    ]);
    const plain = await server.inject({ url: '/v1/long' });
    for (let round = 0; round < 2; round++) {
      const answer = await server.inject({ url: '/v1/long', headers: { 'accept-encoding': 'br' } });
      assert.equal(brotliDecompressSync(answer.rawPayload).toString(), plain.body);
      assert.equal(answer.headers.etag, `W/${plain.headers.etag}`);
    }
  });
});

describe('public pages', () => {
  it('have a rate per address; health and metrics have one of their own, ten times as high', async (t) => {
    const { server } = sample(
      t,
      { rates: { read: 20, write: 0, label: 0, platform: 0 } },
      referencePage({ title: 'Reference', baseUrl }),
    );
    const status = async (url: string, remoteAddress = '10.0.0.1'): Promise<number> =>
      (await server.inject({ url, remoteAddress })).statusCode;
    for (let count = 0; count < 20; count++) assert.equal(await status('/v1/docs'), 200);
    assert.equal(await status('/v1/docs'), 429);
    assert.equal(await status('/v1/docs/start.js'), 429);
    assert.equal(await status('/v1/docs', '10.0.0.2'), 200);
    for (let count = 0; count < 66; count++)
      for (const url of ['/healthz', '/readyz', '/metrics']) assert.equal(await status(url), 200);
    for (let count = 0; count < 2; count++) assert.equal(await status('/healthz'), 200);
    assert.equal(await status('/metrics'), 429);
    assert.equal(await status('/healthz', '10.0.0.2'), 200);
  });
});

describe('work whose result is shared', () => {
  it('is done once for all who come meanwhile and soon after, and again later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let times = 0;
    const work = shareResult(async () => {
      times += 1;
      await new Promise((done) => setImmediate(done));
      return times;
    });
    assert.deepEqual(await Promise.all([work(), work(), work()]), [1, 1, 1]);
    assert.equal(await work(), 1);
    t.mock.timers.tick(86_400_000);
    assert.equal(await work(), 2);
  });

  it('is tried again at once where it failed', async () => {
    let times = 0;
    const work = shareResult(async () => {
      times += 1;
      throw new Error(String(times));
    });
    await assert.rejects(work(), { message: '1' });
    await assert.rejects(work(), { message: '2' });
  });
});
