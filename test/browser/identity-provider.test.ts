// Signing in at the company's own identity provider in a real browser, from the console to the pages of a server of
// another project and back: what people see then follows from their groups, and a group that opens nothing says so.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type Glewlwyd, password, registered, skip, startGlewlwyd } from '../auth/glewlwyd.ts';
import { accessibilityFaults, inBrowser, picture, suiteBrowser } from './chromium.ts';
import { type FilledServer, startFilledServer } from './demonstration.ts';

const groups = {
  'lc-acm': { activities: ['ACM'] },
  'lc-ops': { roles: ['feed'] },
};

describe('an identity provider in Chromium', { ...inBrowser, skip: inBrowser.skip || skip }, () => {
  const browser = suiteBrowser();

  interface Scene {
    readonly provider: Glewlwyd;
    readonly server: FilledServer;
  }

  const scene = async (t: TestContext): Promise<Scene> => {
    const provider = await startGlewlwyd(t);
    const setting = { name: 'acme', title: 'Acme', issuer: provider.issuer, ...registered, groups };
    const server = await startFilledServer({ IDENTITY_PROVIDERS: JSON.stringify([setting]) });
    t.after(() => server.close());
    const { authUrl } = server.app.addresses;
    await provider.register(`${authUrl}/connect/federation/acme`, `${authUrl}/connect/signout`);
    return { provider, server };
  };

  const open = async (t: TestContext, locale: string): Promise<Page> => {
    const context = await browser().newContext({ viewport: { width: 1280, height: 800 }, locale });
    t.after(() => context.close());
    const page = await context.newPage();
    return page;
  };

  it('lets people in by their groups there: the company’s pages, then those for operators', async (t) => {
    const { provider, server } = await scene(t);
    await provider.joins(['lc-acm', 'lc-ops']);
    const page = await open(t, 'en-GB');
    await page.goto(server.origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await signInThere(page, provider);
    await page.locator('button[value=allow]').click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).origin, server.origin);
    await page.goto(`${server.origin}/#/orders`);
    await page.locator('.list tbody tr').first().waitFor();
    assert.equal(await page.getByRole('link', { name: /^BEL-/ }).count(), 0);

    // The session of the browser is there: the role of the group opens its pages, and no others.
    await page.goto(`${server.origin}/#/operator`);
    await page.getByRole('button', { name: 'Sign in as an operator' }).click();
    await page.locator('button[value=allow]').click();
    await page.getByRole('heading', { name: 'Feeds', level: 1 }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Users', exact: true }).count(), 0);
  });

  it('says to whom no group opens anything that it is so, and lets them in once one does', async (t) => {
    const { provider, server } = await scene(t);
    await provider.joins(['everybody']);
    const page = await open(t, 'fr-FR');
    await page.goto(server.origin);
    await page.getByRole('button', { name: 'Se connecter', exact: true }).click();
    await page.getByRole('link', { name: 'Se connecter avec Acme' }).click();
    await signInThere(page, provider);
    await page.getByRole('alert').getByText('rien ne vous est ouvert ici').waitFor();
    assert.equal(new URL(page.url()).origin, server.origin);
    assert.deepEqual(await accessibilityFaults(page), []);
    await picture(page, 'identity-provider-refused');
    await provider.joins(['lc-acm']);
    await page.getByRole('link', { name: 'Se connecter avec Acme' }).click();
    // Who they are is known there still: no password is asked a second time.
    const allow = page.locator('button[value=allow]');
    await goOn(page).or(allow).first().waitFor();
    assert.equal(await page.locator('input[type=password]').count(), 0);
    if (await goOn(page).isVisible()) await goOn(page).click();
    await allow.click();
    await page.getByRole('heading', { name: 'Vue d’ensemble', level: 1 }).waitFor();
  });
});

/** What Mia does on the pages of Glewlwyd: her name and password, then what the service may know of her. */
async function signInThere(page: Page, provider: Glewlwyd): Promise<void> {
  await page.waitForURL((url) => url.pathname === '/login.html' && url.origin === new URL(provider.issuer).origin);
  await page.locator('#username').fill('mia');
  await page.locator('#password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^(Grant access|Autoriser l'accès)$/ }).click();
  await goOn(page).click();
}

function goOn(page: Page): Locator {
  return page.getByRole('button', { name: /^(Continue|Continuer)$/ });
}
