// The documented list parameters: exactly those that are accepted, with examples and operators that work.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listParametersOf, operatorsOf } from '../../src/api/descriptions/list-parameters.ts';
import { filterFields, parseFilter } from '../../src/model/filter.ts';
import { listParameters, readListQuery } from '../../src/model/list-parameters.ts';
import { Problem } from '../../src/model/problem.ts';
import type { ScalarField } from '../../src/model/resource.ts';
import { sortFields } from '../../src/model/sort.ts';
import { resources } from '../../src/resources/index.ts';

const now = Date.UTC(2030, 0, 1);
const everyOperator = ['==', '!=', '=in=', '=out=', '=lt=', '<', '=le=', '<=', '=gt=', '>', '=ge=', '>=', '=null='];
const values = {
  text: 'A',
  integer: '1',
  decimal: '1.5',
  boolean: 'true',
  'date-time': '2026-01-31T08:00:00Z',
} as const satisfies Record<ScalarField['kind'], string>;

for (const resource of resources)
  describe(`the list parameters of ${resource.name}`, () => {
    const parameters = listParametersOf(resource);
    const meaningOf = (name: string): string => parameters.find((parameter) => parameter.name === name)?.meaning ?? '';

    it('are the accepted ones, no more and no fewer', () => {
      assert.deepEqual(parameters.map(({ name }) => name).toSorted(), listParameters(resource).toSorted());
      assert.ok(parameters.every((parameter) => parameter.in === 'query' && parameter.required === undefined));
    });

    it('have examples that the list accepts', () => {
      for (const { name, example, schema } of parameters) {
        if (example === undefined) continue;
        assert.equal(schema.type === 'array', Array.isArray(example), name);
        const query = [example].flat().map((value): [string, string] => [name, String(value)]);
        assert.doesNotThrow(() => readListQuery(resource, query, now), `${name}=${String(example)}`);
      }
      assert.notEqual(parameters.find(({ name }) => name === 'filter')?.example, '');
      assert.notEqual(parameters.find(({ name }) => name === 'sort')?.example, '');
    });

    it('name every field to filter and to sort by', () => {
      for (const selector of filterFields(resource).keys())
        assert.ok(meaningOf('filter').includes(`\`${selector}\``), selector);
      for (const name of sortFields(resource).keys()) assert.ok(meaningOf('sort').includes(`\`${name}\``), name);
    });

    it('document the operators that each field takes, no more and no fewer', () => {
      for (const [selector, field] of filterFields(resource))
        for (const operator of everyOperator) {
          const text = `${selector}${operator}${operator === '=null=' ? 'true' : values[field.kind]}`;
          const documented = operatorsOf(field.kind).includes(operator);
          if (documented) assert.doesNotThrow(() => parseFilter(text, filterFields(resource)), text);
          else assert.throws(() => parseFilter(text, filterFields(resource)), Problem, text);
        }
    });
  });
