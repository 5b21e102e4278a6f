// The web console in a real browser, with the demonstration: sign-in and sign-out, overview, lists with filter, order,
// columns and export, records and what belongs to them, links, back and reload; in both languages, narrow and wide,
// light and dark.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, inBrowser, picture, suiteBrowser, watch } from './chromium.ts';
import { overviewShown, startFilledServer, until } from './demonstration.ts';
import { tabTo } from './keyboard.ts';

const views = [
  ['phone', 390, 844, 'fr-FR', 'dark'],
  ['desktop', 1280, 800, 'en-GB', 'light'],
] as const;

/** What is read on the pages, by language. */
const words = {
  'en-GB': {
    signIn: 'Sign in',
    overview: 'Overview',
    orders: 'Orders',
    filter: 'Filter',
    entries: 'Order entries',
    ownDates: ['Date creation', 'Date last update'],
    empty: 'Nothing fits this filter.',
  },
  'fr-FR': {
    signIn: 'Se connecter',
    overview: 'Vue d’ensemble',
    orders: 'Commandes',
    filter: 'Filtre',
    entries: 'Lignes',
    ownDates: ['Créé le', 'Modifié le'],
    empty: 'Rien ne correspond à ce filtre.',
  },
} as const;

describe('the console in Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();
  let close: () => Promise<void>;
  let origin: string;
  let login: string;
  let password: string;

  before(async () => {
    ({ close, origin, login, password } = await startFilledServer());
  });

  after(() => close());

  /** The list of articles, in English, after a sign-in. */
  async function openArticles(t: TestContext, viewport: { width: number; height: number }): Promise<Page> {
    const context = await browser().newContext({ viewport, locale: 'en-GB' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/#/articles`);
    await signIn(page, 'Sign in', login, password);
    return page;
  }

  for (const [view, width, height, locale, colorScheme] of views) {
    const says = words[locale];

    it(`${view}: signs in, shows lists and records, and comes back to them`, async (t) => {
      const context = await browser().newContext({ viewport: { width, height }, locale, colorScheme });
      t.after(() => context.close());
      const page = await context.newPage();
      const watched = watch(page);
      const look = (name: string): Promise<void> => lookAt(page, `console-${name}-${view}`);

      // A deep link survives the sign-in.
      await page.goto(`${origin}/#/orders?filter=deliveryAddressCountry%3D%3DFR`);
      await page.getByRole('button', { name: says.signIn }).waitFor();
      await look('sign-in');
      await signIn(page, says.signIn, login, password);
      await page.getByRole('heading', { name: says.orders, level: 1 }).waitFor();
      assert.equal(new URL(page.url()).search, '');
      assert.match(new URL(page.url()).hash, /deliveryAddressCountry/);
      await page.locator('.list tbody a').first().waitFor();
      await look('orders');
      assert.ok((await page.locator('.list tbody tr').count()) > 1);

      // A record, back, and reload.
      const reference = (await page.locator('.list tbody a').first().textContent()) ?? '';
      await page.locator('.list tbody a').first().click();
      await page.getByRole('heading', { name: reference, level: 1 }).waitFor();
      await page.locator('dl.facts').waitFor();
      // Below its name stands what it is about.
      await page.locator('h1 + p', { hasText: /^[^·]+ [^·]+ · [^·]+ · FR · (Acme Home|Maison Belloc)$/ }).waitFor();
      await page.locator('[role=status]').first().waitFor({ state: 'detached' });
      await look('order');
      // What a narrow window shows of a line is what it is about, not when it was written.
      const columns = page.getByRole('region', { name: says.entries }).getByRole('columnheader');
      assert.deepEqual((await columns.allTextContents()).slice(-2), says.ownDates);
      await page.reload();
      await page.getByRole('heading', { name: reference, level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: says.orders, level: 1 }).waitFor();
      await page.locator('.list tbody a').first().waitFor();

      // A filter that nothing fits, and one that is wrong.
      await page.goto(`${origin}/#/articles?filter=articleReference%3D%3DNONE`);
      await page.getByText(says.empty).waitFor();
      await look('empty');
      await page.goto(`${origin}/#/articles?filter=nonsense%3D%3D1`);
      await page.getByText('nonsense').first().waitFor();
      await look('failed');

      await page.goto(`${origin}/#/`);
      await page.getByRole('heading', { name: says.overview, level: 1 }).waitFor();
      await overviewShown(page);
      await look('overview');
      for (const list of ['articles', 'stock', 'movements', 'order-reports', 'procurements']) {
        await page.goto(`${origin}/#/${list}`);
        await page.locator('.list tbody a').first().waitFor();
      }
      await look('procurements');
      assert.deepEqual([...watched.origins], [origin], 'nobody else is asked');
      assert.deepEqual(watched.complaints, []);
    });
  }

  it('phone: the menu closes where back leads', async (t) => {
    const page = await openArticles(t, { width: 390, height: 844 });
    await page.getByRole('heading', { name: 'Articles', level: 1 }).waitFor();
    await page.goto(`${origin}/#/orders`);
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    const right = `document.querySelector('.mantine-AppShell-navbar').getBoundingClientRect().right`;
    await page.getByRole('button', { name: 'Menu' }).click();
    await until(page, `${right} > 0`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Articles', level: 1 }).waitFor();
    await until(page, `${right} <= 0`);
  });

  it('phone: no key leads to a closed menu, or to what an open one covers', async (t) => {
    const page = await openArticles(t, { width: 320, height: 640 });
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Filter' }).waitFor();
    const menu = page.getByRole('button', { name: 'Menu' });
    assert.equal(await menu.getAttribute('aria-expanded'), 'false');
    await tabTo(page, 'Menu');
    await tabTo(page, 'Your account', { limit: 2 });
    await tabTo(page, 'Filter', { limit: 1 });

    await tabTo(page, 'Menu', { limit: 3, key: 'Shift+Tab' });
    await keyboard.press('Enter');
    await page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
    assert.equal(await menu.getAttribute('aria-expanded'), 'true');
    await until(page, `getComputedStyle(document.querySelector('main')).visibility === 'hidden'`);
    await tabTo(page, 'Orders');
    // Whoever goes on is on the page, not behind its menu.
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    await until(page, `document.activeElement.id === 'content'`);
    await tabTo(page, 'Filter', { limit: 1 });
  });

  it('shows what the keyboard goes back to below the bar, not under it', async (t) => {
    const page = await openArticles(t, { width: 1280, height: 480 });
    await page.locator('.list tbody a').last().focus();
    await tabTo(page, 'Filter', { key: 'Shift+Tab' });
  });

  it('writes dates as the browser does in the language of the page, whatever else it prefers', async (t) => {
    for (const [locale, form] of [
      ['en-GB', /^\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d$/],
      ['en-US', /^[A-Z][a-z]+ \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/],
    ] as const) {
      const context = await browser().newContext({ viewport: { width: 1280, height: 800 }, locale });
      t.after(() => context.close());
      const page = await context.newPage();
      await page.goto(`${origin}/#/movements`);
      await signIn(page, 'Sign in', login, password);
      assert.match((await page.locator('.list tbody time').first().textContent()) ?? '', form, locale);
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: 'Français' }).click();
      await page.getByRole('heading', { name: 'Mouvements', level: 1 }).waitFor();
      const french = (await page.locator('.list tbody time').first().textContent()) ?? '';
      assert.match(french, /^\d{1,2} [a-zéû]+\.? \d{4}, \d\d:\d\d$/, locale);
    }
  });

  it('filters by clicking, sorts, exports what is filtered, and signs out', async (t) => {
    const context = await browser().newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    t.after(() => context.close());
    const page = await context.newPage();
    const watched = watch(page);
    await page.goto(`${origin}/#/orders`);
    await signIn(page, 'Sign in', login, password);
    await page.locator('.list tbody a').first().waitFor();

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const filter = page.getByRole('textbox', { name: 'Filter as text' });
    await filter.fill('deliveryAddressCountry==FR');
    await page.getByRole('textbox', { name: 'Value' }).fill('half');
    await page.reload();
    await filter.waitFor();
    assert.equal(await filter.inputValue(), 'deliveryAddressCountry==FR', 'it was typed and not applied');
    assert.equal(await page.getByRole('textbox', { name: 'Value' }).inputValue(), 'half');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Delivery address country is FR').waitFor();
    await page.getByRole('textbox', { name: 'Value' }).fill('2000-01-01');
    await page.getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: 'Date creation' }).click();
    await page.getByRole('combobox', { name: 'Comparison' }).click();
    await page.getByRole('option', { name: 'is at least' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.waitForURL(/dateCreation/);
    assert.equal(
      new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter'),
      'deliveryAddressCountry==FR;dateCreation=ge=2000-01-01',
    );
    await page.locator('.list[aria-busy=false] tbody a').first().waitFor();
    await lookAt(page, 'console-filter-desktop', 900);

    await page.getByRole('button', { name: 'Sort by Order unique ID' }).click();
    await page.waitForURL(/sort=-orderUniqueID/);
    await page.locator('th[aria-sort=descending]', { hasText: 'Order unique ID' }).waitFor();
    await page.locator('.list[aria-busy=false]').waitFor();
    await page.locator('.list tbody a').first().waitFor();
    const first = await page.locator('.list tbody a').first().textContent();

    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'NDJSON, whole records' }).click();
    const records = readFileSync((await (await downloading).path()) ?? '', 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): { readonly orderUniqueID: string; readonly deliveryAddressCountry: string } => JSON.parse(line));
    assert.equal(records[0]?.orderUniqueID, first);
    assert.ok(records.every(({ deliveryAddressCountry }) => deliveryAddressCountry === 'FR'));
    await page.getByText(`${records.length.toLocaleString('en')} records exported.`).waitFor();

    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate('localStorage.getItem("console-tokens")'), null);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // Nobody gets in by what is left in the browser.
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    assert.equal(await page.getByLabel('Login').inputValue(), '');
    assert.deepEqual(watched.complaints, []);
  });

  it('makes up for a sign-out of which the service could not be told', async (t) => {
    const context = await browser().newContext({ locale: 'en-GB' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/#/articles`);
    await signIn(page, 'Sign in', login, password);
    await page.locator('.list tbody a').first().waitFor();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('the service could not be told').waitFor();
    await lookAt(page, 'console-sign-out-open');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The sign-in did not work.').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('the service could not be told').count(), 0);
  });

  it('is less than 300 kB over the wire at its first load, and asked for once', async (t) => {
    const context = await browser().newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const loaded = await countBytes(page);
    // A busy browser asks for the last part when the network has long been quiet.
    const isThere = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Sign in' }).first().waitFor();
      for (let before = -1; before !== loaded.bytes; await page.waitForTimeout(2000)) before = loaded.bytes;
    };
    await page.goto(origin, { waitUntil: 'networkidle' });
    await isThere();
    const first = loaded.bytes;
    assert.ok(first > 50_000 && first < 300_000, `${first} bytes`);
    await page.reload({ waitUntil: 'networkidle' });
    await isThere();
    const again = loaded.bytes - first;
    assert.ok(again < 20_000, `${again} bytes again`);
    // With the pages of whoever signs in, and what they read.
    await signIn(page, 'Sign in', login, password);
    await page.locator('.list tbody a').first().waitFor();
    const sizes: readonly number[] = await page.evaluate(`
      performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/console/'))
        .map(({ encodedBodySize }) => encodedBodySize)
    `);
    const signedIn = sizes.reduce((sum, size) => sum + size, 0);
    t.diagnostic(`${first} bytes, ${signedIn} with the overview`);
    assert.ok(signedIn > 50_000 && signedIn < 300_000, `${signedIn} bytes with the overview`);
  });

  it('says so where a page cannot be loaded, and loads it anew', async (t) => {
    const context = await browser().newContext({ locale: 'en-GB' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/#/articles`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // As after an update: the parts that the page knows of are there no more.
    await page.route('**/console/client-*.js', (route) => route.abort());
    await signIn(page, 'Sign in', login, password);
    await page.getByText('This page could not be loaded').waitFor();
    await lookAt(page, 'console-page-not-loaded');
    await page.unroute('**/console/client-*.js');
    await page.getByRole('button', { name: 'Load anew' }).click();
    await page.locator('.list tbody a').first().waitFor();
  });
});

/** Counts what a page gets from now on. */
async function countBytes(page: Page): Promise<{ readonly bytes: number }> {
  const counted = { bytes: 0 };
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  return counted;
}

async function signIn(page: Page, button: string, login: string, password: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').first().click();
  await page.locator('button[value=allow]').click();
}

/** Keeps a picture, and finds no fault: none of `axe-core`, and nothing beyond the width of the window. */
async function lookAt(page: Page, name: string, maxHeight = 1450): Promise<void> {
  // Of a long list only the rows that can be seen are there.
  await picture(page, name, maxHeight);
  assert.deepEqual(await accessibilityFaults(page), [], name);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name}: sideways`);
}
