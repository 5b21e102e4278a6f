// Version and commit of the program, wherever its source came from.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { commitOf, programVersion, versionText } from '../../src/config/program-version.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const short = '0123456789ab';

function folderWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'version-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('the commit', () => {
  const main = 'ref: refs/heads/main\n';
  for (const [name, files, expected] of [
    ['of a folder without git', {}, null],
    ['of an archive', { 'commit.txt': `${commit}\n` }, short],
    [
      'of a checkout, whose file nobody filled in',
      { 'commit.txt': '$Format:%H$\n', '.git/HEAD': `${commit}\n` },
      short,
    ],
    ['of a branch', { '.git/HEAD': main, '.git/refs/heads/main': `${commit}\n` }, short],
    ['of a packed branch', { '.git/HEAD': main, '.git/packed-refs': `# x\n${commit} refs/heads/main\n` }, short],
    ['of a branch without commits', { '.git/HEAD': main }, null],
    [
      'of a worktree',
      {
        '.git': 'gitdir: there/worktrees/one\n',
        'there/worktrees/one/HEAD': main,
        'there/worktrees/one/commondir': '../..\n',
        'there/refs/heads/main': `${commit}\n`,
      },
      short,
    ],
    ['of a worktree that is gone', { '.git': 'gitdir: nowhere\n' }, null],
    ['of what is no commit', { '.git/HEAD': 'x'.repeat(40) }, null],
    ['of a branch outside of the folder', { '.git/HEAD': 'ref: refs/../../x\n', x: commit }, null],
  ] as const)
    it(name, (t) => {
      assert.equal(commitOf(folderWith(t, files)), expected);
    });
});

it('is told with the version', () => {
  assert.equal(programVersion.commit, commitOf(join(import.meta.dirname, '../..')));
  assert.match(programVersion.version, /^\d+\.\d+\.\d+$/);
  assert.equal(versionText({ version: '1.2.3', commit: short }), `1.2.3 (commit ${short})`);
  assert.equal(versionText({ version: '1.2.3', commit: null }), '1.2.3');
});
