// The dictionary of the demonstration: it names every code that its records hold, and is a dictionary like any other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoActivities, demoRecords } from '../../src/demo/demo.ts';
import { demoDictionary } from '../../src/demo/dictionary.ts';
import { type Fields, isScalar } from '../../src/model/resource.ts';
import { parseDictionary, vocabularyOf } from '../../src/resources/dictionary.ts';
import { resources } from '../../src/resources/index.ts';

describe('the dictionary of the demonstration', () => {
  it('is right', () => {
    assert.deepEqual(parseDictionary(Buffer.from(JSON.stringify(demoDictionary))), demoDictionary);
  });

  it('names every code of the records', () => {
    const { lists } = vocabularyOf(demoDictionary);
    const unnamed = new Set<string>();
    const used = new Set<string>();
    const look = (fields: Fields, record: unknown): void => {
      if (typeof record !== 'object' || record === null) return;
      for (const [name, value] of Object.entries(record)) {
        const field = fields[name];
        if (field === undefined || value === null) continue;
        if (!isScalar(field)) for (const element of [value].flat()) look(field.fields, element);
        else if (field.codes !== undefined) {
          used.add(field.codes);
          if (lists.get(field.codes)?.codes.some(({ code }) => code === value) !== true)
            unnamed.add(`${field.codes}: ${value}`);
        }
      }
    };
    for (const activity of demoActivities) {
      const records = demoRecords(activity, Date.UTC(2026, 2, 2, 12));
      for (const { name, fields } of resources) for (const record of records.get(name) ?? []) look(fields, record);
    }
    assert.deepEqual([...unnamed], []);
    assert.ok(used.size > 30, `${used.size} lists are used`);
    for (const { name } of demoDictionary.lists ?? []) assert.ok(used.has(name), `${name} is of no use`);
  });
});
