// The console with the demonstration, for suites that look at its pages: a server of its own, a browser, and somebody
// who is signed in.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type App, createApp } from '../../src/app.ts';
import { offerDemonstration } from '../../src/commands/serve/demonstration.ts';
import { readConfig } from '../../src/config.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { accessibilityFaults, maxStepMs, picture, suiteBrowser, watch } from './chromium.ts';
import { signedIn } from './prepared-sign-in.ts';

export interface View {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly locale: 'en-GB' | 'fr-FR';
  readonly colorScheme: 'light' | 'dark';
}

export const desk: View = { name: 'desktop', width: 1280, height: 800, locale: 'en-GB', colorScheme: 'light' };

/** Between them: both languages, both schemes, a phone and a desk. */
export const views: readonly View[] = [
  desk,
  { name: 'phone', width: 390, height: 844, locale: 'fr-FR', colorScheme: 'dark' },
];

export interface Demonstration {
  readonly app: App;
  readonly origin: string;
  /** A page of somebody who is signed in; with what the browser complained about. */
  readonly open: (t: TestContext, view?: View, login?: string) => Promise<Page & { readonly complaints: string[] }>;
  readonly login: string;
  readonly password: string;
  readonly browser: () => Browser;
}

/**
 * The demonstration of the suite that asks: there from its first test to its last.
 * @param settings of its server
 */
export function suiteDemonstration(settings: Readonly<Record<string, string>> = {}): () => Demonstration {
  const browser = suiteBrowser();
  let demonstration: (Demonstration & Pick<FilledServer, 'close'>) | undefined;
  before(async () => {
    const server = await startFilledServer(settings);
    const { origin, password } = server;
    const open: Demonstration['open'] = async (t, view = desk, login = server.login) => {
      const { width, height, locale, colorScheme } = view;
      const storageState = await signedIn(server.app, { login, password, kind: 'client' });
      const context = await browser().newContext({ viewport: { width, height }, locale, colorScheme, storageState });
      t.after(() => context.close());
      const page = await context.newPage();
      const { complaints } = watch(page);
      await page.goto(origin);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return Object.assign(page, { complaints });
    };
    demonstration = { ...server, open, browser };
  });
  after(() => demonstration?.close());
  return () => {
    assert.ok(demonstration !== undefined, 'the demonstration is there for tests');
    return demonstration;
  };
}

/** A server with the demonstration, and who may sign in to it. */
export interface FilledServer {
  readonly app: App;
  readonly baseUrl: string;
  readonly origin: string;
  readonly login: string;
  readonly password: string;
  readonly close: () => Promise<void>;
}

/** Starts one in this process, on a copy of a database that was filled once. */
export async function startFilledServer(settings: Readonly<Record<string, string>> = {}): Promise<FilledServer> {
  filled ??= fillFolder();
  const folder = temporaryFolder();
  cpSync(await filled, folder, { recursive: true });
  const app = await createApp(readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...settings }, folder));
  const { baseUrl } = await app.listen();
  const offered = await offerDemonstration(app.store, baseUrl, async () => undefined, Date.now());
  assert.ok(offered !== null);
  return {
    ...{ app, baseUrl, origin: new URL(baseUrl).origin, login: offered.user.login, password: offered.password },
    close: async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let filled: Promise<string> | undefined;

/** A folder with the database of a server that was interrupted after it filled it, before it offered it to anybody. */
async function fillFolder(): Promise<string> {
  const folder = temporaryFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ dataDir: folder, databaseUrl: null }, definitions);
  const fill = async (at: number): Promise<void> => {
    await seedDemo(store, at);
    throw new Error('interrupted');
  };
  await assert.rejects(offerDemonstration(store, 'http://127.0.0.1/v1', fill, Date.now()), /^Error: interrupted$/);
  await store.close();
  return folder;
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'logistics-connect-console-'));
}

/**
 * Keeps a picture, and finds no fault: none of `axe-core`, and nothing beyond the width of the window.
 * @param maxHeight of the picture, in pixels from the top of the page
 */
export async function lookAt(page: Page, name: string, maxHeight?: number): Promise<void> {
  await page.evaluate('scrollTo(0, 0), document.fonts.ready.then(() => true)');
  await picture(page, name, maxHeight);
  assert.deepEqual(await accessibilityFaults(page), [], name);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name}: sideways`);
}

/** All of the overview is there. */
export async function overviewShown(page: Page): Promise<void> {
  await page.locator('.figure .number').nth(5).waitFor();
  await page.locator('.chart .part').first().waitFor();
  await page.locator('.list tbody a').first().waitFor();
  await until(page, `document.querySelector('main .mantine-Skeleton-root') === null`);
}

/** The first record of a list of the demonstration by the interface's own filter. */
export async function firstRecord(
  page: Page,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const target = JSON.stringify(`${path}?${new URLSearchParams(query)}`);
  const text = await page.evaluate(
    `fetch(document.getElementById('console').dataset.baseUrl + ${target}, {
      headers: { authorization: 'Bearer ' + JSON.parse(localStorage.getItem('console-tokens')).accessToken },
    }).then((response) => response.text())`,
  );
  const [first] = JSON.parse(String(text));
  assert.ok(first !== undefined, `${path} has no such record`);
  return first;
}

/** All records of a list, page after page. */
export async function allRecords(
  page: Page,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const read = `(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('console-tokens'));
    let address = document.getElementById('console').dataset.baseUrl;
    address += ${JSON.stringify(`${path}?${new URLSearchParams(query)}`)};
    const records = [];
    while (address !== undefined) {
      const answer = await fetch(address, { headers: { authorization: 'Bearer ' + accessToken } });
      if (!answer.ok) throw new Error(String(answer.status));
      records.push(...(await answer.json()));
      address = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return JSON.stringify(records);
  })()`;
  return JSON.parse(String(await page.evaluate(read)));
}

/**
 * Waits until an expression is true in the page; the policy of the page lets nothing evaluate it from within.
 * @param again is done between looks
 */
export async function until(
  page: Page,
  expression: string,
  again: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const end = Date.now() + maxStepMs;
  while (!(await page.evaluate(`Boolean(${expression})`))) {
    assert.ok(Date.now() < end, `${expression} did not become true`);
    await again();
    await page.waitForTimeout(50);
  }
}
