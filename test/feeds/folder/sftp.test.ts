// Files that come by SFTP, as docs/feeds.md says: OpenSSH's own server writes them, here over pipes, so that nothing
// listens anywhere.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { definitions, order as orders } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { folderFor, readAll } from '../fixture.ts';
import { dropFor } from './fixture.ts';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/feeds.md'), 'utf8');
const sftpServer = ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server'].find((path) =>
  existsSync(path),
);
const sshd = '/usr/sbin/sshd';
const order = (id: string): string => `${JSON.stringify({ orderUniqueID: id })}\n`;

describe('a file that comes by SFTP', () => {
  const noServer = sftpServer === undefined ? 'OpenSSH is not here (.ci/install-sftp)' : false;
  it('is not taken before it has its name, and then is', { skip: noServer }, async (t) => {
    const drop = await dropFor(t);
    const folder = await folderFor(t);
    writeFileSync(join(folder, 'day.ndjson'), order('A'), { mode: 0o644 });
    await mkdir(join(drop.root, 'inbox/ACM/orders'), { recursive: true });
    const inbox = join(drop.root, 'inbox/ACM');
    const send = (...lines: readonly string[]): string =>
      sftp(lines, ['-D', `${sftpServer} -u 0007 -d ${inbox}`], folder);
    send('put day.ndjson orders/day.tmp');
    await drop.round();
    assert.deepEqual(drop.told, []);
    send('rename orders/day.tmp orders/day.ndjson');
    assert.equal(statSync(join(inbox, 'orders/day.ndjson')).mode & 0o777, 0o640);
    await drop.again();
    assert.deepEqual(drop.told, ['taken day.ndjson taken']);
    assert.deepEqual(
      (await readAll(drop.store, orders)).map(({ orderUniqueID }) => orderUniqueID),
      ['A'],
    );
  });

  it('goes through the configuration of the page, into its own activity and nowhere else', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('sshd becomes another user, for which it must be root');
    if (!existsSync(sshd)) return t.skip('there is no sshd here: .ci/install-sftp says when it installs one');
    const site = await stateOf(t);
    const send = (...lines: readonly string[]): string => site.send(lines);
    send('put day.ndjson orders/day.tmp', 'rename orders/day.tmp orders/day.ndjson');
    // A source that keeps its own modes locks the server out of this one.
    await chmod(join(site.local, 'private.ndjson'), 0o600);
    send('put -p private.ndjson orders/private.ndjson');
    assert.match(send('-put day.ndjson /day.ndjson'), /Permission denied/);
    assert.match(send('-get /etc/passwd'), /not found/);
    assert.match(send('-ls /..'), /^sftp> -ls \/\.\.\n\/\.\.\/orders\s*$/m);
    const script = join(import.meta.dirname, 'as-user.ts');
    const node = join(import.meta.dirname, '../../../tools/node');
    const { stdout, stderr } = spawnSync(node, [script, site.data, site.root], { encoding: 'utf8' });
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim());
    assert.deepEqual(told, ['taken day.ndjson taken', 'taken private.ndjson refused unreadable'], stderr);
    const moved = readdirSync(site.root, { recursive: true })
      .map(String)
      .filter((path) => /\.(nd)?json$/.test(path));
    assert.deepEqual(moved.toSorted(), [
      'archive/ACM/orders/day.ndjson',
      'archive/ACM/orders/day.ndjson.ack.json',
      'error/ACM/orders/private.ndjson',
      'error/ACM/orders/private.ndjson.reason.json',
    ]);
    const store = await openStore({ dataDir: site.data, databaseUrl: null }, definitions);
    t.after(() => store.close());
    assert.deepEqual(
      (await readAll(store, orders)).map(({ orderUniqueID }) => orderUniqueID),
      ['A'],
    );
  });
});

/**
 * The folders and the sshd of the page. Users of any system stand for those that it makes: `daemon` for the warehouse
 * system, `nobody` with its group for the user who runs the server.
 */
async function stateOf(t: TestContext) {
  // All folders above belong to root alone, as sshd wants it: those for temporary files do not.
  const base = mkdtempSync('/run/logistics-sftp-');
  t.after(() => rmSync(base, { recursive: true, force: true }));
  await chmod(base, 0o755);
  const [root, data, local] = [join(base, 'feeds'), join(base, 'data'), join(base, 'local')];
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  await mkdir(local);
  for (const [name, id] of [
    ['day', 'A'],
    ['private', 'B'],
  ] as const)
    writeFileSync(join(local, `${name}.ndjson`), order(id), { mode: 0o644 });
  for (const line of docs.match(/^install -d .*\/srv\/feeds.*$/gm) ?? assert.fail('the page makes no folders'))
    execFileSync('sh', ['-c', here(line, root)]);
  const store = await openStore({ dataDir: data, databaseUrl: null }, definitions);
  await store.activities.add('ACM', 'Acme Home');
  await store.close();
  for (const name of ['', ...readdirSync(data)]) chownSync(join(data, name), 65534, 65534);
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(base, name)]);
  await mkdir(join(base, 'keys'));
  writeFileSync(join(base, 'keys/daemon'), readFileSync(join(base, 'user.pub')));
  const [, block] = /```\n# \/etc\/ssh\/sshd_config\.d\/feeds\.conf\n([\s\S]+?)```/.exec(docs) ?? [];
  assert.ok(block);
  const own = [`HostKey ${base}/host`, 'PidFile none', 'UsePAM no', `AuthorizedKeysFile ${base}/keys/%u`];
  // As distributions have it in their own file.
  own.push('Subsystem sftp internal-sftp');
  writeFileSync(join(base, 'sshd.conf'), `${own.join('\n')}\n${here(block, root)}`);
  const known = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
  const options = [...known, `ProxyCommand=${sshd} -i -f ${base}/sshd.conf`].flatMap((each) => ['-o', each]);
  const send = (lines: readonly string[]): string =>
    sftp(lines, ['-i', join(base, 'user'), ...options, 'daemon@warehouse'], local);
  return { root, data, local, send };
}

/** A text of the page for the folders and users of this test. */
function here(text: string, root: string): string {
  return text
    .replaceAll('/srv/feeds', root)
    .replaceAll('%u', 'ACM')
    .replaceAll(/-o ACM\b/g, '-o daemon')
    .replaceAll(/-o logistics\b/g, '-o nobody')
    .replaceAll(/-g logistics\b/g, '-g nogroup')
    .replaceAll('Match Group feeds', 'Match Group daemon');
}

/** Runs a batch. @returns what was printed @throws where a line without a hyphen before it fails */
function sftp(lines: readonly string[], options: readonly string[], folder: string): string {
  const { status, stdout, stderr } = spawnSync('sftp', ['-b', '-', ...options], {
    ...{ cwd: folder, input: `${lines.join('\n')}\n`, encoding: 'utf8', timeout: 900_000 },
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout + stderr;
}
