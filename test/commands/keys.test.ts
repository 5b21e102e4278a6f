// keys rotate: new keys in the database, told in words or as JSON.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

const variables = { SECRET_KEY: 'a secret of more than thirty-two characters' };

describe('keys rotate', () => {
  it('makes a pair that signs in two minutes, once at a time', async (t) => {
    let now = Date.UTC(2026, 0, 31, 8);
    const place = { folder: temporaryFolder(t), variables, now: () => now };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const { kids, signsFrom } = await json<{ readonly kids: readonly string[]; readonly signsFrom: string }>(
      place,
      'keys',
      'rotate',
    );
    assert.equal(kids.length, 2);
    assert.equal(signsFrom, '2026-01-31T08:02:00.000Z');
    const again = await run(place, 'keys', 'rotate');
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /Another rotation of the keys is under way\. Wait two minutes/);
    now += 120_000;
    assert.match(
      await succeed(place, 'keys', 'rotate'),
      /New keys: .*\nThey sign from 2026-01-31T08:04:00\.000Z on, .* new secret for cookies and forms/,
    );
  });

  it('refuses under another secret than that of the database', async (t) => {
    const folder = temporaryFolder(t);
    await succeed({ folder, variables }, 'activity', 'add', 'ACM', 'Acme');
    await succeed({ folder, variables }, 'keys', 'rotate');
    for (const other of [{}, { SECRET_KEY: 'another secret of more than thirty-two characters' }]) {
      const { code, stderr } = await run(
        { folder, variables: other, now: () => Date.now() + 600_000 },
        'keys',
        'rotate',
      );
      assert.equal(code, 1);
      assert.match(stderr, /SECRET_KEY/);
    }
  });
});
