// Files of every layout and encoding become the rows that they mean; what cannot be read is one refused line.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../../src/model/operator-error.ts';
import { made, mappingOf } from './fixture.ts';

const fields = { articleReference: 'sku', shortArticleDescription: 'name' };
const articles = (format: unknown, more: object = {}, resource: object = {}): ReturnType<typeof mappingOf> =>
  mappingOf({ format, ...more, resources: { articles: { fields, ...resource } } });
const csv = articles({ kind: 'csv', delimiter: ';' });
const names = (values: readonly unknown[]): readonly unknown[] =>
  values.map((value) => Object.values(value ?? {}).join('='));

describe('CSV', () => {
  it('is read with every delimiter, line break, order of columns and piece of the file', async () => {
    for (const delimiter of [';', ',', '\t', '|'])
      for (const lineBreak of ['\n', '\r\n'])
        for (const piece of [1, 7, 1000]) {
          const text = ['name', 'other', 'sku'].join(delimiter) + lineBreak + ['Lamp', '', 'A1'].join(delimiter);
          const { values } = await made(articles({ kind: 'csv', delimiter }), text, { piece });
          assert.deepEqual(names(values), ['A1=Lamp']);
        }
  });

  it('has quoted values with delimiters, quotes and line breaks, and quotes within others', async () => {
    const text = 'sku;name\nA;"x;y"\nB;"say ""hi"""\nC;"two\n\nlines"\nD;12" lamp\n"E";"e" \n;\n';
    for (const piece of [3, 1000]) {
      const { values, counts, all } = await made(csv, text, { piece });
      assert.deepEqual(names(values), ['A=x;y', 'B=say "hi"', 'C=two\n\nlines', 'D=12" lamp', 'E=e', '']);
      assert.deepEqual(
        all.map(({ line, lines }) => [line, lines]),
        [2, 3, 4, 7, 8, 9].map((line) => [line, line === 4 ? 3 : 1]),
      );
      assert.equal(counts.lines, 9);
    }
  });

  it('has the quote of the mapping also within quoted values, twice, and the other one as a letter', async () => {
    const single = articles({ kind: 'csv', delimiter: ';', quote: "'" });
    const text = `sku;name\nA;'O''Brien'\nB;'Screen 19"'\nC;'Tube 3"" long; "x"'\nD;12" x\nE;'two\n''lines'''\nF;d'e\n`;
    const { values, refused } = await made(single, text, { piece: 5 });
    const wanted = ["A=O'Brien", 'B=Screen 19"', 'C=Tube 3"" long; "x"', 'D=12" x', "E=two\n'lines'", "F=d'e"];
    assert.deepEqual([names(values), refused], [wanted, []]);
    for (const line of text.split('\n').slice(1, 4))
      assert.deepEqual((await made(single, `sku;name\n${line}\n`)).refused, [], line);
  });

  it('keeps blanks that a rule wants, beside quotes too', async () => {
    const rules = { fields: { articleReference: 'sku', shortArticleDescription: { column: 'name', trim: false } } };
    const kept = articles({ kind: 'csv', delimiter: ';' }, {}, rules);
    for (const lines of [['A; x ', '"B"; y ', '"C";" z "'], ['"B"; y '], ['"D" ; "w" ']]) {
      const { values, refused } = await made(kept, ['sku;name', ...lines, ''].join('\n'));
      const wanted = lines.map((line) => line.replaceAll('"', '').replace(';', '=').replace('D = w ', 'D=w'));
      assert.deepEqual([names(values), refused], [wanted, []]);
    }
    // Whatever lines stand beside it and come with it.
    for (const piece of [5, 12, 22, 1000]) {
      const { values, refused } = await made(kept, 'sku;name\n"A";  007 \n "B" ; b\n"C"; c \n', { piece });
      assert.deepEqual([names(values), refused], [['A=  007 ', 'B=b', 'C= c '], []], `${piece} bytes at once`);
    }
  });

  it('refuses one line for a quote that nothing closes, and goes on', async () => {
    const rest = Array.from({ length: 300 }, (_, index) => `N${index};n\n`).join('');
    const { values, refused } = await made(csv, `sku;name\nA;"open\nB;b\n${rest}C;"c;d"\n`);
    assert.deepEqual(refused, ['2: bad-quotes']);
    assert.equal(values.length, 302);
    const { refused: both } = await made(csv, 'sku;name\nA;"a"b\nB;"x\nC;"y\nD;d');
    assert.deepEqual(both, ['2: bad-quotes', '3: bad-quotes', '4: bad-quotes']);
  });

  it('takes a quotation mark for a letter where nothing is quoted', async () => {
    const plain = articles({ kind: 'csv', delimiter: ';', quote: 'none' });
    assert.deepEqual(names((await made(plain, 'sku;name\nA;"open\nB;b')).values), ['A="open', 'B=b']);
  });

  it('refuses lines with too few or too many columns; empty ones at the end do not count', async () => {
    const { values, refused } = await made(csv, 'sku;name\nA;a;;\nB\nC;c;c\nD;d\n');
    assert.deepEqual(
      [names(values), refused],
      [
        ['A=a', 'D=d'],
        ['3: column-count', '4: column-count'],
      ],
    );
    const lenient = articles({ kind: 'csv', delimiter: ';', missingColumns: 'empty' });
    assert.deepEqual(names((await made(lenient, 'sku;name\nB\n')).values), ['B']);
  });

  it('may have no line of names: columns are numbered or named by the mapping', async () => {
    const numbered = mappingOf({
      format: { kind: 'csv', header: false },
      resources: { articles: { fields: { articleReference: '2', shortArticleDescription: '1' } } },
    });
    assert.deepEqual(names((await made(numbered, 'Lamp,A,x\nTable,B')).values), ['A=Lamp', 'B=Table']);
    assert.deepEqual((await made(numbered, 'Lamp\n')).refused, ['1: column-count']);
    const named = articles({ kind: 'csv', header: false, columns: ['sku', 'name'] });
    assert.deepEqual(names((await made(named, 'A,Lamp')).values), ['A=Lamp']);
  });

  it('without the columns of the mapping, or with one twice, is refused as a whole', async () => {
    await assert.rejects(made(csv, 'sku,name\nA,a'), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /lacks the columns "sku", "name"/);
      assert.match(error.remedy, /It has "sku,name"\. The mapping says that ";" stands between columns/);
      return true;
    });
    await assert.rejects(made(csv, 'sku;price\nA;a'), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.equal(error.remedy, 'It has "sku", "price".');
      return true;
    });
    await assert.rejects(made(csv, 'sku;name;name\nA;a;b'), /column "name" twice/);
  });

  it('counts blank lines and comments', async () => {
    const comments = articles({ kind: 'csv', delimiter: ';', comment: '#' });
    const { values, counts } = await made(comments, '\n# made today\nsku;name\n\r\nA;a\n  \n#end');
    assert.equal(values.length, 1);
    assert.deepEqual(
      counts.skipped,
      new Map([
        ['blank', 3],
        ['comment', 2],
      ]),
    );
    assert.deepEqual([counts.lines, counts.structure, counts.inRecords], [7, 1, 1]);
  });

  it('whose lines end with a carriage return alone loses none: it is refused as a whole, or the line is', async () => {
    const fixed = { kind: 'fixed', columns: [{ name: 'sku', start: 1, length: 2 }] };
    const numbered = { fields: { articleReference: '1', shortArticleDescription: '2' } };
    const layouts = [
      [csv, 'sku;name\rA;a\rB;b\r'],
      [articles({ kind: 'csv', header: false, delimiter: ';' }, {}, numbered), 'A;"a"\rB;b'],
      [articles(fixed, {}, { fields: { articleReference: 'sku' } }), 'A1\rB1\r'],
      [articles({ kind: 'csv', delimiter: ';', comment: '#' }), '# of today\rsku;name\rA;a'],
    ] as const;
    for (const [mapping, text] of layouts)
      await assert.rejects(made(mapping, text), /end with a carriage return alone/);
    const { values, refused } = await made(csv, 'sku;name\r\r\nA;a\rB;b\nC;"c\rd"\nD;d\r\r\n');
    assert.deepEqual([names(values), refused], [['C=c\rd', 'D=d'], ['2: line-ends']]);
  });

  it('that is empty, or has names alone, has no records', async () => {
    for (const text of ['', '\n', 'sku;name', '\uFEFFsku;name\n']) assert.deepEqual((await made(csv, text)).all, []);
  });
});

describe('encodings', () => {
  it('take a byte order mark away from UTF-8', async () => {
    assert.deepEqual(names((await made(csv, '\uFEFFsku;name\nÉ;œuf €', { piece: 1 })).values), ['É=œuf €']);
  });

  it('refuse a line that is not UTF-8, show it, and go on', async () => {
    const bytes = Buffer.concat([Buffer.from('sku;name\nA;'), Buffer.from([0xe9, 0x80]), Buffer.from('\nB;b\n')]);
    const { values, all, refused } = await made(csv, bytes);
    assert.deepEqual([names(values), refused], [['B=b'], ['2: bad-encoding']]);
    assert.equal(all[0]?.text, 'A;é€');
  });

  it('read Windows-1252, but for five bytes that stand for nothing', async () => {
    const windows = articles({ kind: 'csv', delimiter: ';', encoding: 'windows-1252' });
    const bytes = Buffer.concat([
      Buffer.from('sku;name\nA;'),
      Buffer.from([0x80, 0x9c, 0xe9, 0x92]),
      Buffer.from('\nB;'),
    ]);
    const { values, refused } = await made(windows, Buffer.concat([bytes, Buffer.from([0x81, 0x0a])]));
    assert.deepEqual([names(values), refused], [['A=€œé’'], ['3: bad-encoding']]);
  });

  it('refuse lines of UTF-8 where the mapping says Windows-1252, and no others', async () => {
    const windows = articles({ kind: 'csv', delimiter: ';', encoding: 'windows-1252' });
    const { values, all, refused } = await made(windows, 'sku;name\nA;Schön\nB;plain\nC;“12 €”\nD;déjà\n');
    assert.deepEqual([names(values), refused], [['B=plain'], ['2', '4', '5'].map((line) => `${line}: bad-encoding`)]);
    assert.equal(all[0]?.text, 'A;Schön');
    const own = ['A;NESCAFÉ®', 'B;Château de l’Âge', 'C;SÃO PAULO', 'D;Â', 'E;ROMÃ', 'F;ÂÃâ é'];
    const latin = Buffer.from(`sku;name\n${own.join('\n').replace('’', '\u0092')}`, 'latin1');
    assert.deepEqual(
      names((await made(windows, latin)).values),
      own.map((line) => line.replace(';', '=')),
    );
  });

  it('that the file shows not to have are told: UTF-16, gzip, a mark of UTF-8', async () => {
    const windows = articles({ kind: 'csv', encoding: 'windows-1252' });
    await assert.rejects(made(csv, Buffer.from('\uFEFFsku;name', 'utf16le')), { remedy: 'Save it as UTF-8.' });
    await assert.rejects(made(windows, Buffer.from('\uFEFFsku;name', 'utf16le')), {
      remedy: 'Save it as Windows-1252.',
    });
    await assert.rejects(made(csv, Buffer.from([0x1f, 0x8b, 8, 0])), /compressed/);
    await assert.rejects(made(windows, '\uFEFFsku;name'), /marked as UTF-8/);
  });

  it('bound a line', async () => {
    const { refused, values } = await made(csv, `sku;name\nA;${'x'.repeat(1_100_000)}\nB;b\n`, { piece: 65_536 });
    assert.deepEqual([refused, names(values)], [['2: record-too-long'], ['B=b']]);
  });
});

describe('fixed width', () => {
  const columns = [
    { name: 'sku', start: 1, length: 4 },
    { name: 'name', start: 7, length: 5 },
  ];
  it('takes each column at its place, in characters', async () => {
    const { values, refused } = await made(articles({ kind: 'fixed', columns }), 'A1  xxLampé more\nB\nÉ2  xxTable\n');
    assert.deepEqual([names(values), refused], [['A1=Lampé', 'É2=Table'], ['2: line-too-short']]);
  });
  it('counts a character outside the basic plane as one', async () => {
    const text = 'A🌸  xxLampe\n🌸2  xxTable\n🌸🌸  xxLam\n🌸  x🌸🌸Lamp\n';
    const { values, refused } = await made(articles({ kind: 'fixed', columns }), text);
    assert.deepEqual(
      [names(values), refused],
      [
        ['A🌸=Lampe', '🌸2=Table'],
        ['3: line-too-short', '4: line-too-short'],
      ],
    );
  });
  it('may have blanks left out at the end of lines', async () => {
    const { values } = await made(articles({ kind: 'fixed', columns, shortLines: 'pad' }), 'A1  xxLam\nB');
    assert.deepEqual(names(values), ['A1=Lam', 'B']);
  });
});

describe('JSON', () => {
  const nested = {
    orders: {
      fields: { orderUniqueID: 'no', deliveryAddressCity: 'to.city', deliveryAddressCompany: 'names.1' },
      lists: {
        orderEntries: {
          each: 'lines',
          when: { not: { column: 'sku', startsWith: 'X' } },
          fields: { orderLineID: { position: true }, articleReference: 'sku', quantityToPrepare: 'qty' },
        },
      },
    },
  };
  const given = [
    {
      no: 7,
      to: { city: 'Lille' },
      names: ['a', 'b'],
      lines: [{ sku: 'A', qty: 2 }, { sku: 'X' }, { sku: 'B', qty: '3' }],
    },
    { no: 'N8', lines: null },
  ];
  const wanted = [
    {
      orderUniqueID: '7',
      deliveryAddressCity: 'Lille',
      deliveryAddressCompany: 'b',
      orderEntries: [
        { orderLineID: '1', articleReference: 'A', quantityToPrepare: 2 },
        { orderLineID: '2', articleReference: 'B', quantityToPrepare: 3 },
      ],
    },
    { orderUniqueID: 'N8' },
  ];
  it('and newline-delimited JSON are read by ways into objects and arrays', async () => {
    const json = mappingOf({ format: { kind: 'json' }, resources: nested });
    const ndjson = mappingOf({ format: { kind: 'ndjson' }, resources: nested });
    assert.deepEqual((await made(json, JSON.stringify(given))).values, wanted);
    const lines = given.map((each) => `${JSON.stringify(each)}\n`).join('');
    assert.deepEqual((await made(ndjson, lines, { piece: 5 })).values, wanted);
    assert.deepEqual((await made(ndjson, '7\n{"no":1}\n{"no"')).refused, ['1: wrong-type', '3: truncated']);
  });

  it('keep every digit of a number too long for a double: in keys, texts, templates and conditions', async () => {
    const rules = {
      orders: {
        skip: [{ rule: 'tests', when: { column: 'no', equals: '100000000000000003' } }],
        group: { by: ['no'] },
        fields: { orderUniqueID: { template: 'N{no}' }, customerOrderID: 'no' },
        lists: {
          orderEntries: {
            each: 'lines',
            fields: { orderLineID: 'id', attachedLotNumber: 'lot', quantityToPrepare: 'qty', articleReference: 'sku' },
          },
        },
      },
    };
    // Names and texts that hold what looks like one, and numbers that a double holds, stay as they are.
    const sku = '\\"\\\\ , 340123451234567891';
    const line = `{"id":-340123451234567891,"lot" :\t340123451234567891 ,"qty":340123451234567891,"sku":"${sku}"}`;
    const of = (no: string): string => `{"a, 340123451234567891":0.12345678901234567891,"no":${no},"lines":[${line}]}`;
    const [first, second] = ['100000000000000001', '100000000000000002'];
    const text = [first, second, '100000000000000003', '9007199254740991', '12345678901234567.5'].map(of);
    const entry = {
      orderLineID: '-340123451234567891',
      attachedLotNumber: '340123451234567891',
      quantityToPrepare: 340123451234567900,
      articleReference: '"\\ , 340123451234567891',
    };
    const expected = [first, second, '9007199254740991', '12345678901234567.5'].map((no) => ({
      ...{ orderUniqueID: `N${no}`, customerOrderID: no, orderEntries: [entry] },
    }));
    const ndjson = mappingOf({ format: { kind: 'ndjson' }, resources: rules });
    const json = mappingOf({ format: { kind: 'json' }, resources: rules });
    assert.deepEqual((await made(ndjson, text.join('\n'))).values, expected);
    assert.deepEqual((await made(json, `[${text.join(',')}]`, { piece: 7 })).values, expected);
    const top = mappingOf({
      format: { kind: 'json' },
      resources: { articles: { fields: { articleReference: 'sku.0' } } },
    });
    assert.deepEqual((await made(top, '[{"sku":[340123451234567891]}]')).values, [
      { articleReference: '340123451234567891' },
    ]);
  });

  it('take a record with a long number however deep it is nested or full of escapes', async () => {
    const mapping = mappingOf({
      format: { kind: 'ndjson' },
      resources: { articles: { fields: { articleReference: 'sku' } } },
    });
    const deep = `{"sku":340123451234567891,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const escaped = `{"sku":340123451234567891,"x":"${'\\\\'.repeat(1_000_000)}"}`;
    for (const text of [deep, escaped])
      assert.deepEqual((await made(mapping, text, { piece: 65_536 })).values, [
        { articleReference: '340123451234567891' },
      ]);
  });
});
