// Activities on the command line.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { runCommandLine } from '../../src/commands/program.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { update } from '../../src/store/table-statements.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { environmentOf, json, run, succeed, temporaryFolder } from './fixture.ts';

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
    ['ACM', 'Acme\u202eemoH', /must not have invisible characters/],
    ['ACM', `A${'\u0301'.repeat(31)}`, /more than 30 combining marks/],
  ] as const) {
    const shown = JSON.stringify(name.slice(0, 12)).replaceAll(/[^ -~]/g, '?');
    it(`refuses code "${code}" with name ${shown} before it makes a database`, async (t) => {
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

  it('takes the same again of a name that an earlier version stored, and so does activity change', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    for (const name of ['Cafe\u0301', 'Acme\u200b Home', ' Acme']) {
      const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
      await store.engine.write((transaction) => transaction.query(update(activityTable, { name }, { code: 'ACM' })));
      await store.close();
      assert.deepEqual(await json(place, 'activity', 'add', 'ACM', name), { code: 'ACM', name });
      assert.match(await succeed(place, 'activity', 'change', 'ACM', '--name', name), /already/);
      if (name.startsWith('Cafe'))
        assert.deepEqual(await json(place, 'activity', 'add', 'ACM', name.normalize()), { code: 'ACM', name });
      assert.equal((await run(place, 'activity', 'add', 'ACM', `${name}\u200b`)).code, 1);
      assert.equal((await json<Activity[]>(place, 'activity', 'list'))[0]?.name, name);
    }
  });

  it('says where it is and what to do next', async (t) => {
    const place = { folder: temporaryFolder(t) };
    // By `run`, which prepares no database: this one is made.
    const { code, stdout: told } = await run(place, 'activity', 'add', 'ACM', 'Acme Home');
    assert.equal(code, 0);
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
      [5, 5, 5],
    );
    const [heading, wide, narrow] = (await succeed({ ...place, terminal: true }, 'activity', 'list')).split('\n');
    assert.match(heading ?? '', /^CODE {2}NAME {3}CREATED/);
    // Each of the two characters takes two columns.
    assert.match(wide ?? '', /^A {5}倉庫 {3}\d{4}/);
    assert.match(narrow ?? '', /^B {5}Store {2}\d{4}/);
  });

  it('lets no name move the cursor that an earlier version took', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
    await store.engine.write((transaction) =>
      transaction.query(update(activityTable, { name: 'A\u001b[2JB' }, { code: 'ACM' })),
    );
    await store.close();
    const shown = await succeed({ ...place, terminal: true }, 'activity', 'list');
    assert.ok(!shown.includes('\u001b'));
    assert.ok(shown.includes('A\u{fffd}[2JB'));
  });
});

describe('activity change', () => {
  it('gives another name and says when records have it', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    assert.equal(
      await succeed(place, 'activity', 'change', 'ACM', '--name', 'Acme Garden'),
      'Activity ACM is called "Acme Garden" now; it was "Acme Home". Records carry the new name once they are ' +
        'written again.\n',
    );
    assert.match(await succeed(place, 'activity', 'change', 'ACM', '--name', 'Acme Garden'), /is called .* already/);
    assert.equal((await json<Activity[]>(place, 'activity', 'list'))[0]?.name, 'Acme Garden');
  });

  for (const [words, code, said] of [
    [['ACM'], 2, /Say what is to be changed: --name, --retention/],
    [['XXX', '--name', 'Acme'], 1, /There is no activity "XXX"/],
    [['ACM', '--name', ''], 1, /is no activity name/],
    [['ACM', '--name', 'x'.repeat(31)], 1, /is no activity name/],
  ] as const) {
    it(`refuses ${words.join(' ').slice(0, 30)}`, async (t) => {
      const place = { folder: temporaryFolder(t) };
      await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
      const { code: exit, stderr } = await run(place, 'activity', 'change', ...words);
      assert.deepEqual([exit, said.test(stderr)], [code, true], stderr);
      assert.equal((await json<Activity[]>(place, 'activity', 'list'))[0]?.name, 'Acme Home');
    });
  }
});

describe('activity remove', () => {
  const article = '{"articleReference":"A","longArticleDescription":"A","shortArticleDescription":"A"}';
  async function filled(t: Parameters<typeof temporaryFolder>[0]) {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
    await succeed({ ...place, stdin: article }, 'import', 'articles', '-', '--activity', 'ACM');
    await succeed(place, 'key', 'add', 'WMS', '--activity', 'ACM');
    return place;
  }

  it('removes nothing that nobody confirmed, and says what would go', async (t) => {
    const place = await filled(t);
    const { code, stdout, stderr } = await run(place, 'activity', 'remove', 'ACM');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /ACM \(Acme Home\) is going to be removed for good.*\n(.*\n)* {2}1 {2}article\n/);
    assert.match(stderr, /It is taken from 0 users, 0 clients and 1 platform keys, which stay/);
    assert.match(stderr, /Nobody confirmed the removal\. Nothing was removed/);
    assert.equal((await json<Activity[]>(place, 'activity', 'list')).length, 1);
  });

  it('removes with --yes, leaves the audit trail, and lets the code be used anew', async (t) => {
    const place = await filled(t);
    assert.match(await succeed(place, 'activity', 'remove', 'ACM', '--yes'), /^Activity ACM is removed, with \d+ rows/);
    assert.deepEqual(await json<Activity[]>(place, 'activity', 'list'), []);
    const trail = await succeed(place, 'audit', '--json');
    assert.match(trail, /"action":"activity\.remove"/);
    assert.match(trail, /"action":"activity\.add"/);
    assert.equal((await run(place, 'user', 'list', '--activity', 'ACM')).code, 1);
    assert.equal((await json<{ rows: number }>(place, 'activity', 'remove', 'ACM', '--yes')).rows, 0);
    await succeed(place, 'activity', 'add', 'ACM', 'Another Acme');
    const removed = await run(place, 'activity', 'remove', 'XXX', '--yes');
    assert.deepEqual([removed.code, /There is no activity "XXX"/.test(removed.stderr)], [1, true]);
  });

  it('is done by one process at a time, and beside no import of the activity', async (t) => {
    const place = await filled(t);
    const copy = join(place.folder, 'acm');
    await succeed(place, 'export', '--activity', 'ACM', '--to', copy);
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    const waiting = runCommandLine(['activity', 'remove', 'ACM'], { ...environmentOf({ ...place, stdin }), stderr });
    // It holds the activity once it has said what would go.
    await once(stderr, 'data');
    for (const words of [
      ['activity', 'remove', 'ACM', '--yes'],
      ['import', 'activity', copy, '--activity', 'ACM'],
    ]) {
      const { code, stderr: told } = await run(place, ...words);
      assert.deepEqual([code, /Somebody else is importing or removing ACM at this moment/.test(told)], [1, true], told);
    }
    assert.equal((await json<Activity[]>(place, 'activity', 'list')).length, 1);
    stdin.end('ACM\n');
    assert.equal(await waiting, 0);
    await succeed(place, 'import', 'activity', copy, '--activity', 'ACM');
    await succeed(place, 'activity', 'remove', 'ACM', '--yes');
  });

  it('takes the typed code on a terminal, and nothing else', async (t) => {
    const place = await filled(t);
    const typed = (answer: string) => {
      const stdin = Object.assign(Readable.from([Buffer.from(`${answer}\n`)]), { isTTY: true });
      return run({ ...place, stdin }, 'activity', 'remove', 'ACM');
    };
    for (const answer of ['', 'acm', 'yes']) {
      const { code, stderr } = await typed(answer);
      assert.deepEqual([code, /is not ACM\. Nothing was removed/.test(stderr)], [1, true], stderr);
    }
    assert.equal((await typed('ACM')).code, 0);
    assert.deepEqual(await json<Activity[]>(place, 'activity', 'list'), []);
  });
});
