// Ways through the console: views that are saved, back to the same place of a list, names of fields in French, and the
// pages for developers with the token of whoever reads them; one activity's user never sees what is another's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { addUser } from '../../src/auth/users.ts';
import type { Page } from 'playwright-core';
import { picture, skip } from './chromium.ts';
import { firstRecord, lookAt, suiteDemonstration, until, views } from './demonstration.ts';

const [desk, phone] = views;

describe('ways through the console', { skip, timeout: 300_000 }, () => {
  const demonstration = suiteDemonstration();

  it('lead back to the place of a long list that was left, and a new page begins at its top', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t, desk);
    await page.goto(`${origin}/#/articles`);
    await page.locator('.list tbody a').first().waitFor();
    for (let pages = 0; pages < 3; pages += 1) {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await until(page, `document.body.scrollHeight > ${(pages + 2) * 100 * 40}`);
    }
    await page.evaluate('scrollTo(0, 9000)');
    await until(page, 'history.state?.scrollY === 9000');
    const shown = page.locator('.list tbody tr[aria-rowindex="210"] a');
    const name = await shown.textContent();
    await shown.click();
    await page.getByRole('heading', { name: name ?? '', level: 1 }).waitFor();
    assert.equal(await page.evaluate('scrollY'), 0);
    await page.goBack();
    await page.locator('.list tbody tr[aria-rowindex="210"] a').waitFor();
    await until(page, 'Math.abs(scrollY - 9000) < 400');
    assert.equal(await page.locator('.list tbody tr[aria-rowindex="210"] a').textContent(), name);
    assert.deepEqual(page.complaints, []);
  });

  it('keep views under a name', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t, desk);
    await page.goto(`${origin}/#/orders?filter=deliveryAddressCountry%3D%3DDE&sort=orderUniqueID`);
    await page.locator('.list tbody a').first().waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('To Germany');
    await lookAt(page, 'console-views-desktop');
    await page.getByRole('button', { name: 'Save what is shown' }).click();
    await page.getByRole('button', { name: 'To Germany', exact: true }).waitFor();
    await page.goto(`${origin}/#/orders`);
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'To Germany', exact: true }).click();
    await page.waitForURL(/deliveryAddressCountry.*sort=orderUniqueID/);
    await page.getByRole('button', { name: 'Remove the view To Germany' }).click();
    await page.getByText('No view has been saved').waitFor();
    assert.deepEqual(page.complaints, []);
  });

  it('take what is filtered into files, tell how far they are, and end when somebody says so', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t, desk);
    await page.goto(`${origin}/#/articles?filter=activityCode%3D%3DACM&sort=-articleReference`);
    await page.locator('.list tbody a').first().waitFor();
    const headings = (await page.locator('.list thead th').allTextContents()).length;
    const [head = '', ...lines] = (await exportedBy(page, 'Export', 'CSV, columns shown')).trimEnd().split('\r\n');
    assert.equal(head.split(',').length, headings, 'the columns that are shown');
    const records = (await exportedBy(page, 'Export', 'NDJSON, whole records'))
      .trimEnd()
      .split('\n')
      .map((line): { readonly activityCode: string; readonly articleReference: string } => JSON.parse(line));
    assert.ok(records.length > 100, 'more than a page');
    assert.equal(lines.length, records.length);
    assert.ok(records.every(({ activityCode }) => activityCode === 'ACM'));
    const names = records.map(({ articleReference }) => articleReference);
    assert.deepEqual(names, names.toSorted().reverse());
    assert.ok(lines.every((line, index) => line.includes(names[index] ?? '?')));

    // The second page is held back until the first has been told of.
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let answer: 'page' | 'fault' = 'page';
    await page.route(/\/v1\/articles\?(?=.*(page|after|cursor|position|start)=)/, async (route) => {
      await held;
      await (answer === 'page' ? route.continue() : route.fulfill({ status: 400, body: '{"title":"No such page."}' }));
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV, columns shown' }).click();
    await page.getByText(/^Exporting [1-9]\d* records/).waitFor();
    await lookAt(page, 'console-exporting-desktop');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Exporting/).waitFor({ state: 'detached' });
    assert.equal(await page.getByText('records exported.').count(), 0);
    answer = 'fault';
    goOn();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'NDJSON, whole records' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByText('records exported.').count(), 0, 'half of a list is no file');
    assert.deepEqual(
      page.complaints.filter((one) => !one.includes('400')),
      [],
    );
  });

  it('lead to problems, changelog and reference, which tries requests with the reader’s own token', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t, desk);
    for (const place of ['problems', 'changelog']) {
      await page.locator(`a.way[href$="/v1/${place}"]`).click();
      await page.waitForURL(`${origin}/v1/${place}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.goBack();
    }
    await page.getByRole('link', { name: 'API reference' }).click();
    const told = page.getByText('with the token of your sign-in at the console');
    await told.waitFor();
    const accounts = page.locator('#operations-Shipping-listShippingAccounts');
    await accounts.locator('.opblock-summary-control').click();
    await accounts.getByRole('button', { name: 'Try it out' }).click();
    const [answer] = await Promise.all([
      page.waitForResponse(/\/v1\/shippings\/accounts/),
      accounts.getByRole('button', { name: 'Execute' }).click(),
    ]);
    assert.equal(answer.status(), 200);
    await picture(page, 'reference-own-token-desktop');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    // Whoever signs out in another window takes the token along.
    const other = await page.context().newPage();
    await other.goto(origin);
    await other.getByRole('button', { name: 'Your account' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.bringToFront();
    await told.waitFor({ state: 'detached' });
    const [refused] = await Promise.all([
      page.waitForResponse(/\/v1\/shippings\/accounts/),
      accounts.getByRole('button', { name: 'Execute' }).click(),
    ]);
    assert.equal(refused.status(), 401);
    await page.reload();
    await accounts.waitFor();
    assert.equal(await told.count(), 0);
    assert.deepEqual(
      page.complaints.filter((one) => !one.includes('401')),
      [],
    );
  });

  for (const view of views)
    it(`${view.name}: tell developers how to begin, with a token of their own`, async (t) => {
      const { open, origin } = demonstration();
      const page = await open(t, view);
      for (const task of ['token', 'page', 'sync', 'retry', 'ship']) {
        await page.goto(`${origin}/#/developers/${task}`);
        await page.locator('.sample pre').nth(1).waitFor();
        await lookAt(page, `console-developers-${task}-${view.name}`);
      }
      assert.doesNotMatch((await page.locator('.sample pre').first().textContent()) ?? '', /eyJ/);
      await page.getByRole('button', { name: /Fill in my token|Remplir avec mon jeton/ }).click();
      assert.match((await page.locator('.sample pre').first().textContent()) ?? '', /TOKEN='eyJ/);
      await page.getByText('C#', { exact: true }).click();
      assert.match((await page.locator('.sample pre').nth(1).textContent()) ?? '', /using System/);
      await page.goto(`${origin}/#/developers/nonsense`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.deepEqual(page.complaints, []);
    });

  it('name fields in French, and show one activity’s user nothing of another', async (t) => {
    const { app, open, origin, password } = demonstration();
    await addUser(app.store, { login: 'belloc', password, activityCodes: ['BEL'], operator: false }, Date.now());
    const owner = await open(t, desk);
    const order = await firstRecord(owner, '/orders', { ownerActivity: 'ACM', limit: '1' });
    const page = await open(t, phone, 'belloc');
    const read: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/v1/') && response.ok()) read.push(response.text().catch(() => ''));
    });
    for (const list of ['stock', 'movements', 'orders', 'order-reports', 'procurements']) {
      await page.goto(`${origin}/#/${list}`);
      await page.locator('.list tbody a').first().waitFor();
    }
    const saved = await exportedBy(page, 'Exporter', /CSV/);
    assert.match(saved, /^\uFEFF/);
    assert.doesNotMatch(saved, /ACM/);
    await page.goto(`${origin}/#/articles`);
    await page.getByRole('columnheader', { name: 'Référence article' }).waitFor();
    await page.goto(`${origin}/#/orders/ACM/${String(order.orderUniqueID)}`);
    await page.getByText(/votre connexion|a échoué/i).waitFor();
    await page.goto(`${origin}/#/ship?activity=ACM&order=${String(order.orderUniqueID)}`);
    await page.getByText(/votre connexion|a échoué/i).waitFor();
    await page.goto(`${origin}/#/ship`);
    await page.getByText('(BEL)').waitFor();
    await page.goto(`${origin}/#/`);
    await page.locator('.figure .number').first().waitFor();
    assert.equal(await page.getByText('ACM-').count(), 0);
    const answers = await Promise.all(read);
    assert.ok(answers.some((text) => text.includes('"activityCode":"BEL"')));
    assert.deepEqual(
      answers.filter((text) => text.includes('"activityCode":"ACM"')),
      [],
    );
    assert.deepEqual(page.complaints, []);
  });
});

/** The text of the file that the export of the list that is shown saves. */
async function exportedBy(page: Page, button: string, item: string | RegExp): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('menuitem', { name: item }).click();
  return readFileSync((await (await downloading).path()) ?? '', 'utf8');
}
