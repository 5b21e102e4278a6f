// Pages for operators in a real browser, on a service with little in it: what they ask for, how much they show,
// and what they say of answers that did not come.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addUser } from '../../src/auth/users.ts';
import { inBrowser, suiteApp } from './chromium.ts';
import { openAs, type OperatorSuite, password } from './operator-suite.ts';

const unread = 'What waits in the outbox could not be read.';
const allWell = 'Nothing asks for attention.';

describe('pages for operators, by what they are answered, in Chromium', { ...inBrowser }, () => {
  const running = suiteApp(async ({ store }) => {
    for (let index = 0; index < 150; index += 1)
      await store.activities.add(`H${String(index).padStart(2, '0')}`.slice(-3), `House ${index}`);
    const operatorRoles = ['operations', 'feed', 'audit', 'administration'];
    await addUser(store, { login: 'ops', password, activityCodes: [], operator: true, operatorRoles }, Date.now());
  });
  const suite = (): OperatorSuite => {
    const { app, baseUrl, browser } = running();
    return { app, browser, origin: new URL(baseUrl).origin };
  };

  it('health: nothing is said to be well before it was looked at', async (t) => {
    const { page } = await openAs(t, suite(), 'ops', 'nothing');
    await page.route('**/platform/outbox/consumers', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto(`${suite().origin}/#/operator/health`);
    await page.getByText(unread).waitFor();
    await page.unroute('**/platform/outbox/consumers');
    await page.getByText(allWell).or(page.getByText('Requests since the start that failed')).waitFor();
    await page.getByText(unread).waitFor({ state: 'detached' });
  });

  it('a search shows its hits page by page, and reads the list once for all that is typed', async (t) => {
    const { page } = await openAs(t, suite(), 'ops', 'activities?search=house');
    const rows = page.locator('.list tbody tr');
    await page.getByText('Load more').waitFor();
    assert.equal(await rows.count(), 100);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByText('Load more').click();
    await rows.nth(149).waitFor();
    assert.equal(await rows.count(), 150);
    const field = page.getByRole('searchbox');
    await field.fill('house 14');
    await rows.nth(11).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 11, 'House 14, and House 140 to 149');
    assert.deepEqual(
      asked.filter((path) => path === '/platform/activities'),
      [],
    );
  });

  it('the audit trail is that of the day where the reader is', async (t) => {
    const { page } = await openAs(t, suite(), 'ops', 'nothing', { locale: 'en-GB', timezoneId: 'America/New_York' });
    await page.clock.setFixedTime(new Date('2026-11-29T01:30:00Z'));
    const [request] = await Promise.all([
      page.waitForRequest((each) => new URL(each.url()).pathname === '/platform/audit'),
      page.goto(`${suite().origin}/#/operator/audit`),
    ]);
    assert.equal(new URL(request.url()).searchParams.get('since'), '2026-11-28T05:00:00.000Z');
    await page.locator('input[type=date]').waitFor();
    assert.equal(await page.locator('input[type=date]').inputValue(), '2026-11-28');
  });
});
