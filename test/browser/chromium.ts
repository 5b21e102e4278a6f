// A real browser for tests: where it is, for how long it and a server run, and what it complains about.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** The first is the engine of the second without the windows around its pages, which nobody sees here. */
const executable = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

/** False, or why tests cannot run here. */
const skip: false | string =
  executable === undefined && 'Chromium is not installed (apt-get install chromium-headless-shell)';

/** What every suite says of itself: skipped without a browser, and ended where it hangs, not where it is slow. */
export const inBrowser = { skip, timeout: 1_500_000 };

/** How long a page may take for what is asked of it. A machine that is busy takes long; a fault never ends. */
export const maxStepMs = 120_000;

/** The one of this process, once it was asked for. */
let started: Promise<Browser> | undefined;
after(async () => (await started)?.close());

/** The browser of all suites of this process, each of which opens contexts of its own. */
export function suiteBrowser(): () => Browser {
  let browser: Browser | undefined;
  before(async () => {
    started ??= startChromium();
    browser = await started;
    // What one suite did to it concerns no other one.
    if (browser.isConnected()) return;
    started = startChromium();
    browser = await started;
  });
  return () => {
    assert.ok(browser !== undefined, 'the browser is there for tests');
    return browser;
  };
}

/**
 * The application of the suite that asks, on a database of its own, and its browser: as `suiteBrowser`.
 * @param prepare what is done before it listens
 */
export function suiteApp(
  prepare: (app: App) => Promise<unknown> = async () => undefined,
): () => { readonly app: App; readonly baseUrl: string; readonly browser: Browser } {
  let app: App | undefined;
  let folder: string | undefined;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    app = await createApp(readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent' }, folder));
    await prepare(app);
    await app.listen();
  });
  const browser = suiteBrowser();
  after(async () => {
    await app?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });
  return () => {
    assert.ok(app !== undefined, 'the application is there for tests');
    return { app, baseUrl: app.addresses.baseUrl, browser: browser() };
  };
}

async function startChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(maxStepMs));
  return browser;
}

/** Collects what the browser's console says is wrong with a page, and every origin that a page asks. */
export function watch(page: Page): { readonly complaints: string[]; readonly origins: Set<string> } {
  const [complaints, origins] = [[] as string[], new Set<string>()];
  page.on('console', (message) => {
    // A status of 400 is what a refused form is answered with; the console calls every such answer an error.
    if (
      message.type() === 'error' &&
      !/^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
    )
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { complaints, origins };
}

/** Waits until nothing appears or fades any more: half-way, colours are none that anybody reads. */
async function motionless(page: Page): Promise<void> {
  await page.evaluate(`new Promise((settled) => {
    const isMoving = () => document.getAnimations().some(({ playState, effect }) =>
      playState === 'running' && effect?.getComputedTiming().iterations !== Infinity);
    const look = (still) => {
      if (still === 3) settled();
      else requestAnimationFrame(() => look(isMoving() ? 0 : still + 1));
    };
    look(0);
  })`);
}

/** What is told of a page, and of nothing that is right but how many rules found it so. */
const axeOptions = JSON.stringify({ resultTypes: ['violations'] });
/** Half as long as `axe.source`; a page takes nearly as long to read that as to be looked at. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Findings extends Pick<axe.AxeResults, 'violations'> {
  readonly passes: number;
}

/** @param part selector of what is looked at */
async function findingsOf(page: Page, part: string): Promise<Findings> {
  await motionless(page);
  // A page of the console stays the same document from one address to the next.
  if (!(await page.evaluate('globalThis.axe !== undefined'))) await page.evaluate(axeSource);
  return page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${axeOptions})
      .then(({ passes, violations }) => ({ passes: passes.length, violations }))`,
  );
}

/** One line per finding. */
function linesOf(violations: readonly axe.Result[]): readonly string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  );
}

/** What `axe-core` finds wrong with the page as it is: rules of WCAG 2.2 A and AA, and best practices. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  const { passes, violations } = await findingsOf(page, 'html');
  assert.ok(passes > 10, 'the rules did not run');
  return linesOf(violations);
}

/**
 * Those among them that keep somebody from using the page: what `axe-core` calls serious or critical.
 * @param part selector of what is looked at
 */
export async function seriousFaults(page: Page, part = 'html'): Promise<readonly string[]> {
  const { passes, violations } = await findingsOf(page, part);
  assert.ok(passes > 5, 'the rules did not run');
  return linesOf(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical'));
}

/**
 * Looks at a page as it is and keeps a picture of it: no fault that `axe-core` finds, nothing beyond the width of the
 * window, and nothing to press that is too small for a finger.
 * @param name of the page, in what is wrong and of the picture
 */
export async function checkPage(page: Page, name: string): Promise<void> {
  await picture(page, name);
  assert.deepEqual(await accessibilityFaults(page), [], name);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name}: sideways`);
  for (const target of await page
    .locator('input:visible:not([type=checkbox]), button:visible, a:visible, summary')
    .all())
    assert.ok(((await target.boundingBox())?.height ?? 0) >= 44, `${name} has a small target`);
}

/**
 * Keeps a picture of the page where the variable SCREENSHOT_DIR names a folder.
 * @param maxHeight of the picture, in pixels from the top of the page
 */
export async function picture(page: Page, name: string, maxHeight = Number.POSITIVE_INFINITY): Promise<void> {
  const folder = process.env.SCREENSHOT_DIR;
  if (folder === undefined) return;
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
  const height = Math.min(maxHeight, Number(await page.evaluate('document.documentElement.scrollHeight')));
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, clip: { x: 0, y: 0, width, height } });
}
