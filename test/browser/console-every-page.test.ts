// Every page of the console, those of its menu taken from the menu itself: in both languages, on a desk and on a phone,
// in light and in dark. Each shows what it is for, within the width of the window, in the language that was asked for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { taskNames } from '../../packages/console/src/developers/tasks.ts';
import { listNames } from '../../packages/console/src/list/list-names.ts';
import { pageRoles } from '../../packages/console/src/operator/page-roles.ts';
import { accessibilityFaults, inBrowser, watch } from './chromium.ts';
import { readingPages } from './console-states.ts';
import { desk, suiteDemonstration, until, type View } from './demonstration.ts';

/** The other two of language and size are those that the rest of the suites look at, with axe. */
const everyView: readonly (View & { readonly isJudged: boolean })[] = [
  { ...desk, isJudged: false },
  { ...desk, name: 'desktop, French, dark', locale: 'fr-FR', colorScheme: 'dark', isJudged: true },
  { ...desk, name: 'phone, English, light', width: 390, height: 844, isJudged: true },
  { ...desk, name: 'phone, French', width: 390, height: 844, locale: 'fr-FR', isJudged: false },
];

const failed = /could not be loaded|n’a pas pu être chargé|a échoué/;
/** The name of the product. */
const sameInBoth = 'Logistics Connect';

describe('every page of the console', { ...inBrowser }, () => {
  const demonstration = suiteDemonstration({ RATE_READS: '0' });

  it('shows what it is for, in both languages, on a desk and on a phone', async (t) => {
    const { browser, open, origin } = demonstration();
    const first = await open(t, desk);
    await first.goto(`${origin}/#/operator`);
    await first.getByRole('button', { name: 'Sign in as an operator' }).click();
    await first.locator('button[value=allow]').click();
    await first.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    const places = await everyPlace(first, origin);
    const storageState = await first.context().storageState();
    const faults: string[] = [];
    /** What the interfaces said: it is in no language of the console. */
    const answers: string[] = [];
    const texts = new Map<string, Readonly<Record<string, readonly string[]>>>();
    for (const view of everyView) {
      const { width, height, locale, colorScheme } = view;
      const context = await browser().newContext({ viewport: { width, height }, locale, colorScheme, storageState });
      t.after(() => context.close());
      const page = await context.newPage();
      const { complaints } = watch(page);
      const reading: Promise<unknown>[] = [];
      page.on('response', (response) => {
        if (/\/(v1|platform)\b/.test(response.url()) && response.ok())
          reading.push(
            response.text().then(
              (text) => answers.push(text),
              () => undefined,
            ),
          );
      });
      await page.goto(origin);
      for (const place of places) {
        const told = `${place || 'overview'}, ${view.name}`;
        await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
        await shown(page, place);
        const { title, content, isWide } = await lookOf(page);
        if (title === '' || content < title.length + 20) faults.push(`${told}: ${content} characters`);
        if (isWide) faults.push(`${told}: sideways`);
        if ((await page.getByRole('main').getByText(failed).count()) > 0) faults.push(`${told}: failed`);
        if (view.isJudged) faults.push(...(await accessibilityFaults(page)).map((fault) => `${told}: ${fault}`));
        texts.set(place, { ...texts.get(place), [locale]: await ownTexts(page) });
      }
      await Promise.all(reading);
      faults.push(...complaints.map((one) => `${view.name}: ${one}`));
    }
    const data = answers.join('\n').replaceAll(/\\"/g, '"');
    const untranslated = [...texts].flatMap(([place, { 'en-GB': english = [], 'fr-FR': french = [] }]) =>
      french
        .filter(
          (text) =>
            english.includes(text) &&
            text !== sameInBoth &&
            text.split(/[·,:]/).some((part) => isProse(part) && !data.includes(part.trim())),
        )
        .map((text) => `${place}: not translated: ${text}`),
    );
    assert.deepEqual([...faults, ...untranslated], []);
  });
});

/** What stands behind the # of every page. */
async function everyPlace(page: Page, origin: string): Promise<readonly string[]> {
  const links = page.locator('nav a[href^="#/"]');
  const inMenu: string[] = [];
  for (const link of await links.all()) inMenu.push(((await link.getAttribute('href')) ?? '').replace('#/', ''));
  const named = [...listNames, ...Object.keys(pageRoles).map((name) => `operator/${name}`)];
  for (const place of [...named, ...taskNames.map((task) => `developers/${task}`)])
    assert.ok(inMenu.includes(place), `${place} is not in the menu`);
  const linked: string[] = [];
  for (const list of ['operator/messages', 'operator/users']) {
    await page.goto(`${origin}/#/${list}`);
    const link = page.locator(`main a[href^="#/${list}/"]`).first();
    linked.push(((await link.getAttribute('href')) ?? '').replace('#/', ''));
  }
  const further = ['articles/create', 'articles/import', ...linked];
  return [...new Set([...inMenu, ...(await readingPages(page)), ...further])];
}

/** The page is there, with what it has read. */
async function shown(page: Page, place: string): Promise<void> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  assert.equal(await page.evaluate('decodeURIComponent(location.hash)'), decodeURIComponent(`#/${place}`));
  await until(page, `document.querySelector('main h1') && !document.querySelector('main .mantine-Skeleton-root')`);
}

async function lookOf(page: Page): Promise<{ title: string; content: number; isWide: boolean }> {
  return JSON.parse(
    String(
      await page.evaluate(`JSON.stringify({
        title: document.querySelector('main h1').textContent,
        content: document.querySelector('main').textContent.length,
        isWide: document.documentElement.scrollWidth > innerWidth,
      })`),
    ),
  );
}

/** Two words and more, of which none is a code. */
function isProse(text: string): boolean {
  return (text.match(/\p{Ll}{2,}/gu)?.length ?? 0) > 1;
}

/** Texts of two words and more that are said to be in the language of the page, without code and without data. */
async function ownTexts(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = new Set();
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const text = textContent.trim();
      if (!/\\p{L}{2,}[\\s,.]+\\p{L}{2,}/u.test(text)) continue;
      const isOther = parentElement.closest('script, noscript, style, pre, code, body [lang], [translate=no]') !== null;
      if (!isOther) texts.add(text);
    }
    return JSON.stringify([...texts]);
  })()`);
  return JSON.parse(String(found));
}
