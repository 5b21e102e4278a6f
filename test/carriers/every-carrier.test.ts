// Every carrier of the program has what a carrier must have: tests with the contract suites, a simulator, a page, a
// name of its own.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isSupported } from '../../src/carriers/desk.ts';
import { defaultHostLimits } from '../../src/carriers/host.ts';
import { carrierNames, declaringCarriers, loadCarrier } from '../../src/carriers/index.ts';
import { simulatorNames } from '../../simulators/index.ts';
import { faultWords } from '../../simulators/server.ts';

const list = readFileSync(new URL('../../docs/carriers/README.md', import.meta.url), 'utf8');

/** The text of all tests of a carrier. */
function testsOf(name: string): string {
  const folder = new URL(`${name}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n');
}

for (const name of carrierNames) {
  describe(`the carrier ${name}`, () => {
    it('goes by the name in the list', async () => assert.equal((await loadCarrier(name))?.name, name));

    it('is tried with the suite that every carrier must pass', () =>
      assert.match(testsOf(name), /^carrierContract\(/m));

    it('is tried over a socket with its simulator; the sandbox asks nobody', () => {
      assert.deepEqual(
        [simulatorNames.includes(name), /^simulatorContract\(/m.test(testsOf(name))],
        name === 'sandbox' ? [false, false] : [true, true],
      );
    });

    it('is tried with labels to the points that it gives', async () => {
      const carrier = await loadCarrier(name);
      if (name !== 'sandbox' && carrier !== null && isSupported(carrier.desk.findPoints))
        assert.match(testsOf(name), /pointRequest: /);
    });

    it('has a page, and a row that says what it can do', async () => {
      assert.ok(existsSync(new URL(`../../docs/carriers/${name}.md`, import.meta.url)));
      const carrier = await loadCarrier(name);
      const [, , labels = '', again = '', tracking = ''] = (
        list.split('\n').find((line) => line.startsWith(`| [\`${name}\`](${name}.md)`)) ?? ''
      )
        .split('|')
        .map((cell) => cell.trim());
      const outputs = Object.keys(carrier?.outputs ?? {})
        .map((output) => `\`${output}\``)
        .join(', ');
      assert.deepEqual(
        [labels, again.split(',')[0], tracking.split(',')[0]],
        [
          outputs === '' ? 'no' : outputs,
          carrier?.fetchLabel === null ? 'no' : 'yes',
          carrier?.track === null ? 'no' : 'yes',
        ],
      );
    });
  });
}

it('the carriers that declare goods are those with rules for customs', async () => {
  const carriers = await Promise.all(carrierNames.map(loadCarrier));
  const declaring = carriers.filter((carrier) => carrier?.customs !== undefined).map((carrier) => carrier?.name);
  assert.deepEqual(declaring.toSorted(), declaringCarriers.toSorted());
});

it('every folder with a carrier has a line in the list', () => {
  const folder = new URL('../../src/carriers/', import.meta.url);
  const carriers = readdirSync(folder).filter((name) =>
    [`${name}.ts`, 'index.ts'].some((file) => existsSync(new URL(`${name}/${file}`, folder))),
  );
  assert.deepEqual(carriers.toSorted(), carrierNames.toSorted());
});

it('a carrier that is not in the list is none, whatever its name', async () => {
  for (const name of ['', 'constructor', '__proto__', 'SANDBOX', 'index'])
    assert.equal(await loadCarrier(name), null, name);
});

it('the list of carriers has the words that make a simulator fail, and no others', () => {
  const listed = [...list.matchAll(/^\| `(FAULT\w+)` \|/gm)].map(([, word]) => word);
  assert.deepEqual(listed, Object.keys(faultWords));
});

it('the list of carriers names the limits that the host has', () => {
  const { callTimeoutMs, exchangeTimeoutMs, maxAnswerBytes } = defaultHostLimits;
  assert.ok(
    list.includes(
      `take ${callTimeoutMs / 1000} seconds, all calls for one label or one question ${exchangeTimeoutMs / 1000}.`,
    ),
  );
  assert.ok(list.includes(`more than ${maxAnswerBytes / 1_048_576} MiB`));
});
