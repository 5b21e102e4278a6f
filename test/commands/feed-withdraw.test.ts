// The command `feed withdraw`: what it takes back, what it says of mistakes, and what the audit trail has of it.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Place, run, succeed, temporaryFolder } from './fixture.ts';

async function activityWithRecords(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  const give = (resource: string, ...records: readonly object[]): Promise<string> => {
    const stdin = records.map((record) => JSON.stringify(record)).join('\n');
    return succeed({ ...place, stdin }, 'import', resource, '-', '--activity', 'ACM');
  };
  await give('orders', { orderUniqueID: 'O1' }, { orderUniqueID: 'O2' });
  await give('movements', { id: 7, articleReference: 'A', movedQuantity: 1 });
  await give('order-reports', { orderUniqueID: 'O1' });
  for (const day of ['01', '02'])
    await give('stock', { stockImageExtractionDate: `2026-03-${day}T04:00:00Z`, articleReference: 'A' });
  return place;
}

const acm = ['--activity', 'ACM'] as const;

describe('feed withdraw', () => {
  it('takes back a record by its key or id, and an image, once', async (t) => {
    const place = await activityWithRecords(t);
    for (const args of [
      ['orders', ...acm, '--key', 'O1', '--reason', 'a test order'],
      ['orders', ...acm, '--key', 'orderUniqueID=O2'],
      ['movements', ...acm, '--id', '7'],
      ['order-reports', ...acm, '--key', 'orderUniqueID=O1', 'firstPackageCreationDate='],
      ['stock', ...acm, '--image', '2026-03-02T04:00:00Z'],
    ]) {
      assert.equal(await succeed(place, 'feed', 'withdraw', ...args), 'It is withdrawn.\n', args.join(' '));
      const again = await run(place, 'feed', 'withdraw', ...args);
      assert.equal(again.code, 1, args.join(' '));
      assert.match(again.stderr, /^Nothing was withdrawn/);
    }
    const written = await succeed(place, 'audit', '--action', 'feed.withdraw', '--json');
    const trail: readonly { readonly target: string; readonly details: Record<string, unknown> }[] = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const entries = trail.map(({ target, details: { key, id, image, reason } }) => [
      target,
      key ?? id ?? image,
      reason,
    ]);
    assert.equal(entries.length, 5);
    assert.ok(entries.some((entry) => JSON.stringify(entry) === '["orders",{"orderUniqueID":"O1"},"a test order"]'));
    const stdin = JSON.stringify({ orderUniqueID: 'O1' });
    assert.match(await succeed({ ...place, stdin }, 'import', 'orders', '-', ...acm), /1 read, 0 new, 1 changed/);
    assert.equal(await succeed(place, 'feed', 'withdraw', 'orders', ...acm, '--key', 'O1'), 'It is withdrawn.\n');
  });

  it('says what is wrong, and changes nothing', async (t) => {
    const place = await activityWithRecords(t);
    for (const [args, told] of [
      [['orders', ...acm], /one of --key, --id and --image/],
      [['orders', ...acm, '--key', 'O1', '--id', 'x'], /one of --key, --id and --image/],
      [['orders', ...acm, '--image', '2026-03-02'], /--image is for stock/],
      [['stock', ...acm, '--key', 'A'], /Stock is withdrawn by its image/],
      [['stock', ...acm, '--image', 'monday'], /Stock is withdrawn by its image/],
      [['movements', ...acm, '--key', 'A'], /have no key: name the record by --id/],
      [['articles', ...acm, '--id', 'x'], /not found by their id: name the record by articleReference/],
      [['movements', ...acm, '--id', 'seven'], /must be a whole number/],
      [['order-reports', ...acm, '--key', 'O1'], /--key takes NAME=VALUE for each of orderUniqueID, firstPackage/],
      [['orders', '--activity', 'XX', '--key', 'O1'], /There is no activity "XX"/],
    ] as const) {
      const { code, stderr } = await run(place, 'feed', 'withdraw', ...args);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(stderr, told, args.join(' '));
    }
  });
});
