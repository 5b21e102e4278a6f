// The launcher: which Node it takes, and from where it may be started.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launcher, root, runProgram, start, succeed, temporaryFolder } from './fixture.ts';

/** A folder with a program `node` that claims to be another version and fails at everything else. */
function foreignNode(t: TestContext, version: string): string {
  const folder = temporaryFolder(t);
  const file = join(folder, 'node');
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1" = --version ] && { echo v${version}.1.0; exit 0; }\necho "the wrong node ran" >&2; exit 99\n`,
  );
  chmodSync(file, 0o755);
  return folder;
}

/** The launcher with what it looks for beside it, but without a Node. */
function copyWithout(t: TestContext, packages: boolean): string {
  const folder = temporaryFolder(t);
  cpSync(launcher, join(folder, 'logistics-connect'));
  cpSync(join(dirname(launcher), 'tools/node'), join(folder, 'tools/node'));
  if (packages) mkdirSync(join(folder, 'node_modules/fastify'), { recursive: true });
  return join(folder, 'logistics-connect');
}

describe('the launcher', () => {
  it('says what to do when packages are missing', async (t) => {
    const { code, stderr } = await runProgram(
      t,
      { folder: temporaryFolder(t), program: copyWithout(t, false), path: `${foreignNode(t, '24')}:/usr/bin:/bin` },
      '--version',
    );
    assert.equal(code, 1);
    assert.match(stderr, /^logistics-connect: the program's packages are missing: run 'npm ci' in .*\n$/);
  });

  it('refuses an old Node when it finds no other', async (t) => {
    const { code, stderr } = await runProgram(
      t,
      { folder: temporaryFolder(t), program: copyWithout(t, true), path: `${foreignNode(t, '20')}:/usr/bin:/bin` },
      '--version',
    );
    assert.equal(code, 1);
    assert.match(stderr, /^Node 24 is needed and was not found: run 'npm ci' in /);
  });

  it('finds the Node of a package that npm did not link', async (t) => {
    const program = copyWithout(t, true);
    const packaged = join(dirname(program), 'node_modules/node-some-platform/bin');
    mkdirSync(packaged, { recursive: true });
    symlinkSync(process.execPath, join(packaged, 'node'));
    const { code, stdout } = await runProgram(
      t,
      {
        folder: temporaryFolder(t),
        program: join(dirname(program), 'tools/node'),
        path: `${foreignNode(t, '20')}:/usr/bin:/bin`,
      },
      '-p',
      'process.version',
    );
    assert.deepEqual([code, stdout.trim()], [0, process.version]);
  });

  it('takes the Node that is installed beside it, whatever is on the PATH', async (t) => {
    for (const path of [`${foreignNode(t, '20')}:/usr/bin:/bin`, '/usr/bin:/bin']) {
      const { code, stdout, stderr } = await runProgram(
        t,
        { folder: temporaryFolder(t), program: launcher, path, variables: { PORT: '0' } },
        'doctor',
      );
      assert.equal(code, 0, stderr + stdout);
      assert.match(stdout, /^ok +node +Node 24\./);
    }
  });

  it('is what `npm start` ends when it is told to end, and nothing keeps the port', async (t) => {
    const folder = temporaryFolder(t);
    const variables = { PORT: '0', DATA_DIR: join(folder, 'data') };
    // Then the start fills no demonstration.
    await succeed({ folder, variables }, 'activity', 'add', 'OWN', 'Own');
    const npm = start(t, { folder, variables, program: 'npm' }, '--prefix', root, 'start');
    await npm.seen('Base URL:');
    npm.signal('SIGTERM');
    // Not before the server has closed its output too.
    await npm.ended;
  });

  it('gives what is new in memory little room: each thread would keep 100 MB more', async (t) => {
    // Three times 16 MB at most; it is seldom more than two.
    assert.ok((await mostNew(t, '')) <= 48 * 1024 * 1024);
  });

  it('and half as much in the threads that write', async (t) => {
    const limits = new URL('../../src/model/garbage-collection.ts', import.meta.url);
    const inThread = `
      import { isMainThread, Worker } from 'node:worker_threads';
      import { limitYoungMemoryOfThreads } from '${limits}';
      if (isMainThread) {
        limitYoungMemoryOfThreads();
        const thread = new Worker(new URL(import.meta.url), { execArgv: [], env: {} });
        await new Promise((resolve) => thread.once('exit', resolve));
      } else
    `;
    assert.ok((await mostNew(t, inThread)) <= 24 * 1024 * 1024);
  });

  it('works from another folder, which settings and files are relative to', async (t) => {
    const folder = temporaryFolder(t);
    const { code, stdout } = await runProgram(t, { folder, program: launcher }, 'activity', 'add', 'ACM', 'Acme');
    assert.equal(code, 0);
    assert.ok(stdout.includes(join(folder, 'data')));
  });

  it('works through symbolic links, also relative ones and links to links', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'bin'));
    symlinkSync(launcher, join(folder, 'bin/one'));
    symlinkSync('bin/one', join(folder, 'two'));
    for (const program of [join(folder, 'bin/one'), './two']) {
      const { code, stdout, stderr } = await runProgram(t, { folder, program }, '--version');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?\n$/);
    }
  });

  it('works when it is found on the PATH', async (t) => {
    const folder = temporaryFolder(t);
    symlinkSync(launcher, join(folder, 'logistics-connect'));
    const { code, stderr } = await runProgram(
      t,
      { folder, program: '/bin/sh', path: `${folder}:/usr/bin:/bin` },
      '-c',
      'logistics-connect --version',
    );
    assert.equal(code, 0, stderr);
  });

  it('works from a folder with blanks and quotes in its name', async (t) => {
    const folder = join(temporaryFolder(t), 'a "b" \'c\' $d');
    mkdirSync(folder);
    symlinkSync(root, join(folder, 'program'));
    const { code, stderr } = await runProgram(
      t,
      { folder, program: join(folder, 'program/logistics-connect') },
      'activity',
      'add',
      'ACM',
      'Acme',
    );
    assert.equal(code, 0, stderr);
  });
});

describe('the program', () => {
  it('is silent when its reader goes away', async (t) => {
    const folder = temporaryFolder(t);
    const { code, stdout, stderr } = await runProgram(
      t,
      { folder, program: '/bin/bash', variables: { PORT: '0' } },
      '-c',
      `"${launcher}" import --help | true; echo "\${PIPESTATUS[0]}"; "${launcher}" doctor | head -1 > /dev/null; ` +
        `echo "\${PIPESTATUS[0]}"`,
    );
    assert.equal(code, 0);
    assert.deepEqual([stdout, stderr], ['0\n0\n', '']);
  });

  it('passes exit codes on', async (t) => {
    const place = { folder: temporaryFolder(t), program: launcher };
    assert.equal((await runProgram(t, place, 'nothing')).code, 2);
    assert.equal((await runProgram(t, place, 'activity', 'list')).code, 1);
  });
});

/**
 * The most bytes that new objects had in a program while many of them lived on for a while.
 * @param where code before a block: where that block is run
 */
async function mostNew(t: TestContext, where: string): Promise<number> {
  const fill = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { writeSync } from 'node:fs';
    ${where} {
      let [kept, most] = [[], 0];
      for (let round = 0; round < 300; round += 1) {
        const made = Array.from({ length: 20_000 }, (_none, index) => ({ index, of: [index] }));
        kept = round % 4 === 0 ? [made] : [...kept, made];
        for (const { space_name, physical_space_size } of getHeapSpaceStatistics())
          if (space_name === 'new_space') most = Math.max(most, physical_space_size);
      }
      writeSync(2, String(most));
    }
  `;
  const folder = temporaryFolder(t);
  const file = join(folder, 'fill.mjs');
  writeFileSync(file, fill);
  const variables = { NODE_OPTIONS: `--import=${pathToFileURL(file)}` };
  const { stderr } = await runProgram(t, { folder, program: launcher, variables }, '--version');
  const most = Number(stderr);
  assert.ok(most > 0, stderr);
  return most;
}
