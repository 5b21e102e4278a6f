// client show, rotate-secret and remove.
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

  for (const command of ['show', 'rotate-secret', 'remove']) {
    it(`must exist to ${command}`, async (t) => {
      const { place } = await prepared(t);
      const { code, stderr } = await run(place, 'client', command, 'nobody');
      assert.equal(code, 1);
      assert.match(stderr, /There is no client "nobody"\. See/);
    });
  }
});
