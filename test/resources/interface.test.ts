// The definitions are the interface: same records, same fields, same order, types, lengths and nullability.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import openApi from '../../docs/reference/openapi.json' with { type: 'json' };
import { problemDetails } from '../../src/http/openapi/problem-details.ts';
import { operationSchema } from '../../src/model/operation.ts';
import { type Field, type Fields, isScalar } from '../../src/model/resource.ts';
import { labelRequestFields } from '../../src/model/shipping.ts';
import { resources } from '../../src/resources/index.ts';
import { shippingSchemas } from '../../src/api/shipping/label-schemas.ts';
import { documentedEndpoints, documentedNames, documentedRecords } from './interface-document.ts';
import { addedFields, closedRecord, endpointFacts, otherRecords, recordFacts } from './interface-facts.ts';

const defined = definedRecords();

describe('the definitions and the interface', () => {
  it('describe the same records', () => {
    // The shape of properties is the one nested record that the interface leaves open (decision D6).
    const named = [...defined.keys()].filter((name) => name !== 'ParcelEntryProperty');
    assert.deepEqual(named.sort(), Object.keys(recordFacts).sort());
  });

  for (const [record, { fields }] of Object.entries(recordFacts)) {
    it(`agree on the fields of ${record}`, () => {
      const own = defined.get(record) ?? {};
      const added = addedFields[record] ?? {};
      const names = Object.keys(own).filter((name) => !Object.hasOwn(added, name));
      assert.deepEqual(names, Object.keys(fields), 'names and order');
      for (const [name, facts] of Object.entries({ ...fields, ...added })) {
        const here = own[name];
        assert.ok(here, name);
        assert.equal(typeOf(here, facts.type), facts.type, `type of ${name}`);
        if (facts.of !== null) assert.equal('record' in here ? here.record : null, facts.of, `record of ${name}`);
        if (here.kind === 'text') {
          assert.equal(here.max, here.assigned === 'uuid' ? 36 : (facts.max ?? unlisted(name)), `length of ${name}`);
          // What names something is never empty, also where the interface does not say so (decision D8).
          const least = here.format === 'code' && facts.min === null && here.min === 1 ? null : (here.min ?? null);
          assert.equal(least, facts.min, `minimum length of ${name}`);
        }
        if (record === closedRecord) assert.equal(here.notNull !== true, facts.nullable, `nullability of ${name}`);
        if (!createdByClients.includes(record)) continue;
        assert.equal(here.readOnly === true, facts.readOnly, `read-only mark of ${name}`);
      }
    });
  }

  it('agree that a movement alone is closed', () => {
    assert.deepEqual(
      resources.filter(({ closed }) => closed).map(({ record }) => record),
      [closedRecord],
    );
  });

  it('agree that nothing is added to that', () => {
    assert.ok(!Object.hasOwn(addedFields, closedRecord));
  });

  it('put each record under its clause', () => {
    for (const { clause, record } of resources)
      if (clause !== null) assert.equal(recordFacts[record]?.clause, clause, record);
  });

  it('agree on the records that are no lists', () => {
    const { LabelResult, LabelOutput, Tracking, TrackingStep } = shippingSchemas;
    const own = {
      LabelRequest: Object.keys(labelRequestFields),
      LabelResult: propertiesOf(LabelResult),
      LabelOutput: propertiesOf(LabelOutput),
      Tracking: propertiesOf(Tracking),
      TrackingStep: propertiesOf(TrackingStep),
      OperationResult: propertiesOf(operationSchema),
      // RFC 9457 puts the status before the detail, and the service adds members of its own.
      ProblemDetails: otherRecords.ProblemDetails.filter((name) => propertiesOf(problemDetails).includes(name)),
    };
    assert.deepEqual(own, otherRecords);
    for (const field of Object.values(labelRequestFields)) assert.equal(field.kind, 'text');
  });

  it('agree on the endpoints and what they answer', () => {
    for (const [, method, path, answer] of endpointFacts)
      assert.equal(describedAnswer(method, path), answer, `${method} ${path}`);
  });
});

describe('docs/interface.md', () => {
  const page = readFileSync(new URL('../../docs/interface.md', import.meta.url), 'utf8');

  it('tells every record and every endpoint under its clause', () => {
    for (const [record, { clause }] of Object.entries(recordFacts)) {
      if (record === 'Alcool') continue;
      assert.match(page, new RegExp(`^### ${clause} .*\\b${record}\\b`, 'm'), record);
    }
    for (const [clause, method, at] of endpointFacts)
      assert.ok(page.includes(`\n### ${clause} ${method} ${at}\n`), `${clause} ${method} ${at}`);
  });

  it('has every part, and links to every decision that fills what is left open', () => {
    for (let part = 1; part <= 9; part++) assert.match(page, new RegExp(`^## ${part}\\. `, 'm'), String(part));
    for (let point = 1; point <= 46; point++)
      assert.match(page, new RegExp(`decisions/interface\\.md#d${point}-`), `D${point}`);
  });
});

const path = new URL('../../../shared/interface.md', import.meta.url);
const absent = 'the interface document is not beside this repository; the facts kept here stand for it';
const skip = existsSync(path) ? false : absent;

describe('the facts kept here and the interface document', { skip }, () => {
  const document = skip === false ? readFileSync(path, 'utf8') : '';

  it('are the same records', () => {
    const kept = Object.entries(recordFacts).map(([record, { fields }]) => {
      return [record, Object.entries(fields).map(([name, facts]) => ({ name, ...facts }))] as const;
    });
    assert.equal(kept.length, 18);
    assert.deepEqual(Object.fromEntries(kept), Object.fromEntries(documentedRecords(document)));
  });

  it('put them under the same clauses', () => {
    for (const [record, { clause }] of Object.entries(recordFacts)) {
      const section = document.split('\n### ').find((text) => text.startsWith(`${clause} `)) ?? '';
      assert.match(section, new RegExp(record === 'Alcool' ? '`alcool`' : `(^${clause} |\\*\\*)${record}\\b`), record);
    }
  });

  it('are the same records that are no lists', () => {
    for (const [record, names] of documentedNames(document))
      assert.deepEqual(names, Reflect.get(otherRecords, record), record);
    for (const names of [otherRecords.LabelOutput, otherRecords.TrackingStep]) {
      assert.match(document, new RegExp(`objects[ :]*(with )?${names.join('[^.]*')}`));
    }
  });

  it('are the same endpoints', () => {
    assert.deepEqual(
      endpointFacts.map(([clause, method, at]) => [clause, method, at]),
      documentedEndpoints(document),
    );
  });

  it('name the closed record', () => {
    const [, closed] = /### 2\.\d+ (\w+)\n\nNo additional properties/.exec(document) ?? [];
    assert.equal(closed, closedRecord);
  });
});

/** The records of `POST /articles`, whose read-only fields the interface marks. */
const createdByClients = ['Article', 'Barcode', 'LogisticalVariant'];

/** The interface leaves integers and decimals open but for three fields, which decision D1 settles. */
function typeOf(field: Field, type: string): string {
  if (field.kind === 'decimal') return 'number';
  if (field.kind !== 'integer') return field.kind;
  return type === 'number' ? 'number' : field.bits === 32 ? 'int32' : 'int64';
}

/** Decision D4: the length of the same-named listed field, else 255; comments and messages 500, web addresses 2048. */
function unlisted(name: string): number {
  const listed = Object.values(recordFacts).flatMap(({ fields }) => fields[name]?.max ?? []);
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
  // What the service has of its own is not compared.
  for (const { clause, record, fields } of resources) if (clause !== null) add(record, fields);
  return found;
}

/** Names of the properties of an object's schema. */
function propertiesOf(schema: unknown): readonly string[] {
  return Object.keys(Object(member(schema, 'properties')));
}

/** The record of the 200 of an endpoint, of a list that of its elements, as the published description says. */
function describedAnswer(method: string, at: string): string {
  const operation = member(member(openApi.paths, at), method.toLowerCase());
  const schema = ['responses', '200', 'content', 'application/json', 'schema'].reduce(member, operation);
  const reference = member(schema, '$ref') ?? member(member(schema, 'items'), '$ref');
  return String(reference).split('/').at(-1) ?? '';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
