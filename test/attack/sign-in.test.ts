// Sign-in for all: one address that tries passwords over many connections keeps nobody else out.
import assert from 'node:assert/strict';
import { assertMemory, assertProcessor, underAttackOfWorkers } from './attack.ts';
import { beginSignIn, openBrowser, signIn } from './browser.ts';
import type { Target } from './target.ts';
import { ask, tally, together } from './wire.ts';

underAttackOfWorkers('sign-in', {}, (attack) => {
  attack(
    'a hundred authorization requests of 2,700 parameters each',
    async (target) =>
      tally(
        await together(100, () =>
          ask(target, { path: `/connect/authorize?response_type=code${'&cl'.repeat(2700)}`, token: null }),
        ),
      ),
    (measured, counts) => {
      assert.deepEqual(counts, { 400: 100 });
      assertProcessor(measured, 3);
    },
  );

  attack(
    'sixty connections of one address that try passwords, while twelve others sign in',
    async (target) => {
      const state = { over: false };
      const tried = together(60, (index) => tryPasswords(target, '127.0.0.1', index, state));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const signedIn = await together(12, (index) =>
        signIn(target, openBrowser(target, `127.0.3.${index + 1}`), 'attacker'),
      );
      state.over = true;
      return { signedIn, tried: (await tried).reduce((sum, count) => sum + count, 0) };
    },
    (measured, { signedIn, tried }) => {
      assert.equal(
        signedIn.filter((one) => one !== null && one.code !== '').length,
        12,
        `of twelve, after ${tried} wrong passwords`,
      );
      assertMemory(measured, 500);
    },
  );

  attack(
    'six hundred sign-ins that are begun and left',
    (target) =>
      together(60, async () => {
        for (let count = 0; count < 10; count += 1) await beginSignIn(target, openBrowser(target, '127.0.0.1'));
      }),
    (measured) => {
      assertMemory(measured, 500);
      assertProcessor(measured, 15);
    },
  );

  attack(
    'a password of marks, and forms of a megabyte',
    async (target) => {
      const browser = openBrowser(target, '127.0.4.1');
      const page = await beginSignIn(target, browser);
      const marks = `a${'\u0301\u0323'.repeat(5000)}`;
      if (page !== null) await browser.post(page.address, { csrf: page.csrf, login: 'victim', password: marks });
      await together(50, () =>
        ask(target, {
          method: 'POST',
          path: '/connect/token',
          token: null,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `a=${'%41'.repeat(300_000)}`,
        }),
      );
      await together(50, () =>
        ask(target, {
          method: 'POST',
          path: '/connect/token',
          token: null,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'a&'.repeat(30_000),
        }),
      );
    },
    (measured) => {
      assertProcessor(measured, 3);
      assertMemory(measured, 500);
    },
  );
});

/** @returns how often it could try */
async function tryPasswords(
  target: Target,
  from: string,
  index: number,
  state: { readonly over: boolean },
): Promise<number> {
  const browser = openBrowser(target, from);
  const page = await beginSignIn(target, browser);
  for (let tries = 0; ; tries += 1) {
    if (state.over || page === null) return tries;
    await browser.post(page.address, {
      csrf: page.csrf,
      login: `nobody-${index}-${tries}`,
      password: 'not the password at all',
    });
  }
}
