// The order that a client may ask for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Fields } from '../../src/model/resource.ts';
import { parseSort, sortFields } from '../../src/model/sort.ts';
import { article, articleStockMovement, resources } from '../../src/resources/index.ts';
import { writtenSort } from '../contract/arbitrary.ts';

const fields = sortFields(articleStockMovement);

function refusal(text: string): Problem {
  try {
    parseSort(text, fields);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
  return assert.fail(`accepted: ${text}`);
}

describe('a sort that cannot be read', () => {
  const cases: readonly (readonly [text: string, code: string, position: number])[] = [
    ['', 'syntax', 0],
    ['-', 'syntax', 1],
    ['id,', 'syntax', 3],
    [',id', 'syntax', 0],
    ['id,,activityCode', 'syntax', 3],
    ['id,-id', 'syntax', 4],
    ['--id', 'unknown-field', 1],
    ['id desc', 'unknown-field', 0],
    ['id ', 'unknown-field', 0],
    ['ID', 'unknown-field', 0],
    ['😀', 'unknown-field', 0],
    ['id,colour', 'unknown-field', 3],
    ['__proto__', 'unknown-field', 0],
    ['id,dateCreation,activityCode,stockUnitID', 'too-complex', 29],
    ['id,dateCreation,activityCode,', 'too-complex', 29],
    [','.repeat(100_000), 'syntax', 0],
  ];
  for (const [text, code, position] of cases) {
    it(`${JSON.stringify(text.slice(0, 40))}: ${code} at ${position}`, () => {
      const problem = refusal(text);
      assert.equal(problem.slug, 'invalid-sort');
      assert.deepEqual(
        [problem.extra.code, problem.extra.position, problem.extra.parameter],
        [code, position, 'sort'],
        problem.detail,
      );
      assert.deepEqual(problem.extra.errors, { sort: [problem.detail] });
      assert.deepEqual(problem.extra.allowedFields, [...fields.keys()]);
      assert.match(problem.detail, /Write -field for descending order, as in sort=-id,dateCreation\.$/);
    });
  }

  it('names the fields that can be sorted by, and the one that was probably meant', () => {
    const problem = refusal('movementTimestmp');
    assert.deepEqual(problem.extra.allowedFields, [...fields.keys()]);
    assert.match(problem.detail, /did you mean 'movementTimestamp'\?/);
    for (const text of ['movementTimestamp desc', 'movementTimestamp:DESC', 'movementTimestmp descending'])
      assert.match(refusal(text).detail, /did you mean '-movementTimestamp'\?/, text);
    assert.match(refusal('movementTimestamp asc').detail, /did you mean 'movementTimestamp'\?/);
  });

  it('is refused with a Problem and a place within the text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parseSort(text, fields);
        } catch (error) {
          assert.ok(error instanceof Problem);
          const position = Number(error.extra.position);
          assert.ok(position >= 0 && position <= [...text].length);
        }
      }),
    );
  });
});

describe('a sort', () => {
  it('names fields, with - for descending', () => {
    assert.deepEqual(parseSort('-movementTimestamp,articleReference', fields), [
      { field: 'movementTimestamp', descending: true },
      { field: 'articleReference', descending: false },
    ]);
  });

  it('takes a plus sign, also one that arrived as a space', () => {
    const ascending = [
      { field: 'id', descending: false },
      { field: 'activityCode', descending: false },
    ];
    assert.deepEqual(parseSort('+id,+activityCode', fields), ascending);
    assert.deepEqual(parseSort(' id, activityCode', fields), ascending);
  });

  it('names sortable fields alone, and no unpublished one', () => {
    const unpublished = {
      parent: { kind: 'text', max: 5, meaning: 'Unpublished.', filterable: true, sortable: true },
    } as const;
    const names = [...sortFields({ ...articleStockMovement, unpublished }).keys()];
    assert.deepEqual(names, [...fields.keys()]);
    const declared: Fields = articleStockMovement.fields;
    assert.ok(names.every((name) => declared[name]?.sortable));
    assert.ok(!sortFields(article).has('articleBrand'));
  });

  it('of movements names every field', () =>
    assert.deepEqual([...fields.keys()], Object.keys(articleStockMovement.fields)));

  for (const resource of resources) {
    it(`of ${resource.name} that is written is read back`, () => {
      fc.assert(
        fc.property(writtenSort(resource), ({ text, keys }) => {
          if (text !== '') assert.deepEqual(parseSort(text, sortFields(resource)), keys);
        }),
      );
    });
  }
});
