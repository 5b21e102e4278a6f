// The account pages as somebody sees them who reads French and prefers a dark screen: every page and every fault of
// them is in French, dark, within the width of a telephone, and passes the rules of accessibility.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { accountTexts } from '../../src/auth/pages/account-texts.ts';
import { secondFactorTexts } from '../../src/auth/pages/second-factor.ts';
import { totpCode } from '../auth/totp-code.ts';
import { goodPassword } from '../auth/fixture.ts';
import { connect, registerClient, registerUser, startService } from '../auth/flow.ts';
import { checkPage, inBrowser, suiteBrowser, watch } from './chromium.ts';

const newPassword = 'quiet harbours keep small boats';
const stepMs = 30_000;
const fr = { ...accountTexts.fr, ...secondFactorTexts.fr };
/** English sentences, of more than one word: a single one may be the same in French. */
const english = [...Object.values(accountTexts.en), ...Object.values(secondFactorTexts.en)]
  .map((text) => text.split('{')[0]?.trim() ?? '')
  .filter((text) => text.includes(' '));

describe('account pages in French and dark, in Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();

  for (const [view, width, height] of [
    ['narrow', 390, 844],
    ['wide', 1280, 800],
  ] as const) {
    it(`${view}: each of them, and what each says of mistakes`, async (t) => {
      const service = await startService(t);
      await registerUser(service);
      await connect(service, await registerClient(service, { name: 'Boutique en ligne d’un nom plutôt long' }));
      const context = await browser().newContext({ viewport: { width, height }, locale: 'fr-FR', colorScheme: 'dark' });
      t.after(() => context.close());
      const page = await context.newPage();
      const watched = watch(page);
      const at = (path: string) => page.goto(`${service.authUrl}/account${path}`);
      const fill = async (fields: Readonly<Record<string, string>>, button = 'button.first'): Promise<void> => {
        for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]:visible`).fill(value);
        await page.locator(button).click();
      };
      const look = async (name: string, said: string): Promise<void> => {
        await page.getByText(said).first().waitFor();
        await checkPage(page, `account-fr-dark-${name}-${view}`);
        await isFrenchAndDark(page, name);
      };

      await at('');
      await look('sign-in', 'Se connecter');
      await fill({ login: 'mia', password: 'wrong' });
      await look('sign-in-fault', 'incorrect');
      await fill({ login: 'mia', password: goodPassword });
      await page.locator('summary').click();
      await look('account', fr.withdrawEffect);
      await page.locator('details button').click();
      await look('withdrawn', fr.withdrawn);

      await at('/password');
      await fill({ current: 'wrong', password: newPassword, again: newPassword });
      await look('password-wrong', accountTexts.fr.credentials);
      for (const [name, password, again, said] of [
        ['different', newPassword, `${newPassword}!`, fr.different],
        ['short', 'short', 'short', fr.short],
        ['common', 'passwordpassword1', 'passwordpassword1', fr.common],
        ['same', goodPassword, goodPassword, fr.same],
      ] as const) {
        await fill({ current: goodPassword, password, again });
        await look(`password-${name}`, said);
      }
      await fill({ current: goodPassword, password: newPassword, again: newPassword });
      await look('password-changed', accountTexts.fr.password);

      await at('/second-factor');
      await look('set-up', fr.setUp);
      const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
      await fill({ password: newPassword, code: '000000' });
      await look('set-up-fault', fr.wrong);
      await fill({ password: newPassword, code: totpCode(secret, Date.now()) });
      await look('recovery-codes', fr.recovery);
      const [recoveryCode = ''] = await page.locator('.codes code').allTextContents();
      await page.locator('a.first').click();
      await look('with-factor', fr.withCode);
      await at('/second-factor');
      await fill({ code: '000000' }, 'button[value=codes]');
      await look('factor-fault', fr.wrong);

      await context.clearCookies();
      await at('');
      await fill({ login: 'mia', password: newPassword });
      await look('code', fr.codeLead);
      await fill({ code: '12' });
      await look('code-fault', fr.wrong);
      await fill({ code: totpCode(secret, Date.now() + stepMs) });
      await at('/second-factor');
      await fill({ code: recoveryCode }, 'button[value=remove]');
      await look('factor-removed', fr['factor-removed']);
      await page.getByRole('link', { name: fr.signOut }).click();
      await look('sign-out', 'Se déconnecter');
      await fill({}, 'button.first');
      await page.locator('h1').waitFor();
      await isFrenchAndDark(page, 'signed out');
      assert.deepEqual(watched.complaints, []);
      assert.deepEqual([...watched.origins], [new URL(service.authUrl).origin]);
    });
  }
});

async function isFrenchAndDark(page: Page, name: string): Promise<void> {
  assert.equal(await page.locator('html').getAttribute('lang'), 'fr', name);
  const text = (await page.locator('body').textContent()) ?? '';
  assert.deepEqual(
    english.filter((sentence) => text.includes(sentence)),
    [],
    name,
  );
  const ground: number = await page.evaluate(
    'getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0)',
  );
  assert.ok(ground < 3 * 64, `${name} is not dark`);
}
