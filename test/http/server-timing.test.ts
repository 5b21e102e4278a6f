// Server-Timing: for whom it is, what it says, and that it says nothing else.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { wantsTiming } from '../../src/http/server-timing.ts';
import { createStageTimes } from '../../src/model/stage-times.ts';
import { currentWork, type Stage } from '../../src/model/work.ts';
import { defaultLimits } from '../../src/http/server.ts';
import { assertProblem, json, page, platformKey, route, sample, token } from './sample-server.ts';

const asked = { prefer: 'server-timing' };

/** Milliseconds by name. */
function durations(header: unknown): Readonly<Record<string, number>> {
  assert.equal(typeof header, 'string');
  const entries = String(header).split(', ');
  for (const entry of entries) assert.match(entry, /^[a-z]+;dur=\d+\.\d$/);
  return Object.fromEntries(entries.map((entry) => entry.split(';dur=')).map(([name, ms]) => [name, Number(ms)]));
}

async function part(stage: Stage, ms: number): Promise<void> {
  const { end } = currentWork().begin({ stage, kind: 'internal', describe: () => assert.fail('nobody traces') });
  await pause(ms);
  end();
}

describe('Server-Timing', () => {
  const slow = route('/slow', async () => {
    await Promise.all([part('storage', 40), part('storage', 60)]);
    await part('wait', 30);
    return json(page);
  });

  it('tells where the time of the request went, once however much ran at a time', async (t) => {
    const { server } = sample(t, {}, [slow]);
    for (const headers of [token, { ...token, 'accept-encoding': 'gzip' }]) {
      const answer = await server.inject({ url: '/v1/slow', headers: { ...headers, ...asked } });
      assert.equal(answer.headers['preference-applied'], 'server-timing');
      const { storage = 0, wait = 0, render = -1, total = 0, ...others } = durations(answer.headers['server-timing']);
      assert.deepEqual(others, {});
      assert.ok(storage >= 59 && wait >= 29 && total >= 89, `${storage} ${wait} ${total}`);
      assert.ok(Math.abs(storage + wait + render - total) < 0.5);
    }
  });

  it('is not there for who does not ask, nor for whom nobody knows', async (t) => {
    const { server } = sample(t, {}, [slow]);
    const told = async (url: string, headers: Readonly<Record<string, string>>): Promise<unknown> =>
      (await server.inject({ url, headers })).headers['server-timing'];
    assert.equal(await told('/v1/slow', token), undefined);
    assert.equal(await told('/v1/slow', { ...token, prefer: 'respond-async' }), undefined);
    assert.equal(await told('/v1/articles', asked), undefined);
    assert.equal(await told('/v1/articles', { ...asked, authorization: 'Bearer bad' }), undefined);
    assert.equal(await told('/v1/nope', { ...asked, ...token }), undefined);
    assert.equal(await told('/healthz', asked), undefined);
    assert.equal(await told('/metrics', asked), undefined);
  });

  it('is there for refusals of who is known, for 304 and HEAD, and for platform keys', async (t) => {
    const ofKey = route('/key', async () => json('[]'), { access: 'platform-key' });
    const { server } = sample(t, {}, [ofKey]);
    const refused = await server.inject({ url: '/v1/away', headers: { ...token, ...asked } });
    assertProblem(refused.body, 'unavailable');
    durations(refused.headers['server-timing']);
    for (const [method, url, headers] of [
      ['GET', '/v1/unchanged', token],
      ['HEAD', '/v1/articles', token],
      ['GET', '/v1/key', platformKey],
    ] as const) {
      const answer = await server.inject({ method, url, headers: { ...headers, ...asked } });
      durations(answer.headers['server-timing']);
    }
  });

  it('tells how long a request waited for its turn', async (t) => {
    const admission = { ...defaultLimits.admission, running: 1, clientRunning: 1 };
    const { server } = sample(t, { limits: { ...defaultLimits, admission } }, [slow]);
    const answers = await Promise.all(
      [1, 2].map(() => server.inject({ url: '/v1/slow', headers: { ...token, ...asked } })),
    );
    const waits = answers
      .map(({ headers }) => durations(headers['server-timing']).wait ?? -1)
      .toSorted((a, b) => a - b);
    // Each of them waits 30 ms by itself, the second one for the first besides.
    assert.ok((waits[1] ?? 0) >= 100, waits.join());
  });

  it('can be asked for and read by scripts of origins that are listed', async (t) => {
    const origin = 'https://shop.example';
    const { server } = sample(t, { corsOrigins: [origin] });
    const preflight = await server.inject({ method: 'OPTIONS', url: '/v1/articles', headers: { origin } });
    assert.match(String(preflight.headers['access-control-allow-headers']), /\bPrefer\b/);
    const answer = await server.inject({ url: '/v1/articles', headers: { ...token, ...asked, origin } });
    assert.match(String(answer.headers['access-control-expose-headers']), /\bServer-Timing\b/);
  });

  const wishes: readonly (readonly [string | readonly string[] | undefined, boolean])[] = [
    [undefined, false],
    ['', false],
    ['server-timing', true],
    ['Server-Timing', true],
    ['respond-async, server-timing;x=1', true],
    [['wait=10', ' server-timing = "1" '], true],
    ['server-timings', false],
    ['x="server-timing"', false],
    [`${'a,'.repeat(8000)}b`, false],
  ];
  for (const [prefer, wanted] of wishes)
    it(`${wanted ? 'is' : 'is not'} what ${String(prefer).slice(0, 40)} asks for`, () =>
      assert.equal(wantsTiming(prefer), wanted));
});

describe('times of stages', () => {
  it('count what overlaps once, and what goes on until now', () => {
    let now = 0;
    const times = createStageTimes(() => now);
    const at = (moment: number, act: () => void): void => {
      now = moment;
      act();
    };
    at(10, () => times.begin('storage'));
    at(15, () => times.begin('storage'));
    at(20, () => times.end('storage'));
    at(25, () => times.end('storage'));
    at(30, () => times.begin('wait'));
    now = 40;
    assert.deepEqual(times.until(), { stages: { wait: 10, storage: 15, carrier: 0, work: 0 }, total: 40 });
  });
});
