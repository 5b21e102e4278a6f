// What holds for every definition, and for the example record in each.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listEndpoint } from '../../src/api/list-endpoints.ts';
import { listPaths } from '../../src/api/routes.ts';
import { createChecker } from '../../src/model/check.ts';
import { columnFields, type Fields, isScalar, nestedSelectors, type Resource } from '../../src/model/resource.ts';
import { article, articleStockMovement, orderReport, resources } from '../../src/resources/index.ts';
import { validatorOf } from '../model/response-validator.ts';

describe('the definitions', () => {
  it('come in the order of the endpoints', () => {
    assert.deepEqual(
      resources.map(({ name }) => name),
      [...new Set(listPaths.map(({ operation }) => listEndpoint(operation).resource.name))],
    );
  });

  for (const resource of resources) {
    describe(resource.record, () => {
      const columns = columnFields(resource);

      it('is plain data', () => {
        assert.deepEqual(JSON.parse(JSON.stringify(resource)), resource);
      });

      it('names only fields that it has in its key, activity, image and indexes', () => {
        const all = { ...resource.fields, ...resource.unpublished };
        for (const name of [...resource.key, resource.activityField, resource.activityNameField, resource.imageField])
          assert.ok(name === null || name in all, String(name));
        for (const index of resource.indexes) for (const name of index) assert.ok(columns.has(name), name);
        for (const name of resource.key) assert.ok(columns.has(name), `${name} has a column`);
      });

      it('lets clients filter by every field that they may sort by, and sort by top-level fields only', () => {
        eachField(resource.fields, (path, field) => {
          if (field.sortable) assert.ok(field.filterable && !path.includes('.'), path);
        });
      });

      it('lets clients filter and sort by its ids, its dates and its activity code', () => {
        for (const [name, field] of Object.entries(resource.fields)) {
          if (field.kind === 'date-time' || field.assigned !== undefined || name === 'activityCode')
            assert.ok(field.filterable && field.sortable, name);
        }
      });

      it('has a meaning for every field, and a list key whose fields exist', () => {
        eachField({ ...resource.fields, ...resource.unpublished }, (path, field) => {
          assert.match(field.meaning, /^[A-Z0-9].*\.$/, path);
          if (field.kind === 'list') for (const name of field.key) assert.ok(name in field.fields, `${path}.${name}`);
        });
      });

      it('has an index for updatedSince where it is written record by record', () => {
        const updated = Object.keys(resource.fields).find((name) => resource.fields[name]?.assigned === 'updated');
        if (resource.storage === 'records') assert.ok(resource.indexes.some(([first]) => first === updated));
      });

      it('has an example that its response schema accepts, with its properties in order', () => {
        const validate = validatorOf(resource);
        assert.ok(validate(resource.example), JSON.stringify(validate.errors));
        inOrder(resource.fields, resource.example, resource.record);
      });

      it('has an example that can be imported', () => {
        const unpublished = Object.fromEntries(Object.keys(resource.unpublished).map((name) => [name, 'PO-2026-0091']));
        const checked = createChecker(resource)(
          { ...resource.example, ...unpublished },
          { activity: 'AUR', activityName: 'Aurora Outfitters' },
        );
        assert.ok(checked.ok, JSON.stringify(checked));
      });
    });
  }

  it('keep the table of movements narrow, because it is the longest', () => {
    assert.ok(columnFields(articleStockMovement).size <= 14);
    assert.ok(articleStockMovement.indexes.length <= 4);
    assert.deepEqual(nestedSelectors(articleStockMovement), []);
  });

  it('name a movement without a lot as before movements had lots', () => {
    const before: Resource = { ...articleStockMovement, unpublished: {} };
    const { id: _, ...movement } = articleStockMovement.example;
    const [then, now, ofLot] = [
      createChecker(before)(movement, { activity: 'AUR', activityName: 'Aurore' }),
      createChecker(articleStockMovement)(movement, { activity: 'AUR', activityName: 'Aurore' }),
      createChecker(articleStockMovement)(
        { ...movement, articleLotNumber: 'L1' },
        { activity: 'AUR', activityName: 'Aurore' },
      ),
    ];
    assert.ok(then.ok && now.ok && ofLot.ok);
    assert.equal(now.record.naturalKey, then.record.naturalKey);
    assert.notEqual(ofLot.record.naturalKey, now.record.naturalKey);
  });

  it('show trade item numbers and container codes with right check digits', () => {
    const [variant] = article.example.logisticalVariants;
    const [parcel] = orderReport.example.parcels;
    const codes = [...article.example.barcodes, ...variant.barcodes].map(({ code }) => code);
    for (const code of [...codes, parcel.packageSSCC]) assert.equal(weightedSum(code) % 10, 0, code);
  });
});

function eachField(fields: Fields, look: (path: string, field: Fields[string]) => void, prefix = ''): void {
  for (const [name, field] of Object.entries(fields)) {
    look(prefix + name, field);
    if (!isScalar(field)) eachField(field.fields, look, `${prefix}${name}.`);
  }
}

function inOrder(fields: Fields, record: unknown, path: string): void {
  assert.ok(typeof record === 'object' && record !== null, path);
  assert.deepEqual(Object.keys(record), Object.keys(fields), path);
  for (const [name, value] of Object.entries(record)) {
    const field = fields[name];
    if (field === undefined || isScalar(field) || value === null) continue;
    for (const element of Array.isArray(value) ? value : [value]) inOrder(field.fields, element, `${path}.${name}`);
  }
}

/** GS1: digits weighted 3 and 1 in turn, so that the check digit, at the end, weighs 1. */
function weightedSum(code: string): number {
  return [...code].reverse().reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
}
