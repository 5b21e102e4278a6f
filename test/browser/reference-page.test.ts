// The API reference page in a real browser: it shows the description, loads nothing from elsewhere, and tries a request
// out.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type App, createApp } from '../../src/app.ts';
import { addClient } from '../../src/auth/clients.ts';
import { addUser } from '../../src/auth/users.ts';
import { readConfig } from '../../src/config.ts';

const executable = '/usr/bin/chromium';

describe('the reference page in Chromium', {
  skip: existsSync(executable) ? false : 'Chromium is not installed: run .ci/install-browser',
  timeout: 120_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  let app: App;
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const complaints: string[] = [];

  before(async () => {
    const log = new Writable({ write: (_chunk, _encoding, done) => done() });
    app = await createApp(readConfig({ PORT: '0', DATA_DIR: folder }, folder), { log });
    const { baseUrl } = await app.listen();
    browser = await chromium.launch({
      executablePath: executable,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    page = await browser.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${baseUrl}/docs`);
  });
  after(async () => {
    await browser.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it('shows every list of the interface', async () => {
    await page.getByRole('button', { name: 'GET /orders/{uniqueOrderID}/reports' }).first().waitFor();
    assert.equal(await page.locator('.opblock-tag-section', { hasText: 'Articles' }).locator('.opblock').count(), 5);
    await page.getByRole('heading', { name: 'Follow what changes' }).waitFor();
  });

  it('asks this service alone, and nothing is blocked by its policy', () => {
    assert.ok(requested.length >= 6);
    assert.deepEqual(
      [...new Set(requested.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin))],
      [new URL(app.addresses.baseUrl).origin],
    );
    assert.deepEqual(complaints, []);
  });

  it('sends a request with a token that its reader enters', async () => {
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
    assert.deepEqual(complaints, []);
  });
});
