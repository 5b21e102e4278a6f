// The unit of systemd in deploy/, and what the guide says of it: systemd takes it, and it says what the program says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileVariable } from '../../src/config/secret-files.ts';
import { readSettingsFile } from '../../src/config/settings-file.ts';
import { settings } from '../../src/config/settings.ts';
import { root } from '../commands/fixture.ts';

const variables = Object.values(settings).flatMap((setting) => [setting.name, fileVariable(setting) ?? setting.name]);

function textOf(path: string): string {
  return readFileSync(join(root, 'deploy', path), 'utf8');
}

describe('the unit of systemd', () => {
  const unit = 'logistics-connect@8080.service';

  it('is taken by systemd, which finds it well shut in', {
    skip: spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not here',
  }, (t) => {
    const place = mkdtempSync(join(tmpdir(), 'unit-'));
    t.after(() => rmSync(place, { recursive: true }));
    const own = textOf('systemd/logistics-connect@.service').replaceAll(
      '/opt/logistics-connect/logistics-connect',
      '/bin/true',
    );
    writeFileSync(join(place, unit), own.replaceAll('%i', '8080'));
    // The drop-in is read with it. Its group is one that is here.
    mkdirSync(join(place, `${unit}.d`));
    const dropIn = textOf('systemd/feeds.conf').replace('=logistics', '=nogroup');
    writeFileSync(join(place, `${unit}.d/feeds.conf`), dropIn);
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', join(place, unit)], { encoding: 'utf8' });
    const about = verified.stderr.split('\n').filter((line) => line.includes(unit));
    assert.deepEqual([verified.status, about], [0, []], verified.stderr);
    const secured = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', join(place, unit)], {
      encoding: 'utf8',
    });
    assert.equal(secured.status, 0, secured.stdout + secured.stderr);
  });

  it('lets a server with the drop-in write to the folder of feeds that the guide makes, for its group', () => {
    const dropIn = new Map(
      [...textOf('systemd/feeds.conf').matchAll(/^(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    const [folder = '', group = '', umask = ''] = ['ReadWritePaths', 'SupplementaryGroups', 'UMask'].map((name) =>
      dropIn.get(name),
    );
    assert.ok(textOf('README.md').includes(`FEED_FOLDER=${folder}\``));
    const guide = readFileSync(join(root, 'docs/feeds.md'), 'utf8');
    assert.match(guide, new RegExp(`-g ${group} -m 2770 ${folder}/archive ${folder}/error`));
    assert.equal(Number.parseInt(umask, 8) & 0o070, 0);
    const unitFile = textOf('systemd/logistics-connect@.service');
    for (const kept of ['ProtectSystem=strict', 'StateDirectoryMode=0700']) assert.ok(unitFile.includes(`\n${kept}\n`));
  });

  it('runs at the ports to which the proxies forward and which Prometheus asks', () => {
    const started = /^systemctl enable --now (.+)$/m.exec(textOf('README.md'))?.[1] ?? '';
    const ports = [...started.matchAll(/@(\d+)/g)].map(([, port]) => port);
    assert.equal(ports.length, 2);
    for (const path of ['proxy/nginx.conf', 'proxy/Caddyfile', 'monitoring/prometheus.yml']) {
      const named = [...textOf(path).matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port);
      assert.deepEqual(named, ports, path);
    }
  });

  it('waits for a server only while it runs', () => {
    assert.match(
      textOf('systemd/logistics-connect@.service'),
      /^ExecStartPost=.* health --wait \d+ --while \$MAINPID$/m,
    );
  });

  it('leaves a worker that the system killed for want of memory to the server, which replaces it', () => {
    assert.match(textOf('systemd/logistics-connect@.service'), /^OOMPolicy=continue$/m);
  });

  it('shares its database with commands that use the settings file of the guide, and secrets with nobody', (t) => {
    const place = mkdtempSync(join(tmpdir(), 'guide-'));
    t.after(() => rmSync(place, { recursive: true }));
    const [, lines = ''] = /^(install -d -m 0700 .*?)^systemctl/ms.exec(textOf('README.md')) ?? [];
    const written = spawnSync('sh', ['-euc', lines.replaceAll('/etc/', `${place}/`)], { encoding: 'utf8' });
    assert.equal(written.status, 0, written.stderr);
    const modeOf = (name: string): number => statSync(join(place, name)).mode & 0o777;
    for (const name of ['secret_key', 'database_url']) assert.equal(modeOf(`logistics-connect/${name}`), 0o600, name);
    assert.ok((modeOf('logistics-connect.env') & 0o004) !== 0);
    const set = readSettingsFile(join(place, 'logistics-connect.env'));
    for (const name of Object.keys(set)) assert.ok(variables.includes(name), name);
    const [, dataDir] = / DATA_DIR=(\S+)/.exec(textOf('systemd/logistics-connect@.service')) ?? [];
    assert.equal(set.DATA_DIR, dataDir);
    for (const path of [set.SECRET_KEY_FILE, set.DATABASE_URL_FILE]) assert.ok(existsSync(path ?? ''), path);
  });

  it('sets what there is to set', () => {
    const names = [...textOf('systemd/logistics-connect@.service').matchAll(/^Environment=(.+)$/gm)]
      .flatMap(([, pairs = '']) => pairs.split(' '))
      .map((pair) => pair.split('=')[0] ?? '');
    for (const name of names) assert.ok(name === 'NODE_COMPILE_CACHE' || variables.includes(name), name);
  });
});
