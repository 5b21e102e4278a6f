// signing-key list and rotate: the keys of the database, and new ones, told in words or as JSON.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

const variables = { SECRET_KEY: 'a secret of more than thirty-two characters' };

describe('signing-key rotate', () => {
  it('makes a pair that signs in two minutes, once at a time', async (t) => {
    let now = Date.UTC(2026, 0, 31, 8);
    const place = { folder: temporaryFolder(t), variables, now: () => now };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const { kids, signsFrom } = await json<{ readonly kids: readonly string[]; readonly signsFrom: string }>(
      place,
      'signing-key',
      'rotate',
    );
    assert.equal(kids.length, 2);
    assert.equal(signsFrom, '2026-01-31T08:02:00.000Z');
    const again = await run(place, 'signing-key', 'rotate');
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /Another rotation of the keys is under way\. Wait two minutes/);
    now += 120_000;
    assert.match(
      await succeed(place, 'signing-key', 'rotate'),
      /New keys: .*\nThey sign from 2026-01-31T08:04:00\.000Z on, .* new secret for cookies and forms/,
    );
  });

  it('refuses under another secret than that of the database', async (t) => {
    const folder = temporaryFolder(t);
    await succeed({ folder, variables }, 'activity', 'add', 'ACM', 'Acme');
    await succeed({ folder, variables }, 'signing-key', 'rotate');
    for (const other of [{}, { SECRET_KEY: 'another secret of more than thirty-two characters' }]) {
      const { code, stderr } = await run(
        { folder, variables: other, now: () => Date.now() + 600_000 },
        'signing-key',
        'rotate',
      );
      assert.equal(code, 1);
      assert.match(stderr, /SECRET_KEY/);
    }
  });
});

interface Listed {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
  readonly stored: string;
}

describe('signing-key list', () => {
  it('says which key signs, which comes next, which only verifies, and how each is stored', async (t) => {
    let now = Date.UTC(2026, 0, 31, 8);
    const place = { folder: temporaryFolder(t), now: () => now };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    assert.deepEqual(await json<Listed[]>(place, 'signing-key', 'list'), []);
    const listed = async (more: object = {}) =>
      (await json<Listed[]>({ ...place, ...more }, 'signing-key', 'list')).map((key) => [key.state, key.stored]);
    await succeed(place, 'signing-key', 'rotate');
    // Those before the first rotation were never made: the first pair comes with it.
    const pairs = (...rows: readonly (readonly [string, string])[]) => rows.flatMap((row) => [row, row]);
    assert.deepEqual(await listed(), pairs(['signs', 'readable'], ['next', 'readable']));
    now += 240_000;
    await succeed({ ...place, variables }, 'signing-key', 'rotate');
    const stored = 'under SECRET_KEY';
    assert.deepEqual(await listed({ variables }), pairs(['verifies', stored], ['signs', stored], ['next', stored]));
    const text = await succeed({ ...place, variables }, 'signing-key', 'list');
    assert.match(text, /^KEY\tALGORITHM\tSTATE\tSIGNS FROM\tSIGNS UNTIL\tVERIFIES UNTIL\tSTORED\n/);
    assert.ok(!text.includes('"d"'), 'no private part');
  });

  it('is also called keys, which says what it is called now and is in no help', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const { code, stdout, stderr } = await run(place, 'keys', 'list', '--json');
    assert.deepEqual([code, stdout], [0, '[]\n']);
    assert.equal(stderr, 'logistics-connect: keys is called signing-key now; the name keys will go.\n');
    const help = await succeed(place, '--help');
    assert.match(help, /signing-key/);
    assert.doesNotMatch(help, /^ {2}keys /m);
  });
});
