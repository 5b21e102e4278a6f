// What a page of the console says while it waits, when the service refuses, fails or is away, and when there is
// nothing.
import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page, Route } from 'playwright-core';
import { firstRecord } from './demonstration.ts';
import { maxStepMs } from './chromium.ts';

export const faults = ['failing', 'forbidden', 'away'] as const;
type Fault = (typeof faults)[number];
/** How the interfaces answer; `held` until something else is set. */
type Answering = Fault | 'empty' | 'held' | 'well';

const told: Readonly<Record<Fault, string>> = {
  failing: 'This could not be loaded.',
  forbidden: 'Your sign-in does not cover this.',
  away: 'The service cannot be reached.',
};

/** Of all pages of a client's people that read something, for the records that the demonstration has. */
export async function readingPages(page: Page): Promise<readonly string[]> {
  const parts = (...of: readonly unknown[]): string => of.map((part) => encodeURIComponent(String(part))).join('/');
  const order = await firstRecord(page, '/orders', { limit: '1' });
  const article = await firstRecord(page, '/articles', { limit: '1' });
  const procurement = await firstRecord(page, '/procurements', { limit: '1' });
  const stock = await firstRecord(page, '/articles/stock', { limit: '1' });
  const movement = await firstRecord(page, '/articles/movements', { limit: '1' });
  const report = await firstRecord(page, '/orders/reports', { limit: '1' });
  const [orderParts, articleParts] = [
    parts(order.activityCode, order.orderUniqueID),
    parts(article.activityCode, article.articleReference),
  ];
  return [
    // Before what is read for other pages too.
    `ship?activity=${parts(order.activityCode)}&order=${parts(order.orderUniqueID)}`,
    ...['', 'articles', 'stock', 'movements', 'orders', 'order-reports', 'procurements'],
    ...[`orders/${orderParts}`, `articles/${articleParts}`, `articles/change/${articleParts}`],
    `procurements/${parts(procurement.activityCode, procurement.uniqueProcurementID)}`,
    `stock/${parts(stock.activityCode, stock.id)}`,
    `movements/-/${parts(movement.id)}`,
    `order-reports/${parts(report.activityCode, report.id)}`,
  ];
}

/** Answers in place of the interfaces. */
interface StandIn {
  readonly answer: (next: Answering) => Promise<void>;
}

/** From now on what the pages of a context read is answered as is said; at first well. */
export async function standIn(context: BrowserContext): Promise<StandIn> {
  let answering: Answering = 'well';
  let held: Route[] = [];
  const answerOne = (route: Route): Promise<void> => {
    switch (answering) {
      case 'well':
        return route.continue();
      case 'held':
        held.push(route);
        return Promise.resolve();
      case 'away':
        return route.abort('internetdisconnected');
      case 'empty':
        return route.fulfill({ status: 200, contentType: 'application/json', body: '[]' });
      default:
        return route.fulfill(problem(answering === 'failing' ? 500 : 403));
    }
  };
  await context.route(/\/v1\//, answerOne);
  return {
    answer: async (next) => {
      answering = next;
      const waiting = held;
      held = [];
      // Whoever has left the page does not wait for them any more.
      await Promise.allSettled(waiting.map(answerOne));
    },
  };
}

function problem(status: number) {
  const body = { title: 'Not this time', status, detail: `Answered with ${status}.` };
  return { status, contentType: 'application/problem+json', body: JSON.stringify(body) };
}

/** Pauses between repeated requests, and before a page says that it is slow, are over at once. */
export const withoutPauses = `{
  const waiting = globalThis.setTimeout;
  globalThis.setTimeout = (work, ms, ...rest) => waiting(work, ms >= 120 && ms <= 5000 ? 1 : ms, ...rest);
}`;

/** The page says what is the matter under its heading, and how one tries again. */
export async function tellsFault(page: Page, fault: Fault, name: string): Promise<void> {
  const main = page.getByRole('main');
  await main
    .getByText(told[fault])
    .first()
    .waitFor()
    .catch((error: unknown) => assert.fail(`${name}, ${fault}: ${String(error)}`));
  await main.getByRole('heading', { level: 1 }).waitFor();
  // The service's own words are English in every language of the console, and marked so.
  const unmarked = `[...document.querySelectorAll('main *')]
    .filter(({ children, textContent }) => children.length === 0 && textContent.includes('Answered with'))
    .filter((each) => each.closest('main [lang=en]') === null)
    .map((each) => each.outerHTML)`;
  assert.deepEqual(await page.evaluate(unmarked), [], name);
  assert.ok((await main.getByRole('button', { name: 'Try again' }).count()) > 0, `${name}, ${fault}: no way on`);
  assert.equal(await main.getByText('Unexpected').count(), 0, name);
}

/** Where each page shows what it is for, by how its place begins; the first that fits. */
const purposes: readonly (readonly [start: string, shown: string])[] = [
  ['ship', 'button:has-text("Create label")'],
  ['articles/change/', 'input[value]:not([value=""])'],
  ['articles/', '.level'],
  ['orders/', 'section[aria-label="Ordered and prepared"] tbody td'],
  ['procurements/', 'section[aria-label="Expected and received"] tbody td'],
  ['stock/', '.facts dd'],
  ['movements/', '.facts dd'],
  ['order-reports/', '.facts dd'],
  ['', '.list tbody a'],
];

/** The page shows what it is for; where there is nothing, it says that this is so. */
export async function shows(main: Locator, place: string, answer: 'well' | 'empty'): Promise<void> {
  const gone = 'There is no such record, or your sign-in does not cover it.';
  const nothing = /[/?]/.test(place) ? gone : 'There is nothing here yet.';
  const [, purpose = ''] = purposes.find(([start]) => place.startsWith(start)) ?? [];
  await (answer === 'well' ? main.locator(purpose) : main.getByText(nothing, { exact: true }))
    .first()
    .waitFor()
    .catch((error: unknown) => assert.fail(`${place}, ${answer}: ${String(error)}`));
  if (answer === 'empty') assert.equal(await main.locator(purpose).count(), 0, `${place} is of nothing`);
}

/** Presses every "Try again", and what was the matter is no more. */
export async function recovers(page: Page, fault: Fault, name: string): Promise<void> {
  const main = page.getByRole('main');
  const again = main.getByRole('button', { name: 'Try again' });
  const end = Date.now() + maxStepMs;
  // What is read once more may be refused once more, where much is asked for at once.
  while (
    (await again
      .or(main.getByText(told[fault]))
      .or(main.getByRole('status', { name: 'Loading …' }))
      .count()) > 0
  ) {
    assert.ok(Date.now() < end, `${name}: it can be tried for ever`);
    if ((await again.count()) === 0) await page.waitForTimeout(20);
    // What was pressed goes away; another one may have gone with it.
    else
      await again
        .first()
        .click({ timeout: 1000 })
        .catch(() => undefined);
  }
}
