// Pages for operators in a real browser, on a service with little in it: what they say of answers that did not come.
import { describe, it } from 'node:test';
import { addUser } from '../../src/auth/users.ts';
import { inBrowser, suiteApp } from './chromium.ts';
import { openAs, type OperatorSuite, password } from './operator-suite.ts';

const unread = 'What waits in the outbox could not be read.';
const allWell = 'Nothing asks for attention.';

describe('pages for operators, by what they are answered, in Chromium', { ...inBrowser }, () => {
  const running = suiteApp(async ({ store }) => {
    await store.activities.add('ACM', 'Acme Home');
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
});
