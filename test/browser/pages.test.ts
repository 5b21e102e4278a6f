// The pages for people in a real browser, on a phone and wide, light and dark: nothing runs out of the window, the
// contents list leads where it says, and what is refused is a page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { demoMark } from '../../src/demo/demo-client.ts';
import { isInTurn, notInTurn } from '../contract/rounds.ts';
import { accessibilityFaults, inBrowser, picture, seriousFaults, suiteApp, watch } from './chromium.ts';

const views = [
  { name: 'phone', viewport: { width: 390, height: 844 } },
  { name: 'wide', viewport: { width: 1280, height: 800 } },
] as const;
const schemes = ['light', 'dark'] as const;

/** Waits until an expression is true; the policy of the pages lets no string be evaluated in them while they wait. */
async function eventually(page: Page, expression: string): Promise<void> {
  for (let round = 0; round < 200 && !(await page.evaluate(expression)); round += 1) await page.waitForTimeout(100);
  assert.equal(await page.evaluate(expression), true, expression);
}

describe('pages in Chromium', { ...inBrowser }, () => {
  // With the codes of the demonstration, the reference is as long as it gets.
  const suite = suiteApp((app) => app.store.secrets.obtain(demoMark, () => '0'));

  const fits = (page: Page): Promise<boolean> => page.evaluate('document.scrollingElement.scrollWidth <= innerWidth');
  const lightness = (page: Page): Promise<number> =>
    page.evaluate(
      'getComputedStyle(document.body).backgroundColor.match(/\\d+/g)' +
        '.slice(0, 3).reduce((sum, part) => sum + Number(part), 0)',
    );
  /** The reference page, once its operations are there. */
  const openReference = async (page: Page, fragment = ''): Promise<void> => {
    await page.goto(`${suite().baseUrl}/docs${fragment}`);
    await page.locator('#operations-Articles-listArticles').waitFor();
    await page.locator('#contents a').first().waitFor({ state: 'attached' });
  };

  for (const [width, { name, viewport }] of views.entries())
    for (const [index, colorScheme] of schemes.entries()) {
      // Both widths and both schemes in each run of the gate: the viewer takes seconds to show the reference.
      const skip = notInTurn((width + index) % 2, 2);
      it(`${name}, ${colorScheme}: the reference fits, is dark or light, and begins soon`, { skip }, async (t) => {
        const context = await suite().browser.newContext({ viewport, colorScheme });
        t.after(() => context.close());
        const page = await context.newPage();
        const watched = watch(page);
        await openReference(page);
        assert.equal(await fits(page), true, 'closed');
        const first = await page.locator('.opblock').first().boundingBox();
        assert.ok(first !== null && first.y + first.height <= 2 * viewport.height, `${first?.y}`);
        assert.equal((await lightness(page)) < 3 * 64, colorScheme === 'dark');
        await picture(page, `reference-${name}-${colorScheme}`);
        for (const operation of ['Articles-createArticles', 'Orders-listOrders', 'Shipping-createLabel'])
          await page.locator(`#operations-${operation} .opblock-summary-control`).click();
        await page.evaluate("document.querySelectorAll('.guide > details').forEach((one) => { one.open = true; })");
        await page.locator('#operations-Shipping-createLabel .responses-wrapper').waitFor();
        assert.equal(await fits(page), true, 'opened');
        await picture(page, `reference-opened-${name}-${colorScheme}`);
        // What the viewer shows is the same at every width, and looking at all of it takes long.
        const isWhole = name === 'phone' && isInTurn(index, schemes.length);
        assert.deepEqual(await seriousFaults(page, isWhole ? 'html' : 'nav'), []);
        assert.deepEqual(watched.complaints, []);
        assert.deepEqual([...watched.origins], [new URL(suite().baseUrl).origin]);
      });

      it(`${name}, ${colorScheme}: problems, changelog and refusals fit and are pages without faults`, async (t) => {
        const context = await suite().browser.newContext({ viewport, colorScheme });
        t.after(() => context.close());
        const page = await context.newPage();
        const watched = watch(page);
        for (const [path, status, heading] of [
          ['/problems', 200, 'Problems'],
          ['/problems/idempotency-key-reused', 200, 'The idempotency key was used for another request.'],
          ['/changelog', 200, 'Changelog'],
          ['/article', 404, 'There is nothing at this path.'],
          [`/${'long'.repeat(200)}`, 404, 'There is nothing at this path.'],
          [`/shippings/files/${'x'.repeat(43)}`, 404, 'The record does not exist.'],
        ] as const) {
          const answer = await page.goto(`${suite().baseUrl}${path}`);
          assert.equal(answer?.status(), status, path);
          assert.match(answer?.headers()['content-type'] ?? '', /^text\/html/, path);
          assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), heading);
          assert.equal(await fits(page), true, path);
          assert.equal((await lightness(page)) < 3 * 64, colorScheme === 'dark', path);
          assert.deepEqual(await accessibilityFaults(page), [], path);
          await picture(page, `${path.split('/')[1]?.slice(0, 12)}-${name}-${colorScheme}`);
        }
        assert.deepEqual(watched.complaints, []);
      });
    }

  for (const [index, { name, viewport }] of views.entries())
    it(`${name}: the contents list leads to every operation and section, and opens it`, {
      skip: notInTurn(index, views.length),
    }, async (t) => {
      const context = await suite().browser.newContext({ viewport });
      t.after(() => context.close());
      const page = await context.newPage();
      await openReference(page);
      const isOpen = (): Promise<boolean> => page.evaluate("document.getElementById('contents').open");
      assert.equal(await isOpen(), name === 'wide');
      const addresses: string[] = await page.evaluate(
        "[...document.querySelectorAll('#contents a')].map((link) => link.getAttribute('href'))",
      );
      const operations = addresses.filter((address) => address.startsWith('#/'));
      assert.equal(operations.length, await page.locator('.opblock').count());
      assert.ok(operations.length >= 15 && addresses.length - operations.length >= 9);
      for (const address of addresses) {
        const id = address.startsWith('#/') ? `operations-${address.slice(2).replace('/', '-')}` : address.slice(1);
        assert.equal(await page.locator(`[id="${id}"]`).count(), 1, address);
      }
      for (const [link, target] of [
        ['Create a shipping label', '#operations-Shipping-createLabel'],
        ['Follow what changes', '#guide-follow-what-changes'],
        ['List orders', '#operations-Orders-listOrders'],
      ] as const) {
        if (!(await isOpen())) await page.locator('#contents summary').click();
        await page.locator('#contents a', { hasText: link }).first().click();
        await eventually(
          page,
          `(() => { const at = document.querySelector('${target}'); const { top } = at.getBoundingClientRect();
            return (at.open || at.classList.contains('is-open')) && top > -2 && top < 40; })()`,
        );
      }
    });

  it('shows what an address with a section or an operation names', async (t) => {
    const context = await suite().browser.newContext({ viewport: views[1].viewport });
    t.after(() => context.close());
    for (const [fragment, target] of [
      ['#guide-codes-and-units', '#guide-codes-and-units[open]'],
      ['#/Orders/listOrders', '#operations-Orders-listOrders.is-open'],
    ] as const) {
      const page = await context.newPage();
      await openReference(page, fragment);
      await page.locator(target).waitFor();
      await eventually(page, `document.querySelector('${target}').getBoundingClientRect().top < innerHeight`);
    }
  });

  it('shows the codes of the demonstration in the reference', async (t) => {
    const context = await suite().browser.newContext({ viewport: views[1].viewport });
    t.after(() => context.close());
    const page = await context.newPage();
    await openReference(page, '#guide-codes-and-units');
    await page.locator('#guide-codes-and-units tr', { hasText: 'movementDirection' }).getByText('into stock').waitFor();
  });
});
