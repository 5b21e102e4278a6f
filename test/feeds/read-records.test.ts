// Reading the records of a file: both forms, every way in which a file can be broken, and any way in which its bytes
// may come.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { jsonReading, readRecords } from '../../src/feeds/read-records.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { SourceRecord } from '../../src/feeds/read-records.ts';
import { rounds } from '../contract/rounds.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

async function read(bytes: Uint8Array, cuts: readonly number[] = [], limit?: number): Promise<readonly SourceRecord[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let from = 0;
    for (const cut of [...cuts].sort((one, other) => one - other)) {
      yield bytes.subarray(from, cut);
      from = cut;
    }
    yield bytes.subarray(from);
  }
  const found: SourceRecord[] = [];
  for await (const group of readRecords(pieces(), limit)) found.push(...group);
  return found;
}

/** Line and value, or line and code of the reason: what most tests are about. */
const brief = (records: readonly SourceRecord[]): readonly (readonly [number, unknown])[] =>
  records.map((record) => [record.line, record.ok ? record.value : record.reason.code]);

const everyCut = (bytes: Uint8Array): readonly number[] => Array.from(bytes, (_, at) => at);

describe('a long chunk', () => {
  it('is parsed in pieces that are short work, and counted as a whole', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(180) })}\n`;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield utf8(line.repeat(20_000));
    }
    const reading = jsonReading(chunks());
    let [count, longest] = [0, 0];
    for await (const group of reading.groups) {
      count += group.length;
      longest = Math.max(longest, group.length);
    }
    assert.equal(count, 20_000);
    assert.ok(longest * line.length <= 17 * 1024, `${longest} records at one go`);
    assert.equal(reading.bytes(), 20_000 * line.length);
    assert.equal(reading.counts().lines, 20_000);
  });
});

describe('a record with two members of one name', () => {
  const refusals = async (text: string): Promise<readonly unknown[]> =>
    (await read(utf8(text))).map((record) => (record.ok ? record.value : [record.reason.code, record.reason.pointer]));

  it('is refused with the place of the second, wherever it stands and however it is written', async () => {
    const twice: readonly (readonly [text: string, place: string])[] = [
      ['{"a":1,"a":1}', '/a'],
      ['{"a":1,"\\u0061":2}', '/a'],
      ['{"a":[{"b":1},{"b":1,"c":{"d/e":1,"d/e":null}}]}', '/a/1/c/d~1e'],
      ['{"":1,"":2}', '/'],
      ['{"__proto__":1,"__proto__":2}', '/__proto__'],
      ['{ "x" : "a:b" , "a\\"" : 1 , "a\\"" : ":" }', '/a"'],
    ];
    for (const [text, place] of twice) {
      assert.deepEqual(await refusals(`${text}\n{"ok":1}`), [['duplicate-property', place], { ok: 1 }], text);
      assert.deepEqual(await refusals(`[${text},{"ok":1}]`), [['duplicate-property', place], { ok: 1 }], text);
    }
  });

  it('is told from colons in strings, escaped quotes, empty names, and names of the language', async () => {
    for (const value of [
      { a: ':"\\', 'b:"': [':', { c: '\\"' }] },
      { '': { '': 1 } },
      { toString: 1, constructor: { prototype: 1 } },
      ['a', { a: [] }],
      'x:y',
      7,
      null,
      { 'é:€': '😀:' },
    ]) {
      assert.deepEqual(await refusals(JSON.stringify([value])), [value]);
    }
    await fc.assert(
      fc.asyncProperty(fc.object({ maxDepth: 4 }), async (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(await refusals(`[${text}]`), [JSON.parse(text)]);
        assert.deepEqual(await refusals(`${text}\n`), [JSON.parse(text)]);
      }),
    );
  });

  it('is told from any other, in lines and in arrays, whatever its names and values hold', async () => {
    const tricky = fc.string({ unit: fc.constantFrom('"', ':', '\\', ' ', ',', '{', '\n', 'é', 'a'), maxLength: 4 });
    const blank = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 2 });
    const members = fc.array(fc.record({ name: tricky, value: tricky, blank }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(members, async (all) => {
        const written = all.map(({ name, value, blank: pause }) =>
          [JSON.stringify(name), ':', JSON.stringify(value)].join(pause),
        );
        const text = `{${written.join(',')}}`;
        const isEachOnce = new Set(all.map(({ name }) => name)).size === all.length;
        for (const file of [`${text}\n`, `[${text}]`])
          assert.deepEqual(
            brief(await read(utf8(file))).map(([, each]) => each),
            [isEachOnce ? JSON.parse(text) : 'duplicate-property'],
            file,
          );
      }),
      { numRuns: rounds(500) },
    );
  });

  it('costs no more where it is nested deep', async () => {
    const deep = `{"a":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    assert.deepEqual(await refusals(`${deep}\n`), [['duplicate-property', '/a']]);
  });
});

describe('a broken file of lines', () => {
  it('keeps reading after a line that is no JSON, and gives its text', async () => {
    const records = await read(utf8('{"a":1}\n{"a":\n{"a":3}\n'));
    assert.deepEqual(brief(records), [
      [1, { a: 1 }],
      [2, 'not-json'],
      [3, { a: 3 }],
    ]);
    assert.equal(records[1]?.text, '{"a":');
  });

  it('refuses a line that is not UTF-8 and shows it as Windows-1252', async () => {
    const records = await read(
      Buffer.concat([utf8('{"a":"é"}\n{"a":"'), Buffer.from([0xe9, 0x80]), utf8('"}\n{"a":3}\n')]),
    );
    assert.deepEqual(brief(records), [
      [1, { a: 'é' }],
      [2, 'bad-encoding'],
      [3, { a: 3 }],
    ]);
    assert.equal(records[1]?.text, '{"a":"é€"}');
  });

  it('refuses UTF-8 that encodes half of a surrogate pair', async () => {
    const records = await read(Buffer.concat([utf8('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), utf8('"}\n')]));
    assert.deepEqual(brief(records), [[1, 'bad-encoding']]);
  });

  it('refuses a line over the limit without its text and reads on, wherever its bytes are cut', async () => {
    const long = `{"a":"${'x'.repeat(50)}"}`;
    const bytes = utf8(`{"a":1}\n${long}\n{"a":3}\n${long}`);
    for (const cuts of [[], everyCut(bytes), [20], [20, 40, 70]]) {
      const records = await read(bytes, cuts, 40);
      assert.deepEqual(brief(records), [
        [1, { a: 1 }],
        [2, 'record-too-long'],
        [3, { a: 3 }],
        [4, 'record-too-long'],
      ]);
      assert.equal(records[1]?.text, null);
    }
  });

  it('accepts a line of exactly the limit', async () => {
    const line = `{"a":"${'x'.repeat(32)}"}`;
    assert.equal(line.length, 40);
    for (const cuts of [[], [10], everyCut(utf8(line))])
      assert.equal(
        (await read(utf8(`${line}\n${line}`), cuts, 40)).every(({ ok }) => ok),
        true,
      );
  });

  it('calls a last line without line feed cut off when it is no JSON', async () => {
    assert.deepEqual(brief(await read(utf8('{"a":1}\n{"a":2,"b'))), [
      [1, { a: 1 }],
      [2, 'truncated'],
    ]);
  });

  it('calls several values on one line no JSON', async () => {
    assert.deepEqual(brief(await read(utf8('{"a":1}{"a":2}\n'))), [[1, 'not-json']]);
  });

  it('says that UTF-16 and gzip must be converted first', async () => {
    const refusal =
      (words: RegExp) =>
      (error: unknown): boolean =>
        error instanceof OperatorError && words.test(error.message);
    await assert.rejects(read(Buffer.from('\ufeff{"a":1}\n', 'utf16le')), refusal(/UTF-16/));
    await assert.rejects(read(Buffer.from('{"a":1}\n', 'utf16le')), refusal(/UTF-16/));
    await assert.rejects(read(Buffer.from('{"a":1}\n', 'utf16le').swap16()), refusal(/UTF-16/));
    await assert.rejects(read(Buffer.from([0x1f, 0x8b, 0x08, 0x00])), refusal(/compressed/));
  });
});

describe('a broken array', () => {
  it('keeps reading after an element that is no JSON', async () => {
    assert.deepEqual(brief(await read(utf8('[{"a":1},\n{"a":},\n{"a":3}]'))), [
      [1, { a: 1 }],
      [2, 'not-json'],
      [3, { a: 3 }],
    ]);
  });

  it('refuses missing elements', async () => {
    assert.deepEqual(brief(await read(utf8('[,{"a":1},,\n{"a":2},]'))), [
      [1, 'not-json'],
      [1, { a: 1 }],
      [1, 'not-json'],
      [2, { a: 2 }],
      [2, 'not-json'],
    ]);
  });

  it('refuses two elements without a comma between them as one', async () => {
    assert.deepEqual(brief(await read(utf8('[{"a":1} {"a":2},{"a":3}]'))), [
      [1, 'not-json'],
      [1, { a: 3 }],
    ]);
  });

  it('keeps what was read before the file ends, and says that it was cut off', async () => {
    assert.deepEqual(brief(await read(utf8('[{"a":1},\n{"a":2,"b'))), [
      [1, { a: 1 }],
      [2, 'truncated'],
    ]);
    assert.deepEqual(brief(await read(utf8('[{"a":1},\n{"a":2}'))), [
      [1, { a: 1 }],
      [2, { a: 2 }],
      [2, 'truncated'],
    ]);
    assert.deepEqual(brief(await read(utf8('[{"a":1},\n'))), [
      [1, { a: 1 }],
      [2, 'truncated'],
    ]);
    assert.deepEqual(brief(await read(utf8('['))), [[1, 'truncated']]);
  });

  it('reads on behind a string that lacks its closing quote, where members stand on lines of their own', async () => {
    assert.deepEqual(brief(await read(utf8('[\n{\n"a":"x,\n"b":1\n},\n{\n"a":2\n}\n]'))), [
      [2, 'not-json'],
      [6, { a: 2 }],
    ]);
  });

  it('is not ended by a brace too many', async () => {
    assert.deepEqual(brief(await read(utf8('[{"a":1}},{"a":2}]'))), [
      [1, 'not-json'],
      [1, { a: 2 }],
    ]);
  });

  it('refuses text after its end', async () => {
    assert.deepEqual(brief(await read(utf8('[{"a":1}]\n\n[{"a":2}]'))), [
      [1, { a: 1 }],
      [3, 'trailing-text'],
    ]);
  });

  it('refuses an element that is not UTF-8, and one over the limit', async () => {
    const bytes = Buffer.concat([
      utf8('[{"a":"'),
      Buffer.from([0xe9]),
      utf8(`"},\n{"a":"${'x'.repeat(60)}"},\n{"a":3}]`),
    ]);
    for (const cuts of [[], everyCut(bytes)])
      assert.deepEqual(brief(await read(bytes, cuts, 40)), [
        [1, 'bad-encoding'],
        [2, 'record-too-long'],
        [3, { a: 3 }],
      ]);
  });
});

describe('what is accepted', () => {
  it('no records at all: nothing, blanks, a byte order mark, an empty array', async () => {
    for (const text of ['', '\n \r\n\t', '\ufeff', '\ufeff \n', '[]', ' [ \n ] \n'])
      assert.deepEqual(await read(utf8(text)), [], JSON.stringify(text));
  });

  it('a byte order mark, CRLF, blank lines, a last line without line feed', async () => {
    const bytes = utf8('\ufeff\r\n{"a":1}\r\n\r\n   \n{"a":2}');
    for (const cuts of [[], everyCut(bytes)])
      assert.deepEqual(brief(await read(bytes, cuts)), [
        [2, { a: 1 }],
        [5, { a: 2 }],
      ]);
  });

  it('an array over many lines, with the line on which each element starts', async () => {
    const bytes = utf8(
      '\ufeff\n\n[\n  {\n    "a": [1, {"b": "],}"}],\n    "c": "\\"[{"\n  },\r\n\r\n  {"a": "\\\\"}, {"a": {}}\n]\n',
    );
    const expected = [
      [4, { a: [1, { b: '],}' }], c: '"[{' }],
      [9, { a: '\\' }],
      [9, { a: {} }],
    ];
    for (const cuts of [[], everyCut(bytes)]) assert.deepEqual(brief(await read(bytes, cuts)), expected);
  });

  it('values that are no objects: the checker refuses them, not the reader', async () => {
    assert.deepEqual(brief(await read(utf8('1\n"x"\nnull\n[2]\n'))), [
      [1, 1],
      [2, 'x'],
      [3, null],
      [4, [2]],
    ]);
    assert.deepEqual(brief(await read(utf8('[1,"x,]",null,[2]]'))), [
      [1, 1],
      [1, 'x,]'],
      [1, null],
      [1, [2]],
    ]);
  });
});

describe('any records, in any pieces', () => {
  const someCuts = fc.array(fc.nat(2000), { maxLength: 12 });
  const blanks = fc.constantFrom('', ' ', '\n', '\r\n', '\t ');

  it('come back from lines as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.jsonValue(), blanks), { maxLength: 12 }),
        someCuts,
        async (written, cuts) => {
          // Text that begins with a bracket is an array.
          const lines = written.map(
            ([value, blank]) => `${JSON.stringify(value)}${blank.includes('\n') ? '\r' : blank}\n`,
          );
          const bytes = utf8(`{}\n${lines.join('')}`);
          const records = await read(
            bytes,
            cuts.map((cut) => cut % (bytes.length + 1)),
          );
          assert.deepEqual(brief(records), [
            [1, {}],
            ...written.map(([value], index) => [index + 2, JSON.parse(JSON.stringify(value))]),
          ]);
        },
      ),
    );
  });

  it('come back from an array as they were written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.jsonValue(), blanks, blanks, fc.boolean()), { maxLength: 12 }),
        someCuts,
        async (written, cuts) => {
          const elements = written.map(
            ([value, before, after, wide]) => before + JSON.stringify(value, null, wide ? 2 : 0) + after,
          );
          const text = `[${elements.join(',')}]`;
          const bytes = utf8(text);
          const records = await read(
            bytes,
            cuts.map((cut) => cut % (bytes.length + 1)),
          );
          assert.deepEqual(
            records.map((record) => record.ok && record.value),
            JSON.parse(text),
          );
          for (const record of records)
            assert.equal(text.split('\n')[record.line - 1]?.includes(record.text?.trim().split('\n')[0] ?? '?'), true);
        },
      ),
    );
  });

  it('whatever the bytes are, the pieces make no difference', async () => {
    const hostile = fc
      .array(fc.constantFrom(...'[]{},:"\\ \n\r1ax\u00e9'.split(''), '{"a":1}', '\n', '[{"a":1},'), { maxLength: 60 })
      .map((parts) => utf8(parts.join('')));
    await fc.assert(
      fc.asyncProperty(hostile, someCuts, async (bytes, cuts) => {
        assert.deepEqual(
          await read(
            bytes,
            cuts.map((cut) => cut % (bytes.length + 1)),
            30,
          ),
          await read(bytes, [], 30),
        );
      }),
      { numRuns: rounds(500), examples: [[utf8(' \n\r}'), [1493]]] },
    );
  });
});
