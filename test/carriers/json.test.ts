// JSON of carriers: whatever arrives, nothing fails and nothing is taken for what it is not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { CarrierError } from '../../src/carriers/carrier.ts';
import { answeredJson, bytesAt, listAt, parseJson, textAt, valueAt, withoutEmpty } from '../../src/carriers/json.ts';
import { answer } from './drive.ts';
import { leftToGate } from '../contract/rounds.ts';

const parsed = (text: string) => parseJson(Buffer.from(text));

describe('JSON of a carrier', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(
          parsed(text),
          JSON.parse(text, (_name, found) =>
            typeof found === 'number' && /^-?\d+$/.test(JSON.stringify(found)) && !Number.isSafeInteger(found)
              ? JSON.stringify(found)
              : found,
          ),
        );
      }),
    );
  });

  it('is undefined for bytes that are none, however they come', () => {
    for (const text of [
      '',
      ' ',
      '{',
      '{"a":1',
      '[1,]',
      'undefined',
      '<html></html>',
      '\u0000',
      `${'['.repeat(200_000)}`,
    ])
      assert.equal(parsed(text), undefined, text.slice(0, 20));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        parseJson(bytes);
      }),
    );
  });

  it('may be nested deeply, with long numbers too', () => {
    const deep = `${'['.repeat(5000)}1234567890123456789${']'.repeat(5000)}`;
    const value = parsed(deep);
    assert.ok(value === undefined || Array.isArray(value));
  });

  it('is read with labels of many megabytes, up to what an answer may have', () => {
    const mebibyte = 1024 * 1024;
    const label = 'QUJD'.repeat(3 * mebibyte);
    const twice = parsed(`{"labels":[{"base64":"${label}"},{"text":"\\"${'\\\\/ '.repeat(mebibyte)}"}],"n":1}`);
    assert.equal(textAt(twice, 'labels', 0, 'base64'), label);
    assert.equal(textAt(twice, 'n'), '1');
    assert.equal(parsed(JSON.stringify('x'.repeat(20 * mebibyte))), undefined);
  });

  it('is not read with more than eight megabytes of values', { skip: leftToGate }, () => {
    for (const value of ['{},', '"",', '1,', `"${'x'.repeat(900)}",`]) {
      const list = (bytes: number): string => `[${value.repeat(Math.floor(bytes / value.length) - 1)}0]`;
      assert.equal(parsed(list(9 * 1024 * 1024)), undefined, value.slice(0, 5));
      assert.equal(parsed(`{"a":"${'x'.repeat(9_000_000)}","b":${list(9 * 1024 * 1024)}}`), undefined);
    }
    assert.equal(parsed('"'.repeat(9 * 1024 * 1024)), undefined);
  });

  it('keeps every digit of long numbers, and leaves the others what they are', () => {
    assert.deepEqual(
      parsed(
        '{"a":340434310428091701,"b":-9007199254740993,"c":9007199254740991,"d":1.5,"e":"340434310428091701",' +
          '"g":1e20,"f":[12345678901234567890]}',
      ),
      {
        a: '340434310428091701',
        b: '-9007199254740993',
        c: 9007199254740991,
        d: 1.5,
        e: '340434310428091701',
        g: 1e20,
        f: ['12345678901234567890'],
      },
    );
  });

  it('loses a byte order mark, and shows what is no UTF-8', () => {
    assert.deepEqual(parseJson(Buffer.from('\ufeff{"a":"é"}')), { a: 'é' });
    assert.deepEqual(parseJson(Buffer.from('{"a":"\xe9"}', 'latin1')), { a: '\ufffd' });
  });

  it('is an error of the carrier where it is none', () => {
    assert.throws(
      () => answeredJson(answer('<html>', 502), 'Karrio'),
      (error) => error instanceof CarrierError && error.kind === 'unavailable' && error.message.includes('502'),
    );
  });
});

describe('what stands at a path', () => {
  const value = parsed('{"a":[{"b":" x "},{"b":7}],"n":null,"t":true,"o":{"c":1}}');

  it('is found through objects and lists', () => {
    assert.equal(textAt(value, 'a', 0, 'b'), 'x');
    assert.equal(textAt(value, 'a', 1, 'b'), '7');
    assert.deepEqual(valueAt(value, 'o'), { c: 1 });
    assert.equal(valueAt(value, 'a', 2), undefined);
  });

  it('is nothing where the way leads through something else', () => {
    for (const path of [
      ['n', 'x'],
      ['t', 0],
      ['a', 'length'],
      ['a', 'b'],
      ['o', 0],
      ['o', 'constructor'],
      ['__proto__', 'toString'],
      ['a', -1],
    ]) {
      assert.equal(valueAt(value, ...path), undefined, path.join('.'));
      assert.equal(textAt(value, ...path), '');
      assert.deepEqual(listAt(value, ...path), []);
    }
    for (const path of [['n'], ['t'], ['a'], ['o']]) assert.equal(textAt(value, ...path), '');
  });

  it('is a list of one where an object stands alone', () => {
    assert.deepEqual(listAt(value, 'o'), [{ c: 1 }]);
    assert.deepEqual(listAt(value, 't'), []);
  });

  it('never fails, whatever there is', () => {
    const paths = fc.array(
      fc.oneof(
        fc.string(),
        fc.integer({ min: -2, max: 3 }),
        fc.constantFrom('__proto__', 'constructor', 'length', 'a'),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), paths, (any, path) => {
        const read = parsed(JSON.stringify(any));
        valueAt(read, ...path);
        assert.equal(typeof textAt(read, ...path), 'string');
        assert.ok(Array.isArray(listAt(read, ...path)));
      }),
    );
  });

  it('is bytes where it is base64, with breaks or without filling', () => {
    const at = (text: string) => bytesAt({ data: text }, 'data');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        for (const form of [text, text.replace(/=+$/, ''), text.replace(/(.{8})/g, '$1\r\n')])
          assert.deepEqual(at(form), Buffer.from(bytes));
      }),
    );
    for (const text of ['', '=', 'A', 'AAAAA', 'Zm9v!', 'Zm=v', 'Zm9v====', 'https://x'])
      assert.equal(at(text), null, text);
    assert.equal(bytesAt({ data: [] }, 'data'), null);
  });
});

describe('an object to be sent', () => {
  it('has no member that holds nothing, but keeps zeros and false', () => {
    assert.deepEqual(withoutEmpty({ a: '', b: undefined, c: {}, d: [], e: 0, f: false, g: null, h: ' ', i: [''] }), {
      e: 0,
      f: false,
      g: null,
      h: ' ',
      i: [''],
    });
  });
});
