// Ways through the console: views that are saved, back to the same place of a list, names of fields in French, and the
// pages for developers with the token of whoever reads them; one activity's user never sees what is another's.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addUser } from '../../src/auth/users.ts';
import { skip } from './chromium.ts';
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
    assert.deepEqual(page.complaints, []);
  });
});
