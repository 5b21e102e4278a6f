// Bodies that are to be a JSON array: what is taken, and what is said about everything else.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { type ReadElement, readArrayBody } from '../../src/api/json-body.ts';
import { maxAtOnce } from '../../src/model/json-pieces.ts';
import { skipBlanks } from '../../src/model/json-elements.ts';
import { jsonFault, repeatedProperties } from '../../src/model/json-fault.ts';
import { Problem } from '../../src/model/problem.ts';
import { cooperativeYield } from '../../src/model/cooperative-yield.ts';
import { rounds } from '../contract/rounds.ts';

const rule = { noun: 'articles', max: 500 };

describe('a body is refused', () => {
  const cases: readonly (readonly [what: string, body: string | Buffer, slug: string, detail: RegExp])[] = [
    ['without a byte', '', 'malformed-json', /empty\. Send a JSON array of 1 to 500 articles/],
    ['with nothing but blanks', ' \n\t ', 'malformed-json', /empty/],
    ['with nothing but a byte order mark', '\ufeff', 'malformed-json', /empty/],
    ['with a fault after a byte order mark', '\ufeff[{]', 'malformed-json', /line 1, column 3/],
    ['with two byte order marks', '\ufeff\ufeff[{}]', 'malformed-json', /./],
    ['in UTF-16', Buffer.from('[{}]', 'utf16le'), 'malformed-json', /UTF-16/],
    ['in UTF-16 with a mark', Buffer.from('\ufeff[{}]', 'utf16le'), 'malformed-json', /UTF-16/],
    [
      'in Windows-1252',
      Buffer.from('[\n{"a":"caf\u00e9"}]', 'latin1'),
      'malformed-json',
      /line 2, column 10: A byte here is not UTF-8/,
    ],
    [
      'with a foreign byte beyond a megabyte of two-byte characters',
      Buffer.concat([Buffer.from(`["x${'é'.repeat(600_000)}`), Buffer.from([0xff])]),
      'malformed-json',
      /line 1, column 600004: A byte/,
    ],
    ['of bytes that only go on', Buffer.alloc(200_000, 0x80), 'malformed-json', /line 1, column 1: A byte/],
    [
      'with half a character at its end',
      Buffer.from('["é"]').subarray(0, 3),
      'malformed-json',
      /line 1, column 3: A byte/,
    ],
    [
      'that is an object around the array',
      '{"articles": [{}], "count": 1}',
      'validation-failed',
      /not an object: send the array that is under "articles" by itself/,
    ],
    ['that is an object around an array of another name', '{"data": []}', 'validation-failed', /under "data"/],
    [
      'that is one article',
      '{"articleReference": "A1", "barcodes": []}',
      'validation-failed',
      /put the object in brackets/,
    ],
    ['that is a number', '7', 'validation-failed', /must be a JSON array/],
    ['that is null', 'null', 'validation-failed', /must be a JSON array/],
    ['that has a record on each line', '{"a": 1}\n{"a": 2}\n', 'malformed-json', /line 2, column 1: .*one array/],
    ['that is no JSON at all', 'articles=1', 'malformed-json', /line 1, column 1: Expected a value/],
    ['that is a large object', `{"a":"${'x'.repeat(maxAtOnce.bytes)}"}`, 'validation-failed', /must be a JSON array/],
    ['that is empty', '[ ]', 'validation-failed', /empty\. Send 1 to 500/],
    ['with 501 elements', `[${Array(501).fill('{}').join()}]`, 'validation-failed', /more than 500/],
    ['with five million elements', `[${'0,'.repeat(5_000_000)}0]`, 'validation-failed', /more than 500/],
    ['that ends within an element', '[{"a": 1}, {"b', 'malformed-json', /column 15: The text ends here/],
    ['that ends between elements', '[{}, ', 'malformed-json', /column 6: The body ends before \]/],
    ['that ends after an element', '[{}', 'malformed-json', /column 4: The body ends before \]/],
    ['that only begins', '[', 'malformed-json', /column 2: The body ends before \]/],
    ['that is closed by the wrong bracket', '[1}', 'malformed-json', /column 3: The array is closed by }/],
    [
      'with brackets that do not match',
      '[{"a":[1}]]',
      'malformed-json',
      /column 9: Expected a comma or \], but found "}"/,
    ],
    ['that goes on after the array', '[{}]\n{}', 'malformed-json', /line 2, column 1: Something follows/],
    ['with a comma after the last element', '[{},\n]', 'malformed-json', /line 2, column 1: .*comma too many/],
    ['with a comma before the first', '[,{}]', 'malformed-json', /column 2: .*comma too many/],
    ['with two commas', '[{},,{}]', 'malformed-json', /column 5: .*comma too many/],
    ['with two elements and no comma', '[{} {}]', 'malformed-json', /column 5: Something follows/],
    ['with a comma after the last property', '[{"a": 1,}]', 'malformed-json', /column 10: There is a comma before }/],
    ['with single quotes', "[{'a': 1}]", 'malformed-json', /column 3: .*double quotes/],
    ['with a value that JSON has not', '[{"a": NaN}]', 'malformed-json', /column 8: .*write null/],
    ['with Python’s words', '[{"a": True}]', 'malformed-json', /column 8: .*small letters/],
    ['with a comment', '[{"a": 1} // one\n]', 'malformed-json', /column 11: Something follows/],
    ['with a leading zero', '[{"a": 01}]', 'malformed-json', /column 8: A number/],
    ['with a line break in a text', '[{"a": "1\n"}]', 'malformed-json', /line 1, column 10: .*line break/],
    ['with a wrong escape', '[{"a": "\\x41"}]', 'malformed-json', /column 9: A backslash/],
    [
      'with a fault after characters beyond the basic plane',
      '[{"🚚": }]',
      'malformed-json',
      /column 9: Expected a value/,
    ],
  ];
  for (const [what, body, slug, detail] of cases) {
    it(what, async () => {
      const problem = await problemOf(body);
      assert.equal(problem?.slug, slug);
      assert.match(problem?.detail ?? '', detail);
    });
  }

  it('exactly where JSON.parse refuses it, whatever bytes were changed', async () => {
    const changed = fc
      .tuple(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 5 }),
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '1', '-', 'e', ' ', '\n', '\u0001', 'é', 't'),
          ),
          { maxLength: 3 },
        ),
        fc.boolean(),
      )
      .map(([values, edits, pretty]) =>
        edits.reduce(
          (text, [place, put]) => {
            const at = place % (text.length + 1);
            return text.slice(0, at) + put + text.slice(at + (place % 2));
          },
          JSON.stringify(values, null, pretty ? 1 : 0),
        ),
      );
    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        const expected = parsed(text.toWellFormed());
        const problem = await problemOf(text);
        if (expected === undefined) assert.equal(problem?.slug, 'malformed-json', text);
        else if (!Array.isArray(expected) || expected.length === 0) assert.equal(problem?.slug, 'validation-failed');
        else
          assert.deepEqual(
            (await elementsOf(text)).map((element) => (element.kind === 'unread' ? element : element.value)),
            expected,
          );
      }),
      { numRuns: rounds(3000) },
    );
  });
});

describe('an element', () => {
  it('may be longer than what is parsed at once', async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `a:${index}`);
    const values: readonly unknown[] = [
      { a: 'x'.repeat(maxAtOnce.bytes) },
      { a: Array.from({ length: 1000 }, () => 'y"\\,]'.repeat(300)), '"\\{': { b: [1, {}] } },
      { a: Array.from({ length: 900 }, (_, n) => ({ n, b: [{}, { c: null }], d: '' })), b: 2 },
      Object.fromEntries(names.map((name) => [name, { [name]: 'z'.repeat(1000) }])),
      { a: [{ b: [{ c: 'é'.repeat(maxAtOnce.bytes) }] }], d: [] },
    ];
    for (const space of [0, 1]) {
      const read = await elementsOf(JSON.stringify(values, null, space));
      assert.deepEqual(
        read.map((element) => (element.kind === 'value' ? element.value : element)),
        values,
      );
    }
  });

  it('that is long and has a property twice is told apart, with its place', async () => {
    const long = 'x'.repeat(maxAtOnce.bytes);
    const read = await elementsOf(
      `[{"a": "${long}", "b": 1, "\\u0061": 2}, {"a": [1, {"b": "${long}", "b": 1}]},` +
        `{"a": "${long}", "c": {"d": 1, "d": 2}}]`,
    );
    assert.deepEqual(
      read.map((element) => (element.kind === 'repeated' ? element.path : null)),
      [['a'], ['a', 1, 'b'], ['c', 'd']],
    );
    const [inherited] = await elementsOf(`[{"a": "${long}", "__proto__": {"polluted": 1}}]`);
    assert.ok(inherited?.kind === 'value' && Object.hasOwn(Object(inherited.value), '__proto__'));
  });

  it('that is long and no JSON is refused with the place of its fault', async () => {
    const long = `"x": "${'x'.repeat(maxAtOnce.bytes)}"`;
    for (const [body, detail] of [
      [`[{${long}, "a": tru}]`, /column \d+: Expected a value/],
      [`[{${long}, "a"}]`, /Expected a property here/],
      [`[{${long}, a: 1}]`, /Expected a property here/],
      [`[{${long}, "a":}]`, /Expected a property here/],
      [`[{${long}, "a": 1,}]`, /column 1048595: Expected a property/],
      [`[{${long}, , "a": 1}]`, /Expected a property here/],
      [`[{${long}]]`, /closed by \] instead of }/],
      [`[{${long}} 1]`, /Something follows the end of the value/],
      [`[[${long.slice(5)}, 1,]]`, /comma too many/],
    ] as const) {
      const problem = await problemOf(body);
      assert.equal(problem?.slug, 'malformed-json', body.slice(-30));
      assert.match(problem?.detail ?? '', detail, body.slice(-30));
    }
  });

  it('that no record can be is not read to its end', async () => {
    const long = 'x'.repeat(maxAtOnce.bytes);
    const bodies: readonly (readonly [code: string, body: string])[] = [
      ['too-many', `[{"a":[${'0,'.repeat(1_000_000)}0]}]`],
      ['too-many', `[{${Array.from({ length: 200_000 }, (_, n) => `"${n}":1`).join()}}]`],
      ['too-deep', `[{"a":[{"a":[{"a":["${long}"]}]}]}]`],
      ['too-many', `[[${'{},'.repeat(1_000_000)}{}], 1]`],
    ];
    for (const [code, body] of bodies) {
      const [first] = await elementsOf(body);
      assert.equal(first?.kind === 'unread' && first.code, code);
    }
  });

  it('has no blanks around it, however many there are', async () => {
    const blanks = ' \n\r\t'.repeat(maxAtOnce.bytes / 2);
    const read = await elementsOf(`[${blanks}{"a": 1}${blanks},${blanks}2${blanks}]`);
    assert.deepEqual(read, [
      { kind: 'value', value: { a: 1 } },
      { kind: 'value', value: 2 },
    ]);
  });

  it('that is nested too deeply is not looked at, however deeply', async () => {
    for (const depth of [33, 500_000]) {
      const [first] = await elementsOf(`[${'['.repeat(depth)}${']'.repeat(depth)}]`);
      assert.equal(first?.kind === 'unread' && first.code, 'too-deep');
    }
    assert.equal((await elementsOf(`[${'['.repeat(32)}${']'.repeat(32)}]`))[0]?.kind, 'value');
  });

  it('is the same wherever the stretches end in which a body is looked at', async () => {
    const stretch = 1_048_576;
    for (const tail of ['"', '\\""', '\\\\"', '\\u005d"', ']"', ',"']) {
      for (let shift = -9; shift <= 3; shift++) {
        const read = await elementsOf(`["${'x'.repeat(stretch + shift)}${tail},"]","\\"",[1]]`);
        assert.deepEqual(
          read.slice(1).map((element) => (element.kind === 'value' ? element.value : null)),
          [']', '"', [1]],
          `${tail} ${shift}`,
        );
      }
    }
  });

  it('with a property twice in one object is told apart, with its place', async () => {
    const [first] = await elementsOf('[{"a": {"b": [{"c": 1, "d": 2, "c": 3}]}}]');
    assert.deepEqual(first, {
      kind: 'repeated',
      value: { a: { b: [{ c: 3, d: 2 }] } },
      path: ['a', 'b', 0, 'c'],
      detail: '"c" occurs twice in one object: send each property once.',
    });
    assert.equal((await elementsOf('[{"a": 1, "\\u0061": 2}]'))[0]?.kind, 'repeated');
    assert.equal((await elementsOf('[{"__proto__": 1, "__proto__": 2}]'))[0]?.kind, 'repeated');
  });

  it('may have the same property in different objects, and colons and brackets in its texts', async () => {
    assert.equal((await elementsOf('[{"a:{[": {"a:{[": ":,]}\\""}}]'))[0]?.kind, 'value');
  });

  it('that names what objects inherit does them no harm', async () => {
    const [first] = await elementsOf('[{"__proto__": {"polluted": 1}}]');
    assert.ok(first?.kind === 'value');
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('the search for a fault', () => {
  it('finds one exactly where JSON.parse does, and every repeated property', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '"',
            '\\',
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '0',
            '1',
            '.',
            '-',
            'e',
            ' ',
            '\n',
            'u',
            'a',
            'true',
            'null',
          ),
          maxLength: 20,
        }),
        (text) => {
          assert.equal(jsonFault(text) === null, parsed(text) !== undefined, text);
        },
      ),
      { numRuns: rounds(5000) },
    );
    const text = '[{"a":1,"a":2,"a":{"b":1,"b":2}}]';
    assert.deepEqual(repeatedProperties(text, 9), [
      [0, 'a'],
      [0, 'a'],
      [0, 'a', 'b'],
    ]);
    assert.deepEqual(repeatedProperties(text, 1), [[0, 'a']]);
  });

  it('takes numbers of any length', () => {
    assert.equal(jsonFault(`[${'1'.repeat(1000)}, 1e${'0'.repeat(1000)}1]`), null);
  });
});

describe('a large body', () => {
  /** How often others are given a turn while a body is looked at. */
  const turns = async (body: string): Promise<number> => {
    let count = 0;
    const pause = (): undefined => {
      count += 1;
    };
    await readArrayBody(Buffer.from(body), rule, pause).catch((error: unknown) => assert.ok(error instanceof Problem));
    return count;
  };
  const length = 10 * 1_048_576 - 10;

  it('of one element is looked at a mebibyte at a time', async () => {
    for (const body of [`["${'x'.repeat(length)}"]`, `[${'['.repeat(length)}]`, `[${' '.repeat(length)}]`])
      assert.ok((await turns(body)) >= 10, String(await turns(body)));
  });

  it('of many elements gives others a turn after each, also while its fault is looked for', async () => {
    const element = `{"a":"${'x'.repeat(20_000)}"},`;
    assert.ok((await turns(`[${element.repeat(400)}1]`)) >= 400);
    assert.ok((await turns(`[${element.repeat(400)}{"a":}`)) >= 800);
  });
});

describe('blanks', () => {
  it('are passed over to the first byte that is none, however many there are', () => {
    for (const count of [0, 1, 63, 64, 65, 65_535, 65_536, 65_600, 65_601, 300_000])
      for (const behind of ['x', '\u00a0', '']) {
        const blanks = ' \n\r\t'.repeat(Math.ceil(count / 4)).slice(0, count);
        assert.equal(skipBlanks(Buffer.from(`a${blanks}${behind}`), 1), 1 + count);
      }
  });
});

async function elementsOf(body: string): Promise<readonly ReadElement[]> {
  const array = await readArrayBody(Buffer.from(body), rule, cooperativeYield('outside'));
  return Promise.all(Array.from({ length: array.length }, (_, index) => array.read(index)));
}

/** The problem that a body meets, at once or when its elements are read. */
async function problemOf(body: string | Buffer): Promise<Problem | null> {
  try {
    const array = await readArrayBody(Buffer.from(body), rule, cooperativeYield('outside'));
    for (let index = 0; index < array.length; index++) await array.read(index);
    return null;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
