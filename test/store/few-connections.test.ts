// A PostgreSQL server that allows a login fewer connections than a process wants: those that there are serve everybody.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { Registry } from 'prom-client';
import { createConnectionMetrics } from '../../src/jobs/metrics.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Engine } from '../../src/store/engine.ts';
import { allowedConnections } from '../../src/store/inspection.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { plain } from '../contract/database.ts';
import { allEngines } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');

describe('a PostgreSQL server that allows few connections', { skip: server?.skip, timeout: 900_000 }, () => {
  it('serves all who read and write at once, of whatever kind, one after another', async (t) => {
    const engine = await openPostgres(await limited(t, 4));
    t.after(() => engine.close());
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => oneOfEach(engine)).flat());
      assert.deepEqual(
        outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
        [],
      );
    }
    const refused = engine.refusedConnections?.() ?? 0;
    assert.ok(refused > 0, 'refusals are counted');
    const registry = new Registry();
    createConnectionMetrics(registry, () => refused);
    for (const _time of ['once', 'twice'])
      assert.match(
        await registry.metrics(),
        new RegExp(`^logistics_database_connections_refused_total ${refused}$`, 'm'),
      );
  });

  it('has a connection for each kind of work, though another kind came first and took all', async (t) => {
    const engine = await openPostgres(await limited(t, 4));
    t.after(() => engine.close());
    const busy = new AbortController();
    const others = Array.from({ length: 8 }, async () => {
      while (!busy.signal.aborted) await engine.write((transaction) => transaction.query(sleep(0.02)));
    });
    await engine.read(sleep(0.1));
    assert.deepEqual(await engine.readShort(plain('select 1')), [[1]]);
    assert.deepEqual(await engine.readLong(plain('select 2'), { client: 'a' }), [[2]]);
    busy.abort();
    await Promise.all(others);
  });

  it('has short reads wait for no writer while they have a connection of their own', async (t) => {
    // Which of two connections is refused, and whether before the other one is open, is chance.
    for (let round = 0; round < 6; round += 1) {
      const engine = await openPostgres(await limited(t, 5));
      const writers = Promise.all(
        Array.from({ length: 4 }, () => engine.write((transaction) => transaction.query(sleep(3)))),
      );
      await pause(500);
      const reads = Promise.all(Array.from({ length: 60 }, () => engine.readShort(sleep(0.005))));
      const first = await Promise.race([writers.then(() => 'the writers'), reads.then(() => 'the reads')]);
      await Promise.all([writers, reads]);
      await engine.close();
      assert.equal(first, 'the reads');
    }
  });

  it('is known, also of a login that acts as another role', async (t) => {
    const url = await limited(t, 4);
    const { username } = new URL(url);
    const administration = new Client(process.env.TEST_DATABASE_URL ?? '');
    await administration.connect();
    await administration.query(`grant pg_monitor to ${username}`);
    await administration.query(`alter role ${username} set role pg_monitor`);
    await administration.end();
    const engine = await openPostgres(url);
    t.after(() => engine.close());
    assert.deepEqual(await engine.read(plain('select current_user::text')), [['pg_monitor']]);
    assert.equal(await allowedConnections(engine), 4);
  });

  it('is told to a process that gets none at all', async (t) => {
    const url = await limited(t, 1);
    const other = new Client(url);
    await other.connect();
    await assert.rejects(openPostgres(url, 1000), (error: unknown) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /does not answer: too many connections/);
      assert.match(error.remedy, /raise max_connections, or the limit of the login/);
      return true;
    });
    await other.end();
  });

  it('is told to clients when the last connection is taken by others', async (t) => {
    const url = await limited(t, 2);
    const engine = await openPostgres(url, 2000);
    t.after(() => engine.close());
    const other = new Client(url);
    await other.connect();
    await assert.rejects(
      engine.readShort(plain('select 1')),
      (error: unknown) => error instanceof Problem && error.slug === 'unavailable',
    );
    await other.end();
    assert.deepEqual(await engine.readShort(plain('select 1')), [[1]]);
  });
});

function oneOfEach(engine: Engine): readonly Promise<unknown>[] {
  return [
    engine.write((transaction) => transaction.query(sleep(0.01))),
    engine.read(sleep(0.01)),
    engine.readShort(sleep(0.01)),
    engine.readLong(sleep(0.01), { client: 'a' }),
  ];
}

function sleep(seconds: number) {
  return plain(`select pg_sleep(${seconds})::text`);
}

/** The address of a database for a login that may have so many connections. */
async function limited(t: TestContext, connections: number): Promise<string> {
  const url = new URL(await newDatabase(t, process.env.TEST_DATABASE_URL ?? ''));
  const administration = new Client(process.env.TEST_DATABASE_URL ?? '');
  await administration.connect();
  const login = `lc_few_${randomBytes(6).toString('hex')}`;
  await administration.query(`create role ${login} login password 'x' connection limit ${connections}`);
  t.after(async () => {
    await administration.query(`drop role ${login}`);
    await administration.end();
  });
  return Object.assign(url, { username: login, password: 'x' }).href;
}
