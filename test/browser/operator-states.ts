// Every page for operators while it is slow, and where what it reads fails, is forbidden, is not there, or is empty.
// Tests of the suite of `operator.test.ts`.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { until } from './demonstration.ts';
import { lookAt, openAs, type OperatorSuite, phone, visit } from './operator-suite.ts';

/** Address → what is asked for it, and what is said where there is nothing. */
const pages = [
  ['health', '/health', null],
  ['feeds', '/feeds', 'Nothing has come in yet.'],
  ['messages', '/feeds/messages', 'No message fits.'],
  ['messages/01K', '/feeds/messages/01K', null],
  ['lines', '/feeds/lines', 'No refused line waits.'],
  ['lines/01K', '/feeds/lines/01K', null],
  ['outbox', '/outbox/consumers', 'No consumer has read the outbox yet, and nothing waits.'],
  ['reconciliation?activity=ACM', '/reconciliation', null],
  ['accounts', '/shippings/accounts', 'There is no account at a carrier yet.'],
  ['labels', '/shippings/accounts', 'There is no account at a carrier yet, so there is nothing to ship with.'],
  ['labels/day?context=acm&carrier=sandbox', '/shippings/handovers/acm/sandbox', 'No list was made for this day.'],
  [
    'labels/points?context=acm&carrier=sandbox&destZip=75004',
    '/shippings/points/acm/sandbox',
    'There is no pick-up point near this address.',
  ],
  ['audit', '/audit', 'No entry fits.'],
  ['activities', '/activities', 'There is no activity yet.'],
  ['users', '/users', 'No user fits.'],
  ['users/018f6f3e-0000-7000-8000-000000000000', '/users/018f6f3e-0000-7000-8000-000000000000', null],
  ['clients', '/clients', 'There is no client yet.'],
  ['clients/none', '/clients/none', null],
  ['keys', '/keys', 'There is no key yet.'],
  ['requests', '/requests', 'No request fits.'],
  ['demonstration', '/demonstration', null],
] as const;

const emptyAnswer = {
  ...{ feeds: [], messages: [], lines: [], consumers: [], accounts: [], entries: [], activities: [], users: [] },
  ...{ clients: [], keys: [], requests: [], after: null, more: false },
  ...{ points: [], handovers: [], openLabels: 0, doubtfulLabels: 0, day: '2026-11-24', activityCode: 'ACM' },
};

type Answer = (route: Route) => Promise<void>;

const problem =
  (status: number, detail: string): Answer =>
  (route) =>
    route.fulfill({
      ...{ status, contentType: 'application/problem+json', headers: { 'x-request-id': 'req-7', 'retry-after': '0' } },
      body: JSON.stringify({ title: 'Problem', status, detail }),
    });

export function operatorStates(suite: () => OperatorSuite): void {
  it('every page says so while it is slow, and where it fails, is forbidden or away', async (t) => {
    // Of no page has anything been read yet.
    const { page } = await openAs(t, suite(), 'ops', 'nothing');
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    for (const [name, path] of pages) {
      const answer = async (next: Answer): Promise<void> => {
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.route((url) => url.pathname === `/platform${path}`, next);
      };
      const says = (text: string): Promise<void> => page.getByRole('main').getByText(text).first().waitFor();
      /** The service's own words, which are English in every language of the console, and marked so. */
      const quotes = (text: string): Promise<void> =>
        page.getByRole('main').locator('[lang=en]', { hasText: text }).first().waitFor();
      await answer(problem(500, 'Something went wrong here.'));
      await goTo(page, name);
      await quotes('Something went wrong here.');
      await says('This could not be loaded.');
      await says('req-7');
      await answer(problem(403, 'That is not for you.'));
      await page.getByRole('button', { name: 'Try again' }).click();
      await says('Your sign-in does not cover this.');
      const held = Promise.withResolvers<void>();
      await answer(async (route) => {
        await held.promise;
        await problem(404, 'There is nothing with this id.')(route);
      });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('main').getByRole('status', { name: 'Loading …' }).first().waitFor();
      held.resolve();
      await quotes('There is nothing with this id.');
      // Whatever happens, the page has its title, and nothing reaches beyond the window.
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, name);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, name);
    }
  });

  it('every page says so where there is nothing, and where there is no network', async (t) => {
    // Of no page has anything been read yet.
    const { page } = await openAs(t, suite(), 'ops', 'nothing');
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    for (const [name, path, nothing] of pages) {
      if (nothing === null) continue;
      await page.route(
        (url) => url.pathname === `/platform${path}`,
        (route) => route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(emptyAnswer) }),
      );
      await goTo(page, name);
      await page.getByRole('main').getByText(nothing).waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await lookAt(page, 'operator-empty-desktop');

    // Without a network the pages that are opened say so; when it is back, they are read again.
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await page.context().setOffline(true);
    for (const name of ['requests?client=none', 'clients/none', 'audit?action=none']) {
      await goTo(page, name);
      await page.getByText('The service cannot be reached.').waitFor();
    }
    await lookAt(page, 'operator-offline-desktop');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No entry fits.').waitFor();
  });

  it('phone: a table with more columns says so, and is scrolled by the keyboard', async (t) => {
    const { origin } = suite();
    const { page } = await openAs(t, suite(), 'ops', 'feeds', phone);
    await visit(page, origin, 'feeds', 'Flux', 'operator-feeds-hint-phone');
    await page.getByText('D’autres colonnes à droite').waitFor();
    const table = page.locator('section.list').first();
    // A page that has just come takes the focus to its heading, perhaps only now.
    await until(page, `document.querySelector('section.list').scrollLeft > 0`, async () => {
      await table.focus();
      await page.keyboard.press('ArrowRight');
    });
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(`document.activeElement?.closest('section.list') !== null`), true);
    await page.setViewportSize({ width: 2400, height: 900 });
    await page.getByText('D’autres colonnes à droite').waitFor({ state: 'detached' });
  });
}

/** As a link does: what the console has read stays. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/operator/${name}`)}`);
}
