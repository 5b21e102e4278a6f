// The overview of the console: how often it asks, whether its numbers are true of what it says that they are of, and
// where they lead.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createChecker } from '../../src/model/check.ts';
import { order } from '../../src/resources/index.ts';
import { inBrowser, picture } from './chromium.ts';
import { allRecords, type Demonstration, overviewShown, suiteDemonstration } from './demonstration.ts';

describe('the overview of the console', { ...inBrowser }, () => {
  // All of it is counted a second time, by the test.
  const demonstration = suiteDemonstration({ RATE_READS: '0' });

  it('tells how things stand, of as much as is read, and of all where somebody wants that', async (t) => {
    const { app, open, origin } = demonstration();
    const page = await open(t);
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/v1\/(articles|orders|procurements)/.test(request.url())) asked.push(request.url());
    });
    await page.goto(`${origin}/#/`);
    await overviewShown(page);
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

    const now = Date.now();
    await assertFigures(page, orders, now);
    for (const { day, query, count } of all)
      assert.equal((await allRecords(page, '/orders', query)).length, count, `behind ${day}`);

    // More than a filter can name, in two activities, of which one has an order of the same name that is not late: the
    // page says which of them the list has.
    await writeLate(app.store, now);
    await page.reload();
    await overviewShown(page);
    await countAll.click();
    await countAll.waitFor({ state: 'detached' });
    const late = (await behindFigures(page)).get('Late orders');
    assert.ok(late !== undefined && late.number > 130, JSON.stringify(late));
    const [, named = '', count = ''] = /; the list has the (\d+) newest of these (\d+)$/.exec(late.hint) ?? [];
    assert.equal(Number(count), late.number);
    const listed = await allRecords(page, '/orders', late.query);
    assert.equal(listed.length, Number(named));
    assert.ok(listed.every(({ orderUniqueID, activityCode }) => orderUniqueID !== 'LATE-1' || activityCode === 'ACM'));
    assert.ok(listed.length > 80 && listed.some((order) => order.activityCode === 'BEL'));
    assert.deepEqual(page.complaints, []);
  });
});

type AnyRecord = Readonly<Record<string, unknown>>;

interface Figure {
  readonly number: number;
  readonly hint: string;
  readonly list: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Each number is that of the list behind it, and of what it says that it counts. */
async function assertFigures(page: Page, orders: readonly AnyRecord[], now: number): Promise<void> {
  const figures = await behindFigures(page);
  const listed = new Map<string, readonly AnyRecord[]>();
  for (const [name, { list, query }] of figures)
    listed.set(name, await allRecords(page, listPaths[list] ?? `/${list}`, query));
  const told = Object.fromEntries([...figures].map(([name, { number }]) => [name, number]));
  const behind = (name: string): readonly AnyRecord[] => listed.get(name) ?? [];

  const places = behind('In stock');
  const price = new Map(
    (await allRecords(page, '/articles', {})).map((one) => [recordName(one, 'articleReference'), one.articlePrice1]),
  );
  const worth = sumOf(
    places,
    (place) => Number(place.totalStockQuantity) * Number(price.get(recordName(place, 'articleReference')) ?? 0),
  );
  assert.deepEqual(behind('Stock value'), places);

  const reports = Map.groupBy(await allRecords(page, '/orders/reports', {}), (report) => recordName(report));
  const start = new Date(now - 13 * 86_400_000).toISOString().slice(0, 10);
  const lately = orders.filter(({ customerOrderPlacementDate: placed }) => String(placed) >= start);
  const late = lately.filter(
    (order) => !reports.has(recordName(order)) && Date.parse(String(order.expectedPrepDate)) < now,
  );
  const short = lately.filter((order) =>
    reports
      .get(recordName(order))
      ?.some(({ lignes }) =>
        recordsOf(lignes).some((line) => Number(line.preparedQuantity) < Number(line.orderedQuantity)),
      ),
  );
  assert.deepEqual(namesOf(behind('Late orders')), namesOf(late));
  assert.deepEqual(namesOf(behind('Short orders')), namesOf(short));
  assert.ok(short.length > 0, 'none is short');

  const took = lately.flatMap((order) => {
    const loads = (reports.get(recordName(order)) ?? []).map((report) =>
      Date.parse(String(report.lastPackageLoadDate)),
    );
    const time = Math.max(...loads) - Date.parse(String(order.customerOrderPlacementDate));
    return loads.length > 0 && time >= 0 ? [time] : [];
  });
  const median = took.toSorted((left, right) => left - right)[Math.floor(took.length / 2)] ?? 0;
  assert.deepEqual(namesOf(behind('From order to truck')), namesOf(lately));
  const hint = figures.get('From order to truck')?.hint ?? '';
  assert.match(
    hint,
    new RegExp(`^${took.length.toLocaleString('en')} of the ${lately.length.toLocaleString('en')} orders `),
  );

  const loaded = behind('Parcels on their way');
  assert.match(figures.get('Parcels on their way')?.hint ?? '', new RegExp(`^in ${loaded.length} reports?, `));
  assert.ok(loaded.length > 0 && behind('Receptions expected').length > 0);
  assert.deepEqual(told, {
    'In stock': sumOf(places, (place) => Number(place.totalStockQuantity)),
    'Stock value': Math.round(worth),
    'Late orders': late.length,
    'Short orders': short.length,
    'From order to truck': Math.round(median / 360_000) / 10,
    'Parcels on their way': sumOf(loaded, ({ parcels }) => recordsOf(parcels).length),
    'Receptions expected': behind('Receptions expected').length,
  });
}

const listPaths: Readonly<Record<string, string>> = { stock: '/articles/stock', 'order-reports': '/orders/reports' };

/** Writes orders that are late: 75 for each of two activities, and one of a name among them that is not. */
async function writeLate(store: Demonstration['app']['store'], now: number): Promise<void> {
  const at = (days: number): string => new Date(now + days * 86_400_000).toISOString();
  for (const activityCode of ['ACM', 'BEL']) {
    const records = Array.from({ length: 75 }, (_, index) => {
      const isLater = activityCode === 'BEL' && index === 1;
      const dates = { customerOrderPlacementDate: at(-1), expectedPrepDate: at(isLater ? 5 : -0.5) };
      const { activityName: _name, ...example } = order.example;
      const checked = createChecker(order)(
        { ...example, ...dates, activityCode, orderUniqueID: `LATE-${index}` },
        { activity: activityCode, activityName: activityCode },
      );
      assert.ok(checked.ok);
      return checked.record;
    });
    await store.records.write(order, activityCode, records);
  }
}

/** What the figures of the overview say, and where their links lead, by name. */
async function behindFigures(page: Page): Promise<ReadonlyMap<string, Figure>> {
  const figures = await page.locator('a.figure').all();
  return new Map(
    await Promise.all(
      figures.map(async (figure): Promise<[string, Figure]> => {
        const { list, query } = linkOf((await figure.getAttribute('href')) ?? '');
        const number = Number(((await figure.locator('.number').textContent()) ?? '').replaceAll(/[^\d.]/g, ''));
        const name = (await figure.locator('p').first().textContent()) ?? '';
        return [name, { number, hint: (await figure.locator('p').last().textContent()) ?? '', list, query }];
      }),
    ),
  );
}

function linkOf(address: string): Pick<Figure, 'list' | 'query'> {
  const [list = '', query = ''] = address.replace('#/', '').split('?');
  return { list, query: Object.fromEntries(new URLSearchParams(query)) };
}

function recordName(record: AnyRecord, field = 'orderUniqueID'): string {
  return `${String(record.activityCode)}/${String(record[field])}`;
}

function namesOf(orders: readonly AnyRecord[]): readonly string[] {
  return orders.map((one) => recordName(one)).toSorted();
}

function sumOf(records: readonly AnyRecord[], amount: (record: AnyRecord) => number): number {
  return records.reduce((sum, record) => sum + amount(record), 0);
}

function recordsOf(list: unknown): readonly AnyRecord[] {
  assert.ok(Array.isArray(list));
  return list;
}

/** How many orders the chart of the overview shows, by day. */
async function shownDays(page: Page): Promise<readonly (Pick<Figure, 'query'> & { day: string; count: number })[]> {
  const links = await page.locator('.chart a').all();
  return Promise.all(
    links.map(async (link) => {
      const address = (await link.getAttribute('href')) ?? '';
      const [, day = ''] = /(\d{4}-\d\d-\d\d)/.exec(address) ?? [];
      const [, told = ''] = ((await link.getAttribute('aria-label')) ?? '').split(': ');
      return {
        day,
        query: linkOf(address).query,
        count: (told.match(/\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0),
      };
    }),
  );
}
