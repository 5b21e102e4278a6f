// What is left of a record that is withdrawn: what the published schema allows, and what names it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject } from '../../src/model/check.ts';
import { emptiedBody, withdrawalReader } from '../../src/model/withdrawal.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  order,
  procurementReport,
  resources,
} from '../../src/resources/index.ts';
import { validatorOf } from './response-validator.ts';

const now = Date.UTC(2026, 5, 1);
const context = { activity: 'AUR', activityName: 'Aurore' };

describe('a record that is withdrawn', () => {
  for (const resource of resources.filter(({ storage }) => storage === 'records'))
    it(`is, in ${resource.name}, what the interface allows`, () => {
      const emptied: unknown = JSON.parse(emptiedBody(resource, JSON.stringify(resource.example), now));
      assert.ok(isObject(emptied));
      const validate = validatorOf(resource);
      assert.ok(validate(emptied), JSON.stringify(validate.errors));
      assert.deepEqual(Object.keys(emptied), Object.keys(resource.fields), 'in its order');
      for (const [name, value] of Object.entries(emptied)) {
        const field = resource.fields[name];
        const names = [...resource.key, resource.activityField, resource.activityNameField];
        if (field?.assigned === 'updated') assert.equal(value, '2026-06-01T00:00:00.000Z');
        else if (field?.assigned !== undefined || names.includes(name))
          assert.deepEqual(value, resource.example[name], name);
        else assert.ok(value === null || value === '' || (Array.isArray(value) && value.length === 0), name);
      }
    });
});

describe('what a feed withdraws', () => {
  it('is named by the properties of the key, as a record with this key is', () => {
    assert.deepEqual(withdrawalReader(article)({ articleReference: 'A1' }, context), {
      ok: true,
      withdrawal: { withdraw: { naturalKey: '["A1"]' } },
    });
    assert.deepEqual(
      withdrawalReader(procurementReport)({ uniqueProcurementID: 'P1', receptionUniqueID: 'R' }, context),
      { ok: true, withdrawal: { withdraw: { naturalKey: '["P1","R",null,null]' } } },
    );
  });

  it('is named by its id where an index leads to it', () => {
    for (const [resource, id] of [
      [articleStockMovement, 42],
      [order, '019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10'],
    ] as const)
      assert.deepEqual(withdrawalReader(resource)({ id }, context), { ok: true, withdrawal: { withdraw: { id } } });
  });

  it('is refused by an id that no record can have, and that PostgreSQL accepts in no statement', () => {
    for (const id of ['a\u0000', '\ud800'])
      assert.deepEqual(withdrawalReader(order)({ id }, context), {
        ok: false,
        reasons: [
          { code: 'bad-text', pointer: '/withdraw/id', detail: 'id has characters that the id of no record has.' },
        ],
      });
  });

  it('is refused with every reason', () => {
    for (const [resource, given, pointers] of [
      [article, 'A1', ['/withdraw']],
      [article, null, ['/withdraw']],
      [article, {}, ['/withdraw/articleReference']],
      [article, { articleReference: 7, more: 1 }, ['/withdraw/more', '/withdraw/articleReference']],
      [article, { id: '019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10' }, ['/withdraw/id']],
      [order, { id: 7 }, ['/withdraw/id']],
      [articleStockMovement, { id: 1.5 }, ['/withdraw/id']],
      [articleStockMovement, { movedQuantity: 'many' }, ['/withdraw/movedQuantity']],
    ] as const) {
      const read = withdrawalReader(resource)(given, context);
      assert.ok(!read.ok, JSON.stringify(given));
      assert.deepEqual(
        read.reasons.map(({ pointer }) => pointer),
        pointers,
        JSON.stringify(given),
      );
    }
    assert.throws(() => withdrawalReader(articleStock), /withdrawn by their image/);
  });
});
