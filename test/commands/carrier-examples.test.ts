// The example of each carrier's page: typed as it stands there, with secrets on standard input, it adds an account that
// can do all that the carrier does, and that works once its addresses and secrets are those of the carrier's simulator,
// where it says what the page shows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startSimulator } from '../../simulators/index.ts';
import { carrierNames, loadCarrier } from '../../src/carriers/index.ts';
import { json, succeed, temporaryFolder } from './fixture.ts';

interface Added {
  readonly carrier: string;
  readonly lacks: unknown;
}

/** The words of a line of a shell, with its line ends and double quotes. */
function wordsOf(line: string): readonly string[] {
  const text = line.replaceAll('\\\n', ' ');
  return [...text.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
}

function pageOf(name: string): string {
  return readFileSync(new URL(`../../docs/carriers/${name}.md`, import.meta.url), 'utf8');
}

/** The first example of adding an account on a carrier's page. */
function exampleOf(name: string): string {
  const [, line = ''] = /```sh\n\.\/logistics-connect (carrier-account add [^`]+)\n```/.exec(pageOf(name)) ?? [];
  return line;
}

describe('the example of each carrier', () => {
  for (const name of carrierNames) {
    it(`adds an account of ${name} that lacks nothing`, async (t) => {
      const line = exampleOf(name);
      const place = { folder: temporaryFolder(t) };
      await succeed(place, 'activity', 'add', 'ACM', 'ACM');
      const { settings } = (await loadCarrier(name)) ?? assert.fail();
      const secrets = settings.filter(({ secret }) => secret === true).map((setting) => [setting.name, 's3cret']);
      await succeed({ ...place, stdin: JSON.stringify(Object.fromEntries(secrets)) }, ...wordsOf(line));
      const [{ carrier, lacks }] = await json<[Added]>(place, 'carrier-account', 'list');
      assert.deepEqual([carrier, lacks], [name, { labels: null, tracking: null }]);
    });

    it(`of ${name} works where its addresses and secrets are those of the simulator`, async (t) => {
      const line = exampleOf(name);
      // The sandbox asks nobody, so that it has no simulator.
      const simulator = await startSimulator(name, 0);
      t.after(() => simulator?.close());
      const place = { folder: temporaryFolder(t) };
      await succeed(place, 'activity', 'add', 'ACM', 'ACM');
      const { settings } = (await loadCarrier(name)) ?? assert.fail();
      const isSecret = (given: string) => settings.some((setting) => setting.name === given && setting.secret === true);
      const own = Object.entries(simulator?.settings ?? {});
      const told = own.filter(([given]) => !isSecret(given)).map(([given, value]) => `${given}=${value}`);
      const words = wordsOf(line).filter((word) => !own.some(([given]) => word.startsWith(`${given}=`)));
      const all = told.length === 0 ? words : [...words, ...(words.at(-1) === '--set' ? told : ['--set', ...told])];
      const stdin = JSON.stringify(Object.fromEntries(own.filter(([given]) => isSecret(given))));
      const added = await succeed(
        { ...place, stdin },
        ...all.filter((word, at) => word !== '--set' || all[at + 1]?.includes('=')),
      );
      const [context = ''] = /(?<=--context )\S+/.exec(line) ?? [];
      const tested = await succeed(place, 'carrier-account', 'test', '--context', context, '--carrier', name);
      const shown = /\n```text\n(Context [^`]+)```/.exec(pageOf(name))?.[1] ?? '';
      assert.equal(shown, `${added}${tested}`, 'what the page shows is what the commands say');
    });
  }
});
