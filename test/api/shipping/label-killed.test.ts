// Servers that are killed while a label is being made: no second parcel under its key, and a label that was noted is
// found again.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { definitions } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { succeed } from '../../commands/fixture.ts';
import { type Prepared, prepare, type ServerProcess, startServer } from '../server-process.ts';
import { apiKey, type ScriptedCarrier, shipment, startCarrier, wish } from './fixture.ts';
import { rounds } from '../../contract/rounds.ts';

interface World {
  readonly prepared: Prepared;
  readonly carrier: ScriptedCarrier;
}

describe('a server that is killed', { timeout: 180_000 }, () => {
  it('while the carrier is being asked: the same key is answered 504 from then on, and the carrier is asked once', async (t) => {
    const world = await start(t);
    const server = await startServer(t, world.prepared);
    const arrived = new EventTarget();
    const asked = once(arrived, 'asked');
    world.carrier.play(() => {
      arrived.dispatchEvent(new Event('asked'));
      return 'silence';
    });
    const lost = ask(world, server).catch(() => 'lost');
    await asked;
    await kill(server);
    assert.equal(await lost, 'lost');
    world.carrier.play(null);
    const next = await startServer(t, world.prepared);
    assert.ok(
      [409, 504].includes((await ask(world, next)).status),
      'while its claim lasts the first one may still be at work',
    );
    await expireClaims(world);
    for (const _time of [1, 2]) {
      const { status, body } = await ask(world, next);
      assert.deepEqual([status, /not known whether it made a label/.test(body)], [504, true]);
    }
    assert.equal(world.carrier.shipments(), 1);
  });

  it('after the carrier has answered: the same key gives the same label, by any server, and its link works', async (t) => {
    const world = await start(t);
    const server = await startServer(t, world.prepared);
    const first = await ask(world, server);
    assert.equal(first.status, 200);
    await kill(server);
    // As if the process had died before the answer was stored.
    await inStore(world, ({ db }) => db.deleteFrom('stored_answer').execute());
    const next = await startServer(t, world.prepared);
    const again = await ask(world, next);
    assert.deepEqual([again.status, again.body, world.carrier.shipments()], [200, first.body, 1]);
    const { pathname } = new URL(JSON.parse(again.body).outputs[0].value);
    assert.equal((await fetch(next.origin + pathname)).status, 200);
  });

  it('by nobody, while its client hangs up: the label is made all the same, and the same key gets it', async (t) => {
    const world = await start(t);
    const server = await startServer(t, world.prepared);
    const gate = new EventTarget();
    const [asked, opened] = [once(gate, 'asked'), once(gate, 'opened')];
    world.carrier.play(async () => {
      gate.dispatchEvent(new Event('asked'));
      await opened;
      return { status: 201, body: shipment('LATE-1') };
    });
    const impatience = new AbortController();
    const lost = assert.rejects(ask(world, server, 'one', impatience.signal));
    await asked;
    impatience.abort();
    await lost;
    gate.dispatchEvent(new Event('opened'));
    let heard = await ask(world, server);
    for (; heard.status === 409; heard = await ask(world, server)) await pause(50);
    assert.deepEqual(
      [heard.status, JSON.parse(heard.body).expeditionNumber, world.carrier.shipments()],
      [200, 'LATE-1', 1],
    );
  });

  it('at any moment of many labels: never two parcels under one key, and each label that was answered is there', async (t) => {
    const world = await start(t);
    let count = 0;
    const numbers = new Map<string, number>();
    world.carrier.play(({ path, body }) => {
      if (path !== '/v1/shipments') return { status: 404, body: {} };
      const { reference } = JSON.parse(body);
      numbers.set(reference, (numbers.get(reference) ?? 0) + 1);
      return { status: 201, body: shipment(`N${++count}`) };
    });
    const answered = new Map<string, string>();
    const keys = Array.from({ length: Math.max(30, rounds(60)) }, (_, index) => `many-${index}`);
    for (let round = 0; round < rounds(3); round += 1) {
      const server = await startServer(t, world.prepared);
      await expireClaims(world);
      const enough = new EventTarget();
      const killed = once(enough, 'heard').then(() => kill(server));
      let heardOf = 0;
      const waiting = keys.filter((key) => !answered.has(key));
      const client = async (): Promise<void> => {
        for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
          const heard = await ask(world, server, key).catch(() => null);
          if (heard === null) return;
          if (heard.status === 200) answered.set(key, heard.body);
          heardOf += 1;
          if (heardOf === 12) enough.dispatchEvent(new Event('heard'));
        }
      };
      await Promise.all(Array.from({ length: 6 }, client));
      await killed;
    }
    const last = await startServer(t, world.prepared);
    await expireClaims(world);
    for (const key of keys) {
      const { status, body } = await ask(world, last, key);
      assert.ok(status === 200 || status === 504, body);
      if (answered.has(key)) assert.equal(body, answered.get(key));
    }
    assert.equal(Math.max(...numbers.values()), 1);
    t.diagnostic(`${answered.size} labels answered before the last server, ${numbers.size} parcels`);
  });
});

async function start(t: TestContext): Promise<World> {
  const [prepared, carrier] = [await prepare(t), await startCarrier()];
  t.after(() => carrier.close());
  await succeed(
    { ...prepared.place, stdin: JSON.stringify({ apiKey }) },
    'carrier-account',
    'add',
    '--context',
    'north',
    '--carrier',
    'karrio',
    '--activity',
    'NOR',
    '--set',
    `baseUrl=${carrier.url}`,
    '--set',
    'carrierName=chronopost',
  );
  return { prepared, carrier };
}

async function ask(
  { prepared }: World,
  { origin }: ServerProcess,
  key = 'one',
  signal: AbortSignal | null = null,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${origin}/v1/shippings/labels/north/karrio`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${prepared.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ ...wish, nDossier: key }),
  });
  return { status: response.status, body: await response.text() };
}

async function kill({ child }: ServerProcess): Promise<void> {
  child.signal('SIGKILL');
  await child.ended;
}

/** As if the claims of whoever was killed had ended. */
function expireClaims(world: World): Promise<unknown> {
  return inStore(world, ({ db }) =>
    db.updateTable('stored_answer').set({ claimed_until: 0 }).where('answer', 'is', null).execute(),
  );
}

async function inStore(
  world: World,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>,
): Promise<unknown> {
  const store = await openStore({ dataDir: world.prepared.dataDir, databaseUrl: null }, definitions);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
