// Whatever the umask, what the program writes is readable by its owner alone; and so are backups that are made as the
// page on operation says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { createAccountCipher } from '../../src/auth/account-cipher.ts';
import { readConfig } from '../../src/config.ts';
import { documentName } from '../../src/documents/names.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { article, definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { articleRecord } from '../platform/export-fixture.ts';
import { launcher, run, succeed, temporaryFolder } from './fixture.ts';

/** Rights by path, of everything below a folder. */
function rightsBelow(folder: string): ReadonlyMap<string, string> {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(below.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]));
}

function assertPrivate(folder: string, wanted: readonly string[]): void {
  const rights = rightsBelow(folder);
  for (const name of wanted)
    assert.ok(
      [...rights.keys()].some((path) => path.endsWith(name)),
      `${name} is not among ${[...rights.keys()].join(', ')}`,
    );
  for (const [path, mode] of rights)
    assert.equal(mode, statSync(join(folder, path)).isDirectory() ? '700' : '600', path);
}

function umask(t: TestContext, mask: number): void {
  const before = process.umask(mask);
  t.after(() => process.umask(before));
}

for (const mask of [0o000, 0o022, 0o377]) {
  describe(`with umask ${mask.toString(8).padStart(3, '0')}`, () => {
    it('everything that commands and the server write is for its owner alone', async (t) => {
      const folder = temporaryFolder(t);
      umask(t, mask);
      // By `run`: the database too has to be made by the command, and is not prepared for it.
      assert.equal((await run({ folder }, 'activity', 'add', 'ACM', 'Acme')).code, 0);
      writeFileSync(join(folder, 'articles.ndjson'), '{"articleReference":"A1"}\n');
      chmodSync(join(folder, 'articles.ndjson'), 0o600);
      assert.equal((await run({ folder }, 'import', 'articles', 'articles.ndjson', '--activity', 'ACM')).code, 3);
      await run(
        { folder, stdin: '{"articleReference":"A2"}' },
        'import',
        'articles',
        '-',
        '--activity',
        'ACM',
        '--refused',
        'from-a-pipe.ndjson',
      );
      const dataDir = join(folder, 'data');
      const store = await openStore({ dataDir, databaseUrl: null }, definitions);
      t.after(() => store.close());
      const config = readConfig({}, folder);
      await createAccountCipher(config).encrypt('a secret of a carrier account');
      const documents = await openDocumentStorage(config, { database: store.epoch, failed: assert.ifError });
      const received = await documents.receive(Readable.from([Buffer.from('a document')]), { size: 1000 });
      const storedAs = documentName('ACM', 'pdf', Date.now());
      await received.keep(storedAs);
      await store.records.submit(['ACM'], (unit) => unit.write(article, 'ACM', [articleRecord('A3')], 'op'));
      await store.records.submit(['ACM'], (unit) =>
        unit.addDocument({
          activity: 'ACM',
          orderId: 'O1',
          orderUniqueId: null,
          slug: 'invoice',
          sha256: received.sha256,
          mediaType: 'application/pdf',
          size: received.size,
          fileName: null,
          storedAs,
          operationId: 'op',
          clientId: 'shop',
        }),
      );
      const out = join(folder, 'out');
      mkdirSync(out);
      chmodSync(out, 0o700);
      // An export that was killed before the program took care of this.
      writeFileSync(join(out, '.ACM.part'), 'half');
      chmodSync(join(out, '.ACM.part'), 0o666);
      await succeed({ folder }, 'outbox', 'export', '--to', 'out');
      assertPrivate(folder, [
        'logistics-connect.db',
        'logistics-connect.db-wal',
        'logistics-connect.db-shm',
        'secret.key',
        storedAs,
        '.database',
        'articles.ndjson.refused.ndjson',
        'from-a-pipe.ndjson',
        '.ndjson',
        '.outbox-export.json',
        '.lock',
        'out/documents',
      ]);
      if (mask === 0o000) assert.equal((await run({ folder }, 'doctor')).stdout.includes('Other users'), false);
    });
  });
}

describe('the program in a shell with umask 000', () => {
  it('makes its folder and its database for its owner alone', (t) => {
    const folder = temporaryFolder(t);
    execFileSync('/bin/sh', ['-c', `umask 000; cd '${folder}'; exec '${launcher}' activity add ACM Acme`], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: join(folder, 'data') },
    });
    assertPrivate(folder, ['data', 'logistics-connect.db']);
  });
});

describe('a backup', () => {
  it('is readable by its owner alone, whatever the umask', async (t) => {
    const folder = temporaryFolder(t);
    await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
    umask(t, 0o000);
    await succeed({ folder }, 'backup', '--to', 'copy');
    assertPrivate(join(folder, 'copy'), ['manifest.json', '.ndjson.gz']);
  });
});
