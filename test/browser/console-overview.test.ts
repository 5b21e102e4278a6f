// The overview of the console: how often it asks, whether its numbers are true of what it says that they are of, and
// where they lead.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { inBrowser, picture } from './chromium.ts';
import { allRecords, overviewShown, suiteDemonstration } from './demonstration.ts';

describe('the overview of the console', { ...inBrowser }, () => {
  // All of it is counted a second time, by the test.
  const demonstration = suiteDemonstration({ RATE_READS: '0' });

  it('tells how things stand, of as much as is read, and of all where somebody wants that', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/v1\/(articles|orders|procurements)/.test(request.url())) asked.push(request.url());
    });
    const openedAt = Date.now();
    await page.goto(`${origin}/#/`);
    await overviewShown(page);
    const shownAt = Date.now();
    const countAll = page.getByRole('button', { name: 'Count all' });
    await countAll.waitFor();
    // Three pages of stock, orders, parcels and receptions each at most; the newest orders; the reports of 300 orders,
    // of which some have two.
    assert.ok(asked.length >= 10 && asked.length <= 19, asked.join('\n'));

    const start = new Date(Date.now() - 15 * 86_400_000).toISOString().slice(0, 10);
    const orders = await allRecords(page, '/orders', { filter: `customerOrderPlacementDate=ge=${start}` });
    const days = orders.map(({ customerOrderPlacementDate }) => String(customerOrderPlacementDate).slice(0, 10));
    const truth = Map.groupBy(days, (day) => day);
    const some = await shownDays(page);
    assert.ok(some.length > 0 && some.length < 14, `${some.length} days`);
    for (const { day, count } of some) assert.equal(count, truth.get(day)?.length ?? 0, day);
    await page.getByText(/^Of the 300 newest orders, since /).waitFor();

    await countAll.click();
    await countAll.waitFor({ state: 'detached' });
    const all = await shownDays(page);
    assert.equal(all.length, 14);
    for (const { day, count } of all) assert.equal(count, truth.get(day)?.length ?? 0, day);

    const stock = page.locator('.figure .number').first();
    const before = (await stock.textContent()) ?? '';
    assert.match(before, /^≥ /);
    await page.getByRole('button', { name: 'Work out' }).click();
    await page.getByText(/^by price 1; /).waitFor();
    const places = await allRecords(page, '/articles/stock', {});
    const total = places.reduce((sum, { totalStockQuantity }) => sum + Number(totalStockQuantity), 0);
    assert.equal(await stock.textContent(), total.toLocaleString('en'));
    await picture(page, 'console-overview-counted-desktop');

    // Each number leads to the list of what it counts.
    const listed = await behindFigures(page);
    assert.deepEqual([...listed.keys()], ['In stock', 'Stock value', ...figureLists.keys()]);
    assert.equal(listed.get('Stock value')?.list, 'stock');
    for (const [name, list] of figureLists) {
      const figure = listed.get(name);
      assert.equal(figure?.list, list, name);
      const records = await allRecords(page, `/${list.replace('order-', 'orders/')}`, figure?.query ?? {});
      if (name === 'From order to truck') assert.ok(records.length > 0, name);
      else if (name === 'Parcels on their way') {
        // Of three days up to some moment while it was opened.
        const [most, least] = [openedAt, shownAt].map((now) => parcelsLoaded(records, now));
        const told = figure?.number ?? 0;
        assert.ok(told <= (most ?? 0) && told >= (least ?? 0), `${told} parcels, ${least} to ${most}`);
      } else assert.equal(new Set(records.map(recordName)).size, figure?.number, name);
    }
    assert.deepEqual(page.complaints, []);
  });
});

/** Figures of the overview, and the list that each leads to. */
const figureLists = new Map([
  ['Late orders', 'orders'],
  ['Short orders', 'order-reports'],
  ['From order to truck', 'order-reports'],
  ['Parcels on their way', 'order-reports'],
  ['Receptions expected', 'procurements'],
]);

interface Figure {
  readonly number: number;
  readonly list: string;
  readonly query: Readonly<Record<string, string>>;
}

/** What the figures of the overview say, and where their links lead, by name. */
async function behindFigures(page: Page): Promise<ReadonlyMap<string, Figure>> {
  const figures = await page.locator('a.figure').all();
  return new Map(
    await Promise.all(
      figures.map(async (figure): Promise<[string, Figure]> => {
        const [list = '', query = ''] = ((await figure.getAttribute('href')) ?? '').replace('#/', '').split('?');
        const number = Number(((await figure.locator('.number').textContent()) ?? '').replaceAll(/[^\d.]/g, ''));
        const name = (await figure.locator('p').first().textContent()) ?? '';
        return [name, { number, list, query: Object.fromEntries(new URLSearchParams(query)) }];
      }),
    ),
  );
}

/** An order may have several reports. */
function recordName(record: Readonly<Record<string, unknown>>): string {
  return `${String(record.activityCode)}/${String(record.orderUniqueID ?? record.uniqueProcurementID)}`;
}

/** Parcels of reports that were loaded in three days. @param now their end, milliseconds since 1970 */
function parcelsLoaded(reports: readonly Readonly<Record<string, unknown>>[], now: number): number {
  const since = now - 3 * 86_400_000;
  return reports
    .flatMap(({ parcels }) => (Array.isArray(parcels) ? parcels : []))
    .filter(({ packageLoadDate }) => Date.parse(String(packageLoadDate)) >= since).length;
}

/** How many orders the chart of the overview shows, by day. */
async function shownDays(page: Page): Promise<readonly { readonly day: string; readonly count: number }[]> {
  const links = await page.locator('.chart a').all();
  return Promise.all(
    links.map(async (link) => {
      const [, day = ''] = /(\d{4}-\d\d-\d\d)/.exec((await link.getAttribute('href')) ?? '') ?? [];
      const [, told = ''] = ((await link.getAttribute('aria-label')) ?? '').split(': ');
      return { day, count: (told.match(/\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0) };
    }),
  );
}
