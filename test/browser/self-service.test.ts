// What people do for themselves, in a real browser: the demonstration's reference page with a sign-in from it,
// sign-out, "not you?", the account page, another password, the second factor; narrow and wide, and without scripts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { totpCode } from '../auth/totp-code.ts';
import { goodPassword } from '../auth/fixture.ts';
import {
  authorizationRequest,
  connect,
  registerClient,
  registerUser,
  startService,
  readArticles,
} from '../auth/flow.ts';
import { notInTurn } from '../contract/rounds.ts';
import { checkPage, inBrowser, picture, suiteBrowser, watch } from './chromium.ts';
import { startFilledServer } from './demonstration.ts';

const views = [
  ['narrow', 390, 844],
  ['wide', 1280, 800],
] as const;
const newPassword = 'quiet harbours keep small boats';
const stepMs = 30_000;

describe('people with Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();

  for (const [index, [view, width, height]] of views.entries()) {
    const open = async (t: TestContext, javaScriptEnabled = true): Promise<Watched> => {
      const context = await browser().newContext({ viewport: { width, height }, locale: 'en-GB', javaScriptEnabled });
      t.after(() => context.close());
      const page = await context.newPage();
      return Object.assign(page, { watched: watch(page) });
    };
    const look = (page: Page, name: string): Promise<void> => checkPage(page, `people-${name}-${view}`);

    it(`${view}: the demonstration's reference page signs in, and calls the interface`, {
      skip: notInTurn(index, views.length),
    }, async (t) => {
      const { baseUrl, login, password, close } = await startFilledServer();
      t.after(close);
      const page = await open(t);
      await page.goto(`${baseUrl}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      const form = page.locator('.auth-container', { hasText: 'authorizationCode' });
      assert.equal(await form.locator('input[type=text]').first().inputValue(), 'demo', 'the client is filled in');
      await picture(page, `people-reference-${view}`);
      const popped = page.waitForEvent('popup');
      await form.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
      const popup = await popped;
      await popup.getByLabel('Login').fill(login);
      await popup.getByLabel('Password').fill(password);
      await popup.getByRole('button', { name: 'Sign in' }).click();
      await popup.getByRole('heading', { name: 'Allow Demonstration to use your account?' }).waitFor();
      const closed = popup.waitForEvent('close');
      await popup.getByRole('button', { name: 'Allow' }).click();
      await closed;
      await form.getByRole('button', { name: 'Remove authorization' }).waitFor();
      await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).last().click();
      const articles = page.locator('#operations-Articles-listArticles');
      await articles.locator('.opblock-summary-control').click();
      await articles.getByRole('button', { name: 'Try it out' }).click();
      const [answer] = await Promise.all([
        page.waitForResponse(/\/v1\/articles/),
        articles.getByRole('button', { name: 'Execute' }).click(),
      ]);
      assert.equal(answer.status(), 200);
      const records: unknown = await answer.json();
      assert.ok(Array.isArray(records) && records.length > 0);
      const shown = articles.locator('.live-responses-table pre', { hasText: String(records.at(-1).articleReference) });
      await shown.first().waitFor();
      assert.deepEqual(page.watched.complaints, []);
    });

    it(`${view}: "Not you?" and sign-out`, async (t) => {
      const service = await startService(t);
      const shop = await listen(t);
      const { client } = await registerClient(service, { redirectUris: ['http://127.0.0.1/callback'] });
      await registerUser(service);
      await registerUser(service, { login: 'leo' });
      const page = await open(t);
      const request = authorizationRequest(service, client, { redirect_uri: `${shop}/callback` });
      await page.goto(request.address);
      await signIn(page, 'mia');
      await page.getByRole('heading', { name: 'Allow Web shop to use your account?' }).waitFor();
      await look(page, 'consent');
      await page.getByRole('button', { name: 'Not you? Use another account' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal(await page.getByLabel('Login').inputValue(), '');
      await signIn(page, 'leo');
      await page.getByText('You are signed in as leo.').waitFor();
      await page.getByRole('link', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
      await look(page, 'sign-out');
      await page.goBack();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${shop}/callback?**`);
      assert.equal(new URL(page.url()).searchParams.get('state'), request.state);
      await page.goto(`${service.authUrl}/account`);
      await page.getByRole('link', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await page.goto(`${service.authUrl}/account`);
      await page.getByLabel('Password').waitFor();
      assert.deepEqual(page.watched.complaints, []);
    });

    for (const javaScriptEnabled of view === 'narrow' ? [true, false] : [true])
      it(`${view}: the account, ${javaScriptEnabled ? 'by all rules' : 'without scripts'}`, async (t) => {
        const service = await startService(t);
        const credentials = await registerClient(service, { name: 'Web shop with a rather long name of its own' });
        await registerClient(service);
        await registerUser(service);
        const tokens = await connect(service, credentials);
        const page = await open(t, javaScriptEnabled);
        const see = async (name: string): Promise<void> => (javaScriptEnabled ? look(page, name) : undefined);
        await page.goto(`${service.authUrl}/account`);
        await see('account-sign-in');
        await signIn(page, 'mia');
        await page.getByRole('heading', { name: 'Your account' }).waitFor();
        await page.getByText('Withdraw the access of').click();
        await see('account');
        await page.getByRole('button', { name: 'Withdraw Web shop' }).click();
        await page.getByRole('status').getByText('The access is withdrawn.').waitFor();
        assert.equal((await readArticles(service, tokens.access_token)).status, 401);
        await see('account-empty');

        await page.getByRole('link', { name: 'Change password' }).click();
        await fillPassword(page, 'wrong');
        await page.getByRole('alert').getByText('The current password is not right.').waitFor();
        await see('password-fault');
        await fillPassword(page, goodPassword);
        await page.getByRole('status').getByText('The password is changed.').waitFor();

        await page.getByRole('link', { name: 'Set up a second factor' }).click();
        await see('set-up');
        const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
        await page.getByLabel('Password').fill(newPassword);
        await page.getByLabel('Code that the app shows now').fill('000000');
        await page.getByRole('button', { name: 'Confirm' }).click();
        await page.getByRole('alert').getByText('The code is not right.').waitFor();
        await page.getByLabel('Password').fill(newPassword);
        await page.getByLabel('Code that the app shows now').fill(totpCode(secret, Date.now()));
        await page.getByRole('button', { name: 'Confirm' }).click();
        await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor();
        await see('recovery-codes');
        const codes = await page.locator('.codes code').allTextContents();
        assert.equal(codes.length, 10);
        await page.getByRole('link', { name: 'I have kept them' }).click();
        await page.getByText('With password and a code of an app.').waitFor();
        await page.getByRole('link', { name: 'Second factor' }).click();
        await page.getByText('Recovery codes left: 10').waitFor();
        await see('second-factor');

        const next = await open(t, javaScriptEnabled);
        await next.goto(`${service.authUrl}/account`);
        await signIn(next, 'mia', newPassword);
        await next.getByLabel('Code').fill('123');
        await next.getByRole('button', { name: 'Sign in' }).click();
        await next.getByRole('alert').getByText('The code is not right.').waitFor();
        if (javaScriptEnabled) await look(next, 'code-fault');
        // That of the next step counts too, and was not used yet.
        await next.getByLabel('Code').fill(totpCode(secret, Date.now() + stepMs));
        await next.getByRole('button', { name: 'Sign in' }).click();
        await next.getByRole('heading', { name: 'Your account' }).waitFor();
        const third = await open(t, javaScriptEnabled);
        await third.goto(`${service.authUrl}/account`);
        await signIn(third, 'mia', newPassword);
        await third.getByLabel('Code').fill(codes[0] ?? '');
        await third.getByRole('button', { name: 'Sign in' }).click();
        await third.getByRole('heading', { name: 'Your account' }).waitFor();
        for (const one of [page, next, third]) assert.deepEqual(one.watched.complaints, []);
        assert.deepEqual([...page.watched.origins], [new URL(service.authUrl).origin]);
      });

    it(`${view}: whoever must have a second factor sets it up on the way to a program`, async (t) => {
      const service = await startService(t, { SECOND_FACTOR: 'required' });
      const shop = await listen(t);
      const { client } = await registerClient(service, { redirectUris: ['http://127.0.0.1/callback'] });
      await registerUser(service);
      const page = await open(t);
      await page.goto(authorizationRequest(service, client, { redirect_uri: `${shop}/callback` }).address);
      await signIn(page, 'mia');
      await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
      await look(page, 'set-up-required');
      const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
      await page.getByLabel('Code that the app shows now').fill(totpCode(secret, Date.now()));
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${shop}/callback?code=**`);
      assert.deepEqual(page.watched.complaints, []);
    });
  }
});

type Watched = Page & { readonly watched: ReturnType<typeof watch> };

async function signIn(page: Page, login: string, password: string = goodPassword): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function fillPassword(page: Page, current: string): Promise<void> {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password', { exact: true }).fill(newPassword);
  await page.getByLabel('New password once more').fill(newPassword);
  await page.getByRole('button', { name: 'Change password' }).click();
}

/** The demonstration as `serve --demo` offers it. */
async function listen(t: TestContext): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Web shop</title>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
