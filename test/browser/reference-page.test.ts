// The API reference page in a real browser: it shows the description, loads nothing from elsewhere, and tries a request
// out.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addClient } from '../../src/auth/clients.ts';
import { addUser } from '../../src/auth/users.ts';
import { inBrowser, suiteApp, watch } from './chromium.ts';

describe('the reference page in Chromium', { ...inBrowser }, () => {
  const suite = suiteApp();
  let page: Page;
  let watched: ReturnType<typeof watch>;

  before(async () => {
    const { browser, baseUrl } = suite();
    page = await browser.newPage();
    watched = watch(page);
    await page.goto(`${baseUrl}/docs`);
  });

  it('shows every list of the interface', async () => {
    await page.getByRole('button', { name: 'GET /orders/{uniqueOrderID}/reports' }).first().waitFor();
    assert.equal(await page.locator('.opblock-tag-section', { hasText: 'Articles' }).locator('.opblock').count(), 5);
    await page.getByRole('heading', { name: 'Follow what changes' }).waitFor();
  });

  it('asks this service alone, and nothing is blocked by its policy', () => {
    assert.deepEqual([...watched.origins], [new URL(suite().baseUrl).origin]);
    assert.deepEqual(watched.complaints, []);
  });

  it('sends a request with a token that its reader enters', async () => {
    const { app } = suite();
    const now = Date.now();
    await app.store.activities.add('NOR', 'North Trading');
    const { client } = await addClient(
      app.store,
      {
        name: 'reader',
        redirectUris: ['http://127.0.0.1/callback'],
        activityCodes: ['NOR'],
        readOnly: true,
        confidential: false,
      },
      now,
    );
    const user = await addUser(
      app.store,
      { login: 'reader', password: 'pebble lantern orchard seventeen', activityCodes: ['NOR'], operator: false },
      now,
    );
    const { accessToken } = await app.issueToken({ client, user, now });
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page
      .locator('.auth-container', { hasText: 'bearer' })
      .getByRole('textbox', { name: 'auth-bearer-value' })
      .fill(accessToken);
    await page
      .locator('.auth-container', { hasText: 'bearer' })
      .getByRole('button', { name: 'Apply credentials' })
      .click();
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).last().click();
    const orders = page.locator('#operations-Orders-listOrders');
    await orders.locator('.opblock-summary-control').click();
    await orders.getByRole('button', { name: 'Try it out' }).click();
    const [answer] = await Promise.all([
      page.waitForResponse(/\/v1\/orders/),
      orders.getByRole('button', { name: 'Execute' }).click(),
    ]);
    assert.equal(answer.status(), 200);
    assert.equal(new URL(answer.url()).search, '?limit=100', 'examples are not sent unasked');
    await orders.locator('.live-responses-table', { hasText: 'sync-cursor' }).waitFor();
    assert.deepEqual(watched.complaints, []);
  });
});
