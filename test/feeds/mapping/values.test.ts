// The text of columns becomes the values that fields hold, or a reason that names line, column and value.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { made, mappingOf } from './fixture.ts';

interface Tried {
  readonly value: unknown;
  readonly code: string | null;
  readonly detail: string;
}

/** What a rule makes of a cell of column `x`; the field is one of an article. */
async function tried(field: string, rule: object | string, cell: string, more: object = {}): Promise<Tried> {
  const mapping = mappingOf({
    format: { kind: 'csv', delimiter: '|', quote: 'none' },
    ...more,
    resources: { articles: { fields: { articleReference: { constant: 'A' }, [field]: rule } } },
  });
  const { all } = await made(mapping, `x|y\n${cell}${cell.includes('|') ? '' : '|'}\n`);
  const [record] = all;
  assert.ok(record);
  if (!record.ok) return { value: null, code: record.reason.code, detail: record.reason.detail };
  return { value: Object.entries(record.value ?? {}).find(([name]) => name === field)?.[1], code: null, detail: '' };
}

const values = async (field: string, rule: object | string, cells: readonly string[], more: object = {}) =>
  Promise.all(cells.map(async (cell) => (await tried(field, rule, cell, more)).value));
const codes = async (field: string, rule: object | string, cells: readonly string[], more: object = {}) =>
  Promise.all(cells.map(async (cell) => (await tried(field, rule, cell, more)).code));

const text = 'articleColor';
const decimal = 'articlePrice1';
const whole = 'receptionDeadlineInDays';
const flag = 'fragileArticle';
const date = 'customField1';

describe('text', () => {
  it('is trimmed, extracted, collapsed, put in a case and cut, in this order', async () => {
    assert.deepEqual(await values(text, 'x', ['  a  b ', '']), ['a  b', undefined]);
    assert.deepEqual(await values(text, { column: 'x', trim: false }, [' a ']), [' a ']);
    assert.deepEqual(
      await values(text, { column: 'x', collapse: true, case: 'upper', cut: 4 }, ['é  t  été', '😀😀😀😀😀']),
      ['É T', '😀😀😀😀'],
    );
    assert.deepEqual(await values(text, { column: 'x', extract: '^0*(\\d+)$' }, ['00012', 'none']), ['12', undefined]);
    assert.deepEqual(await values(text, { column: 'x', case: 'lower' }, ['ABC']), ['abc']);
  });

  it('may be a constant, a template, the first that is there, or a default', async () => {
    assert.deepEqual(await values(text, { constant: 'c' }, ['a']), ['c']);
    assert.deepEqual(await values(text, { template: '{x}-{y}' }, ['a|b', '|b', '|']), ['a-b', '-b', undefined]);
    assert.deepEqual(await values(text, { join: ['x', 'y'], with: '/' }, ['a|b', ' |b', '|']), ['a/b', 'b', undefined]);
    assert.deepEqual(await values(text, { firstOf: ['x', 'y', { constant: 'z' }] }, ['a|b', ' |b', '|']), [
      'a',
      'b',
      'z',
    ]);
    assert.deepEqual(await values(text, { column: 'x', default: 'd', emptyValues: ['NULL'] }, ['NULL', '', 'a']), [
      'd',
      'd',
      'a',
    ]);
  });
});

describe('code tables', () => {
  const codeTables = { colours: { R: 'red', 1: 'one' } };
  it('are looked up after trimming; an unknown code is refused, kept or empty', async () => {
    const rule = { column: 'x', codes: 'colours' };
    assert.deepEqual(await values(text, rule, [' R ', '1', ''], { codeTables }), ['red', 'one', undefined]);
    const { code, detail } = await tried(text, rule, 'Q', { codeTables });
    assert.deepEqual([code, detail], ['unknown-code', 'Line 2: column "x" has "Q", which is no code of its table.']);
    assert.deepEqual(await values(text, { ...rule, unknownCode: 'keep' }, ['Q'], { codeTables }), ['Q']);
    for (const [unknownCode, outcome] of [
      ['keep', 'kept'],
      ['empty', 'left out'],
    ]) {
      const fields = { articleReference: 'x', articleColor: { ...rule, unknownCode } };
      const mapping = mappingOf({ format: { kind: 'csv' }, codeTables, resources: { articles: { fields } } });
      const { counts } = await made(mapping, 'x\nR\nQ\n1\n');
      const detail = `Line 3: column "x" has "Q", which is no code of its table and is ${outcome}.`;
      const warning = { line: 3, code: 'unknown-code', pointer: '/articleColor', detail };
      assert.deepEqual([counts.warned, counts.warnings], [1, [warning]]);
    }
    assert.deepEqual(await values(text, { ...rule, unknownCode: 'empty' }, ['Q', 'toString'], { codeTables }), [
      undefined,
      undefined,
    ]);
    assert.deepEqual(
      await values(decimal, { column: 'x', codes: { L: 1.5 }, unknownCode: 'keep' }, ['L', '2']),
      [1.5, 2],
    );
  });
});

describe('numbers', () => {
  it('have the decimal mark of the mapping and a sign before or behind', async () => {
    assert.deepEqual(await values(decimal, 'x', ['1.5', '-2', '+3', '4-', '.5', '6.']), [1.5, -2, 3, -4, 0.5, 6]);
    const comma = { numbers: { decimal: ',', thousands: '.' } };
    assert.deepEqual(
      await values(decimal, 'x', ['1.234,5', '1234,5', '12', '1.234.567'], comma),
      [1234.5, 1234.5, 12, 1234567],
    );
    assert.deepEqual(await values(decimal, { column: 'x', thousands: ' ' }, ['1 234.5', '1\u202f234']), [1234.5, 1234]);
  });
  it('are refused in any other notation', async () => {
    for (const cell of ['1,5', 'abc', '1e5', '0x10', 'Infinity', '1.2.3', '-', '.', '--1', '-1-', '1 2', '９'])
      assert.equal((await tried(decimal, 'x', cell)).code, 'bad-number', cell);
    const comma = { numbers: { decimal: ',', thousands: '.' } };
    assert.deepEqual(
      await codes(decimal, 'x', ['1.5', '1.23.456', '12.3456', `${'9'.repeat(65)}`], comma),
      Array(4).fill('bad-number'),
    );
    assert.equal((await tried(whole, 'x', '1.5')).code, 'bad-number');
    assert.equal((await tried(whole, 'x', '1.0')).value, 1);
  });
  it('may have decimals without a mark', async () => {
    const rule = { column: 'x', impliedDecimals: 2 };
    assert.deepEqual(
      await values(decimal, rule, ['000123', '5', '-0105', '1.5', '100000000000001']),
      [1.23, 0.05, -1.05, 1.5, 1000000000000.01],
    );
  });
});

describe('numbers of JSON', () => {
  const ofJson = async (field: string, rule: object, numbers: readonly unknown[], more: object = {}) => {
    const fields = { articleReference: { constant: 'A' }, [field]: rule };
    const mapping = mappingOf({ format: { kind: 'json' }, ...more, resources: { articles: { fields } } });
    const { all } = await made(mapping, JSON.stringify(numbers.map((x) => ({ x }))));
    return all.map((each) => (each.ok ? Object.entries(each.value ?? {})[1]?.[1] : each.reason.code));
  };

  it('are extracted, cut and looked up like texts of their digits', async () => {
    for (const given of [123456, '123456']) {
      assert.deepEqual(await ofJson(text, { column: 'x', extract: '^(\\d{2})' }, [given]), ['12']);
      assert.deepEqual(await ofJson(text, { column: 'x', cut: 3, codes: { 123: 'red' } }, [given]), ['red']);
      assert.deepEqual(await ofJson(text, { column: 'x', extract: '^(9)', default: 'none' }, [given]), ['none']);
      assert.deepEqual(await ofJson(whole, { column: 'x', cut: 2 }, [given]), [12]);
    }
    assert.deepEqual(await ofJson(text, { column: 'x' }, [0, 1.5]), ['0', '1.5']);
  });

  it('have implied decimals if they are whole', async () => {
    const rule = { column: 'x', impliedDecimals: 3 };
    assert.deepEqual(await ofJson(decimal, rule, [1250, '1250', -5, 0, 1.5, true]), [1.25, 1.25, -0.005, 0, 1.5, true]);
    assert.deepEqual(await ofJson(whole, rule, [2000, 1250]), [2, 'bad-number']);
    const comma = { numbers: { decimal: ',', thousands: '.' } };
    assert.deepEqual(await ofJson(decimal, rule, [1250, 1.5], comma), [1.25, 1.5]);
    assert.deepEqual(await ofJson(decimal, { column: 'x' }, [1250, 1.234], comma), [1250, 1.234]);
  });

  it('have a point, whatever the decimal mark of texts', async () => {
    const comma = { numbers: { decimal: ',', thousands: '.' } };
    assert.deepEqual(await ofJson(decimal, { column: 'x', cut: 5 }, [1.23456, '1.234'], comma), [1.234, 1234]);
    const above = { skip: [{ rule: 'heavy', when: { column: 'x', above: 1000 } }] };
    assert.deepEqual(await ofJson(decimal, { column: 'x' }, [1.234, 1001, '1.234'], { ...comma, ...above }), [1.234]);
  });
});

describe('true and false', () => {
  it('are words or digits, or what the mapping says', async () => {
    assert.deepEqual(await values(flag, 'x', ['1', 'N', 'True', 'no']), [true, false, true, false]);
    assert.equal((await tried(flag, 'x', 'O')).code, 'bad-boolean');
    assert.deepEqual(await values(flag, { column: 'x', trueValues: ['O'], falseValues: ['N'] }, ['o', 'n']), [
      true,
      false,
    ]);
  });
});

describe('dates', () => {
  const paris = { dates: { format: 'dd/MM/yyyy HH:mm', zone: 'Europe/Paris' } };
  it('are read in the zone of the clock, summer and winter', async () => {
    assert.deepEqual(await values(date, 'x', ['01/07/2026 12:00', '01/12/2026 12:00'], paris), [
      '2026-07-01T10:00:00.000Z',
      '2026-12-01T11:00:00.000Z',
    ]);
  });
  it('mean the earlier of two hours, and the time after a change that skips one, unless it is decided', async () => {
    const cells = ['25/10/2026 02:30', '29/03/2026 02:30'];
    assert.deepEqual(await values(date, 'x', cells, paris), ['2026-10-25T00:30:00.000Z', '2026-03-29T01:30:00.000Z']);
    const other = { column: 'x', ambiguous: 'later', skipped: 'earlier' };
    assert.deepEqual(await values(date, other, cells, paris), ['2026-10-25T01:30:00.000Z', '2026-03-29T00:30:00.000Z']);
    const refused = { column: 'x', ambiguous: 'refuse', skipped: 'refuse' };
    assert.deepEqual(await codes(date, refused, cells, paris), ['ambiguous-time', 'skipped-time']);
  });
  it('of half-hour changes, of zones far from here, and of days that were left out are right', async () => {
    const at = (zone: string, cell: string) =>
      tried(date, { column: 'x', format: 'yyyy-MM-dd HH:mm', zone }, cell).then(({ value }) => value);
    assert.equal(await at('Australia/Lord_Howe', '2026-04-05 01:45'), '2026-04-04T14:45:00.000Z');
    assert.equal(await at('Australia/Lord_Howe', '2026-10-04 02:15'), '2026-10-03T15:45:00.000Z');
    assert.equal(await at('Asia/Kathmandu', '2026-01-01 00:00'), '2025-12-31T18:15:00.000Z');
    assert.equal(await at('Pacific/Apia', '2011-12-30 12:00'), '2011-12-30T22:00:00.000Z');
    assert.equal(await at('America/New_York', '2026-11-01 01:30'), '2026-11-01T05:30:00.000Z');
  });
  it('without a time of day are days, whatever the zone of the others', async () => {
    const day = { column: 'x', format: 'yyyyMMdd' };
    assert.deepEqual(await values(date, day, ['20260131'], paris), ['2026-01-31T00:00:00.000Z']);
    assert.deepEqual(await values(date, { ...day, zone: 'Europe/Paris' }, ['20260131'], paris), [
      '2026-01-30T23:00:00.000Z',
    ]);
  });
  it('are written in many ways', async () => {
    const read = async (format: string, cell: string) =>
      (await tried(date, { column: 'x', format, zone: 'UTC' }, cell)).value;
    assert.equal(await read('M/d/yy h:mm a', '7/1/11 12:26 PM'), '2011-07-01T12:26:00.000Z');
    assert.equal(await read('M/d/yy h:mm a', '7/1/71 12:26 am'), '1971-07-01T00:26:00.000Z');
    assert.equal(await read("yyyyMMdd'T'HHmmss", '20260131T080910'), '2026-01-31T08:09:10.000Z');
    assert.equal(
      await read('yyyy-MM-dd HH:mm:ss.SSSXXX', '2026-01-31 08:09:10.123456+0130'),
      '2026-01-31T06:39:10.123Z',
    );
  });
  it('that no calendar or clock has are refused, as are other notations', async () => {
    for (const cell of [
      '31/02/2026 00:00',
      '01/13/2026 00:00',
      '01/01/2026 24:00',
      '1/1/2026 00:00',
      '01/01/2026',
      '01/01/0000 00:00',
    ])
      assert.equal((await tried(date, 'x', cell, paris)).code, 'bad-date', cell);
    assert.equal(
      (await tried(date, { column: 'x', format: 'd/M/yy h a', zone: 'UTC' }, '1/1/26 13 pm')).code,
      'bad-date',
    );
    const early = await tried(date, 'x', '01/01/0001 00:00', paris);
    assert.equal(early.detail, 'Line 2: column "x" has "01/01/0001 00:00", which is of a year that is not 1 to 9999.');
    const { detail } = await tried(date, 'x', 'soon', paris);
    assert.equal(detail, 'Line 2: column "x" has "soon", which is no date of the form dd/MM/yyyy HH:mm.');
  });
  it('without a format are left to the check of the record', async () => {
    assert.deepEqual(await values(date, 'x', ['2026-01-31T08:00:00Z', 'soon']), ['2026-01-31T08:00:00Z', 'soon']);
  });
});
