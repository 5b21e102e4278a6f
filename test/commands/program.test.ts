// The command line as such: wrong usage, help, and the way in which failures are told.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settings } from '../../src/config/settings.ts';
import { resources } from '../../src/resources/index.ts';
import { root, run, temporaryFolder } from './fixture.ts';

/** Every command that does something, as the help tells it: `activity add`, `serve`, … */
async function leavesBelow(group: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run({ folder: tmpdir() }, ...group, '--help');
  const listed = stdout.includes('\nCommands:')
    ? [...stdout.slice(stdout.indexOf('\nCommands:')).matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) =>
        name === undefined || name === 'help' ? [] : [name],
      )
    : [];
  if (listed.length === 0) return [group.join(' ')];
  return (await Promise.all(listed.map((name) => leavesBelow([...group, name])))).flat();
}

const leaves = await leavesBelow([]);

describe('wrong usage', () => {
  const cases: readonly (readonly [line: readonly string[], said: RegExp])[] = [
    [['activty'], /Unknown command 'activty' \(Did you mean activity\?\) See: \.\/logistics-connect --help/],
    [['activity', 'lst'], /Unknown command 'lst' \(Did you mean list\?\) See: \.\/logistics-connect activity --help/],
    [['activity', 'add'], /Missing required argument 'code'\. See: \.\/logistics-connect activity add --help/],
    [['activity', 'add', 'ACM'], /Missing required argument 'name'/],
    [['activity', 'add', 'ACM', 'Acme', 'Home'], /Too many arguments/],
    [['client', 'add', 'Shop', '--activity', 'ACM'], /Required option '--redirect <uri\.\.\.>' not specified/],
    [
      ['client', 'add', 'Shop', '--redirect', 'https://shop.example/cb'],
      /Required option '--activity <code\.\.\.>' not specified/,
    ],
    [['client', 'add', 'Shop', '--redirect'], /argument missing/],
    [['user', 'add', 'mia', '--password', 'x'], /Unknown option '--password'/],
    [['token', '--user', 'mia'], /Required option '--client <id>' not specified/],
    [['import', 'articles', '-'], /Required option '--activity <code>' not specified/],
    [['import', 'article', '-', '--activity', 'ACM'], /There is no resource "article"; there are articles, stock, /],
    [
      ['export', '--activity', 'ACM', '--to', 'copy', '--activity', 'BLU'],
      /Option '--activity <code>' is there twice, as "ACM" and as "BLU"\. See: \.\/logistics-connect export --help/,
    ],
    [['activity', 'change', 'ACM', '--retention', 'orders=9', '--retention=movements=5'], /is there twice/],
    [['--config', 'a.env', 'audit', '--config', 'b.env'], /Option '--config <file>' is there twice/],
    [
      ['carrier-account', 'add', '--set', 'language=fr_FR', 'speed=1', '--set', 'language=en_GB'],
      /Option '--set <name=value\.\.\.>' has language twice, with different values\./,
    ],
    [
      ['carrier-account', 'add', '--sender', 'expZip=59810', 'expZip=75009'],
      /Option '--sender <field=value\.\.\.>' has expZip twice/,
    ],
    [
      ['carrier-account', 'points', '--near', 'destZip=59810', '--near', 'destZip=75009'],
      /Option '--near <field=value\.\.\.>' has destZip twice/,
    ],
    [
      ['feed', 'withdraw', 'orders', '--activity', 'ACM', '--key', 'orderUniqueID=A', '--key', 'orderUniqueID=B'],
      /--key has orderUniqueID twice, with different values/,
    ],
    [
      ['feed', 'lineage', 'orders', 'orderUniqueID=A', 'orderUniqueID=B', '--activity', 'ACM'],
      /The property orderUniqueID is there twice/,
    ],
    [['serve', '--dmo'], /Unknown option '--dmo' \(Did you mean --demo\?\)/],
  ];
  for (const [line, said] of cases) {
    it(`${line.join(' ')}: exit code 2, one line, nothing on standard output`, async (t) => {
      const { code, stdout, stderr } = await run({ folder: temporaryFolder(t) }, ...line);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, said);
      assert.match(stderr, /^logistics-connect: [^\n]+\n$/);
    });
  }

  it('shows the help on standard error when a word is missing', async (t) => {
    for (const line of [[], ['activity'], ['client'], ['user'], ['key'], ['outbox'], ['carrier-account']]) {
      const { code, stdout, stderr } = await run({ folder: temporaryFolder(t) }, ...line);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, /^Usage: logistics-connect/);
    }
  });

  it('is told as JSON with --json', async (t) => {
    const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'activity', 'lst', '--json');
    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(stderr), {
      error: {
        message: "Unknown command 'lst' (Did you mean list?)",
        remedy: 'See: ./logistics-connect activity --help',
      },
    });
  });
});

describe('failures', () => {
  it('names every wrong setting in one line', async (t) => {
    const { code, stdout, stderr } = await run(
      { folder: temporaryFolder(t), variables: { PORT: '80a', LOG_LEVEL: 'loud' } },
      'activity',
      'list',
    );
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^logistics-connect: .*PORT must be a whole number .*LOG_LEVEL must be one of [^\n]*\n$/);
  });

  it('does not make a database for a mistyped folder', async (t) => {
    const folder = temporaryFolder(t);
    for (const line of [
      ['activity', 'list'],
      ['client', 'list'],
      ['user', 'list'],
      ['user', 'disable', 'mia'],
      ['token', '--client', 'a', '--user', 'b'],
      ['import', 'articles', '-', '--activity', 'ACM'],
      ['key', 'add', 'WMS', '--all'],
      ['outbox', 'export', '--to', '.'],
      ['carrier-account', 'list'],
      ['audit'],
    ]) {
      const { code, stderr } = await run({ folder, variables: { DATA_DIR: 'dta' } }, ...line);
      assert.equal(code, 1, line.join(' '));
      assert.match(stderr, /^logistics-connect: There is no database in .*dta\. Set DATA_DIR .*\n$/);
    }
  });

  it('tells a file that is no database in one line', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(
      join(folder, 'logistics-connect.db'),
      'no database at all, but long enough to be looked at '.repeat(100),
    );
    const { code, stderr } = await run({ folder, variables: { DATA_DIR: '.' } }, 'activity', 'list', '--json');
    assert.equal(code, 1);
    assert.match(JSON.parse(stderr).error.message, /cannot be opened: file is not a database/);
    assert.match(JSON.parse(stderr).error.remedy, /DATA_DIR/);
  });

  it('shows no stack, except with LOG_LEVEL=debug', async (t) => {
    const folder = temporaryFolder(t);
    assert.doesNotMatch((await run({ folder }, 'activity', 'list')).stderr, /\n\s+at /);
    assert.match((await run({ folder, variables: { LOG_LEVEL: 'debug' } }, 'activity', 'list')).stderr, /\n\s+at /);
  });

  it('tells a PostgreSQL server that is away, without the password', async (t) => {
    const variables = { DATABASE_URL: 'postgres://lc:s3cret@127.0.0.1:9/lc' };
    const { code, stdout, stderr } = await run({ folder: temporaryFolder(t), variables }, 'activity', 'list');
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^logistics-connect: The database at [^\n]* does not answer[^\n]*\n$/);
    assert.doesNotMatch(stderr, /s3cret/);
  });
});

describe('help', () => {
  for (const leaf of leaves) {
    it(`${leaf} --help: examples, exit codes, settings, --json; standard output, exit code 0`, async (t) => {
      const { code, stdout, stderr } = await run(
        { folder: temporaryFolder(t), variables: { PORT: 'wrong' } },
        ...leaf.split(' '),
        '--help',
      );
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, new RegExp(`^Usage: logistics-connect ${leaf} \\[options\\]`));
      assert.match(stdout, new RegExp(`\nExamples:\n(  .*\n)*  .*\\./logistics-connect ${leaf}`));
      assert.match(stdout, /\nExit codes:\n {2}0 +done\n {2}1 .+\n {2}2 +the command line is wrong\n/);
      // Those need no database, nor anything else of a server.
      if (leaf !== 'feed try' && leaf !== 'carrier list')
        assert.match(
          stdout,
          /\nSettings \(environment variables, or in the file of --config\):\n(.*\n)* {2}[A-Z_]+ +[A-Z]/,
        );
      // What is written for programs already has no other form for them.
      const isCsv = /^(?:activity|client|key|user) export$/.test(leaf);
      assert.match(stdout, isCsv ? / CSV/ : leaf === 'reconcile' ? / --format / : / --json /);
    });
  }

  it('lists every command', () => {
    for (const command of [
      'serve',
      'activity add',
      'activity list',
      'client add',
      'client list',
      'client disable',
      'user add',
      'user list',
      'user disable',
      'user enable',
      'user password',
      'key add',
      'key list',
      'key revoke',
      'token',
      'import',
      'outbox list',
      'outbox forget',
      'outbox export',
      'carrier-account add',
      'carrier-account list',
      'carrier-account test',
      'carrier-account remove',
      'carrier-standin',
      'label list',
      'label settle',
      'audit',
      'restored',
      'migrate',
      'doctor',
    ]) {
      assert.ok(leaves.includes(command), command);
    }
  });

  it('explains every setting at `serve` and `doctor`', async (t) => {
    for (const command of ['serve', 'doctor']) {
      const { stdout } = await run({ folder: temporaryFolder(t) }, command, '--help');
      for (const { name } of Object.values(settings)) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
    }
  });

  it('names every resource at `import`, and the exit codes of its own', async (t) => {
    const { stdout } = await run({ folder: temporaryFolder(t) }, 'import', '--help');
    for (const { name } of resources) assert.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(`\\b${name}\\b`));
    assert.match(stdout, /\n {2}3 +done, but lines were refused\n {2}130 +interrupted/);
  });

  it('gives the version', async (t) => {
    const { code, stdout } = await run({ folder: temporaryFolder(t) }, '--version');
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}\))?\n$/);
  });

  it('is the same by the command `help` as by the option', async (t) => {
    const folder = temporaryFolder(t);
    for (const words of [['user'], ['user', 'add'], ['--config', 'none.env', 'carrier-account', 'add']]) {
      const at = words[0] === '--config' ? 2 : 0;
      const asked = await run({ folder }, ...words.slice(0, at), 'help', ...words.slice(at));
      assert.deepEqual(asked, await run({ folder }, ...words, '--help'));
      assert.match(asked.stdout, new RegExp(`^Usage: logistics-connect ${words.slice(at).join(' ')} `));
    }
    assert.deepEqual(await run({ folder }, 'user', 'help', 'add'), await run({ folder }, 'user', 'add', '--help'));
  });

  it('of a command that there is not says so, as the command itself does', async (t) => {
    const folder = temporaryFolder(t);
    for (const words of [['usr'], ['user', 'ad'], ['user', 'nosuch'], ['--config', 'none.env', 'user', 'ad']]) {
      const at = words[0] === '--config' ? 2 : 0;
      const told = await run({ folder }, ...words);
      assert.equal(told.code, 2);
      assert.match(told.stderr, /^logistics-connect: Unknown command '(usr|ad|nosuch)'/);
      for (const asking of [
        [...words.slice(0, at), 'help', ...words.slice(at)],
        [...words.slice(0, -1), 'help', ...words.slice(-1)],
        [...words, '--help'],
        [...words, '-h'],
      ])
        assert.deepEqual(await run({ folder }, ...asking), told, asking.join(' '));
    }
  });

  it('loads no other commands, and none for the version', () => {
    // Writes which commands were loaded, after what the program writes.
    const hook = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({
        load(url, context, next) {
          if (/\\/src\\/commands\\/(serve|activity|user|doctor)\\.ts$/.test(url)) loaded.push(url.split('/').at(-1));
          return next(url, context);
        },
      });
      process.on('exit', () => console.error(JSON.stringify(loaded)));
    `;
    const loadedBy = (...words: readonly string[]): unknown => {
      const hooked = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, join(root, 'src/main.ts')];
      const { stderr } = spawnSync(process.execPath, [...hooked, ...words], { encoding: 'utf8' });
      return JSON.parse(stderr);
    };
    for (const words of [['--version'], ['-V'], ['--config', 'none.env', '-V']])
      assert.deepEqual(loadedBy(...words), []);
    for (const words of [
      ['user', '--help'],
      ['help', 'user', 'add'],
    ])
      assert.deepEqual(loadedBy(...words), ['user.ts']);
  });
});
