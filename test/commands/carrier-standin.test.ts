// Simulators of carriers on the command line: every one starts, and the line that it prints connects an account to it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { loadCarrier } from '../../src/carriers/index.ts';
import { simulatorNames, startSimulator } from '../../simulators/index.ts';
import { json, type Place, root, run, runProgram, start, succeed, temporaryFolder } from './fixture.ts';
import { joined } from '../contract/joined.ts';

interface Started {
  readonly carrier: string;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly connect: string;
}

/** A command that is asked to stop as soon as it serves. */
const stopping = (place: Place): Place => ({ ...place, signal: AbortSignal.abort() });

async function placeWithActivity(t: TestContext): Promise<Place & { readonly folder: string }> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  return place;
}

it('the help of carrier-standin names every simulator', async (t) => {
  const { stdout } = await run({ folder: temporaryFolder(t) }, 'carrier-standin', '--help');
  const [, names = ''] = /^Arguments:\n {2}carrier(.*?)\n\n/ms.exec(stdout) ?? [];
  assert.deepEqual(names.trim().split(/,\s+|\s+or\s+/), simulatorNames);
});

describe('carrier-standin does not start', () => {
  for (const port of ['-1', '65536', '4080x', '1e3', '']) {
    it(`on port "${port}"`, async (t) => {
      const { code, stdout, stderr } = await run(
        { folder: temporaryFolder(t) },
        'carrier-standin',
        'dpd',
        `--port=${port}`,
      );
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        /--port must be a whole number from 0 to 65535\. See: \.\/logistics-connect carrier-standin --help/,
      );
    });
  }

  it('for a carrier that nobody knows', async (t) => {
    for (const name of ['dpdd', 'constructor', '../dpd']) {
      const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'carrier-standin', name);
      assert.equal(code, 1);
      assert.match(stderr, /There is no simulator for /);
      assert.ok(stderr.includes(`Known are ${simulatorNames.join(', ')}.`), stderr);
    }
  });

  it('for the sandbox, which needs none', async (t) => {
    const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'carrier-standin', 'sandbox');
    assert.equal(code, 1);
    assert.match(stderr, /The sandbox asks nobody, so it needs no simulator\. Connect it with: /);
  });

  it('on a port that is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const address = other.address();
    assert.ok(address !== null && typeof address === 'object');
    const { code, stdout, stderr } = await run(
      { folder: temporaryFolder(t) },
      'carrier-standin',
      'dpd',
      '--port',
      String(address.port),
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`Port ${address.port} is in use\\. Choose another one with --port`));
  });
});

describe('carrier-standin', () => {
  for (const name of simulatorNames) {
    it(`${name}: listens where it is told to, for a carrier that there is`, async (t) => {
      const free = (await startSimulator(name, 0)) ?? assert.fail();
      await free.close();
      const { port } = new URL(free.url);
      const simulator = (await startSimulator(name, Number(port))) ?? assert.fail();
      t.after(() => simulator.close());
      assert.equal(simulator.url, `http://127.0.0.1:${port}`);
      const carrier = (await loadCarrier(name)) ?? assert.fail();
      assert.deepEqual(
        Object.keys(simulator.settings).filter((setting) => !carrier.settings.some((each) => each.name === setting)),
        [],
      );
      await assert.rejects(startSimulator(name, Number(port)), { code: 'EADDRINUSE' });
    });

    it(`${name}: its settings make an account`, async (t) => {
      const place = await placeWithActivity(t);
      const { settings, connect } = await json<Started>(stopping(place), 'carrier-standin', name);
      const secrets =
        (await loadCarrier(name))?.settings.filter(({ secret }) => secret === true).map((setting) => setting.name) ??
        [];
      const [pipe = '', line = ''] = connect.split(' | ');
      for (const secret of secrets)
        assert.ok(
          !line.includes(`${secret}=`) &&
            ((settings[secret] ?? '') === '' || pipe.includes(JSON.stringify(settings[secret]))),
          secret,
        );
      const told = Object.entries(settings)
        .filter(([setting, value]) => value !== '' && !secrets.includes(setting))
        .flatMap(([setting, value]) => ['--set', `${setting}=${value}`]);
      const stdin = JSON.stringify(
        Object.fromEntries(Object.entries(settings).filter(([setting]) => secrets.includes(setting))),
      );
      await succeed(
        { ...place, stdin },
        'carrier-account',
        'add',
        '--context',
        'standin',
        '--carrier',
        name,
        '--activity',
        'ACM',
        ...told,
      );
    });
  }

  it('names in its help the carriers that it has', async (t) => {
    const help = (await run({ folder: temporaryFolder(t) }, 'carrier-standin', '--help')).stdout.replaceAll(
      /\s+/g,
      ' ',
    );
    assert.ok(help.includes(`${simulatorNames.slice(0, -1).join(', ')} or ${simulatorNames.at(-1)}`));
  });

  it('tells what it is and where to read on', async (t) => {
    const lines = (
      await succeed(
        stopping({ folder: temporaryFolder(t) }),
        'carrier-standin',
        'dpd',
        '--context',
        'paris',
        '--activity',
        'BIO',
      )
    ).split('\n');
    assert.match(lines[0] ?? '', /^Simulator of DPD France: http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(lines[1] ?? '', /^It makes labels that nobody can ship with/);
    assert.match(lines[2] ?? '', /context paris of BIO/);
    assert.match(
      lines[3] ?? '',
      joined(
        /^printf '%s' '\{"password":"[^"]+"\}' \| \.\/logistics-connect carrier-account add /,
        /--context paris --carrier dpd --activity BIO --set userId=/,
      ),
    );
    assert.match(lines[4] ?? '', /docs\/carriers\/dpd\.md$/);
    const [, without = ''] = (
      await succeed(stopping({ folder: temporaryFolder(t) }), 'carrier-standin', 'laposte')
    ).split('\n');
    assert.match(without, /^It knows a parcel in each state/, 'La Poste makes no labels');
  });

  it('keeps a shell from taking words apart', async (t) => {
    const lines = (
      await succeed(
        stopping({ folder: temporaryFolder(t) }),
        'carrier-standin',
        'dpd',
        '--context',
        "it's",
        '--activity',
        '$(id)',
      )
    ).split('\n');
    assert.ok((lines[3] ?? '').includes(`--context 'it'\\''s' --carrier dpd --activity '$(id)'`));
  });

  it('runs until it is stopped, and an account that its line connects works', async (t) => {
    const place = await placeWithActivity(t);
    const child = start(t, place, 'carrier-standin', 'chronopost');
    const [, connect = ''] = /\n(printf .+)\n/.exec(await child.seen('docs/carriers/chronopost.md')) ?? assert.fail();
    const variables = { DATA_DIR: `${place.folder}/data` };
    const shell = await runProgram(t, { folder: root, variables, program: '/bin/sh' }, '-c', connect);
    assert.equal(shell.code, 0, shell.stderr);
    assert.match(
      await succeed(place, 'carrier-account', 'test', '--context', 'standin', '--carrier', 'chronopost'),
      /^Chronopost accepts/,
    );
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 0);
    assert.match(
      (await run(place, 'carrier-account', 'test', '--context', 'standin', '--carrier', 'chronopost')).stderr,
      /cannot be reached/,
    );
  });
});
