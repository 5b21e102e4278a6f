// The check that no two files of src and no two exports have one name.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { doubleNames } from '../../tools/check-names.ts';

const found = (files: Readonly<Record<string, string>>): readonly string[] =>
  doubleNames(new Map(Object.entries(files)));

describe('the check of names', () => {
  it('finds two files of one name, and two exports', () => {
    assert.deepEqual(found({ 'src/http/places.ts': '', 'src/demo/places.ts': '', 'test/demo/places.ts': '' }), [
      'src/http/places.ts, src/demo/places.ts: two files are called places.ts',
    ]);
    const text = 'export interface Row {}\nexport async function rowOf() {}\n';
    assert.deepEqual(found({ 'src/http/a.ts': text, 'src/demo/b.ts': text.replace('rowOf', 'other') }), [
      'src/http/a.ts, src/demo/b.ts: two things are called Row',
    ]);
  });

  it('takes what storage has of a subject, and what a folder names', () => {
    const list = 'export const createLabel = 1;\n';
    assert.deepEqual(
      found({
        ...{ 'src/store/outbox.ts': '', 'src/platform/outbox.ts': '' },
        ...{ 'src/carriers/ups/label.ts': list, 'src/carriers/gls/label.ts': list },
        ...{ 'src/commands/feed/list.ts': '', 'src/model/list.ts': '' },
      }),
      [],
    );
  });
});
