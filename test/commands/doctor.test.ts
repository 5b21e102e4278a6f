// The command `doctor`: every fault that it claims to find, and nothing where there is none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { addClient } from '../../src/auth/clients.ts';
import { checkNode } from '../../src/commands/doctor/runtime.ts';
import { hasCode } from '../../src/model/error-code.ts';
import { article, definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { goodPassword, json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Finding {
  readonly subject: string;
  readonly verdict: string;
  readonly message: string;
  readonly remedy: string;
}

/** Runs the doctor on a free port. */
async function examine(
  place: Place,
): Promise<{ readonly code: number | null; readonly ok: boolean; readonly findings: readonly Finding[] }> {
  const { code, stdout } = await run({ ...place, variables: { PORT: '0', ...place.variables } }, 'doctor', '--json');
  return { code, ...JSON.parse(stdout) };
}

/** Asserts that there is a finding with this verdict whose message or remedy says so, and that the exit code fits. */
async function finds(place: Place, subject: string, verdict: 'warning' | 'wrong' | 'ok', said: RegExp): Promise<void> {
  const { code, ok, findings } = await examine(place);
  const found = findings.filter(
    (finding) =>
      finding.subject === subject && finding.verdict === verdict && said.test(`${finding.message} ${finding.remedy}`),
  );
  assert.equal(found.length, 1, JSON.stringify(findings, null, 1));
  if (verdict !== 'ok') assert.notEqual(found[0]?.remedy, '');
  assert.equal(
    ok,
    findings.every((finding) => finding.verdict !== 'wrong'),
  );
  assert.equal(code, ok ? 0 : 1);
}

async function usedPlace(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
  await succeed(place, 'client', 'add', 'Shop', '--redirect', 'https://shop.example/cb', '--activity', 'ACM');
  return place;
}

function sql(place: Place, statement: string): void {
  const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'));
  database.exec(statement);
  database.close();
}

/** A folder of a file system that is mounted read-only, as Linux lists them; null: there is none. */
function readOnlyFolder(): string | null {
  if (!existsSync('/proc/mounts')) return null;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const folders = mounts.map((line) => line.split(' ')[1] ?? '').filter((folder) => folder.startsWith('/'));
  const isReadOnly = (folder: string): boolean => {
    try {
      accessSync(folder, constants.W_OK);
      return false;
    } catch (error) {
      return hasCode(error, 'EROFS') && statSync(folder).isDirectory();
    }
  };
  return folders.find(isReadOnly) ?? null;
}

describe('doctor finds', () => {
  const readOnly = readOnlyFolder();
  it('a file system that is mounted read-only', {
    skip: readOnly === null && 'nothing is mounted read-only here',
  }, async (t) => {
    const place = { folder: temporaryFolder(t), variables: { DATA_DIR: join(readOnly ?? '', 'data') } };
    for (const subject of ['storage', 'documents'])
      await finds(place, subject, 'wrong', /is on a file system that is mounted read-only\. Mount it for writing/);
  });

  it('settings that are wrong', async (t) => {
    await finds(
      { folder: temporaryFolder(t), variables: { BASE_URL: 'api.example.com' } },
      'settings',
      'wrong',
      /BASE_URL must be an address/,
    );
    // Links that are dead at once, a trail without entries, and carriers that may not answer at all.
    for (const [name, value, range] of [
      ['LABEL_RETENTION_DAYS', '0', '1 to 36500'],
      ['AUDIT_RETENTION_DAYS', '0', '1 to 36500'],
      ['CARRIER_ANSWER_SECONDS', '0', '1 to 90'],
      ['CARRIER_TOTAL_SECONDS', '91', '1 to 90'],
    ] as const) {
      await finds(
        { folder: temporaryFolder(t), variables: { [name]: value } },
        'settings',
        'wrong',
        new RegExp(`${name} must be a whole number of (days|seconds) from ${range}, not "${value}"`),
      );
    }
  });

  it('an old Node', () => {
    assert.deepEqual(
      checkNode('22.18.0').map(({ verdict }) => verdict),
      ['wrong'],
    );
    assert.deepEqual(
      checkNode('25.0.0').map(({ verdict }) => verdict),
      ['ok'],
    );
  });

  it('a data folder that is none, and one where nothing can be written', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'file'), '');
    await finds({ folder, variables: { DATA_DIR: 'file' } }, 'storage', 'wrong', /is no folder/);
    await finds({ folder, variables: { DATA_DIR: 'file/below' } }, 'storage', 'wrong', /is no folder/);
    await finds({ folder, variables: { DATA_DIR: '/proc/data' } }, 'storage', 'wrong', /may not write|Only 0\.0 GB/);
  });

  it('a data folder that others may look into', async (t) => {
    const place = await usedPlace(t);
    chmodSync(join(place.folder, 'data'), 0o755);
    await finds(place, 'storage', 'warning', /Other users of this machine may look into .*chmod 700/);
  });

  it('a file that is no database', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    writeFileSync(join(folder, 'data/logistics-connect.db'), 'not a database '.repeat(500));
    await finds({ folder }, 'storage', 'wrong', /file is not a database/);
  });

  it('a database that is newer or older than the program, without changing it', async (t) => {
    const newer = await usedPlace(t);
    sql(newer, "insert into migration (name, applied_at) values ('9999-later', 0)");
    await finds(newer, 'storage', 'wrong', /newer than this program: it has the step 9999-later/);
    const older = await usedPlace(t);
    sql(older, "update migration set name = '0012-value-order' where name like '0001%'");
    for (const _time of [1, 2])
      await finds(older, 'storage', 'wrong', /up to the step 0012-value-order.*0013-text-form/);
    const foreign = { folder: temporaryFolder(t) };
    mkdirSync(join(foreign.folder, 'data'), { mode: 0o700 });
    sql(foreign, 'create table theirs (x)');
    await finds(foreign, 'storage', 'warning', /tables of another program/);
  });

  it('a PostgreSQL server that is away, without telling the password', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { DATABASE_URL: 'postgres://lc:s3cret@127.0.0.1:9/lc' } };
    await finds(place, 'storage', 'wrong', /does not answer.*DATABASE_URL/);
    assert.doesNotMatch((await run(place, 'doctor')).stdout, /s3cret/);
  });

  it('a clock that was set back', async (t) => {
    const place = await usedPlace(t);
    sql(place, `update activity set last_write_at = ${Date.now() + 60_000}`);
    await finds(place, 'clock', 'wrong', /was set back: .* 60 seconds ahead|was set back: .* 59 seconds ahead/);
  });

  it('keys that SECRET_KEY does not open, or does not protect yet', async (t) => {
    const place = await usedPlace(t);
    await finds(place, 'keys', 'ok', /no signing keys yet/);
    const { id } = (await json<{ id: string }[]>(place, 'client', 'list'))[0] ?? assert.fail();
    await succeed(place, 'token', '--client', id, '--user', 'mia');
    await finds(place, 'keys', 'ok', /whoever can read the database/);
    await finds({ ...place, variables: { HOST: '0.0.0.0' } }, 'keys', 'warning', /Set SECRET_KEY/);
    await finds({ ...place, variables: { SECRET_KEY: 'k'.repeat(32) } }, 'keys', 'warning', /not encrypted yet/);
    await finds({ ...place, variables: { SECRET_KEY: 'short' } }, 'keys', 'wrong', /at least 32/);
    const encrypted = await usedPlace(t);
    const secret = { SECRET_KEY: 'k'.repeat(32) };
    const other = (await json<{ id: string }[]>(encrypted, 'client', 'list'))[0] ?? assert.fail();
    await succeed({ ...encrypted, variables: secret }, 'token', '--client', other.id, '--user', 'mia');
    await finds({ ...encrypted, variables: secret }, 'keys', 'ok', /SECRET_KEY opens them/);
    await finds(encrypted, 'keys', 'wrong', /SECRET_KEY is not set/);
    await finds(
      { ...encrypted, variables: { SECRET_KEY: 'j'.repeat(32) } },
      'keys',
      'wrong',
      /another secret than SECRET_KEY/,
    );
  });

  it('demonstration credentials on a server that others can reach, until they are disabled', async (t) => {
    const place = await usedPlace(t);
    const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
    await addClient(
      store,
      {
        name: 'Demonstration',
        redirectUris: ['http://127.0.0.1/callback'],
        activityCodes: ['ACM'],
        readOnly: false,
        confidential: false,
      },
      Date.now(),
      'demo',
    );
    await store.close();
    await finds(place, 'access', 'ok', /demonstration login can be used/);
    for (const variables of [{ HOST: '0.0.0.0' }, { BASE_URL: 'https://api.example.com/v1' }])
      await finds({ ...place, variables }, 'access', 'wrong', /demonstration login .*client disable demo/);
    await succeed(place, 'client', 'disable', 'demo');
    assert.ok((await examine({ ...place, variables: { HOST: '0.0.0.0' } })).ok);
  });

  it('what is missing before anyone can read', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'migrate');
    await finds(place, 'access', 'warning', /no activity yet.*activity add/);
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    await finds(place, 'access', 'warning', /no user yet.*user add/);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    await finds(place, 'access', 'warning', /no client yet.*client add/);
  });

  it('entries of the outbox that nobody takes, for more than a week', async (t) => {
    const place = await usedPlace(t);
    const store = await openStore(
      { dataDir: join(place.folder, 'data'), databaseUrl: null },
      definitions,
      () => Date.now() - 8 * 86_400_000,
    );
    await store.records.submit(['ACM'], (unit) =>
      unit.write(
        article,
        'ACM',
        [
          {
            value: { articleReference: 'A1', barcodes: [], logisticalVariants: [] },
            naturalKey: 'A1',
            contentHash: 'A1',
          },
        ],
        'op',
      ),
    );
    await finds(place, 'outbox', 'warning', /Nobody takes what clients write: 1 entry of ACM/);
    await store.outbox.noteDelivered('wms', { ACM: 1 });
    await finds(place, 'outbox', 'warning', /consumer wms does not acknowledge 1 entry of ACM.*outbox forget wms/);
    await store.outbox.acknowledge('wms', { ACM: 1 });
    await store.close();
    await finds(place, 'outbox', 'ok', /Nothing has waited/);
  });

  it('a port that another program uses, and an address that is not of this machine', async (t) => {
    const other = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    t.after(() => other.close());
    await once(other, 'listening');
    const address = other.address();
    assert.ok(address !== null && typeof address === 'object');
    const place = { folder: temporaryFolder(t) };
    await finds(
      { ...place, variables: { PORT: String(address.port) } },
      'addresses',
      'wrong',
      /Another program uses 127\.0\.0\.1/,
    );
    await finds(
      { ...place, variables: { HOST: '203.0.113.7' } },
      'addresses',
      'wrong',
      /203\.0\.113\.7 is no address of this machine/,
    );
  });

  it('public addresses that do not fit', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await finds(
      { ...place, variables: { HOST: '0.0.0.0' } },
      'addresses',
      'warning',
      /BASE_URL and AUTH_URL still lead to localhost/,
    );
    await finds(
      { ...place, variables: { BASE_URL: 'https://api.example.com/v1' } },
      'addresses',
      'warning',
      /AUTH_URL still leads to localhost/,
    );
    await finds(
      { ...place, variables: { BASE_URL: 'http://api.example.com/v1', AUTH_URL: 'https://auth.example.com' } },
      'addresses',
      'warning',
      /tokens and passwords travel unencrypted/,
    );
  });

  it('addresses of https behind a proxy that is not named', async (t) => {
    const place = { folder: temporaryFolder(t) };
    const all = {
      BASE_URL: 'https://api.example.com/v1',
      AUTH_URL: 'https://api.example.com',
      PLATFORM_URL: 'https://wms.example.com',
    };
    for (const [name, address] of Object.entries(all))
      await finds(
        { ...place, variables: { [name]: address } },
        'addresses',
        'warning',
        new RegExp(`over https \\(${name}\\).*Set TRUST_PROXY to the address`),
      );
    await finds({ ...place, variables: all }, 'addresses', 'warning', /\(BASE_URL and AUTH_URL and PLATFORM_URL\)/);
    await finds(
      { ...place, variables: { BASE_URL: 'HTTPS://api.example.com/v1' } },
      'addresses',
      'warning',
      /over https \(BASE_URL\)/,
    );
    for (const variables of [{ ...all, TRUST_PROXY: '127.0.0.1' }, { BASE_URL: 'http://localhost:8080/v1' }, {}]) {
      assert.doesNotMatch((await run({ ...place, variables }, 'doctor')).stdout, /TRUST_PROXY/);
    }
  });
});

describe('doctor', () => {
  it('finds nothing wrong where there is nothing yet, and makes nothing', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { PORT: '0' } };
    const { code, stdout } = await run(place, 'doctor');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok +node .*\n(.*\n)*\d+ findings\.\n$/);
    assert.deepEqual(readdirSync(place.folder), []);
  });

  it('finds nothing wrong with a database in use', async (t) => {
    const { code, findings } = await examine(await usedPlace(t));
    assert.equal(code, 0);
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict !== 'ok'),
      [],
    );
  });

  it('makes no keys', async (t) => {
    const place = await usedPlace(t);
    await examine(place);
    await finds(place, 'keys', 'ok', /no signing keys yet/);
    assert.ok(existsSync(join(place.folder, 'data')));
  });
});
