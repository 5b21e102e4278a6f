// The journeys that ARCHITECTURE.md lists: no longer than it says, and each file is called by one before it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Journey {
  readonly name: string;
  readonly most: number;
  /** From `src/` on. */
  readonly files: readonly string[];
}

const journeys: readonly Journey[] = [
  ...textOf('ARCHITECTURE.md').matchAll(/^\| (list|write|label|import) \| (\d+) \| (.*) \|$/gm),
].map(([, name = '', most = '', files = '']) => ({
  name,
  most: Number(most),
  files: [...files.matchAll(/`([^`]+)`/g)].map(([, path]) => `src/${path}`),
}));

/** What a file imports to call it: types alone tie nobody to the way. */
function calledBy(path: string): readonly string[] {
  const imports = textOf(path).matchAll(/^import (?!type )(?:[^;]*?) from '(\.[^']+)';/gms);
  return [...imports].map(([, target = '']) => fileURLToPath(new URL(target, new URL(path, root))));
}

describe('the journeys of ARCHITECTURE.md', () => {
  it('are the four that have a bound', () => {
    assert.deepEqual(
      journeys.map(({ name, most }) => [name, most]),
      [
        ['list', 5],
        ['write', 10],
        ['label', 10],
        ['import', 8],
      ],
    );
  });

  for (const { name, most, files } of journeys) {
    it(`${name}: at most ${most} files, each called by one before it, or part of the Store`, () => {
      assert.ok(files.length <= most, `${files.length}`);
      const store = [...calledBy('src/store/open.ts'), ...calledBy('src/store/records.ts')];
      for (const [index, file] of files.entries()) {
        const whole = fileURLToPath(new URL(file, root));
        assert.ok(existsSync(whole), file);
        if (index === 0) continue;
        const callers = files.slice(0, index).filter((caller) => calledBy(caller).includes(whole));
        assert.ok(callers.length > 0 || store.includes(whole), `${file} is called by none before it`);
      }
    });
  }
});
