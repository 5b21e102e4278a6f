// Cursors: nothing but what the service signed is read again.
import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from '../contract/properties.ts';
import { readCursor, signCursor } from '../../src/model/cursor.ts';
import type { CursorContent } from '../../src/model/cursor.ts';
import { Problem } from '../../src/model/problem.ts';

const key = { secret: 'a secret of this database', history: '01890000-0000-7000-8000-000000000001' };

const changes: CursorContent = {
  endpoint: 'listOrders',
  queryHash: 'AbCdEfGhIjKlMnOp',
  query: [
    ['filter', 'orderUniqueID==A*'],
    ['limit', '50'],
  ],
  activities: ['ABC', 'XY'],
  position: { ABC: 12, XY: 0 },
  walkStarts: null,
};
const values: CursorContent = { ...changes, position: { values: ['😀', null, -1.5], activity: 'XY', tieBreaker: 7 } };

function refusal(text: string, endpoint = 'listOrders', other: Partial<typeof key> = {}): Problem {
  try {
    readCursor(text, endpoint, { ...key, ...other });
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.extra.parameter, 'cursor');
    assert.deepEqual(error.extra.errors, { cursor: [error.detail] });
    return error;
  }
  return assert.fail(`accepted: ${text}`);
}

/** What another process reads, which did not sign it: its key is the same, and another object. */
function openedElsewhere(text: string): CursorContent {
  return readCursor(text, 'listOrders', { ...key, secret: createSecretKey(Buffer.from(key.secret)) });
}

/** A cursor with a right signature over any payload: what another version of the program might have made. */
function signed(payload: string | Buffer): string {
  const mac = createHmac('sha256', key.secret).update(payload).digest().subarray(0, 16);
  return Buffer.concat([mac, Buffer.from(payload)]).toString('base64url');
}

describe('a cursor', () => {
  it('of another making is refused', () => {
    const text = signCursor(changes, key);
    const forged = [
      '',
      ' ',
      'A',
      '0',
      'null',
      `${text} `,
      ` ${text}`,
      `${text}=`,
      `${text}A`,
      text.slice(1),
      text.slice(0, -1),
      text.slice(0, 20),
      text.slice(0, 22),
      text.toUpperCase(),
      text + text,
      `${text}\n`,
      '😀',
      '\0',
      text
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .padEnd(text.length + 1, '='),
    ];
    for (const other of forged) assert.equal(refusal(other).slug, 'invalid-cursor', other);
  });

  it('of 500 activities fits in a URL, and twice in the headers of one answer', () => {
    const activities = Array.from({ length: 500 }, (_, index) =>
      (index * 93).toString(36).toUpperCase().padStart(3, '0'),
    );
    const many: CursorContent = {
      ...changes,
      activities,
      position: Object.fromEntries(activities.map((activity, index) => [activity, (index * 7_654_321) % 9_999_991])),
    };
    const text = signCursor(many, key);
    assert.ok(text.length < 6000, `${text.length} characters`);
    assert.deepEqual(readCursor(text, 'listOrders', key).position, many.position);
    assert.deepEqual(openedElsewhere(text).position, many.position);
    assert.equal(
      refusal(`${text.slice(0, -9)}${text.at(-9) === 'A' ? 'B' : 'A'}${text.slice(-8)}`).slug,
      'invalid-cursor',
    );
  });

  it('that would inflate to megabytes, or does not inflate, is refused', () => {
    const bomb = deflateSync(JSON.stringify(['x'.repeat(4 * 1_048_576)]));
    assert.ok(bomb.length < 6000, `${bomb.length} bytes fit in a URL`);
    assert.equal(refusal(signed(bomb)).slug, 'invalid-cursor');
    assert.equal(refusal(signed(bomb.subarray(0, 100))).slug, 'invalid-cursor');
  });

  for (const content of [changes, values]) {
    const order = Array.isArray(content.position?.values) ? 'value' : 'change';
    it(`with any single bit flipped is refused (${order} order)`, () => {
      const text = signCursor(content, key);
      for (let at = 0; at < text.length; at += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          const flipped =
            text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1);
          assert.equal(refusal(flipped).slug, 'invalid-cursor');
        }
      }
      const bytes = Buffer.from(text, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.equal(refusal(flipped.toString('base64url')).slug, 'invalid-cursor');
      }
    });
  }

  it('is refused at another endpoint and under another key', () => {
    const text = signCursor(changes, key);
    assert.equal(refusal(text, 'listOrderReports').slug, 'cursor-mismatch');
    assert.match(refusal(text, 'listOrderReports').detail, /another list/);
    assert.equal(refusal(text, 'listOrders', { secret: 'another secret' }).slug, 'invalid-cursor');
  });

  it('has expired in another database and in another form', () => {
    assert.equal(
      refusal(signCursor(changes, key), 'listOrders', { history: 'another history' }).slug,
      'cursor-expired',
    );
    assert.equal(refusal(signed('[0]')).slug, 'cursor-expired');
    assert.equal(refusal(signed('[3,"x","listOrders"]')).slug, 'cursor-expired');
  });

  it('is refused where a right signature covers what is no cursor', () => {
    const [version, tag] = JSON.parse(Buffer.from(signCursor(values, key), 'base64url').subarray(16).toString());
    const places = [
      'null',
      '1',
      '{"ABC":"1"}',
      '{"ABC":1.5}',
      '[]',
      '[["ABC"]]',
      '[["ABC"],1]',
      '[["ABC"],[[{}],"ABC",1]]',
      '[["ABC"],[[],1,1]]',
      '[[1],null]',
      '[["ABC"],[[{}],"ABC",1],null]',
      '[["ABC"],[[],1,1],null]',
      '[["ABC"],[[],"ABC",null],null]',
      '[[1],null,null]',
      '[["ABC"],null,1]',
      '[{"ABC":1},1]',
    ];
    for (const place of places)
      assert.equal(refusal(signed(`[${version},"${tag}","listOrders","h",0,${place}]`)).slug, 'invalid-cursor', place);
    assert.equal(refusal(signed('{}')).slug, 'invalid-cursor');
    assert.equal(refusal(signed(`[${version},"${tag}","listOrders",5,0,{}]`)).slug, 'invalid-cursor');
  });

  it('is read back as it was made, as letters, digits, - and _ alone', () => {
    const activity = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('A', 'b', '1', '9') });
    const stored = fc.oneof(
      fc.string(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.constant(null),
    );
    const images = fc.option(fc.dictionary(activity, fc.integer({ min: -1 }), { noNullPrototype: true }));
    const change = fc
      .tuple(fc.dictionary(activity, fc.nat(), { noNullPrototype: true }), images)
      .map(([position, walkStarts]) => ({ activities: Object.keys(position), position, walkStarts }));
    const value = fc.record(
      {
        activities: fc.uniqueArray(activity, { minLength: 1 }),
        position: fc.option(
          fc.record(
            {
              values: fc.array(stored, { minLength: 1, maxLength: 3 }),
              activity,
              tieBreaker: stored.filter((value) => value !== null),
            },
            { noNullPrototype: true },
          ),
        ),
        walkStarts: images,
      },
      { noNullPrototype: true },
    );
    const query = fc.option(fc.array(fc.tuple(fc.string(), fc.string())));
    fc.assert(
      fc.property(fc.oneof(change, value), query, (place, pairs) => {
        const content: CursorContent = {
          endpoint: 'listOrders',
          queryHash: 'AbCdEfGhIjKlMnOp',
          query: pairs,
          ...place,
        };
        const text = signCursor(content, key);
        assert.match(text, /^[\w-]+$/);
        assert.deepEqual(readCursor(text, 'listOrders', key), content);
        assert.deepEqual(openedElsewhere(text), content);
      }),
    );
  });

  it('that a client has kept since this form was introduced is read', () => {
    const kept =
      'oPod7rvXMp6Ia9wTs87-r1sxLCJwVElUMlI2WCIsImxpc3RPcmRlcnMiLCJBYkNkRWZHaElqS2xNbk9wIixbWyJmaWx0ZXIiLCJvcmRlclVu' +
      'aXF1ZUlEPT1BKiJdLFsibGltaXQiLCI1MCJdXSx7IkFCQyI6MTIsIlhZIjowfV0';
    assert.deepEqual(readCursor(kept, 'listOrders', key), changes);
    const keptInValueOrder =
      'KAiCDERd0EzmDh4HGFvixVsxLCJwVElUMlI2WCIsImxpc3RPcmRlcnMiLCJBYkNkRWZHaElqS2xNbk9wIixbWyJmaWx0ZXIiLCJvcmRlclVu' +
      'aXF1ZUlEPT1BKiJdLFsibGltaXQiLCI1MCJdXSxbWyJBQkMiLCJYWSJdLFtbIvCfmIAiLG51bGwsLTEuNV0sIlhZIiw3XV1d';
    assert.equal(refusal(keptInValueOrder).slug, 'cursor-expired', 'it names a place among ties that moves');
    const inValueOrder =
      '5l7DxqSiurbN_Ha_xuBpv1syLCJwVElUMlI2WCIsImxpc3RPcmRlcnMiLCJBYkNkRWZHaElqS2xNbk9wIixbWyJmaWx0ZXIiLCJvcmRlclVu' +
      'aXF1ZUlEPT1BKiJdLFsibGltaXQiLCI1MCJdXSxbWyJBQkMiLCJYWSJdLFtbIvCfmIAiLG51bGwsLTEuNV0sIlhZIiw3XSxudWxsXV0';
    assert.deepEqual(readCursor(inValueOrder, 'listOrders', key), values);
    const inAnImage =
      'mVqgA6m4BIQc5-jYInK0eFsyLCJwVElUMlI2WCIsImxpc3RPcmRlcnMiLCJBYkNkRWZHaElqS2xNbk9wIixbWyJmaWx0ZXIiLCJvcmRlclVu' +
      'aXF1ZUlEPT1BKiJdLFsibGltaXQiLCI1MCJdXSxbeyJBQkMiOjEyLCJYWSI6MH0seyJYWSI6NDB9XV0';
    assert.deepEqual(readCursor(inAnImage, 'listOrders', key), { ...changes, walkStarts: { XY: 40 } });
  });

  it('is short', () => {
    assert.ok(signCursor(changes, key).length < 250);
    assert.ok(signCursor(values, key).length < 250);
  });
});
