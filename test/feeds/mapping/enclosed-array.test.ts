// The array of a JSON file may lie within objects: it is found by its place once, or nothing is taken and the error
// says what to write.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMessageFacts } from '../../../src/feeds/mapping/message-facts.ts';
import { MessageFault } from '../../../src/feeds/message-fault.ts';
import { readJsonArray } from '../../../src/feeds/read-records.ts';
import { splitEnclosed } from '../../../src/feeds/split-enclosed.ts';
import { faultsOf, made, mappingOf, piecesOf } from './fixture.ts';

const resources = { articles: { fields: { articleReference: 'sku' } } };
const at = (records: string | undefined): ReturnType<typeof mappingOf> =>
  mappingOf({ format: { kind: 'json', ...(records !== undefined && { records }) }, resources });

/** Why nothing is taken of a file before it is read as a message, as the folder drop asks. */
async function faultOf(records: string, text: string | Uint8Array, piece = 7): Promise<MessageFault | null> {
  try {
    await readMessageFacts(at(records), piecesOf(text, piece), 'file.json');
    return null;
  } catch (error) {
    assert.ok(error instanceof MessageFault);
    return error;
  }
}

const told = (fault: MessageFault | null): string => (fault === null ? '' : `${fault.message} ${fault.remedy}`);

const small =
  '{"exportedAt":"2026-03-02","data":{"note":"a\\"]}","items":[{"sku":"A"},{"sku":"B"}],"n":[1,{}]},"ok":true}';
const skus = [{ articleReference: 'A' }, { articleReference: 'B' }];

describe('the array at the place that the mapping names', () => {
  it('is nothing where the file is cut at whatever byte, comes in whatever pieces', async () => {
    const bytes = Buffer.from(small);
    for (let length = 0; length < bytes.length; length += 1)
      for (const piece of [1, 1000])
        assert.equal((await faultOf('/data/items', bytes.subarray(0, length), piece))?.code, 'truncated', `${length}`);
    for (let piece = 1; piece <= bytes.length; piece += 1) {
      assert.equal(await faultOf('/data/items', bytes, piece), null);
      const { values, counts } = await made(at('/data/items'), bytes, { piece });
      assert.deepEqual([values, counts.lines, counts.inRecords], [skus, 2, 2]);
    }
  });

  it('is nothing where text follows, or where a sign that holds the file together is another one', async () => {
    for (const more of ['x', '{}', ']', '}', ',', '\0', '\n\n{"data":{"items":[]}}'])
      assert.equal((await faultOf('/data/items', small + more))?.code, 'trailing-text', more);
    assert.equal(await faultOf('/data/items', `${small} \r\n\t`), null);
    const [start, array, end] = ['{"data":{"items":[', '{"sku":"A"},{"sku":"B"}', '],"n":[1,{}]},"ok":true}'];
    assert.equal(await faultOf('/data/items', start + array + end), null);
    for (const [index] of [...start].entries())
      if (/\W/.test(start[index] ?? ''))
        assert.notEqual(
          await faultOf('/data/items', `${start.slice(0, index)};${start.slice(index + 1)}${array}${end}`),
          null,
        );
    for (const [index] of [...end].entries())
      if (/\W/.test(end[index] ?? ''))
        assert.notEqual(
          await faultOf('/data/items', `${start}${array}${end.slice(0, index)};${end.slice(index + 1)}`),
          null,
        );
    for (const broken of [
      '{"sku":"A},{"sku":"B"}',
      '{"sku":"A",{"sku":"B"}',
      '{"sku":"A"}],{"sku":"B"}',
      '[{"sku":"A"}',
    ])
      assert.notEqual(await faultOf('/data/items', start + broken + end), null, broken);
  });

  it('may have a byte order mark before it, line breaks, and names with escapes and any letters', async () => {
    const { values, all } = await made(
      at('/d~1a~0/é'),
      '\u{feff}\n{\n"a": {"é": [0]},\r\n"d\\/\\u0061~": {"\\u00e9":\n[\n{"sku":"A"},\n{"sku":"B"}]}\n}\n',
      { piece: 3 },
    );
    assert.deepEqual([values, all.map(({ line }) => line)], [skus, [6, 7]]);
    assert.equal((await faultOf('/a', Buffer.from('{"a":[]}', 'utf16le')))?.code, 'utf-16');
    assert.equal((await faultOf('/a', Buffer.from('{"\xe9":1,"a":[]}', 'latin1')))?.code, 'bad-encoding');
  });

  it('may be empty, or have records that are refused alone', async () => {
    assert.equal(await faultOf('/a', '{"a":[ ]}'), null);
    assert.deepEqual((await made(at('/a'), '{"a":[ ]}')).all, []);
    const { values, refused } = await made(at('/a'), '{"a":[{"sku":"A"},7,{"sku":"x","sku":"y"},{bad},{"sku":"B"}]}');
    assert.deepEqual([values, refused], [skus, ['1: wrong-type', '1: duplicate-property', '1: not-json']]);
  });

  it('is not found twice, nor is anything on the way to it; other members may be there twice', async () => {
    for (const text of [
      '{"data":{"items":[]},"data":{}}',
      '{"data":{},"data":{"items":[]}}',
      '{"data":{"items":[{"sku":"A"}],"items":[]}}',
      '{"data":{"items":[],"i\\u0074ems":1}}',
      '{"data":{"items":[]},"data":null}',
    ])
      assert.match(told(await faultOf('/data/items', text)), /stands twice in the file.*Nothing was taken/, text);
    const others = '{"a":1,"a":2,"items":{"items":[]},"data":{"a":{"data":1},"a":1,"items":[]}}';
    assert.equal(await faultOf('/data/items', others), null);
  });

  it('is not guessed: the error names the members that are there, and what to write', async () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        '/orders',
        '{"exportedAt":"x","data":{"items":[]}}',
        /The file has no member "orders". It has "exportedAt", "data". Write .*"records": "\/data\/items"\}/,
      ],
      [
        '/data/orders',
        '{"data":{"n":1,"items":[],"x/y":[]}}',
        /at "\/data" has no member "orders". It has "n", "items", "x\/y". Write .*items"\} in.*"\/data\/x~1y"/,
      ],
      ['/data/0/items', '{"data":[{"items":[]}]}', /"\/data" is an array, not an object.*Write .*"records": "\/data"/],
      ['/data/items', '{"data":{"items":"no"}}', /"\/data\/items" is a text, not an array. The file has no array/],
      ['/data/items', '{"data":null}', /"\/data" is null, not an object/],
      ['/data/items', '[{"sku":"A"}]', /the file is an array, not an object. Leave "records" out/],
      ['/data/items', '7', /the file is a number, not an object/],
      ['/data/items', '{}', /The file has no member "data". It is empty/],
      ['/a', `{${Array.from({ length: 50 }, (_, index) => `"m${index}":0`).join()}}`, /"m19" and 30 more\./],
    ];
    for (const [place, text, message] of cases) assert.match(told(await faultOf(place, text, 5)), message, text);
  });

  it('may have anything JSON around it, nested as deep as the bound', async () => {
    const nested = (depth: number): string => `{"x":${'[{"y":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)},"a":[]}`;
    assert.equal(await faultOf('/a', nested(998)), null);
    assert.equal((await faultOf('/a', nested(1000)))?.code, 'nested-too-deep');
    assert.equal((await faultOf('/a', `{"x":${'['.repeat(1_000_000)}`, 65536))?.code, 'nested-too-deep');
    const values = ['-0.5e+3', '0', 'true', 'null', '""', '"\\\\"', '[[],{}]', '{"a":[1]}'];
    for (const value of values) assert.equal(await faultOf('/a', `{"x":${value},"a":[],"y":${value}}`, 1), null, value);
    for (const value of ['01', '+1', 'nul', 'True', '1 2', '[1,]', '{"b":1,}', '{b:1}', '[1}', '"\n"', '', ',', "'x'"])
      assert.equal((await faultOf('/a', `{"x":${value},"a":[]}`, 1))?.code, 'not-json', value);
  });

  it('may have members of any size around it, none of which is held; all of it has a bound', async () => {
    const block = Buffer.alloc(65536, 'x');
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    async function* file(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"image":"');
      for (let count = 0; count < 1600; count += 1) {
        yield block;
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
      yield Buffer.from('","');
      for (let count = 0; count < 160; count += 1) {
        yield block;
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
      yield Buffer.from('":0,"a":[{"sku":"A"}]}');
    }
    let records = 0;
    for await (const group of readJsonArray(file(), '/a')) records += group.length;
    assert.equal(records, 1);
    assert.ok(most < 10 * 1024 * 1024, `${most} bytes`);
    const bounded = splitEnclosed(1, 1000, '/a', undefined, 100);
    bounded.push(Buffer.from(`{"a":[${'{},'.repeat(99)}{}],"x":"${'x'.repeat(50)}`));
    assert.throws(() => bounded.push(Buffer.from('x'.repeat(60))), /longer than 100 bytes; nothing was taken/);
  });
});

describe('values around the array', () => {
  const around = (fields: Record<string, unknown>, more: object = {}): ReturnType<typeof mappingOf> =>
    mappingOf({
      format: { kind: 'json', records: '/data/items' },
      resources: { stock: { fields: { articleReference: 'sku', totalStockQuantity: 'qty', ...fields } } },
      ...more,
    });
  const exported = around(
    {
      stockImageExtractionDate: 'around:/exportedAt',
      stockUnitID: { column: 'around:/data/site', codes: { 7: 'MAI' } },
    },
    { message: { sequence: 'around:/run', extractionDate: 'around:/exportedAt' } },
  );
  const row = '{"sku":"A","qty":3}';
  const undated = [{ articleReference: 'A', totalStockQuantity: 3 }];
  const dated = [{ ...undated[0], stockImageExtractionDate: '2026-03-02T04:00:00Z', stockUnitID: 'MAI' }];

  it('are columns of every row and facts of the message, before the array or behind it', async () => {
    const date = '"exportedAt":"2026-03-02T0\\u0034:00:00Z"';
    for (const text of [
      `{${date},"run":17,"data":{"site":"7","items":[${row}]}}`,
      `{"data":{"items":[${row}],"site":7},"run":"17","x":{"exportedAt":"no"},${date}}`,
    ])
      for (let piece = 1; piece < 40; piece += 1) {
        const facts = await readMessageFacts(exported, piecesOf(text, piece), 'a.json');
        assert.deepEqual([facts.sequence, facts.extractionDate], [17, '2026-03-02T04:00:00.000Z']);
        assert.deepEqual((await made(exported, text, { piece })).values, dated, text);
      }
  });

  it('have every digit of a number that is longer than a double', async () => {
    const sent = around({ stockUnitID: 'around:/unit' }, { message: { id: 'around:/id' } });
    const text = `{"id":340123451234567891,"unit":-100000000000000001,"data":{"items":[${row}]}}`;
    for (let piece = 1; piece < 40; piece += 1) {
      assert.equal((await readMessageFacts(sent, piecesOf(text, piece), 'a.json')).id, '340123451234567891');
      const { values } = await made(sent, text, { piece });
      assert.deepEqual(values, [{ ...undated[0], stockUnitID: '-100000000000000001' }]);
    }
  });

  it('are empty where they are null, an object, an array or not there', async () => {
    for (const text of ['"exportedAt":null', '"exportedAt":{"a":1}', '"exportedAt":["x"]', '"exportedat":"x"']) {
      const { values } = await made(exported, `{${text},"data":{"items":[${row}]}}`, { piece: 5 });
      assert.deepEqual(values, undated, text);
    }
  });

  it('are nothing where they stand twice, are too long, or are no text: nothing is taken', async () => {
    const fault = async (text: string): Promise<string> => {
      try {
        await readMessageFacts(exported, piecesOf(text, 5), 'a.json');
        return '';
      } catch (error) {
        assert.ok(error instanceof MessageFault);
        return `${error.code}: ${told(error)}`;
      }
    };
    const items = `"data":{"items":[${row}]}`;
    assert.match(
      await fault(`{"exportedAt":"a",${items},"exportedAt":"a"}`),
      /^records-twice: "\/exportedAt" stands twice/,
    );
    assert.match(await fault(`{"exportedAt":"${'x'.repeat(5000)}",${items}}`), /^value-too-long: .*"\/exportedAt"/);
    assert.match(await fault(`{"exportedAt":"\\q",${items}}`), /^not-json/);
    assert.match(await fault(`{"exportedAt":"yesterday",${items}}`), /^bad-date: What the file says of itself/);
    assert.match(await fault(`{"exportedAt":"2999-01-01T00:00:00Z",${items}}`), /^future-date/);
    for (const run of ['-1', '1.5', 'true', '9007199254740992', '"x"'])
      assert.match(await fault(`{"run":${run},${items}}`), /^bad-number: What the file says of itself/, run);
    const long = 'é'.repeat(256);
    const named = around({}, { message: { id: 'around:/id' } });
    const idOf = async (id: string) => (await readMessageFacts(named, piecesOf(`{"id":"${id}",${items}}`, 9), 'a')).id;
    assert.equal(await idOf(long.slice(1)), long.slice(1));
    for (const id of [long, 'a\\u0007'])
      await assert.rejects(idOf(id), /the message must be 1 to 255 visible characters/);
    assert.equal(await fault(`{"other":"${'x'.repeat(5000)}",${items}}`), '');
  });

  it('are for files whose array lies within an object, and named by a place in it', () => {
    const named = (column: string, format: object = { kind: 'json', records: '/a' }): string =>
      faultsOf({ format, resources: { articles: { fields: { articleReference: column } } } });
    assert.equal(named('around:/exportedAt'), '');
    for (const column of ['around:exportedAt', 'around:', 'around:/a~2'])
      assert.match(named(column), /is not a JSON Pointer/);
    assert.match(named('around:/a'), /that is the array itself/);
    for (const format of [{ kind: 'json' }, { kind: 'ndjson' }, { kind: 'csv' }])
      assert.match(named('around:/x', format), /only a JSON file whose array lies within an object/);
  });
});

describe('a file whose array lies within an object', () => {
  const ndjson = mappingOf({ format: { kind: 'ndjson' }, resources });
  const refusal = async (text: string, mapping = at(undefined)): Promise<string> => {
    try {
      await made(mapping, text, { piece: 7 });
      return '';
    } catch (error) {
      assert.ok(error instanceof MessageFault);
      return `${error.code}: ${told(error)}`;
    }
  };

  it('is refused where the mapping names no place, with the places that it could name', async () => {
    assert.match(
      await refusal(small),
      /^wrapped: .*It has "exportedAt", "data", "ok". Write .*"records": "\/data\/items"/,
    );
    assert.match(await refusal('{"orders":[{"a":1},'), /^wrapped: .*"records": "\/orders"/);
    assert.match(await refusal('{"sku":"A"}\n{"sku":"B"}'), /^not-an-array: .*"kind": "ndjson"/);
    assert.match(await refusal('{"sku":"A"}'), /^wrapped: .*no array/);
    assert.match(await refusal('"text"'), /^not-json: The file is a text, not an array/);
    assert.deepEqual((await made(at(undefined), '[{"sku":"A"},{"sku":"B"}]')).values, skus);
  });

  it('is refused where the mapping says that each object stands on a line', async () => {
    const lines = JSON.stringify(JSON.parse(small), null, 2);
    assert.match(await refusal(lines, ndjson), /^several-lines: .*"kind": "json", "records": "\/orders"/);
    assert.match(await refusal(small, ndjson), /^wrapped: .*"kind": "json", "records": "\/data\/items"/);
    const constant = { articles: { fields: { articleReference: { constant: 'A' } } } };
    assert.equal(await refusal(small, mappingOf({ format: { kind: 'ndjson' }, resources: constant })), '');
    const others = '{"sku":"A","lines":[{"x":1}]}\n';
    assert.equal((await made(ndjson, others)).values.length, 1);
    assert.equal(await refusal(`{"lines":[{"x":1}]}\n${others}`, ndjson), '');
  });
});

describe('the place in a mapping file', () => {
  it('is a JSON Pointer of bounded length, and is for JSON alone', () => {
    for (const records of ['', 'orders', '/a~2', '/a~', `/${'x'.repeat(101)}`, '/a'.repeat(11), 7])
      assert.match(faultsOf({ format: { kind: 'json', records }, resources }), /\/format\/records must/, `${records}`);
    assert.equal(faultsOf({ format: { kind: 'json', records: '/a~1b/~0' }, resources }), '');
    assert.match(faultsOf({ format: { kind: 'ndjson', records: '/a' }, resources }), /records is not known here/);
  });
});
