// The reference page of the platform interface in a real browser: as that of clients, on a phone and wide, light and
// dark, and it tries a request out with a key.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { isInTurn, notInTurn } from '../contract/rounds.ts';
import { inBrowser, picture, seriousFaults, suiteApp, watch } from './chromium.ts';

const views = [
  { name: 'phone', viewport: { width: 390, height: 844 } },
  { name: 'wide', viewport: { width: 1280, height: 800 } },
] as const;
const schemes = ['light', 'dark'] as const;

describe('the reference page of the platform interface in Chromium', { ...inBrowser }, () => {
  const suite = suiteApp();
  const platformUrl = (): string => suite().baseUrl.replace(/\/v1$/, '/platform');

  const fits = (page: Page): Promise<boolean> => page.evaluate('document.scrollingElement.scrollWidth <= innerWidth');
  const operations = [
    ['Outbox-readOutbox', 'GET /outbox'],
    ['Outbox-acknowledgeOutbox', 'POST /outbox/ack'],
    ['Documents-getDocument', 'GET /documents/{documentId}'],
    ['Documents-getDocumentContent', 'GET /documents/{documentId}/content'],
    ['Audit-readAudit', 'GET /audit'],
  ] as const;

  for (const [width, { name, viewport }] of views.entries())
    for (const [index, colorScheme] of schemes.entries())
      it(`${name}, ${colorScheme}: fits, closed and opened, is dark or light, and has its contents list`, {
        // Both widths and both schemes in each run of the gate.
        skip: notInTurn((width + index) % 2, 2),
      }, async (t) => {
        const context = await suite().browser.newContext({ viewport, colorScheme });
        t.after(() => context.close());
        const page = await context.newPage();
        const watched = watch(page);
        await page.goto(`${platformUrl()}/docs`);
        for (const [id] of operations) await page.locator(`#operations-${id}`).waitFor();
        assert.equal(await fits(page), true, 'closed');
        const first = await page.locator('.opblock').first().boundingBox();
        assert.ok(first !== null && first.y + first.height <= 2 * viewport.height, `${first?.y}`);
        const ground: number = await page.evaluate(
          'getComputedStyle(document.body).backgroundColor.match(/\\d+/g)' +
            '.slice(0, 3).reduce((sum, part) => sum + Number(part), 0)',
        );
        assert.equal(ground < 3 * 64, colorScheme === 'dark');
        await picture(page, `platform-${name}-${colorScheme}`);
        const links: string[] = await page.evaluate(
          "[...document.querySelectorAll('#contents a')].map((link) => link.getAttribute('href'))",
        );
        for (const [id] of operations) assert.ok(links.includes(`#/${id.replace('-', '/')}`), `${id} of ${links}`);
        for (const [id] of operations) await page.locator(`#operations-${id} .opblock-summary-control`).click();
        await page.evaluate("document.querySelectorAll('.guide > details').forEach((one) => { one.open = true; })");
        await page.locator('#operations-Audit-readAudit .responses-wrapper').waitFor();
        assert.equal(await fits(page), true, 'opened');
        await picture(page, `platform-opened-${name}-${colorScheme}`);
        const isWhole = name === 'phone' && isInTurn(index, schemes.length);
        assert.deepEqual(await seriousFaults(page, isWhole ? 'html' : 'nav'), []);
        assert.deepEqual(watched.complaints, []);
        assert.deepEqual([...watched.origins], [new URL(platformUrl()).origin]);
      });

  it('sends a request with a key that its reader enters', async (t) => {
    await suite().app.store.activities.add('NOR', 'North Trading');
    const { text } = await addPlatformKey(
      suite().app.store,
      { name: 'wms', activityCodes: ['NOR'], roles: ['outbox'] },
      Date.now(),
    );
    const page = await suite().browser.newPage();
    t.after(() => page.close());
    const watched = watch(page);
    await page.goto(`${platformUrl()}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const form = page.locator('.auth-container');
    await form.getByRole('textbox').first().fill(text);
    await form.getByRole('button', { name: 'Apply credentials' }).click();
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).last().click();
    const outbox = page.locator('#operations-Outbox-readOutbox');
    await outbox.locator('.opblock-summary-control').click();
    await outbox.getByRole('button', { name: 'Try it out' }).click();
    const [answer] = await Promise.all([
      page.waitForResponse(/\/platform\/outbox/),
      outbox.getByRole('button', { name: 'Execute' }).click(),
    ]);
    assert.equal(answer.status(), 200, await answer.text());
    assert.deepEqual(watched.complaints, []);
  });
});
