// A memory for short texts that cannot grow without bound.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoize } from '../../src/http/memoize.ts';

describe('memoize', () => {
  function counted(max: number, maxLength: number) {
    const computed: string[] = [];
    const upper = memoize(
      (text) => {
        computed.push(text);
        return text.toUpperCase();
      },
      max,
      maxLength,
    );
    return { computed, upper };
  }

  it('computes a text once', () => {
    const { computed, upper } = counted(5, 5);
    assert.deepEqual([upper('a'), upper('a'), upper('')], ['A', 'A', '']);
    upper('');
    assert.deepEqual(computed, ['a', '']);
  });

  it('computes a long text each time', () => {
    const { computed, upper } = counted(5, 2);
    assert.deepEqual([upper('abc'), upper('abc')], ['ABC', 'ABC']);
    assert.deepEqual(computed, ['abc', 'abc']);
  });

  it('forgets when it is full what nobody has asked for longest', () => {
    const { computed, upper } = counted(2, 5);
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(upper(text), text.toUpperCase());
    assert.deepEqual(computed, ['a', 'b', 'c', 'b']);
  });

  it('remembers null', () => {
    let times = 0;
    const none = memoize(() => {
      times += 1;
      return null;
    });
    assert.deepEqual([none('a'), none('a'), times], [null, null, 1]);
  });
});
