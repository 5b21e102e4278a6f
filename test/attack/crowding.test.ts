// More work than the server can do: one client does not slow down the others, and what cannot be done in time is
// refused while the rest is done.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../contract/until.ts';
import { asJson } from '../http/body-route.ts';
import { head, open } from '../http/connection.ts';
import { type Asked, attack, median, nowAndThen, openLoop, type Outcome } from '../http/load.ts';
import { skipExactVictim, startExactVictim } from './exact-victim.ts';
import { type OwnProcess, ownProcess } from '../http/own-process.ts';
import { defaultAdmission } from '../../src/http/admission-lanes.ts';

const ok = (outcomes: readonly Outcome[]): readonly Outcome[] => outcomes.filter(({ status }) => status === 200);

/**
 * How many times as much the server's thread does, at the median, from when the quiet client asks until it is answered
 * beside another one as it does alone: the work for the other one that comes before. That other programs, and the load
 * itself, keep the thread waiting for a processor is not counted. Quiet and loaded requests take turns, and count
 * together.
 */
async function slowdown({ pid, port }: OwnProcess, greedy: Asked, connections: number): Promise<number> {
  const victim = await startExactVictim({
    ...{ port, pids: [pid], token: 'quiet', paths: ['/v1/work?ms=4'], paceMs: 10, from: '127.0.0.1' },
  });
  const alone: number[] = [];
  const beside: number[] = [];
  const measure = async (into: number[]): Promise<void> => {
    const { worked, statuses } = await victim.ask(300);
    assert.deepEqual(Object.keys(statuses), ['200']);
    into.push(...worked);
  };
  try {
    for (let turn = 0; turn < mostTurns; turn += 1) {
      await measure(alone);
      const stop = attack(greedy, connections);
      await busy(greedy.port);
      await measure(beside);
      const outcomes = await stop();
      assert.ok(ok(outcomes).length > 0, 'the other client was served nothing');
      if (turn >= 1 && median(beside) < mostSlowdown * median(alone)) break;
    }
  } finally {
    await victim.end();
  }
  return median(beside) / median(alone);
}

/** A load has begun: several of its requests are there at a time, or parts of their bodies. */
async function busy(port: number): Promise<void> {
  await until(async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const [, running = 0] = /^http_requests_running (\d+)$/m.exec(text) ?? [];
    const [, waiting = 0] = /^http_requests_waiting (\d+)$/m.exec(text) ?? [];
    const [, bytes = 0] = /^http_bytes_in_flight (\d+)$/m.exec(text) ?? [];
    return Number(running) + Number(waiting) > 2 || Number(bytes) > 0;
  });
}

const mostSlowdown = 2;
/** Of two turns at least; more where the machine is busy. */
const mostTurns = 8;

describe('a client that asks for much', { skip: skipExactVictim() }, () => {
  // No rate limits the other one here: bodies beyond all rates cost their arrival, whoever's turn it is.
  for (const [name, path, connections, body] of [
    ['many requests that each keep the thread', '/v1/work?ms=4', 200, undefined],
    ['pages of a megabyte that hardly shrink', '/v1/page', 100, undefined],
    ['bodies of a megabyte', '/v1/bodies', 50, Buffer.alloc(1_000_000, ' ')],
  ] as const) {
    it(`${name}: others hardly notice`, async (t) => {
      const server = await ownProcess(t);
      const { port } = server;
      const headers = { 'accept-encoding': 'br', ...(body !== undefined && asJson) };
      const greedy: Asked = { port, path, client: 'greedy', headers, ...(body !== undefined && { body }) };
      const times = await slowdown(server, greedy, connections);
      t.diagnostic(`${times.toFixed(2)} times as much`);
      assert.ok(times < mostSlowdown, `${times.toFixed(2)} times as much beside as alone`);
    });
  }
});

describe('more than the server can do', () => {
  const asked = { path: '/v1/work?ms=5', client: 'shop' };

  /**
   * What a load makes of the server: answers with 200, in a second and for each second that the server had of a
   * processor. Other programs on the machine do not count in the latter.
   */
  async function goodput(
    { usage }: OwnProcess,
    load: () => Promise<readonly Outcome[]>,
  ): Promise<{ readonly perSecond: number; readonly perCpuSecond: number; readonly refused: readonly Outcome[] }> {
    const [before, started] = [await usage(), performance.now()];
    const outcomes = await load();
    const seconds = (performance.now() - started) / 1000;
    const done = ok(outcomes).length;
    return {
      perSecond: done / seconds,
      perCpuSecond: (1000 * done) / ((await usage()).cpuMs - before.cpuMs),
      refused: outcomes.filter(({ status }) => status !== 200),
    };
  }

  it('is refused with 503 and Retry-After, and as much is done as before', async (t) => {
    const server = await ownProcess(t, {
      admission: { ...defaultAdmission, clientOpen: 1000, maxWaitMs: 500 },
      connections: { maxConnections: 0, maxAddressConnections: 0 },
    });
    const results: string[] = [];
    for (let round = 0; round < 4; round++) {
      const peak = await goodput(server, async () => {
        const stop = attack({ ...asked, port: server.port }, 20);
        await pause(1000);
        return stop();
      });
      const above = await goodput(server, () => openLoop({ ...asked, port: server.port }, 3 * peak.perSecond, 2, 400));
      for (const { status, retryAfter } of above.refused) {
        assert.equal(status, 503);
        assert.ok(retryAfter !== null && retryAfter >= 1);
      }
      results.push(
        `${peak.perCpuSecond.toFixed()} and ${above.perCpuSecond.toFixed()}, ${above.refused.length} refused`,
      );
      // Where the machine was busier while the peak was found, three times as many are no more than it can do.
      if (above.refused.length > 0 && above.perCpuSecond > 0.9 * peak.perCpuSecond) return;
    }
    assert.fail(
      `answers for each second of the processor, then at three times as many requests: ${results.join(', ')}`,
    );
  });

  it('does not hold up what is cheap: an unchanged poll, a missing token, health', async (t) => {
    const { port } = await ownProcess(t);
    const stop = attack({ port, path: '/v1/work?ms=4', client: 'greedy' }, 200);
    await busy(port);
    for (const [path, client, status] of [
      ['/v1/poll', 'greedy', 304],
      ['/v1/work', 'bad', 401],
      ['/healthz', 'greedy', 200],
      ['/metrics', 'greedy', 200],
    ] as const) {
      const outcomes = await nowAndThen({ port, path, client }, 20, 5);
      assert.deepEqual([...new Set(outcomes.map((each) => each.status))], [status]);
    }
    await stop();
  });

  it('of one client is refused to it with 429, and others are served', async (t) => {
    const { port } = await ownProcess(t, { admission: { ...defaultAdmission, clientOpen: 10 } });
    const stop = attack({ port, path: '/v1/work?ms=4', client: 'greedy' }, 50);
    await busy(port);
    const other = await nowAndThen({ port, path: '/v1/work?ms=1', client: 'quiet' }, 20, 5);
    assert.deepEqual([...new Set(other.map(({ status }) => status))], [200]);
    const outcomes = await stop();
    assert.deepEqual([...new Set(outcomes.map(({ status }) => status))].toSorted(), [200, 429]);
    assert.ok(outcomes.every(({ status, retryAfter }) => (status === 429) === (retryAfter !== null)));
  });

  it('leaves nothing behind where the clients go away while they wait', async (t) => {
    const { port } = await ownProcess(t, { admission: { ...defaultAdmission, running: 1, clientRunning: 1 } });
    const clients = await Promise.all(Array.from({ length: 30 }, () => open(t, port)));
    for (const client of clients) await client.send(head('GET /v1/wait?ms=200'));
    await pause(100);
    for (const client of clients) client.socket.destroy();
    await pause(800);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /^http_requests_running 0$/m);
    assert.match(metrics, /^http_requests_waiting 0$/m);
    assert.equal((await nowAndThen({ port, path: '/v1/wait?ms=1', client: 'shop' }, 1, 0))[0]?.status, 200);
  });

  it('does not wait behind requests that only wait themselves', async (t) => {
    const { port } = await ownProcess(t, { admission: { ...defaultAdmission, running: 2, clientRunning: 1 } });
    const slow = Promise.all(
      Array.from({ length: 5 }, () => nowAndThen({ port, path: '/v1/wait?ms=2000', client: 'shop' }, 1, 0)),
    );
    await pause(1000);
    const [outcome] = await nowAndThen({ port, path: '/v1/wait?ms=1', client: 'shop' }, 1, 0);
    assert.ok(outcome !== undefined && outcome.ms < 700, `${outcome?.ms} ms`);
    await slow;
  });
});
