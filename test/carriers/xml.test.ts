// Reading and writing the XML of carriers: what is written is read as it was, and nothing reads half, hostile or
// endless documents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import {
  isXmlText,
  xmlChild,
  xmlChildren,
  xmlDescendants,
  type XmlElement,
  XmlError,
  xmlValue,
} from '../../src/carriers/xml/element.ts';
import { parseXml, xmlOfAnswer } from '../../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../../src/carriers/xml/write.ts';
import { defaultXmlLimits, type XmlLimits } from '../../src/carriers/xml/cost.ts';
import { rounds } from '../contract/rounds.ts';

const read = (text: string | Buffer, limits?: XmlLimits): XmlElement => parseXml(Buffer.from(text), limits);
const refuses = (text: string | Buffer, limits?: XmlLimits): void => {
  assert.throws(() => read(text, limits), XmlError, JSON.stringify(text.toString('utf8').slice(0, 80)));
};

/** Name, attributes, text and children, as they would be written. */
const asWritten = ({ name, attributes, content }: XmlPart): unknown => [
  name,
  attributes,
  typeof content === 'string' ? content : '',
  typeof content === 'string' ? [] : content.map(asWritten),
];
const asRead = ({ name, attributes, text, children }: XmlElement): unknown => [
  name,
  Object.fromEntries(attributes),
  text,
  children.map(asRead),
];

const value = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ maxLength: 20 }),
    fc.constantFrom(' <&>"\' ', ']]>', '<!--', '&amp;', 'a\r\n\tb', '  '),
  )
  .filter(isXmlText);
const name = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/)
  .filter((text) => !/^(xml.*|constructor|prototype|toString|valueOf)$/i.test(text));
const { part } = fc.letrec<{ part: XmlPart }>((tie) => ({
  part: fc.record({
    name,
    attributes: fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }),
    content: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      value,
      fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
    ),
  }),
}));

describe('XML', () => {
  it('is read as it was written, whatever its values are', () => {
    fc.assert(
      fc.property(part, (root) => {
        assert.deepEqual(asRead(read(xmlText(root))), asWritten(root));
      }),
      { numRuns: rounds(300) },
    );
  });

  it('is refused where it ends before its end', () => {
    fc.assert(
      fc.property(part, fc.nat(), (root, place) => {
        const text = xmlText(root);
        refuses(text.slice(0, place % text.length));
      }),
      { numRuns: rounds(500) },
    );
  });

  it('is refused as itself, however it is broken', () => {
    const pieces = fc.constantFrom(
      '<a>',
      '</a>',
      '<a',
      '/>',
      '>',
      '<b x="1"/>',
      '<b x=',
      '&amp;',
      '&',
      '&#0;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?',
      '?>',
      '<!DOCTYPE a>',
      '\u0000',
      'x',
      '"',
      "'",
      ':',
      '<__proto__>',
      '<:a/>',
      '\ud800',
      'é',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (broken) => {
        try {
          read(broken.join(''));
        } catch (error) {
          assert.ok(error instanceof XmlError, String(error));
        }
      }),
      { numRuns: rounds(1000) },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => refuses(Buffer.from(bytes))),
      { numRuns: rounds(300) },
    );
  });

  it('has one root, and nothing but white space around it', () => {
    for (const text of [
      '',
      ' ',
      'x',
      '<a/><b/>',
      '<a></a><b></b>',
      '<a/>x',
      'x<a/>',
      '<a>',
      '</a>',
      '<a></b>',
      '<a><b></a></b>',
      '<a',
      '<a/',
      '<a b=1/>',
      '<a b/>',
      '<a b="1" b="2"/>',
      '<1/>',
    ])
      refuses(text);
    assert.equal(read('\ufeff<?xml version="1.0"?>\n<!-- x --><a/>\n').name, 'a');
  });

  it('has no declarations and no entities of its own', () => {
    for (const text of [
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
      '<a><!DOCTYPE b></a>',
      '<!doctype a><a/>',
      '<!ENTITY x "y"><a/>',
      '<a>&x;</a>',
      '<a>&toString;</a>',
      '<a>&nbsp;</a>',
      '<a>&#0;</a>',
      '<a>&#xD800;</a>',
      '<a>&#x110000;</a>',
      '<a>&#9999999;</a>',
      '<a>&</a>',
      '<a>& </a>',
      '<a b="&x;"/>',
    ])
      refuses(text);
    // What stands there is a text, not a document.
    assert.equal(read('<a><![CDATA[<!DOCTYPE x>&amp;]]></a>').text, '<!DOCTYPE x>&amp;');
    assert.equal(read('<a>&amp;lt;&#60;&#x3C;&lt;&gt;&quot;&apos;</a>').text, '&lt;<<<>"\'');
  });

  it('may hold texts of megabytes, which are read as they are wherever they stand', () => {
    const long = `${'A1+/'.repeat(300_000)}==`;
    assert.equal(read(`<a>${long}</a>`).text, long);
    assert.equal(read(`<a b="1"> <![CDATA[${long}]]></a>`).text, ` ${long}`);
    assert.equal(read(`<a>${long}&#13;\n${long}<b/>${long}</a>`).text, `${long}\r\n${long}${long}`);
    for (const text of ['x'.repeat(2000), `${'x'.repeat(2000)}&lt;`, `${'x '.repeat(2000)}\ue000${'0'.repeat(9)}`]) {
      assert.equal(read(`<a><b>${text}</b>${text}</a>`).text, text.replace('&lt;', '<'));
      assert.equal(
        read(`<a b=">${text}" c="${text}">${text}<!-- >${text}< --><?p >${text}< ?></a>`).attributes.get('b'),
        `>${text.replace('&lt;', '<')}`,
      );
      for (const broken of [
        `<a>${text}`,
        `<a>${text}</b>`,
        `<a ${text}/>`,
        `<a/>${text}`,
        `${text}<a/>`,
        `<a>${text}<</a>`,
        `<a><![CDATA[${text}</a>`,
      ])
        refuses(broken);
    }
    refuses(`<a>${'x'.repeat(2000)}&unknown;</a>`);
  });

  it('costs no more than its markup is allowed to', () => {
    refuses(`<a>${"it's ".repeat(110_000)}</a>`);
    refuses(`<a>${'&lt;'.repeat(200_001)}</a>`);
    // Each is looked at for itself. Lines as short as those of base64 in mail fit eight megabytes all the same.
    refuses(`<a>${'\r'.repeat(300_001)}</a>`);
    assert.equal(read(`<a>${`${'x'.repeat(64)}\r\n`.repeat(120_000)}</a>`).text.length, 65 * 120_000);
    refuses(`<a ${Array.from({ length: 1001 }, (_, index) => `b${index}="1"`).join(' ')}/>`);
    refuses(`<a>${'<b/>'.repeat(20_000)}</a>`);
    // Each of a thousand elements in the scope of a thousand prefixes: nothing is copied.
    const prefixes = Array.from({ length: 1000 }, (_, index) => `xmlns:b${index}="c"`).join(' ');
    assert.equal(read(`<a ${prefixes}>${'<b999:a xmlns:z="y"/>'.repeat(1000)}</a>`).children.at(-1)?.namespace, 'c');
  });

  it('is read with a label of many megabytes, up to what an answer may have', () => {
    const label = 'QUJD'.repeat(4_500_000);
    assert.equal(xmlValue(read(`<a><b>${label}</b></a>`), 'b'), label);
    assert.equal(read(`<a><![CDATA[${label}]]></a>`).text, label);
    refuses(`<a>${'x'.repeat(20 * 1024 * 1024)}</a>`);
  });

  it('is not searched again and again for ends that do not come', () => {
    const before = process.cpuUsage();
    for (const open of ['<![CDATA[', '<!--', '<?x ', '<b ']) {
      refuses(`<a>${`${open}${'x'.repeat(400)}`.repeat(20_000)}</a>`);
      refuses(`<a>${`${open}${'x'.repeat(400)}`.repeat(20_000)}]]>--></a>`);
    }
    const { user, system } = process.cpuUsage(before);
    // Three minutes, when the rest was searched for each of the first ones.
    assert.ok(user + system < 10_000_000, `${user + system} µs`);
  });

  it('is small, flat and of few elements', () => {
    const limits = { ...defaultXmlLimits, size: 1000, elements: 10, depth: 5 };
    read(`<a>${'x'.repeat(990)}</a>`, limits);
    refuses(`<a>${'x'.repeat(994)}</a>`, limits);
    read(`<a>${'<b/>'.repeat(9)}</a>`, limits);
    refuses(`<a>${'<b/>'.repeat(10)}</a>`, limits);
    read(`${'<a>'.repeat(5)}${'</a>'.repeat(5)}`, limits);
    refuses(`${'<a>'.repeat(7)}${'</a>'.repeat(7)}`, limits);
    refuses(`${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`);
  });

  it('is read in the encoding that it names, if that is right', () => {
    assert.equal(read(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>', 'latin1')).text, 'é');
    assert.equal(read(Buffer.from("<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>", 'latin1')).text, '€');
    assert.equal(read('<?xml version="1.0" encoding="UTF-8"?><a>é</a>').text, 'é');
    assert.equal(read(Buffer.from('\ufeff<a>é</a>', 'utf16le')).text, 'é');
    refuses(Buffer.from('<a>\xe9</a>', 'latin1'));
    const answer = (body: Buffer, type: string): string =>
      xmlOfAnswer({ headers: { 'content-type': type }, body }).text;
    assert.equal(answer(Buffer.from('<a>\xe9</a>', 'latin1'), 'text/xml; charset="ISO-8859-1"'), 'é');
    // Servers name a charset without having looked; the document knows better.
    assert.equal(
      answer(Buffer.from('<?xml version="1.0" encoding="utf-8"?><a>é</a>'), 'text/xml;charset=ISO-8859-1'),
      'é',
    );
    assert.equal(answer(Buffer.from('<a>é</a>'), 'text/xml'), 'é');
    // So does its byte order mark.
    assert.equal(answer(Buffer.from('\ufeff<a>é</a>'), 'text/xml; charset=ISO-8859-1'), 'é');
    assert.equal(
      answer(Buffer.from('\ufeff<?xml version="1.0" encoding="utf-8"?><a>é</a>'), 'text/xml; charset=ISO-8859-1'),
      'é',
    );
    assert.equal(answer(Buffer.from('<a>é</a>'), 'text/xml; charset=utf8'), 'é');
    assert.equal(read('<?xml version="1.0" encoding="UTF8"?><a>é</a>').text, 'é');
    assert.equal(read(Buffer.from('<?xml version="1.0" encoding="latin1"?><a>\xe9</a>', 'latin1')).text, 'é');
    refuses('<?xml version="1.0" encoding="shift_jis"?><a/>');
    refuses('<?xml version="1.0" encoding="utf-16"?><a/>');
    refuses('<?xml version="1.0" encoding="utf-7"?><a/>');
    refuses('<?xml version="1.0" encoding="ebcdic"?><a/>');
  });

  it('knows namespaces by their names, not by their prefixes', () => {
    const root = read(
      '<s:a xmlns:s="urn:one" xmlns="urn:two"><b/><s:c xmlns:s="urn:three" s:d="1" e="2"/><t xmlns=""/></s:a>',
    );
    assert.deepEqual(
      [root, ...root.children].map((element) => [element.namespace, element.name]),
      [
        ['urn:one', 'a'],
        ['urn:two', 'b'],
        ['urn:three', 'c'],
        ['', 't'],
      ],
    );
    assert.deepEqual(
      [...(xmlChild(root, 'c')?.attributes ?? [])],
      [
        ['s:d', '1'],
        ['e', '2'],
      ],
    );
    refuses('<s:a/>');
  });

  it('is walked by names', () => {
    const root = read('<a><b><c> 1 </c></b><b><c>2</c><d><c>3</c></d></b></a>');
    assert.equal(xmlValue(root, 'b', 'c'), '1');
    assert.equal(xmlValue(root, 'b', 'x'), '');
    assert.equal(xmlValue(null, 'b'), '');
    assert.equal(xmlChildren(root, 'b').length, 2);
    assert.deepEqual(
      xmlDescendants(root, 'c').map(({ text }) => text.trim()),
      ['1', '2', '3'],
    );
  });

  it('keeps numbers as they are written', () => {
    assert.equal(xmlValue(read('<a><b>048607</b></a>'), 'b'), '048607');
    assert.equal(read('<a b="00012"/>').attributes.get('b'), '00012');
  });

  it('is not written with what it cannot carry', () => {
    for (const text of ['\u0000', '\u000b', '\ud800', '\udc00x', '\ufffe']) {
      assert.equal(isXmlText(text), false);
      assert.throws(() => xmlText(xml('a', text)), XmlError);
      assert.throws(() => xmlText(xml('a', '', { b: text })), XmlError);
    }
    assert.equal(
      xmlText(xml('a', '😀\té', { b: '"<' })),
      '<?xml version="1.0" encoding="utf-8"?><a b="&quot;&lt;">😀&#9;é</a>',
    );
  });

  it('says nothing of what is in it when it is refused', () => {
    for (const text of [
      '<a>secret</b>',
      '<a secret="secret',
      '<a><secret></a>',
      '<a>&secret;</a>',
      '<secret:a/>',
      '<!DOCTYPE secret><a/>',
    ]) {
      assert.throws(
        () => read(text),
        (error) => error instanceof XmlError && !error.message.includes('secret'),
      );
    }
  });
});
