// The text of a page that looks for nothing is put together once, and is for every page what it would be if it were
// written for that one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitions } from '../../src/resources/index.ts';
import type { ReadPlan } from '../../src/store/access-path.ts';
import { changePage, type Scope } from '../../src/store/list-sql.ts';
import { compile, sql, statementTemplate } from '../../src/store/statement.ts';

const dialects = ['sqlite', 'postgres', 'citus'] as const;

describe('the statement of a page', () => {
  for (const resource of definitions.resources)
    it(`of ${resource.name} has its own values`, () => {
      const plan: ReadPlan = {
        ...{ resource, activities: ['AB'], where: [], sort: [], after: null, updatedSince: null, limit: 100 },
        ...{ imageAt: null, walkStarts: null },
      };
      const images = resource.storage === 'images' ? ['i1', 'i2'] : [null];
      const texts = new Set<string>();
      for (const [index, activity] of ['AB', 'activity', 'image'].entries())
        for (const imageId of images)
          for (const withdrawnAfter of imageId === null ? [0, null, 7, 9] : [null])
            for (const maxBytesEach of [1, 1000, 167_772, 90_000_000]) {
              const scope: Scope = { activity, imageId, withdrawnAfter };
              const asked = { plan, scope, after: 40 + index, limit: 100 - index, maxBytesEach };
              const statement = changePage(asked);
              for (const dialect of dialects) {
                const { text, values } = compile(statement, dialect);
                // As a part of another statement it is written anew.
                assert.deepEqual({ text, values, plannedAnew: false }, compile(sql`${statement}`, dialect));
                assert.ok([activity, 40 + index, 100 - index].every((value) => values.includes(value)));
                texts.add(`${dialect} ${text}`);
              }
            }
      assert.ok(texts.size >= 3 && texts.size <= 18, `${texts.size} texts`);
    });

  it('keeps conditions apart from pages without', () => {
    const [resource] = definitions.resources;
    assert.ok(resource);
    const plan: ReadPlan = {
      ...{ resource, activities: ['AB'], sort: [], after: null, updatedSince: null, limit: 100 },
      ...{ imageAt: null, walkStarts: null, where: [{ op: '==', selector: 'articleReference', value: 'R1' }] },
    };
    const scope: Scope = { activity: 'AB', imageId: null, withdrawnAfter: 0 };
    const { values } = compile(changePage({ plan, scope, after: 1, limit: 2, maxBytesEach: 3 }), 'sqlite');
    assert.ok(values.includes('R1'));
  });
});

it('a statement with a value of its own is not written once', () => {
  const write = statementTemplate(['a'], (value) => sql`select ${value}, ${'own'}`);
  assert.throws(() => compile(write('b'), 'sqlite'), /a value of its own/);
});
