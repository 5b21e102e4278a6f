// Which requests come in where too many are open: those of whoever has fewer, before anything is done for them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as round, setTimeout as pause } from 'node:timers/promises';
import { createAdmission } from '../../src/http/admission.ts';
import { defaultAdmission } from '../../src/http/admission-lanes.ts';
import { defaultRefusalPace } from '../../src/http/refusal-pace.ts';
import { defaultLimits, type ServerOptions } from '../../src/http/server.ts';
import type { Route } from '../../src/http/route.ts';
import { Shed } from '../../src/http/load-shedding.ts';
import { until } from '../contract/until.ts';
import { nowAndThen, type Outcome, principal } from './load.ts';
import { json, knownPrincipal, listen, route, sample } from './sample-server.ts';

const manyConnections = 1000;

const waiting = { gone: new AbortController().signal };

/** The reason for which something is refused, or 'none': it is given, or thrown. */
async function reasonOf(work: () => unknown): Promise<string> {
  try {
    const given = await work();
    return given instanceof Shed ? given.reason : 'none';
  } catch (error) {
    assert.ok(error instanceof Shed);
    return error.reason;
  }
}

describe('admission', () => {
  /** Requests of clients in the order of their letters; the first one has the only place. */
  function opened(letters: string, limits: Partial<typeof defaultAdmission>) {
    const admission = createAdmission({ ...defaultAdmission, running: 1, clientRunning: 1, ...limits });
    const requests = [...letters].map((costKey) => {
      const turn = admission.turnOf('read', costKey, waiting);
      return { turn, taken: reasonOf(() => turn.take()) };
    });
    return { admission, requests };
  }

  it('refuses a client that has as many requests open as it may, and no other one', async () => {
    const { admission } = opened('aaa', { clientOpen: 3 });
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'client-waiting');
    assert.equal(await reasonOf(() => admission.refusalOf('b')), 'none');
  });

  it('refuses those who have most when all together are too many, and makes room for who has less', async () => {
    const { admission, requests } = opened('aaab', { open: 4 });
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'process-waiting');
    assert.equal(await reasonOf(() => admission.refusalOf('quiet')), 'none');
    const turn = admission.turnOf('read', 'quiet', waiting);
    const taken = reasonOf(() => turn.take());
    assert.equal(await requests[2]?.taken, 'client-waiting');
    assert.deepEqual(admission.counts(), { running: 1, waiting: 3 });
    for (const request of requests) request.turn.end();
    assert.equal(await taken, 'none');
    turn.end();
  });

  it('counts who stands aside for its client alone, and keeps nobody else out for it', async () => {
    const { admission, requests } = opened('aaaa', { open: 4, clientOpen: 4, running: 9, clientRunning: 9 });
    await Promise.all(requests.map(({ taken }) => taken));
    const turn = admission.turnOf('read', 'quiet', waiting);
    assert.equal(await reasonOf(() => turn.take()), 'process-waiting');
    for (const request of requests) request.turn.standAside();
    // The places are free at the end of the round.
    await round();
    assert.deepEqual(admission.counts(), { running: 0, waiting: 0 });
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'client-waiting');
    assert.equal(admission.isCalm('quiet'), true);
    const next = admission.turnOf('read', 'quiet', waiting);
    assert.equal(await reasonOf(() => next.take()), 'none');
    // Once more changes nothing, and neither does its end for others.
    requests[0]?.turn.standAside();
    for (const request of requests) request.turn.end();
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'none');
    assert.deepEqual(admission.counts(), { running: 1, waiting: 0 });
    next.end();
  });

  it('has what is done outside stand aside when it takes long, and other reads not', async () => {
    const admission = createAdmission({ ...defaultAdmission, open: 2, clientOpen: 2 });
    const [carrier, search] = [admission.turnOf('outside', 'a', waiting), admission.turnOf('read', 'a', waiting)];
    carrier.take();
    search.take();
    const beside = (): Promise<string> => {
      const turn = admission.turnOf('read', 'b', waiting);
      return reasonOf(() => turn.take()).finally(() => turn.end());
    };
    assert.equal(await beside(), 'process-waiting');
    for (let tries = 0; (await beside()) !== 'none'; tries += 1) {
      assert.ok(tries < 100);
      await pause(50);
    }
    carrier.end();
    const last = admission.turnOf('read', 'b', waiting);
    last.take();
    assert.equal(await beside(), 'process-waiting', 'the search is still open');
    for (const turn of [search, last]) turn.end();
  });

  it('has room for what was held back when nobody waits, and its client has little open', async () => {
    const { admission, requests } = opened('aab', { running: 3, clientOpen: 4 });
    assert.equal(admission.isCalm('quiet'), false, 'as many open as places');
    requests[2]?.turn.end();
    assert.equal(admission.isCalm('quiet'), true);
    assert.equal(admission.isCalm('a'), false, 'half of what it may have');
    for (const request of requests) request.turn.end();
    await Promise.all(requests.map(({ taken }) => taken));
  });

  it('lets fewer wait once an overload lasts, and again as many when it is over', async (t) => {
    let clock = 5000;
    t.mock.method(performance, 'now', () => clock);
    const { admission, requests } = opened('aabbccddee', { open: 16, clientOpen: 4 });
    const more = (who: string) => {
      const turn = admission.turnOf('read', who, waiting);
      return { turn, taken: reasonOf(() => turn.take()) };
    };
    clock += 249;
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'none', 'a burst');
    clock += 1;
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'process-waiting', 'an overload');
    assert.equal(await reasonOf(() => admission.refusalOf('quiet')), 'none', 'who has less');
    for (const { turn } of requests.slice(0, 9)) turn.end();
    clock += 1;
    const others = [...'fghijklmnop'].map(more);
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'none', 'a burst after the overload');
    for (const { turn } of [...requests, ...others]) turn.end();
    await Promise.all([...requests, ...others].map(({ taken }) => taken));
  });

  it('has places of their own for long writes, which may keep them while they do nothing', async () => {
    const admission = createAdmission(defaultAdmission);
    const turns = [...'aabbccddeeffgg'].map((costKey) => admission.turnOf('write', costKey, waiting));
    const long = turns.map((turn) => turn.take(true));
    assert.equal(long.filter((taken) => taken instanceof Promise).length, 6);
    const short = admission.turnOf('write', 'a', waiting);
    assert.equal(short.take(), false, 'a short one has a place at once');
    assert.deepEqual(admission.counts(), { running: 9, waiting: 6 });
    short.end();
    for (const turn of turns) turn.end();
    await Promise.all(long);
  });

  it('counts a request until it ends, once, and not where it never asked for its turn', async () => {
    const { admission, requests } = opened('a', { clientOpen: 1 });
    admission.turnOf('read', 'a', waiting).end();
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'client-waiting');
    requests[0]?.turn.end();
    requests[0]?.turn.end();
    assert.equal(await reasonOf(() => admission.refusalOf('a')), 'none');
  });
});

describe('a client that has as many requests open as it may', () => {
  /** Its token is known, so that it is refused before the framework looks at it; the others are refused behind it. */
  for (const tokens of ['known', 'new'] as const)
    it(`is refused before anything is done for it, and served as soon as one has ended: ${tokens} token`, async (t) => {
      const { port, asked, release } = await full(t, 1, tokens === 'known' ? { knownPrincipal } : {});
      const poll = { port, path: '/v1/poll' };
      const [refused] = await nowAndThen({ ...poll, client: 'shop' }, 1, 0);
      assert.equal(refused?.status, 429);
      // Two where another was refused in the same moment: each is told a time of its own.
      assert.ok(refused.retryAfter === 1 || refused.retryAfter === 2, String(refused.retryAfter));
      assert.equal((await nowAndThen({ ...poll, client: 'other' }, 1, 0))[0]?.status, 304);
      assert.deepEqual(asked, ['other']);
      await release();
      assert.equal((await nowAndThen({ ...poll, client: 'shop' }, 1, 0))[0]?.status, 304);
    });

  /** A server where so many requests of each client may be open; what it was asked for; a client with all of them. */
  async function full(t: TestContext, clientOpen = 1, change: Partial<ServerOptions> = { knownPrincipal }) {
    const asked: string[] = [];
    const held: PromiseWithResolvers<void>[] = [];
    const routes = [
      route('/held', async () => {
        const own = Promise.withResolvers<void>();
        held.push(own);
        await own.promise;
        return json('[]');
      }),
      route(
        '/poll',
        async (call) => {
          asked.push(call.principal.clientId);
          return { status: 304, headers: {}, body: null, type: null };
        },
        { turn: 'own' },
      ),
    ];
    const { server } = sample(
      t,
      {
        limits: {
          ...defaultLimits,
          admission: { ...defaultAdmission, clientOpen },
          connections: { maxConnections: 0, maxAddressConnections: 0 },
        },
        ...change,
      },
      routes,
    );
    const port = await listen(server);
    const first = Promise.all(
      Array.from({ length: clientOpen }, () => nowAndThen({ port, path: '/v1/held', client: 'shop' }, 1, 0)),
    );
    await until(() => held.length === clientOpen);
    asked.length = 0;
    const releaseOne = (): void => held.pop()?.resolve();
    const release = (): Promise<unknown> => {
      while (held.length > 0) releaseOne();
      return first;
    };
    t.after(release);
    /** Resolves when the server has the next request, and has refused or held it where it does. */
    const nextRequest = (): Promise<unknown> => once(server.server, 'request');
    return { port, asked, release, releaseOne, nextRequest };
  }

  it('and asks again at once on the same connection hears the next refusal when the time is over', async (t) => {
    const { port, release } = await full(t);
    const started = performance.now();
    const poll = { port, path: '/v1/poll', client: 'shop' };
    const outcomes = await Promise.all([nowAndThen(poll, 3, 0), nowAndThen(poll, 3, 0)]);
    // A second before each but the first; without the delay some milliseconds.
    assert.ok(performance.now() - started >= 2000);
    assert.deepEqual(new Set(outcomes.flat().map(({ status }) => status)), new Set([429]));
    await release();
  });

  it('and asks on very many connections, hears of it at a pace', async (t) => {
    const { port, release } = await full(t);
    const { ask, end } = principal(manyConnections);
    t.after(end);
    const stop = AbortSignal.timeout(3000);
    const started = performance.now();
    const first: Outcome[] = [];
    let more = 0;
    await Promise.all(
      Array.from({ length: manyConnections }, async () => {
        first.push(await ask({ port, path: '/v1/poll', client: 'shop' }));
        for (; !stop.aborted; more += 1) await ask({ port, path: '/v1/poll', client: 'shop' });
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    // The pace after a first refusal on each; with one a second on each connection they would be three times as many.
    const most = 1.25 * defaultRefusalPace.perSecond * seconds;
    assert.ok(more <= most, `${more} refusals, ${most} at most`);
    assert.ok(first.every(({ retryAfter }) => retryAfter !== null && retryAfter >= 1 && retryAfter <= 10));
    // However slowly they are told: who is told last may not come before all others could.
    const last = Math.max(...first.map(({ ms, retryAfter }) => ms / 1000 + (retryAfter ?? 0)));
    assert.ok(last >= manyConnections / defaultRefusalPace.perSecond, `${last} s`);
    await release();
  });

  it('is refused when the time is over while the overload lasts, and served at once when it comes anew', async (t) => {
    const { port, release, releaseOne, nextRequest } = await full(t, 4);
    const { ask, end } = principal(1);
    t.after(end);
    const poll = { port, path: '/v1/poll', client: 'shop' };
    assert.equal((await ask(poll)).status, 429);
    const arrived = nextRequest();
    const second = ask(poll);
    await arrived;
    releaseOne();
    assert.equal((await second).status, 429);
    assert.equal((await ask(poll)).status, 304);
    await release();
  });

  it('is served where there is room when the time is over', async (t) => {
    const { port, release, nextRequest } = await full(t);
    const { ask, end } = principal(1);
    t.after(end);
    const poll = { port, path: '/v1/poll', client: 'shop' };
    assert.equal((await ask(poll)).status, 429);
    const arrived = nextRequest();
    const second = ask(poll);
    await arrived;
    await release();
    assert.equal((await second).status, 304);
  });
});

describe('a refusal that waits for its time', () => {
  it('keeps no place from others', async (t) => {
    const begun: PromiseWithResolvers<void>[] = [];
    const arrived: string[] = [];
    const handle: Route['handle'] = async (call) => {
      arrived.push(call.principal.clientId);
      await call.turn();
      const own = Promise.withResolvers<void>();
      begun.push(own);
      await own.promise;
      return json('[]');
    };
    const admission = { ...defaultAdmission, running: 2, clientRunning: 2, open: 4, clientOpen: 4 };
    const { server } = sample(t, { limits: { ...defaultLimits, admission } }, [
      route('/work', handle, { method: 'POST', turn: 'own' }),
    ]);
    const port = await listen(server);
    const ask = (client: string, connection = principal(1)) => {
      t.after(connection.end);
      return connection.ask({ port, path: '/v1/work', client, body: Buffer.alloc(0) });
    };
    const four = () => Promise.all(Array.from({ length: 4 }, () => ask('shop')));
    const isAnswered = async (answers: Promise<readonly { readonly status: number }[]>) => {
      let statuses: readonly number[] = [];
      void answers.then((all) => {
        statuses = all.map(({ status }) => status);
      });
      await until(() => {
        begun.shift()?.resolve();
        return statuses.length > 0;
      });
      return statuses;
    };
    const first = four();
    const early = principal(1);
    await until(async () => (await waitingAt(port)) === 3);
    assert.equal((await ask('shop', early)).status, 429);
    begun.shift()?.resolve();
    await until(async () => (await waitingAt(port)) === 2);
    // It waits behind the three, until another client comes: then it is to be refused, but not yet.
    const evicted = ask('shop', early);
    await until(async () => (await waitingAt(port)) === 3);
    const other = ask('other');
    await until(() => arrived.includes('other'));
    assert.deepEqual(
      await isAnswered(Promise.all([first, other]).then(([all, one]) => [...all, one])),
      [200, 200, 200, 200, 200],
    );
    assert.deepEqual(await isAnswered(four()), [200, 200, 200, 200]);
    assert.equal((await evicted).status, 429);
  });
});

async function waitingAt(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^http_requests_waiting (\d+)$/m.exec(text)?.[1]);
}
