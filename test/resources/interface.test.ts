// The definitions are the interface document: same records, same fields, same order, types, lengths and nullability.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Field, type Fields, isScalar } from '../../src/model/resource.ts';
import { resources } from '../../src/resources/index.ts';
import { type DocumentedField, documentedRecords } from './interface-document.ts';

const path = new URL('../../../shared/interface.md', import.meta.url);
const skip = existsSync(path) ? false : 'the interface document is not beside this repository';
const documented = skip === false ? documentedRecords(readFileSync(path, 'utf8')) : new Map<string, readonly DocumentedField[]>();
const defined = definedRecords();

describe('the definitions and the interface document', { skip }, () => {
  it('describe the same records', () => {
    // The shape of properties is the one nested record that the document leaves open (decision D6).
    assert.deepEqual([...defined.keys()].filter(name => name !== 'ParcelEntryProperty').sort(), [...documented.keys()].sort());
    assert.equal(documented.size, 18);
  });

  for (const [record, fields] of documented) {
    it(`agree on the fields of ${record}`, () => {
      const own = defined.get(record) ?? {};
      assert.deepEqual(Object.keys(own), fields.map(({ name }) => name), 'names and order');
      for (const field of fields) {
        const here = own[field.name];
        assert.ok(here, field.name);
        assert.equal(typeOf(here, field.type), field.type, `type of ${field.name}`);
        if (field.of !== null) assert.equal('record' in here ? here.record : null, field.of, `record of ${field.name}`);
        if (here.kind === 'text') {
          assert.equal(here.max, here.assigned === 'uuid' ? 36 : field.max ?? unlisted(field.name), `length of ${field.name}`);
          assert.equal(here.min ?? null, field.min, `minimum length of ${field.name}`);
        }
        if (record === 'ArticleStockMovement') assert.equal(here.notNull !== true, field.nullable, `nullability of ${field.name}`);
        if (['Article', 'Barcode', 'LogisticalVariant'].includes(record)) assert.equal(here.readOnly === true, field.readOnly, `read-only mark of ${field.name}`);
      }
    });
  }

  it('agree that a movement alone is closed', () => {
    assert.deepEqual(resources.filter(({ closed }) => closed).map(({ record }) => record), ['ArticleStockMovement']);
  });

  it('put each record under its clause', () => {
    const text = readFileSync(path, 'utf8');
    for (const { clause, record } of resources) assert.ok(text.includes(`\n### ${clause} ${record}\n`), `${clause} ${record}`);
  });
});

/** The document leaves integers and decimals open but for three fields, which decision D1 settles. */
function typeOf(field: Field, documentedType: string): string {
  if (field.kind === 'decimal') return 'number';
  if (field.kind !== 'integer') return field.kind;
  return documentedType === 'number' ? 'number' : field.bits === 32 ? 'int32' : 'int64';
}

/** Decision D4: the length of the same-named listed field, else 255; comments and messages 500, web addresses 2048. */
function unlisted(name: string): number {
  const listed = [...documented.values()].flat().filter(field => field.name === name && field.max !== null).map(({ max }) => max ?? 0);
  if (listed.length > 0) return Math.max(...listed);
  if (/comment|message/i.test(name)) return 500;
  return /url$/i.test(name) ? 2048 : 255;
}

function definedRecords(): ReadonlyMap<string, Fields> {
  const found = new Map<string, Fields>();
  const add = (record: string, fields: Fields): void => {
    assert.ok([undefined, fields].includes(found.get(record)), `one definition of ${record}`);
    found.set(record, fields);
    for (const field of Object.values(fields)) if (!isScalar(field)) add(field.record, field.fields);
  };
  for (const { record, fields } of resources) add(record, fields);
  return found;
}
