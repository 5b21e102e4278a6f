// A PostgreSQL server behind PgBouncer, as hosters and operators have it: sessions are lent as they are, and a pooler
// of transactions is refused before anything is written.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { freePort } from '../../src/http/port-check.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { article } from '../../src/resources/index.ts';
import { defaultLongReads, newSpending } from '../../src/store/long-reads.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { takeProcessLock } from '../../src/store/process-lock.ts';
import { sql } from '../../src/store/statement.ts';
import { plain } from '../contract/database.ts';
import { allEngines, storeOn } from '../contract/engines.ts';
import { until } from '../contract/until.ts';
import { articleRecord } from '../platform/export-fixture.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');
const program = '/usr/sbin/pgbouncer';
const isMissing = !existsSync(program) && `${program} is not installed; .ci/install-postgres does that`;

describe('a PostgreSQL server behind PgBouncer', { skip: server?.skip || isMissing, timeout: 900_000 }, () => {
  it('that lends a connection for a session: reads, writes, limits, locks and cancelling as without it', async (t) => {
    const url = await pooled(t, 'session');
    const engine = await openPostgres(url, undefined, { ...defaultLongReads, maxLongReadSeconds: 60 });
    const store = await storeOn(engine);
    t.after(() => store.close());
    await store.activities.add('ACM', 'Acme');
    await store.records.write(article, 'ACM', [articleRecord('A1')]);
    assert.deepEqual(await store.lists.revision(article, ['ACM']), { ACM: 1 });
    for (const limit of [sql`show statement_timeout`, sql`show idle_in_transaction_session_timeout`])
      assert.deepEqual(await engine.read(limit), [['30s']]);

    const settings = { databaseUrl: url, dataDir: '/nowhere' };
    const lock = await takeProcessLock(settings, 'only-one');
    assert.ok(lock !== null && (await lock.held()));
    assert.equal(await takeProcessLock(settings, 'only-one'), null);
    await lock.release();

    const gone = new AbortController();
    const read = engine.readLong(plain('select pg_sleep(50)::text'), {
      client: 'a',
      advice: 'Ask for less.',
      gone: gone.signal,
      spending: newSpending(),
    });
    const asleep = async () => (await engine.read(plain(sleeping))).length;
    await until(async () => (await asleep()) === 1);
    gone.abort();
    await assert.rejects(read);
    await until(async () => (await asleep()) === 0);
  });

  it('that takes fewer connections than a process wants: those that there are serve everybody', async (t) => {
    const engine = await openPostgres(await pooled(t, 'session', 'max_client_conn = 4'));
    t.after(() => engine.close());
    const brief = plain('select pg_sleep(0.01)::text');
    const each = (): readonly Promise<unknown>[] => [
      engine.write((transaction) => transaction.query(brief)),
      engine.read(brief),
      engine.readShort(brief),
      engine.readLong(brief, { client: 'a' }),
    ];
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, each).flat());
    assert.deepEqual(
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
      [],
    );
    assert.ok((engine.refusedConnections?.() ?? 0) > 0, 'it has refused some');
  });

  it('that lends a connection for a transaction alone is refused, with what to do', async (t) => {
    const url = await pooled(t, 'transaction');
    await assert.rejects(openPostgres(url), (error: unknown) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /pooler that lends a connection for one transaction alone/);
      assert.match(error.remedy, /pool_mode = session/);
      return true;
    });
  });
});

const sleeping = `select 1 from pg_stat_activity where datname = current_database() and state = 'active'
  and query like 'select pg_sleep(50)%'`;

/** The address of a database through a PgBouncer of its own; both end with the test. */
async function pooled(t: TestContext, mode: 'session' | 'transaction', ...more: readonly string[]): Promise<string> {
  assert.ok(server);
  const database = await server.create();
  t.after(() => database.remove());
  const direct = new URL(database.url ?? '');
  const port = await freePort('127.0.0.1', 0);
  // Not below TMPDIR: it may be closed to the user as whom PgBouncer runs.
  const folder = mkdtempSync('/tmp/pgbouncer-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const login = `user=${direct.username}${direct.password === '' ? '' : ` password=${direct.password}`}`;
  const settings = [
    '[databases]',
    `* = host=${direct.hostname} port=${direct.port || 5432} ${login}`,
    '[pgbouncer]',
    ...[`listen_addr = 127.0.0.1`, `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...[`pool_mode = ${mode}`, 'default_pool_size = 50', ...more],
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  chmodSync(folder, 0o755);
  // It refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  const [command, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', program, file] : [program, file];
  const child = spawn(command ?? program, rest, { stdio: 'ignore', cwd: '/' });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const url = new URL(direct);
  url.port = String(port);
  await until(() => answers(url.href));
  return url.href;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
