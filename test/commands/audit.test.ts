// The audit trail on the command line: what commands leave in it, and how it is asked.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { goodPassword, type Place, run, succeed, temporaryFolder } from './fixture.ts';
import { joined } from '../contract/joined.ts';

interface Entry extends Omit<NewAuditEntry, 'details'> {
  readonly id: string;
  readonly at: string;
  readonly details: Readonly<Record<string, unknown>> | null;
}

async function placeWithActivity(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme Home');
  return place;
}

/** Entries that the command shows, newest first. */
async function shown(place: Place, ...options: readonly string[]): Promise<readonly Entry[]> {
  const text = await succeed(place, 'audit', '--json', ...options);
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line): Entry => JSON.parse(line));
}

/** Leaves entries of a client, one at each instant. */
async function leave(place: Place, instants: readonly number[], changes: Partial<NewAuditEntry> = {}): Promise<void> {
  let at = 0;
  const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions, () => at);
  for (at of instants) {
    await store.audit.append({
      actorKind: 'client',
      actor: 'shop',
      subject: 'u1',
      action: 'articles.submit',
      activityCodes: ['ACM'],
      target: null,
      operationId: 'op-1',
      outcome: 'accepted',
      address: '192.0.2.7',
      details: { passed: ['ACM/A1'] },
      ...changes,
    });
  }
  await store.close();
}

describe('audit', () => {
  const wrong: readonly (readonly [options: readonly string[], said: RegExp])[] = [
    [['--since', 'yesterday'], /--since takes a day such as 2026-01-31 or an instant/],
    [['--until', '2026-02-30'], /--until takes a day/],
    [['--limit', '0'], /--limit takes a number from 1/],
    [['--limit', 'all'], /--limit takes a number from 1/],
    [['--limit', '-5'], /--limit takes a number from 1/],
  ];
  for (const [options, said] of wrong) {
    it(`${options.join(' ')} is wrong usage`, async (t) => {
      const { code, stderr } = await run({ folder: temporaryFolder(t) }, 'audit', ...options);
      assert.equal(code, 2);
      assert.match(stderr, said);
    });
  }

  it('tells when an operation left no entry', async (t) => {
    const place = await placeWithActivity(t);
    const { code, stdout, stderr } = await run(place, 'audit', '--operation', 'op-2');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /There is no entry of the operation op-2\. It may be older than AUDIT_RETENTION_DAYS/);
  });

  for (const code of ['ZZZ', 'acm', '']) {
    it(`tells that there is no activity "${code}"`, async (t) => {
      const place = await placeWithActivity(t);
      for (const options of [[], ['--json']]) {
        const { code: exit, stdout, stderr } = await run(place, 'audit', '--activity', code, ...options);
        assert.deepEqual([exit, stdout], [1, '']);
        assert.ok(
          stderr.includes(
            options.length === 0
              ? `There is no activity "${code}". See \`activity list\``
              : `There is no activity \\"${code}\\".`,
          ),
          stderr,
        );
      }
    });
  }

  it('shows headings alone where nothing fits, and nothing as JSON', async (t) => {
    const place = await placeWithActivity(t);
    assert.equal(
      await succeed(place, 'audit', '--actor', 'nobody'),
      'AT\tKIND\tACTOR\tACTION\tOUTCOME\tACTIVITIES\tTARGET\tFROM\tOPERATION\n',
    );
    assert.deepEqual(await shown(place, '--actor', 'nobody'), []);
  });

  it('shows a line for each entry, newest first', async (t) => {
    const place = await placeWithActivity(t);
    await leave(place, [Date.UTC(2099, 0, 1)], { target: 'two\nlines\u009b' });
    const [, first, second] = (await succeed(place, 'audit')).split('\n');
    assert.deepEqual(first?.split('\t'), [
      '2099-01-01T00:00:00.000Z',
      'client',
      'shop',
      'articles.submit',
      'accepted',
      'ACM',
      'two\u{fffd}lines\u{fffd}',
      '192.0.2.7',
      'op-1',
    ]);
    assert.deepEqual(second?.split('\t').slice(1), [
      'command',
      'olga',
      'activity.add',
      'accepted',
      'ACM',
      'ACM',
      '',
      '',
    ]);
  });

  it('shows an operation whole, with its result, and nothing that moves the cursor', async (t) => {
    const place = await placeWithActivity(t);
    await leave(place, [Date.UTC(2026, 0, 1)], { details: { passed: ['ACM/A\u009b1'] } });
    const text = await succeed(place, 'audit', '--operation', 'op-1');
    assert.match(
      text,
      joined(
        /^entry\t[0-9a-f-]{36}\n(.*\n)*on behalf of\tu1\n(.*\n)*operation\top-1\n/,
        /\{\n {2}"passed": \[\n {4}"ACM\/A\ufffd1"\n {2}\]\n\}\n$/,
      ),
    );
  });

  it('takes a day as a whole at both ends, and an instant to the millisecond', async (t) => {
    const place = await placeWithActivity(t);
    const [before, morning, evening, after] = [
      Date.UTC(2025, 0, 30, 23, 59, 59, 999),
      Date.UTC(2025, 0, 31),
      Date.UTC(2025, 0, 31, 23, 59, 59, 999),
      Date.UTC(2025, 1, 1),
    ];
    await leave(place, [before, morning, evening, after]);
    const instants = async (...options: readonly string[]): Promise<readonly number[]> =>
      (await shown(place, '--actor', 'shop', ...options)).map(({ at }) => Date.parse(at));
    assert.deepEqual((await instants('--since', '2025-01-31', '--until', '2025-01-31')).toSorted(), [morning, evening]);
    assert.deepEqual(
      (await instants('--since', '2025-01-31T00:00:00.001Z', '--until', '2025-02-01T00:00:00Z')).toSorted(),
      [evening],
    );
  });

  it('narrows by activity, operation, action and actor, all of which must fit', async (t) => {
    const place = await placeWithActivity(t);
    await succeed(place, 'activity', 'add', 'BLU', 'Blue');
    await leave(place, [1]);
    await leave(place, [2], { activityCodes: ['BLU'], operationId: 'op-2', action: 'document.upload', actor: 'other' });
    const operations = async (...options: readonly string[]): Promise<readonly (string | null)[]> =>
      (await shown(place, '--until', '2000-01-01', ...options)).map(({ operationId }) => operationId);
    for (const options of [
      ['--activity', 'BLU'],
      ['--operation', 'op-2'],
      ['--action', 'document.upload'],
      ['--actor', 'other'],
    ])
      assert.deepEqual(await operations(...options), ['op-2'], options.join(' '));
    assert.deepEqual(await operations('--activity', 'ACM', '--actor', 'other'), []);
  });

  it('shows 100 entries unless told otherwise, also more than storage gives at once', async (t) => {
    const place = await placeWithActivity(t);
    await leave(
      place,
      Array.from({ length: 1203 }, (_, index) => index),
    );
    assert.equal((await shown(place)).length, 100);
    assert.equal((await succeed(place, 'audit', '--limit', '1001')).split('\n').length, 1003);
    const all = await shown(place, '--limit', '5000', '--actor', 'shop');
    assert.equal(new Set(all.map(({ id }) => id)).size, 1203);
    assert.deepEqual(
      all.map(({ id }) => id),
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  });
});

describe('what a command changes', () => {
  it('is in the trail with the login that ran it, without names of people and without secrets', async (t) => {
    const place = await placeWithActivity(t);
    const client = JSON.parse(
      await succeed(
        place,
        'client',
        'add',
        'Shop',
        '--redirect',
        'https://shop.example/cb',
        '--activity',
        'ACM',
        '--confidential',
        '--json',
      ),
    );
    const rotated = JSON.parse(await succeed(place, 'client', 'rotate-secret', client.id, '--json'));
    await succeed(place, 'client', 'disable', client.id);
    await succeed(place, 'client', 'remove', client.id);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia@shop.example', '--activity', 'ACM');
    await succeed(place, 'user', 'disable', 'mia@shop.example');
    const key = JSON.parse(await succeed(place, 'key', 'add', 'WMS', '--all', '--json'));
    await succeed(place, 'key', 'revoke', key.id);
    await succeed(place, 'signing-key', 'rotate');
    const entries = (await shown(place)).toReversed();
    assert.deepEqual(
      entries.map(({ actorKind, actor, action, outcome }) => [actorKind, actor, action, outcome].join(' ')),
      [
        'activity.add',
        'client.add',
        'client.rotate-secret',
        'client.disable',
        'client.remove',
        'user.add',
        'user.disable',
        'key.add',
        'key.revoke',
        'signing-key.rotate',
      ].map((action) => `command olga ${action} accepted`),
    );
    const text = JSON.stringify(entries);
    for (const secret of [client.secret, rotated.secret, key.key.slice(17), goodPassword, 'mia'])
      assert.ok(!text.includes(secret));
    assert.deepEqual(entries[7]?.details, { name: 'WMS', all: true, roles: ['outbox'] });
  });

  it('leaves no entry where the command was refused', async (t) => {
    const place = await placeWithActivity(t);
    assert.equal((await run(place, 'client', 'disable', 'nobody')).code, 1);
    assert.equal((await run(place, 'activity', 'add', 'ACM', 'Another name')).code, 1);
    assert.deepEqual(
      (await shown(place)).map(({ action }) => action),
      ['activity.add'],
    );
  });

  it('says what became of an import', async (t) => {
    const place = await placeWithActivity(t);
    const good = '{"articleReference":"A1","longArticleDescription":"a","shortArticleDescription":"a"}\n';
    const outcomes: readonly (readonly [
      stdin: string,
      options: readonly string[],
      outcome: string,
      details: Readonly<Record<string, unknown>>,
    ])[] = [
      [good, [], 'accepted', { file: '-', read: 1, new: 1, changed: 0, unchanged: 0, refused: 0, warned: 0 }],
      [`${good}{}\n`, [], 'partly', { file: '-', read: 2, new: 0, changed: 0, unchanged: 1, refused: 1, warned: 0 }],
      [
        '{}\n',
        ['--strict'],
        'refused',
        { file: '-', read: 1, new: 0, changed: 0, unchanged: 0, refused: 1, warned: 0 },
      ],
    ];
    for (const [stdin, options, outcome, details] of outcomes) {
      await run({ ...place, stdin }, 'import', 'articles', '-', '--activity', 'ACM', ...options);
      const [entry] = await shown(place, '--limit', '1');
      assert.deepEqual(
        [entry?.action, entry?.target, entry?.activityCodes, entry?.outcome, entry?.details],
        ['import', 'articles', ['ACM'], outcome, details],
      );
    }
    const stop = new AbortController();
    stop.abort();
    await run({ ...place, stdin: good, signal: stop.signal }, 'import', 'articles', '-', '--activity', 'ACM');
    await run(place, 'import', 'articles', 'nowhere.ndjson', '--activity', 'ACM');
    assert.deepEqual(
      (await shown(place, '--limit', '1')).map(({ outcome, details }) => [outcome, details]),
      [['failed', { file: 'nowhere.ndjson' }]],
    );
  });
});
