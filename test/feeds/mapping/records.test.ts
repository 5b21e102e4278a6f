// Lines become records: skipped by rules, grouped, distinct, withdrawn; and every line is accounted for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMessageFacts } from '../../../src/feeds/mapping/message-facts.ts';
import { made, mappingOf, piecesOf } from './fixture.ts';

const orders = (group: object, more: object = {}, whole: object = {}): ReturnType<typeof mappingOf> =>
  mappingOf({
    format: { kind: 'csv', delimiter: ';', quote: 'none' },
    ...whole,
    resources: {
      orders: {
        fields: { orderUniqueID: 'no', deliveryAddressCity: 'city' },
        lists: {
          orderEntries: {
            fields: { orderLineID: { position: true }, articleReference: 'sku', quantityToPrepare: 'qty' },
          },
        },
        group: { by: ['no'], ...group },
        ...more,
      },
    },
  });
const file = (...lines: readonly string[]): string => ['no;city;sku;qty', ...lines, ''].join('\n');

describe('lines of one key', () => {
  it('that stand together are one record, with the fields of the first and an element for each', async () => {
    const { values, all } = await made(orders({}), file('1;Lille;A;2', '1;Paris;B;3', '2;Metz;A;1'), { piece: 3 });
    assert.deepEqual(values, [
      {
        orderUniqueID: '1',
        deliveryAddressCity: 'Lille',
        orderEntries: [
          { orderLineID: '1', articleReference: 'A', quantityToPrepare: 2 },
          { orderLineID: '2', articleReference: 'B', quantityToPrepare: 3 },
        ],
      },
      {
        orderUniqueID: '2',
        deliveryAddressCity: 'Metz',
        orderEntries: [{ orderLineID: '1', articleReference: 'A', quantityToPrepare: 1 }],
      },
    ]);
    assert.deepEqual(
      all.map(({ line, lines }) => [line, lines]),
      [
        [2, 2],
        [4, 1],
      ],
    );
  });

  it('that come again behind others are refused, and the mapping may say that they are gathered', async () => {
    const text = file('1;Lille;A;2', '2;Metz;A;1', '1;Lille;B;3', '1;Lille;C;3');
    const { refused, all, values } = await made(orders({}), text);
    assert.deepEqual([refused, values.length], [['4: lines-apart'], 2]);
    assert.equal(all[2]?.text, '1;Lille;B;3\n1;Lille;C;3');
    const gathered = await made(orders({ apart: 'gather' }), text);
    assert.deepEqual(
      gathered.all.map(({ line, lines }) => [line, lines]),
      [
        [2, 3],
        [3, 1],
      ],
    );
  });

  it('of which one is wrong are refused together, with every reason', async () => {
    const { refused, all } = await made(orders({}), file('1;Lille;A;two', '1;Lille;B;x', '2;Metz;A;1'));
    assert.deepEqual(refused, ['2: bad-number, bad-number']);
    assert.ok(all[0] !== undefined && !all[0].ok);
    assert.deepEqual(
      [all[0].reason, ...(all[0].others ?? [])].map(({ pointer, detail }) => [pointer, detail.slice(0, 37)]),
      [
        ['/orderEntries/0/quantityToPrepare', 'Line 2: column "qty" has "two", which'],
        ['/orderEntries/1/quantityToPrepare', 'Line 3: column "qty" has "x", which i'],
      ],
    );
  });

  it('beside a line that nobody can read are refused too: they may not be whole', async () => {
    const text = file('1;Lille;A;2', '2;Metz;A;1', 'damaged', '2;Metz;B;1', '3;Nice;A;1', '4;Brest;A;1');
    const { refused, values } = await made(orders({}), text);
    assert.deepEqual(refused, ['3: line-beside', '4: column-count', '5: lines-apart, line-beside']);
    assert.deepEqual(values.length, 3);
    const gathered = await made(orders({ apart: 'gather' }), text);
    assert.deepEqual(gathered.refused, ['3: line-beside, line-beside', '4: column-count']);
  });

  it('without a key are refused', async () => {
    assert.deepEqual((await made(orders({}), file(';Lille;A;2'))).refused, ['2: no-key']);
  });

  it('in another encoding are refused with their record, if their key can be read', async () => {
    const text = Buffer.from(file('1;Lille;A;2', '1;#;B;2', '2;Metz;A;1'));
    text[text.indexOf('#')] = 0xe9;
    const { refused, all } = await made(orders({}), text);
    assert.deepEqual(refused, ['2: bad-encoding']);
    assert.ok(all[0] !== undefined && !all[0].ok);
    assert.match(all[0].reason.detail, /^Line 3: The line is not UTF-8/);
  });

  it('that differ are taken, noted or refused', async () => {
    const text = file('1;Lille;A;2', '1;Paris;B;3');
    const noted = await made(orders({ differences: 'warn' }), text);
    assert.deepEqual([noted.counts.warned, noted.counts.warnings[0]?.line, noted.values.length], [1, 3, 1]);
    assert.deepEqual((await made(orders({ differences: 'refuse' }), text)).refused, ['2: differs-in-file']);
  });

  it('are held up to a bound, be it of one record or of all that are gathered', async () => {
    const long = Array.from({ length: 200 }, (_, index) => `1;Lille;${'x'.repeat(100_000)};${index}`);
    assert.deepEqual((await made(orders({}), file(...long, '2;Metz;A;1'), { piece: 65_536 })).refused, [
      '2: record-too-long',
    ]);
    const all = Array.from({ length: 80 }, (_, index) => `${index};Lille;${'x'.repeat(900_000)};1`);
    await assert.rejects(
      made(orders({ apart: 'gather' }), file(...all), { piece: 65_536 }),
      /longer than the .* that are gathered/,
    );
  });

  it('may be left out one by one: the record has the others', async () => {
    const skip = [
      {
        rule: 'charges',
        when: {
          any: [
            { column: 'sku', oneOf: ['POST'] },
            { column: 'qty', below: 1 },
          ],
        },
      },
    ];
    const { values, counts } = await made(
      orders({}, { skip }),
      file('1;L;A;1', '1;L;POST;1', '1;L;B;0', '1;L;C;1', '2;L;POST;1'),
    );
    assert.deepEqual([values.length, counts.skipped], [1, new Map([['charges', 3]])]);
    assert.match(JSON.stringify(values), /"orderLineID":"2","articleReference":"C"/);
  });
});

describe('records', () => {
  const distinct = (differences: string) =>
    mappingOf({
      format: { kind: 'csv', delimiter: ';' },
      resources: {
        articles: {
          fields: {
            articleReference: { column: 'sku', case: 'upper' },
            shortArticleDescription: 'name',
            receptionDeadlineInDays: 'days',
          },
          distinct: { differences },
          withdraw: { when: { column: 'name', equals: 'GONE' } },
        },
      },
    });
  const text = 'sku;name;days\na;x;bad\nA;Lamp;1\na;Lamp;1\nA;Lampe;1\nb;GONE;1\n';

  it('that come twice are one; those that say something else are the same, noted or refused', async () => {
    const first = await made(distinct('first'), text);
    assert.deepEqual(first.values, [
      { articleReference: 'A', shortArticleDescription: 'Lamp', receptionDeadlineInDays: 1 },
      { withdraw: { articleReference: 'B' } },
    ]);
    assert.deepEqual([first.refused, first.counts.same, first.counts.warned], [['2: bad-number'], 2, 0]);
    const noted = await made(distinct('warn'), text);
    assert.deepEqual([noted.counts.same, noted.counts.warned, noted.counts.warnings[0]?.line], [2, 1, 5]);
    assert.deepEqual((await made(distinct('refuse'), text)).refused, ['2: bad-number', '5: differs-in-file']);
  });

  it('that were withdrawn are records again when they come later', async () => {
    const { values } = await made(distinct('first'), 'sku;name;days\nA;Lamp;1\nA;GONE;1\nA;Lamp;1\nA;Lamp;1\n');
    const lamp = { articleReference: 'A', shortArticleDescription: 'Lamp', receptionDeadlineInDays: 1 };
    assert.deepEqual(values, [lamp, { withdraw: { articleReference: 'A' } }, lamp]);
  });

  it('have nested values by ways; an element without any is none', async () => {
    const mapping = mappingOf({
      format: { kind: 'csv', delimiter: ';' },
      resources: {
        articles: {
          fields: {
            articleReference: 'sku',
            'alcool.degree': 'degree',
            'barcodes.0.code': 'ean',
            'barcodes.0.isPrimary': { constant: true },
            'barcodes.2.code': 'carton',
            'barcodes.2.barcodeQuantity': { column: 'pcb', default: 1 },
          },
          lists: {
            logisticalVariants: {
              fields: { logisticalVariantCode: 'pack' },
              lists: { barcodes: { fields: { code: 'carton' } } },
            },
          },
        },
      },
    });
    const { values } = await made(mapping, 'sku;degree;ean;carton;pcb;pack\nA;;;777;6;PCB\nB;4.5;123;;;\n');
    assert.deepEqual(values, [
      {
        articleReference: 'A',
        barcodes: [{ code: '777', barcodeQuantity: 6 }],
        logisticalVariants: [{ logisticalVariantCode: 'PCB', barcodes: [{ code: '777' }] }],
      },
      {
        articleReference: 'B',
        alcool: { degree: 4.5 },
        barcodes: [{ code: '123', isPrimary: true }],
      },
    ]);
  });
});

describe('values with alternatives', () => {
  it('are of the line whichever of them has it: elements and nested records that have no others stay', async () => {
    const lines = mappingOf({
      format: { kind: 'csv', delimiter: ';' },
      resources: {
        orders: {
          group: { by: ['no'] },
          fields: { orderUniqueID: 'no' },
          lists: {
            orderEntries: {
              fields: {
                orderLineID: { position: true },
                articleReference: { firstOf: ['new', 'old'] },
                quantityToPrepare: { firstOf: ['qty', 'other', { constant: 1 }] },
              },
            },
          },
        },
      },
    });
    const { values } = await made(lines, 'no;new;old;qty;other\n1;A;;5;\n1;;B;;2\n1;;;;\n2;;C;;3\n');
    assert.deepEqual(values, [
      {
        orderUniqueID: '1',
        orderEntries: [
          { orderLineID: '1', articleReference: 'A', quantityToPrepare: 5 },
          { orderLineID: '2', articleReference: 'B', quantityToPrepare: 2 },
        ],
      },
      { orderUniqueID: '2', orderEntries: [{ orderLineID: '1', articleReference: 'C', quantityToPrepare: 3 }] },
    ]);
    const articles = mappingOf({
      format: { kind: 'csv', delimiter: ';' },
      resources: {
        articles: {
          fields: {
            articleReference: 'sku',
            'barcodes.0.code': { firstOf: ['ean13', 'ean8'] },
            'barcodes.0.isPrimary': { constant: true },
            'alcool.degree': { firstOf: ['degree', { column: 'percent', default: 0 }] },
          },
        },
      },
    });
    assert.deepEqual((await made(articles, 'sku;ean13;ean8;degree;percent\nA;;12345670;;12\nB;;;;\n')).values, [
      { articleReference: 'A', barcodes: [{ code: '12345670', isPrimary: true }], alcool: { degree: 12 } },
      { articleReference: 'B' },
    ]);
  });
});

describe('header and trailer', () => {
  const whole = {
    fileName: '^ORD_(?<seq>\\d+)_(?<id>\\w+)\\.csv$',
    header: { pattern: '^HDR;(?<at>\\d{8});' },
    trailer: { pattern: '^END;(?<count>\\d+)$' },
    message: {
      id: { template: '{file:id}-{header:at}' },
      sequence: 'file:seq',
      extractionDate: { column: 'header:at', format: 'yyyyMMdd', zone: 'Europe/Paris' },
    },
  };
  const mapping = orders(
    {},
    { fields: { orderUniqueID: 'no', deliveryAddressCity: 'header:at', deliveryComment: 'file:name' } },
    whole,
  );
  const fileName = 'ORD_0042_abc.csv';
  const text = (count: number, ...more: readonly string[]): string =>
    ['HDR;20260131;x', 'no;city;sku;qty', '1;Lille;A;2', '1;Lille;B;2', `END;${count}`, ...more, ''].join('\n');

  it('say what the message is, and are columns of every line', async () => {
    const facts = await readMessageFacts(mapping, piecesOf(text(2), 4), fileName);
    assert.deepEqual(facts, {
      id: 'abc-20260131',
      sequence: 42,
      extractionDate: '2026-01-30T23:00:00.000Z',
      faults: [],
      around: new Map(),
    });
    const { values, counts, refused } = await made(mapping, text(2), { fileName });
    assert.match(JSON.stringify(values), /"deliveryAddressCity":"20260131","deliveryComment":"ORD_0042_abc.csv"/);
    assert.deepEqual([counts.structure, counts.inRecords, refused], [3, 2, []]);
  });

  it('that count otherwise, are missing or have lines behind them are told before anything is written', async () => {
    for (const [given, codes] of [
      [text(3), ['control-count']],
      [text(2).replace('END;2\n', ''), ['truncated']],
      [text(2, '2;Metz;A;1'), ['after-trailer']],
    ] as const) {
      const { faults } = await readMessageFacts(mapping, piecesOf(given, 1000), fileName);
      assert.deepEqual(
        faults.map(({ code }) => code),
        codes,
      );
      const { refused } = await made(mapping, given, { fileName });
      assert.match(refused.join(' '), new RegExp(codes[0]));
    }
    const lines = orders({}, {}, { trailer: { pattern: '^END;(?<count>\\d+)$', counts: 'lines' } });
    assert.deepEqual((await made(lines, file('1;Lille;A;2', 'END;3'))).refused, []);
  });

  it('and names that are not as the mapping says are refused as a whole', async () => {
    await assert.rejects(made(mapping, text(2)), /The file name "file.csv" does not match/);
    await assert.rejects(made(mapping, 'no;city\n', { fileName }), /first line of the file is no header: "no;city"/);
    await assert.rejects(made(mapping, '', { fileName }), /has no header line/);
  });
});
