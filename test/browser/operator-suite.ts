// What the suites of the pages for operators have in common: the demonstration with its operators, and the ways in.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { App } from '../../src/app.ts';
import { accessibilityFaults, picture, watch } from './chromium.ts';
import { signedIn } from './prepared-sign-in.ts';

export const password = 'quay-lantern-47-sorrel';

/** What there is from the first test of the suite to its last. */
export interface OperatorSuite {
  readonly app: App;
  readonly origin: string;
  readonly browser: Browser;
}

interface Opened {
  readonly page: Page;
  readonly watched: ReturnType<typeof watch>;
}

export const desk = { viewport: { width: 1280, height: 800 }, locale: 'en-GB' } as const;
export const phone = { viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' } as const;

/** A browser of its own, of which nobody is signed in. */
export async function open(
  t: TestContext,
  { browser }: OperatorSuite,
  options: Parameters<Browser['newContext']>[0] = desk,
): Promise<Opened> {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  return { page, watched: watch(page) };
}

export async function signIn(page: Page, button: string, login: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await giveCredentials(page, login, password);
  await page.locator('button[value=allow]').click();
}

export async function giveCredentials(page: Page, login: string, secret: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill(secret);
  await page.locator('button[type=submit]').first().click();
}

/** Opens a page for operators by its address, for somebody who is signed in. */
export async function openAs(
  t: TestContext,
  suite: OperatorSuite,
  login: string,
  name: string,
  options: Parameters<Browser['newContext']>[0] = desk,
): Promise<Opened> {
  const storageState = await signedIn(suite.app, { login, password, kind: 'operator' });
  const opened = await open(t, suite, { ...options, storageState });
  await opened.page.goto(`${suite.origin}/#/operator/${name}`);
  return opened;
}

/** Presses a button that asks first, and says yes. */
export async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Presses a button that asks first, and says no. */
export async function decline(page: Page, name: string, no = 'Cancel'): Promise<void> {
  await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: no }).last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Goes to a page by its address, waits until it has read what it shows, and looks at it. */
export async function visit(
  page: Page,
  origin: string,
  name: string,
  heading: string,
  picturedAs: string,
): Promise<void> {
  await page.goto(`${origin}/#/operator/${name}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await page.locator('[role=status][aria-label]').waitFor({ state: 'detached' });
  await lookAt(page, picturedAs);
}

/**
 * Keeps a picture, and finds no fault: none of `axe-core`, and nothing beyond the width of the window.
 * @param maxHeight of the picture, in pixels from the top of the page
 */
export async function lookAt(page: Page, name: string, maxHeight?: number): Promise<void> {
  await picture(page, name, maxHeight);
  assert.deepEqual(await accessibilityFaults(page), [], name);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name}: sideways`);
}
