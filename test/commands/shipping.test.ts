// The end of a day on the command line: lists are made once, their papers are files, and the same again writes the
// same.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { NewLabel } from '../../src/store/labels.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { labelRequest } from '../carriers/drive.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Day {
  readonly openLabels: number;
  readonly doubtfulLabels: number;
  readonly handovers: readonly { readonly state: string; readonly labels: number; readonly file: string | null }[];
}

const noon = Date.UTC(2026, 10, 23, 12);

/** A place with labels of two contexts of a day, and one of which nobody knows. */
async function placeWithLabels(t: TestContext, count: number): Promise<Place> {
  const place: Place = { folder: temporaryFolder(t), now: () => noon + 3_600_000 };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  for (const context of ['paris', 'lyon'])
    await succeed(place, 'carrier-account', 'add', '--context', context, '--carrier', 'sandbox', '--activity', 'ACM');
  const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
  const request = JSON.stringify(labelRequest({ destCountry: 'FR', destZip: '75004', weight: '1200', nbPackage: '1' }));
  for (const context of ['paris', 'lyon']) {
    const account = await store.carrierAccounts.find(['ACM'], context, 'sandbox');
    assert.ok(account !== null);
    const label = (index: number): NewLabel => ({
      ...{ activity: 'ACM', id: uuidv7(), accountId: account.id, context, carrier: 'sandbox' },
      ...{ expeditionNumber: `${context}-${index}`, state: 'made', fingerprint: 'f' },
      ...{ nDossier: `D-${index}`, request, operationId: uuidv7(), clientId: 'shop' },
      createdAt: noon + index,
    });
    const made = Array.from({ length: count }, (_, index) => label(index));
    await store.records.submit([], (unit) => unit.addLabels('ACM', made));
    await store.records.submit([], (unit) =>
      unit.addLabels('ACM', [{ ...label(count), state: 'unknown', expeditionNumber: null }]),
    );
  }
  await store.close();
  return place;
}

const paris = ['--context', 'paris', '--carrier', 'sandbox'] as const;

describe('shipping handover', () => {
  it('refuses a day that is none, one that has not begun, and an account that is not there', async (t) => {
    const place = await placeWithLabels(t, 0);
    for (const day of ['2026-11-24', '2026-02-30', 'today', ''])
      assert.equal((await run(place, 'shipping', 'handover', ...paris, '--day', day)).code, 2, day);
    assert.equal((await run(place, 'shipping', 'handover')).code, 2);
    const { code, stderr } = await run(place, 'shipping', 'handover', '--context', 'rome', '--carrier', 'sandbox');
    assert.equal(code, 1);
    assert.match(stderr, /no account rome at sandbox/);
  });

  it('says where a day stands without changing it', async (t) => {
    const place = await placeWithLabels(t, 3);
    for (const round of ['first', 'again']) {
      const day = await json<Day>(place, 'shipping', 'handover', ...paris, '--look');
      assert.deepEqual([day.openLabels, day.doubtfulLabels, day.handovers], [3, 1, []], round);
    }
    const text = await succeed(place, 'shipping', 'handover', ...paris, '--look');
    assert.match(text, /Labels of 2026-11-23 on no list: 3\.\n1 more are on none because nobody knows/);
  });

  it('makes all lists of a day, writes their papers, and the same ones again', async (t) => {
    const place = await placeWithLabels(t, 401);
    const first = await json<Day>(place, 'shipping', 'handover', ...paris, '--output', 'papers');
    assert.deepEqual(
      first.handovers.map(({ state, labels }) => [state, labels]),
      [
        ['made', 200],
        ['made', 200],
        ['made', 1],
      ],
    );
    assert.equal(first.openLabels, 0);
    const folder = join(place.folder, 'papers');
    const bytes = () => readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    const before = bytes();
    assert.equal(before.length, 3);
    for (const pdf of before) assert.ok(pdf.includes('%PDF-'));
    assert.deepEqual(await json<Day>(place, 'shipping', 'handover', ...paris, '--output', 'papers'), first);
    assert.deepEqual(bytes(), before);
    const audited = await succeed(place, 'audit', '--action', 'label.hand-over');
    assert.equal(audited.trim().split('\n').length, 4);
    assert.equal(
      (await json<Day>(place, 'shipping', 'handover', '--context', 'lyon', '--carrier', 'sandbox', '--look'))
        .openLabels,
      401,
    );
  });
});
