// Activities on the command line.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

interface Activity {
  readonly code: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastWriteAt: string | null;
}

describe('activity add', () => {
  for (const [code, name, said] of [
    ['acm', 'Acme', /"acm" is no activity code/],
    ['ACME', 'Acme', /"ACME" is no activity code/],
    ['', 'Acme', /"" is no activity code/],
    ['ACM', '', /"" is no activity name/],
    ['ACM', 'x'.repeat(31), /is no activity name/],
    ['ACM', ' Acme', /is no activity name/],
  ] as const) {
    it(`refuses code "${code}" with name "${name}" before it makes a database`, async (t) => {
      const place = { folder: temporaryFolder(t) };
      const { code: exit, stderr } = await run(place, 'activity', 'add', code, name);
      assert.equal(exit, 1);
      assert.match(stderr, said);
      assert.match((await run(place, 'activity', 'list')).stderr, /There is no database/);
    });
  }

  it('refuses another name for a code that exists, and takes the same again', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    const { code, stderr } = await run(place, 'activity', 'add', 'ACM', 'Acme Garden');
    assert.equal(code, 1);
    assert.match(stderr, /Activity ACM exists already and is called "Acme Home"/);
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    assert.equal((await json<Activity[]>(place, 'activity', 'list')).length, 1);
  });

  it('says where it is and what to do next', async (t) => {
    const place = { folder: temporaryFolder(t) };
    const told = await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    assert.ok(told.includes(`${place.folder}/data`));
    for (const next of [
      'import articles FILE --activity ACM',
      'user add LOGIN --activity ACM',
      'client add NAME --redirect URI --activity ACM',
    ])
      assert.ok(told.includes(next), next);
  });
});

describe('activity list', () => {
  it('shows when each was made and last written to', async (t) => {
    const at = Date.UTC(2026, 0, 31, 8, 15, 30);
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'BLU', 'Blue');
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    await succeed(
      {
        ...place,
        now: () => at,
        stdin: '{"articleReference":"A1","longArticleDescription":"One","shortArticleDescription":"One"}',
      },
      'import',
      'articles',
      '-',
      '--activity',
      'ACM',
    );
    const [acme, blue] = await json<Activity[]>(place, 'activity', 'list');
    assert.deepEqual([acme?.code, acme?.name, acme?.lastWriteAt], ['ACM', 'Acme Home', '2026-01-31T08:15:30.000Z']);
    assert.match(acme?.createdAt ?? '', /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual([blue?.code, blue?.lastWriteAt], ['BLU', null]);
  });

  it('is aligned on a terminal and split by tabs elsewhere', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'A', '倉庫');
    await succeed(place, 'activity', 'add', 'B', 'Store');
    const plain = (await succeed(place, 'activity', 'list')).split('\n').slice(0, -1);
    assert.deepEqual(
      plain.map((line) => line.split('\t').length),
      [4, 4, 4],
    );
    const [heading, wide, narrow] = (await succeed({ ...place, terminal: true }, 'activity', 'list')).split('\n');
    assert.match(heading ?? '', /^CODE {2}NAME {3}CREATED/);
    // Each of the two characters takes two columns.
    assert.match(wide ?? '', /^A {5}倉庫 {3}\d{4}/);
    assert.match(narrow ?? '', /^B {5}Store {2}\d{4}/);
  });

  it('lets no name move the cursor', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'A\u001b[2JB');
    const shown = await succeed({ ...place, terminal: true }, 'activity', 'list');
    assert.ok(!shown.includes('\u001b'));
    assert.ok(shown.includes('A\u{fffd}[2JB'));
  });
});
