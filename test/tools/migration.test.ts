// Generated migrations: what the difference of two definitions becomes, and what is refused.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Resource } from '../../src/model/resource.ts';
import { formOf } from '../../src/model/body-form.ts';
import { FILTER, integer, SORT, text } from '../../src/resources/fields.ts';
import { article, order } from '../../src/resources/index.ts';
import { isChange, shapeChange, shapeChangeFaults, storedShape } from '../../src/store/shape-change.ts';
import * as described from '../../src/store/table.ts';
import { describedFaults, describedShape } from '../../src/store/table-changes.ts';
import { constantOf, formatted, indexText, migrationText } from '../../tools/migration.ts';

const before = [article, order].map(storedShape);
const after = (changed: Resource) => [changed, order].map(storedShape);
/** The form that articles have when they gain a field. */
const next = formOf(article) + 1;
const colour = text(9, "The colour's code.", { since: next, ...SORT });
const { articleFamily: _articleFamily, ...withoutFamily } = article.fields;

describe('a generated migration', () => {
  it('adds the columns and indexes that the definition gained, and removes those that it lost', async (t) => {
    const wider: Resource = {
      ...article,
      fields: { ...article.fields, colour },
      indexes: [['articleReference'], ['dateLastUpdated'], ['supplierCode'], ['colour']],
    };
    const change = shapeChange(before, after(wider));
    assert.deepEqual(change, {
      tables: [],
      columns: [{ table: 'article', name: 'colour', type: 'text' }],
      indexes: [{ table: 'article', fields: ['owner', 'colour', 'change_number'] }],
      droppedIndexes: [{ table: 'article', fields: ['owner', 'articleFamily', 'change_number'] }],
    });
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const store = new URL('../../src/store/', import.meta.url).href;
    writeFileSync(
      join(folder, 'step.ts'),
      migrationText('0099-product-colour', change).replaceAll("'../", `'${store}`),
    );
    const { productColour } = await import(pathToFileURL(join(folder, 'step.ts')).href);
    assert.equal(productColour.name, '0099-product-colour');
    assert.deepEqual(productColour.change, change);
  });

  it('is needed for a field that is only shown, and for nothing where nothing changed', () => {
    const shown: Resource = { ...article, fields: { ...article.fields, colour: text(9, 'Colour.', { since: next }) } };
    assert.equal(isChange(shapeChange(before, after(shown)), before, after(shown)), true);
    assert.equal(isChange(shapeChange(before, before), before, before), false);
  });

  it('adds a column of a described table by its one line, where old rows can have it', () => {
    const thing = { id: described.text, name: described.text } as const;
    const shapeOf = (columns: described.Columns) =>
      describedShape([described.tableShape(described.table('thing', { columns, key: ['id'] }))]);
    const then = [shapeOf(thing)];
    const wider = [shapeOf({ ...thing, endedAt: described.optional(described.instant) })];
    assert.deepEqual(describedFaults(then, wider), []);
    assert.deepEqual(shapeChange(then, wider).columns, [{ table: 'thing', name: 'ended_at', type: 'integer' }]);
    assert.equal(isChange(shapeChange(then, wider), then, wider), true);
    const withDefault = [shapeOf({ ...thing, codes: { ...described.texts, default: '[]' } })];
    assert.deepEqual(describedFaults(then, withDefault), []);
    assert.deepEqual(shapeChange(then, withDefault).columns, [
      { table: 'thing', name: 'codes', type: 'text', default: '[]' },
    ]);
    for (const [columns, fault] of [
      [{ ...thing, count: described.integer }, /thing: column count is new: say optional/],
      [{ id: described.text }, /thing: column name is gone/],
      [{ ...thing, name: described.integer }, /thing: column name is of another kind/],
      [{ ...thing, name: described.optional(described.text) }, /thing: column name is of another kind/],
    ] as const)
      assert.match(describedFaults(then, [shapeOf(columns)]).join(), fault);
    assert.match(describedFaults(then, [describedShape([])]).join(), /Table thing is gone/);
  });

  it('joins the list of all', () => {
    const index = "import { a } from './0001-a.ts';\n\nexport const migrations: readonly Migration[] = [\n  a,\n];\n";
    assert.equal(
      indexText(index, '0002-b-c'),
      "import { a } from './0001-a.ts';\nimport { bC } from './0002-b-c.ts';\n\n" +
        'export const migrations: readonly Migration[] = [\n  a,\n  bC,\n];\n',
    );
    assert.equal(constantOf('0014-colour-2'), 'colour2');
  });

  it('is written as the check of the format wants it, whatever it holds', () => {
    const migrations = 'src/store/migrations';
    const change = shapeChange(before, after({ ...article, fields: { ...article.fields, colour } }));
    assert.match(formatted(`${migrations}/0002-b.ts`, migrationText('0002-b', change)), /type: 'text',?\n? *\},?\n/);
    for (const name of ['index.ts', 'frozen-shapes.json']) {
      const text = readFileSync(new URL(`../../${migrations}/${name}`, import.meta.url), 'utf8');
      const written = name === 'index.ts' ? text : `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
      assert.equal(formatted(`${migrations}/${name}`, written), text);
    }
    const index = "import { a } from './0001-a.ts';\n\nexport const migrations: readonly Migration[] = [a];\n";
    assert.match(formatted(`${migrations}/index.ts`, indexText(index, '0002-b')), /Migration\[\] = \[a, b\];\n$/);
  });

  it('is refused where a definition does not say enough, or loses something', () => {
    const faults = (changed: Resource): string => shapeChangeFaults(before, after(changed)).join(' ');
    assert.match(
      faults({ ...article, fields: { ...article.fields, colour: text(9, 'Colour.') } }),
      new RegExp(`articles: colour is new: say \\{ since: ${next} \\}`),
    );
    assert.match(
      faults({ ...article, fields: { ...article.fields, colour: text(9, 'Colour.', { since: next + 2 }) } }),
      new RegExp(`the next form is ${next}, not ${next + 2}`),
    );
    assert.match(
      faults({ ...article, fields: { ...article.fields, articleSize: text(10, 'Size.', FILTER) } }),
      new RegExp(`filter by articleSize now: say form: ${next}`),
    );
    const { activityCode, ...others } = article.fields;
    const half: Resource = { ...article, fields: { activityCode, gloss: text(9, 'Gloss.'), ...others, colour } };
    assert.match(
      faults(half),
      new RegExp(
        `activityName, .* would no longer be compared as before: say \\{ since: ${next} \\} of each new field`,
      ),
    );
    assert.match(faults({ ...article, fields: { ...others, activityCode } }), /would no longer be compared/);
    assert.match(faults({ ...article, fields: withoutFamily }), /field articleFamily is gone/);
    assert.match(
      faults({ ...article, fields: { ...article.fields, articleSize: integer('Size.') } }),
      /articleSize was text and is integer/,
    );
    assert.match(shapeChangeFaults(before, [storedShape(order)]).join(' '), /articles is gone/);
    assert.equal(
      faults({ ...article, form: next, fields: { ...article.fields, articleSize: text(10, 'Size.', FILTER) } }),
      '',
    );
    assert.equal(faults({ ...article, fields: { ...article.fields, colour } }), '');
  });
});
