// Positions and bodies of the platform interface: whatever is sent is read as it is meant, or refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { Problem } from '../../src/model/problem.ts';
import { jsonObject } from '../../src/platform/json-object.ts';
import { beyond, parsePosition, positionText } from '../../src/platform/positions.ts';
import { rounds } from '../contract/rounds.ts';

const activity = fc.stringMatching(/^[A-Z0-9]{1,3}$/);
const anyPosition = fc.dictionary(activity, fc.nat({ max: 999_999_999_999_999 }), { maxKeys: 20 });

describe('a position', () => {
  it('is read as it was written, and written in one way', () => {
    fc.assert(
      fc.property(anyPosition, (position) => {
        const text = positionText(position);
        assert.deepEqual(parsePosition(text, Object.keys(position)), { ...position });
        assert.equal(positionText(Object.fromEntries(Object.entries(position).toReversed())), text);
      }),
    );
  });

  it('that is anything else is refused, and the refusal can be sent', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.stringMatching(/^[A-Z:,0-9 -]{1,20}$/));
    fc.assert(
      fc.property(text, (given) => {
        const read = readOrSlug(() => parsePosition(given, ['NOR', 'S', '1']));
        if (typeof read === 'string') assert.equal(read, 'invalid-position');
        else
          for (const [code, number] of Object.entries(read))
            assert.ok(['NOR', 'S', '1'].includes(code) && Number.isSafeInteger(number) && number >= 0);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('lies beyond another one exactly where a number is higher', () => {
    fc.assert(
      fc.property(anyPosition, anyPosition, (one, other) => {
        assert.deepEqual(beyond(one, one), []);
        for (const code of Object.keys(one))
          assert.equal(beyond(one, other).includes(code), Number(one[code]) > (other[code] ?? 0));
      }),
    );
  });
});

describe('a body of texts', () => {
  it('is read whole or refused, whatever JSON it is', () => {
    const name = fc.oneof(
      fc.constantFrom('position', 'consumer', '__proto__', 'constructor', 'toString', ''),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const body = fc.oneof(
      fc
        .array(fc.tuple(name, fc.oneof(fc.string(), fc.jsonValue())))
        .map(
          (members) =>
            `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
        ),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(body, (text) => {
        const read = readOrSlug(() => jsonObject(Buffer.from(text), { consumer: 'optional', position: 'required' }));
        if (typeof read === 'string') {
          assert.match(read, /^(?:malformed-json|validation-failed)$/);
          return;
        }
        const members = Object.entries<unknown>(JSON.parse(text)).filter(([, value]) => value !== null);
        assert.deepEqual(new Map(Object.entries(read)), new Map(members));
      }),
      { numRuns: rounds(1000) },
    );
  });
});

/** What was read, or the slug of the problem; anything else that is thrown is a fault. */
function readOrSlug<T extends object>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    for (const [name, sentences] of Object.entries(error.extra.errors ?? {}))
      assert.ok(name !== '' && sentences.every((sentence) => sentence.isWellFormed()));
    assert.ok(error.detail.isWellFormed());
    return error.slug;
  }
}
