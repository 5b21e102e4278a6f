// client show, change, enable, rotate-secret and remove, and lists of one activity.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, run, succeed, temporaryFolder } from './fixture.ts';

interface Made {
  readonly id: string;
  readonly secret: string | null;
}

async function prepared(t: Parameters<typeof temporaryFolder>[0]) {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  const add = (name: string, ...more: readonly string[]) =>
    json<Made>(
      place,
      'client',
      'add',
      name,
      '--redirect',
      'https://shop.example/callback',
      '--activity',
      'ACM',
      ...more,
    );
  return { place, shop: await add('Web shop', '--confidential'), desk: await add('Desk') };
}

describe('one client', () => {
  it('is shown without its secret', async (t) => {
    const { place, shop } = await prepared(t);
    const { secret, ...facts } = shop;
    assert.ok(secret);
    assert.deepEqual(await json<unknown>(place, 'client', 'show', shop.id), facts);
    const text = await succeed(place, 'client', 'show', shop.id);
    for (const part of [shop.id, 'Web shop', 'ACM', 'confidential', 'https://shop.example/callback'])
      assert.ok(text.includes(part), part);
    assert.equal(text.includes(secret), false);
  });

  it('gets a new secret where it has one', async (t) => {
    const { place, shop, desk } = await prepared(t);
    const changed = await json<Made>(place, 'client', 'rotate-secret', shop.id);
    assert.match(changed.secret ?? '', /^lcs_/);
    assert.notEqual(changed.secret, shop.secret);
    assert.match(
      await succeed(place, 'client', 'rotate-secret', shop.id),
      /^secret: {4}lcs_\S+\nThe secret is shown this once/,
    );
    const refused = await run(place, 'client', 'rotate-secret', desk.id);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /is public: it has no secret/);
  });

  it('is removed for good', async (t) => {
    const { place, shop, desk } = await prepared(t);
    assert.match(await succeed(place, 'client', 'remove', shop.id), /is removed; its tokens stop within a minute/);
    assert.deepEqual(
      (await json<Made[]>(place, 'client', 'list')).map(({ id }) => id),
      [desk.id],
    );
    assert.equal((await json<Made>(place, 'client', 'remove', desk.id)).id, desk.id);
    assert.deepEqual(await json<Made[]>(place, 'client', 'list'), []);
  });

  for (const command of ['show', 'rotate-secret', 'enable', 'remove']) {
    it(`must exist to ${command}`, async (t) => {
      const { place } = await prepared(t);
      const { code, stderr } = await run(place, 'client', command, 'nobody');
      assert.equal(code, 1);
      assert.match(stderr, /There is no client "nobody"\. See/);
    });
  }
});

interface Shown {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly readOnly: boolean;
}

describe('client change', () => {
  it('is wrong usage when it changes nothing', async (t) => {
    const { place, desk } = await prepared(t);
    const { code, stderr } = await run(place, 'client', 'change', desk.id);
    assert.deepEqual([code, /Say what is to be changed/.test(stderr)], [2, true]);
  });

  it('says what the client is now and from when, and leaves an audit entry', async (t) => {
    const { place, desk } = await prepared(t);
    await succeed(place, 'activity', 'add', 'BLU', 'Blue');
    const words = ['--name', 'Our desk', '--add-activity', 'BLU', '--remove-activity', 'ACM', '--read-only'];
    assert.equal(
      await succeed(place, 'client', 'change', desk.id, ...words),
      [
        `Client ${desk.id}: Our desk, public, may read in BLU.`,
        'What was withdrawn is closed within a minute, for tokens in hand too.',
        'An activity that was granted opens with the next sign-in; to a service with its next token.',
        'Redirect address: https://shop.example/callback\n',
      ].join('\n'),
    );
    assert.match(
      await succeed(place, 'client', 'change', desk.id, ...words.slice(0, 2)),
      /^Client \S+ is as it was: Our desk, public, may read in BLU\.\n$/,
    );
    const trail = (await succeed(place, 'audit', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const changes = trail.filter(({ action }) => action === 'client.change');
    assert.deepEqual(
      changes.map(({ actor, target, activityCodes, details }) => [actor, target, activityCodes, details]),
      [
        [
          'olga',
          desk.id,
          ['ACM', 'BLU'],
          {
            name: { before: 'Desk', after: 'Our desk' },
            activityCodes: { before: ['ACM'], after: ['BLU'] },
            readOnly: { before: false, after: true },
          },
        ],
      ],
    );
    const listed = async (code: string) => (await json<Made[]>(place, 'client', 'list', '--activity', code)).length;
    assert.deepEqual([await listed('ACM'), await listed('BLU')], [1, 1]);
    assert.match((await run(place, 'client', 'list', '--activity', 'XXX')).stderr, /There is no activity "XXX"/);
  });

  it('takes every option back', async (t) => {
    const { place, shop } = await prepared(t);
    const change = (...words: readonly string[]) => json<Shown>(place, 'client', 'change', shop.id, ...words);
    const address = 'https://shop.example/new';
    const changed = await change('--add-redirect', address, '--read-only', '--service', '--no-pkce');
    assert.deepEqual([changed.redirectUris.length, changed.readOnly], [2, true]);
    const { secret: _secret, ...before } = shop;
    assert.deepEqual(await change('--remove-redirect', address, '--no-read-only', '--no-service', '--pkce'), before);
  });
});

describe('client enable and the old secret', () => {
  it('are told with what stays', async (t) => {
    const { place, shop } = await prepared(t);
    await succeed(place, 'client', 'disable', shop.id);
    assert.match(
      await succeed(place, 'client', 'enable', shop.id),
      /may ask for tokens again; what it held before stays/,
    );
    const now = () => Date.UTC(2026, 0, 31, 8);
    const text = await succeed({ ...place, now }, 'client', 'rotate-secret', shop.id, '--keep-old', '48');
    assert.match(text, /The old one is good until 2026-02-02T08:00:00\.000Z;\ntokens in hand stay valid\.\n$/);
    for (const hours of ['0', '673', '1.5', '-1', '', 'two']) {
      const { code, stdout } = await run(place, 'client', 'rotate-secret', shop.id, '--keep-old', hours);
      assert.deepEqual([code, stdout], [2, ''], hours);
    }
  });
});

describe('key list --activity', () => {
  it('has the keys of the activity and those of all', async (t) => {
    const { place } = await prepared(t);
    await succeed(place, 'activity', 'add', 'BLU', 'Blue');
    await succeed(place, 'key', 'add', 'Lyon', '--activity', 'ACM');
    await succeed(place, 'key', 'add', 'All', '--all');
    const names = async (code: string) =>
      (await json<{ name: string }[]>(place, 'key', 'list', '--activity', code)).map(({ name }) => name);
    assert.deepEqual([await names('ACM'), await names('BLU')], [['Lyon', 'All'], ['All']]);
    assert.equal((await run(place, 'key', 'list', '--activity', 'XXX')).code, 1);
  });
});
