// The command `reconcile`: as a table, as CSV, as JSON, and what it says of mistakes.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Reconciliation } from '../../src/platform/reconcile.ts';
import { maxPagePlaces } from '../../src/platform/reconciliation-pages.ts';
import { type Place, run, succeed, temporaryFolder } from './fixture.ts';

/** An activity with two images, and a movement less than there should be. */
async function activityWithStock(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  const give = async (resource: string, ...records: readonly object[]): Promise<void> => {
    const stdin = records.map((record) => JSON.stringify(record)).join('\n');
    await succeed({ ...place, stdin }, 'import', resource, '-', '--activity', 'ACM');
  };
  const row = (day: string, articleReference: string, totalStockQuantity: number): object => ({
    ...{ stockImageExtractionDate: `${day}T02:00:00Z`, articleReference, totalStockQuantity },
    ...{ stockUnitID: 'MAI', articleLotNumber: 'L,1', gradeCode: 'STD' },
  });
  await give('stock', row('2026-03-01', 'A', 10), row('2026-03-01', 'B', 5));
  await give('stock', row('2026-03-02', 'A', 7), row('2026-03-02', 'B', 5));
  await give('movements', {
    ...{ movementTimestamp: '2026-03-01T09:00:00Z', articleReference: 'A', movedQuantity: 1, stockUnitID: 'MAI' },
    ...{ movementDirection: 'O', gradeCode: 'STD', articleLotNumber: 'L,1' },
  });
  return place;
}

const asked = ['reconcile', '--activity', 'ACM', '--from', '2026-03-01T12:00:00Z'] as const;

describe('reconcile', () => {
  it('shows what differs and why, with the totals', async (t) => {
    const place = await activityWithStock(t);
    const text = await succeed(place, ...asked);
    assert.match(text, /^Images of 2026-03-01T02:00:00.000Z and 2026-03-02T02:00:00.000Z: 2 places, 15 \+ 0 - 1 = 14 /);
    assert.match(text, /\nA\tMAI\tL,1\tSTD\t10\t0\t1\t9\t7\t-2\tmissing-movement\n$/);
    assert.doesNotMatch(text, /\nB\t/);
  });

  it('says so where there is one image alone, which agrees with itself', async (t) => {
    const place = await activityWithStock(t);
    for (const format of ['table', 'csv', 'json']) {
      const alone = await run(place, ...asked, '--to', '2026-03-01T13:00:00Z', '--format', format);
      assert.equal(alone.code, 0);
      assert.match(alone.stderr, /^Nothing was compared: there is no image after that of 2026-03-01T02:00:00.000Z\./);
    }
    assert.equal((await run(place, ...asked)).stderr, '');
  });

  it('writes all of it as CSV and as JSON', async (t) => {
    const place = await activityWithStock(t);
    const csv = await succeed(place, ...asked, '--to', '2026-03-03', '--all', '--format', 'csv');
    assert.deepEqual(csv.split('\r\n'), [
      'articleReference,stockUnitID,articleLotNumber,gradeCode,imageFrom,movedIn,movedOut,expected,imageTo,' +
        'difference,class,lotsJoined',
      'A,MAI,"L,1",STD,10,0,1,9,7,-2,missing-movement,false',
      'B,MAI,"L,1",STD,5,0,0,5,5,0,,false',
      '',
    ]);
    const found: Reconciliation = JSON.parse(await succeed(place, ...asked, '--format', 'json'));
    assert.deepEqual([found.totals.differing, found.places.length, found.after], [1, 1, null]);
  });

  it('goes on from page to page, inside an article too', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const grades = Array.from({ length: maxPagePlaces + 1 }, (_, index) => `G${String(index).padStart(4, '0')}`);
    for (const [day, totalStockQuantity] of [['2026-03-01', 1] as const, ['2026-03-02', 2] as const]) {
      const row = { stockImageExtractionDate: `${day}T02:00:00Z`, articleReference: 'A', totalStockQuantity };
      const stdin = grades.map((gradeCode) => JSON.stringify({ ...row, stockUnitID: 'MAI', gradeCode })).join('\n');
      await succeed({ ...place, stdin }, 'import', 'stock', '-', '--activity', 'ACM');
    }
    const csv = (await succeed(place, ...asked, '--format', 'csv')).trimEnd().split('\r\n');
    assert.match(csv[0] ?? '', /^articleReference,/);
    assert.deepEqual(
      csv.slice(1).map((line) => line.split(',')[3]),
      grades,
    );
    const pages: readonly Reconciliation[] = (await succeed(place, ...asked, '--format', 'json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      pages.map(({ places }) => places.length),
      [maxPagePlaces, 1],
    );
  });

  it('says what is wrong', async (t) => {
    const place = await activityWithStock(t);
    for (const [args, told] of [
      [['--activity', 'ACM', '--from', 'monday'], /--from: expected/],
      [['--activity', 'XX', '--from', '2026-03-01'], /no activity/],
      [['--activity', 'ACM', '--from', '2026-02-01'], /There is no stock image of ACM at or before 2026-02-01/],
      [
        ['--activity', 'ACM', '--from', '2026-03-02', '--to', '2026-03-01'],
        /--to: expected an instant that is not before --from\. See: \.\/logistics-connect reconcile --help/,
      ],
      [['--activity', 'ACM', '--from', '9999-03-02'], /--from: expected an instant that is not in the future/],
    ] as const) {
      const { code, stderr } = await run(place, 'reconcile', ...args);
      assert.notEqual(code, 0);
      assert.match(stderr, told);
    }
  });
});
