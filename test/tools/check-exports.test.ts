// The check that whatever a file exports has a user elsewhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unusedExports } from '../../tools/check-exports.ts';

const exporting = ['export interface Mass {}', 'export async function weigh() {}', 'const own = 1;'].join('\n');

function findingsWith(user: string, path = 'test/model/mass.test.ts'): readonly string[] {
  return unusedExports(
    new Map([
      ['src/model/mass.ts', exporting],
      [path, user],
    ]),
  );
}

describe('exports without a user', () => {
  it('are found by name', () => {
    assert.deepEqual(findingsWith(''), [
      'src/model/mass.ts: nothing outside uses "Mass": do not export it',
      'src/model/mass.ts: nothing outside uses "weigh": do not export it',
    ]);
  });

  it('are those that no import names, on however many lines it stands', () => {
    const user = "import {\n  type Mass as Kilograms,\n  weigh,\n} from '../../src/model/mass.ts';";
    assert.deepEqual(findingsWith(user), []);
  });

  it('are not those of a file that is imported as a whole', () => {
    assert.deepEqual(findingsWith("import * as mass from '../../src/model/mass.ts';"), []);
  });

  it('are not those that a file names which imports them while running, or their type in place', () => {
    assert.deepEqual(findingsWith("const { weigh } = await import('../../src/model/mass.ts');"), [
      'src/model/mass.ts: nothing outside uses "Mass": do not export it',
    ]);
    assert.deepEqual(findingsWith("let weight: import('../../src/model/mass.ts').Mass;"), [
      'src/model/mass.ts: nothing outside uses "weigh": do not export it',
    ]);
  });

  it('are found in tests and tools as in src', () => {
    for (const path of ['test/store/scales.ts', 'tools/scales.ts', 'packages/console/src/scales.tsx'])
      assert.deepEqual(unusedExports(new Map([[path, 'export const scales = [];']])), [
        `${path}: nothing outside uses "scales": do not export it`,
      ]);
  });

  it('are found where another file of src imports a name like it from elsewhere', () => {
    assert.equal(findingsWith("import { weigh } from './scales.ts';", 'src/model/load.ts').length, 2);
  });
});
