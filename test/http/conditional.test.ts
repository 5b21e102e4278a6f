// If-None-Match against an entity tag.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matches, notModified } from '../../src/http/conditional.ts';

describe('If-None-Match', () => {
  for (const [header, etag, expected] of [
    [undefined, 'W/"7"', false],
    ['', 'W/"7"', false],
    ['"8"', 'W/"7"', false],
    ['7', 'W/"7"', false],
    ['W/7', 'W/"7"', false],
    ['"7', 'W/"7"', false],
    ['w/"7"', 'W/"7"', false],
    ['"77"', 'W/"7"', false],
    ['"a""7"', 'W/"7"', false],
    ['"a, \\"7\\", b"', '"7"', false],
    ['"x,y"', '"y"', false],
    ['"*"', '"7"', false],
    ['W/"7"', 'W/"7"', true],
    ['"7"', 'W/"7"', true],
    ['W/"7"', '"7"', true],
    ['*', 'W/"7"', true],
    [' * ', 'W/"7"', true],
    ['"1", W/"7"', 'W/"7"', true],
    ['"1" ,\tW/"7" , "9"', '"7"', true],
    ['garbage, "7"', '"7"', true],
    ['"x,y", "7"', '"x,y"', true],
    ['""', 'W/""', true],
  ] as const) {
    it(`${header ?? '(none)'} ${expected ? 'matches' : 'does not match'} ${etag}`, () =>
      assert.equal(matches(header, etag), expected));
  }

  it('is read in time that grows with its length only', () => {
    assert.equal(matches(`${'"a'.repeat(4000)}`, '"7"'), false);
    assert.equal(matches(`${'"a", '.repeat(2000)}"7"`, '"7"'), true);
  });
});

it('304 carries the tag and what updates a cache', () => {
  assert.deepEqual(notModified('W/"7"', { 'cache-control': 'private, no-cache' }), {
    status: 304,
    headers: { 'cache-control': 'private, no-cache', etag: 'W/"7"' },
    body: null,
    type: null,
  });
});
