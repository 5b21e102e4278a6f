// The example of each carrier's page: typed as it stands there, with secrets on standard input, it adds an account that
// can do all that the carrier does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
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

describe('the example of each carrier', () => {
  for (const name of carrierNames.filter((one) => one !== 'sandbox')) {
    it(`adds an account of ${name} that lacks nothing`, async (t) => {
      const page = readFileSync(new URL(`../../docs/carriers/${name}.md`, import.meta.url), 'utf8');
      const [, line = ''] = /```sh\n\.\/logistics-connect (carrier-account add [^`]+)\n```/.exec(page) ?? [];
      const place = { folder: temporaryFolder(t) };
      await succeed(place, 'activity', 'add', 'ACM', 'ACM');
      const { settings } = (await loadCarrier(name)) ?? assert.fail();
      const secrets = settings.filter(({ secret }) => secret === true).map((setting) => [setting.name, 's3cret']);
      await succeed({ ...place, stdin: JSON.stringify(Object.fromEntries(secrets)) }, ...wordsOf(line));
      const [{ carrier, lacks }] = await json<[Added]>(place, 'carrier-account', 'list');
      assert.deepEqual([carrier, lacks], [name, { labels: null, tracking: null }]);
    });
  }
});
