// Signing in and consenting in a real browser: by keyboard, without scripts, narrow and wide, in both languages, light
// and dark; and what other sites try with the pages.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Client } from '../../src/auth/clients.ts';
import {
  authorizationRequest,
  readArticles,
  redeem,
  registerClient,
  registerUser,
  type Request,
  type Service,
  startService,
} from '../auth/flow.ts';
import { goodPassword } from '../auth/fixture.ts';
import { accessibilityFaults, inBrowser, picture, suiteBrowser, watch } from './chromium.ts';

const views = [
  ['narrow', 320, 640],
  ['wide', 1280, 800],
] as const;
const schemes = ['light', 'dark'] as const;
const words = {
  en: {
    login: 'Login',
    password: 'Password',
    signIn: 'Sign in',
    allow: 'Allow',
    deny: 'Deny',
    cancel: 'Cancel',
    wrong: 'The login or the password is not right.',
    question: 'Allow Web shop to use your account?',
  },
  fr: {
    login: 'Identifiant',
    password: 'Mot de passe',
    signIn: 'Se connecter',
    allow: 'Autoriser',
    deny: 'Refuser',
    cancel: 'Annuler',
    wrong: 'L’identifiant ou le mot de passe est incorrect.',
    question: 'Autoriser Web shop à utiliser votre compte ?',
  },
} as const;

describe('signing in with Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();

  interface Scene {
    readonly service: Service;
    readonly client: Client;
    readonly request: Request;
    readonly shop: string;
  }

  /** A service, and a web shop on another origin that the browser comes back to. */
  const scene = async (
    t: TestContext,
    answer: RequestListener = (_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Web shop</title>'),
  ): Promise<Scene> => {
    const service = await startService(t);
    const shop = await listen(t, answer);
    const { client } = await registerClient(service, { redirectUris: ['http://127.0.0.1/callback'] });
    await registerUser(service);
    return {
      service,
      client,
      shop,
      request: authorizationRequest(service, client, { redirect_uri: `${shop}/callback` }),
    };
  };
  const open = async (
    t: TestContext,
    options: BrowserContextOptions = {},
  ): Promise<Page & { readonly watched: ReturnType<typeof watch> }> => {
    const context = await browser().newContext(options);
    t.after(() => context.close());
    const page = await context.newPage();
    return Object.assign(page, { watched: watch(page) });
  };
  const finish = async ({ service, client, request, shop }: Scene, page: Page): Promise<void> => {
    await page.waitForURL(`${shop}/callback?**`);
    const back = new URL(page.url()).searchParams;
    assert.equal(back.get('state'), request.state);
    const tokens = await redeem(service, { client, secret: null }, request, back.get('code') ?? '');
    assert.equal((await readArticles(service, tokens.json().access_token)).status, 200);
  };
  const fillIn = async (
    page: Page,
    language: keyof typeof words = 'en',
    password: string = goodPassword,
  ): Promise<void> => {
    await page.getByLabel(words[language].login).fill('mia');
    await page.getByLabel(words[language].password).fill(password);
    await page.getByRole('button', { name: words[language].signIn }).click();
  };

  for (const [view, width, height] of views)
    for (const language of ['en', 'fr'] as const)
      for (const colorScheme of schemes) {
        it(`is whole and without accessibility faults: ${view}, ${language}, ${colorScheme}`, async (t) => {
          const stage = await scene(t);
          const page = await open(t, {
            viewport: { width, height },
            locale: language === 'en' ? 'en-GB' : 'fr-FR',
            colorScheme,
          });
          const text = words[language];
          const look = async (name: string): Promise<void> => {
            await picture(page, `${name}-${view}-${language}-${colorScheme}`);
            assert.deepEqual(await accessibilityFaults(page), [], name);
            assert.equal(
              await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
              true,
              `${name} scrolls sideways`,
            );
            assert.equal(await page.evaluate('document.documentElement.lang'), language);
            for (const target of await page.locator('input:visible, button, a').all())
              assert.ok(((await target.boundingBox())?.height ?? 0) >= 44, `${name} has a small target`);
          };
          await page.goto(stage.request.address);
          await look('sign-in');
          await fillIn(page, language, 'not the password');
          await page.getByRole('alert').filter({ hasText: text.wrong }).waitFor();
          await look('sign-in-fault');
          await page.getByLabel(text.password).fill(goodPassword);
          await page.getByRole('button', { name: text.signIn }).click();
          await page.getByRole('heading', { level: 1, name: text.question }).waitFor();
          await look('consent');
          await page.getByRole('button', { name: text.allow }).click();
          await finish(stage, page);
          await page.goto(`${stage.service.authUrl}/connect/signout`);
          await look('sign-out');
          await page.getByRole('button').click();
          await page.waitForLoadState();
          await look('signed-out');
          await page.goto(`${stage.service.authUrl}/connect/authorize?client_id=unknown`);
          await look('error');
          assert.deepEqual(page.watched.complaints, []);
          assert.deepEqual(
            [...page.watched.origins].sort(),
            [new URL(stage.service.authUrl).origin, stage.shop].sort(),
          );
        });
      }

  it('works by keyboard alone and without scripts, and the cursor stands where it is needed', async (t) => {
    const stage = await scene(t);
    const page = await open(t, { javaScriptEnabled: false });
    await page.goto(stage.request.address);
    // A page is there a moment before its cursor is.
    await page.locator('[name=login]:focus').waitFor();
    await page.keyboard.type('mia');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    // The login is kept, and the cursor is in the password.
    await page.locator('[name=password]:focus').waitFor();
    await page.keyboard.type(goodPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: words.en.question }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await finish(stage, page);
  });

  it('shows where the cursor is, on every control that the keyboard reaches', async (t) => {
    const stage = await scene(t);
    for (const colorScheme of schemes) {
      const page = await open(t, { colorScheme, reducedMotion: 'reduce' });
      const reached: unknown[] = [];
      const walk = async (count: number): Promise<void> => {
        for (let step = 0; step < count; step += 1) {
          const focus = await page.evaluate(
            '(() => { const { tagName, name } = document.activeElement; const style = ' +
              'getComputedStyle(document.activeElement); return [tagName, name || "", style.outlineStyle, ' +
              'style.outlineWidth, style.transitionDuration]; })()',
          );
          reached.push(focus);
          await page.keyboard.press('Tab');
        }
      };
      await page.goto(stage.request.address);
      await page.locator('[name=login]:focus').waitFor();
      await walk(4);
      await fillIn(page);
      await page.getByRole('heading', { name: words.en.question }).waitFor();
      await page.keyboard.press('Tab');
      await walk(2);
      assert.deepEqual(
        reached,
        [
          ['INPUT', 'login'],
          ['INPUT', 'password'],
          ['BUTTON', ''],
          ['A', ''],
          ['BUTTON', 'decision'],
          ['BUTTON', 'decision'],
        ].map((control) => [...control, 'solid', '3px', '0s']),
      );
    }
  });

  it('tells a screen reader what the fields are, what is wrong with them, and what is asked', async (t) => {
    const stage = await scene(t);
    const page = await open(t);
    await page.goto(stage.request.address);
    await fillIn(page, 'en', 'wrong');
    await page.getByRole('alert').waitFor();
    assert.match(await page.title(), /^Error: Sign in/);
    for (const name of [words.en.login, words.en.password]) {
      const field = page.getByLabel(name);
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const described = await field.getAttribute('aria-describedby');
      assert.match((await page.locator(`#${described}`).textContent()) ?? '', /not right/);
    }
    assert.equal(await page.getByLabel(words.en.login).inputValue(), 'mia');
    assert.equal(await page.getByLabel(words.en.password).inputValue(), '');
    await fillIn(page);
    await page.getByRole('heading', { name: words.en.question }).waitFor();
    const outline = await page.getByRole('main').ariaSnapshot();
    for (const part of [
      'heading "Allow Web shop to use your account?" [level=1]',
      'list "What it may do"',
      'list "In this activity"',
      'button "Allow"',
      'button "Deny"',
    ])
      assert.ok(outline.includes(part), `${part} is not in ${outline}`);
    await page.getByRole('banner').getByText('Logistics Connect').waitFor();
  });

  it('goes back to the client when the person denies or cancels', async (t) => {
    const stage = await scene(t);
    const page = await open(t);
    await page.goto(stage.request.address);
    await page.getByRole('link', { name: words.en.cancel }).click();
    await page.waitForURL(`${stage.shop}/callback?error=access_denied**`);
    await page.goto(stage.request.address);
    await fillIn(page);
    await page.getByRole('button', { name: words.en.deny }).click();
    await page.waitForURL(`${stage.shop}/callback?error=access_denied**`);
    assert.deepEqual(page.watched.complaints, []);
  });

  it('goes on to where the client sends the browser, although browsers check the policy of the form', async (t) => {
    const pages = (await listen(t, (_request, response) => response.end('welcome'))).replace('127.0.0.1', 'localhost');
    const stage = await scene(t, (_request, response) =>
      response.writeHead(302, { location: `${pages}/welcome` }).end(),
    );
    const page = await open(t);
    await page.goto(stage.request.address);
    await fillIn(page);
    await page.getByRole('button', { name: words.en.allow }).click();
    await page.waitForURL(`${pages}/welcome`);
    assert.deepEqual(page.watched.complaints, []);
  });

  it('goes back to a program that listens on the IPv6 loopback, and to one with a scheme of its own', async (t) => {
    const { service } = await scene(t);
    const six = createServer((_request, response) => response.end('back'));
    const listening = await new Promise<boolean>((resolve) =>
      six.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true)),
    );
    t.after(() => six.close());
    const { client } = await registerClient(service, {
      redirectUris: ['http://[::1]/callback', 'com.example.app:/callback'],
    });
    if (listening) {
      const page = await open(t);
      const redirect = `http://[::1]:${(six.address() as AddressInfo).port}/callback`;
      await page.goto(authorizationRequest(service, client, { redirect_uri: redirect }).address);
      await fillIn(page);
      await page.getByRole('button', { name: words.en.allow }).click();
      await page.waitForURL(`${redirect}?**`);
      assert.deepEqual(page.watched.complaints, []);
    }
    const page = await open(t);
    await page.goto(authorizationRequest(service, client, { redirect_uri: 'com.example.app:/callback' }).address);
    await fillIn(page);
    await page.getByText('com.example.app').waitFor();
    const handed = page
      .waitForRequest((request) => request.url().startsWith('com.example.app:/callback?code='))
      .catch(() => null);
    await page.getByRole('button', { name: words.en.allow }).click();
    await Promise.race([handed, page.waitForTimeout(2000)]);
    assert.deepEqual(
      page.watched.complaints.filter((text) => /Content Security Policy/.test(text)),
      [],
    );
  });

  it('cannot be framed by another site', async (t) => {
    const stage = await scene(t);
    const evil = await listen(t, (_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><iframe src="${stage.request.address.replaceAll('&', '&amp;')}"></iframe>`),
    );
    const page = await open(t);
    await page.goto(evil.replace('127.0.0.1', 'localhost'));
    await page.waitForLoadState('networkidle');
    for (const frame of page.frames().slice(1)) assert.equal(await frame.getByLabel(words.en.login).count(), 0);
    assert.match(page.watched.complaints.join('\n'), /frame/i);
  });

  it('takes no form that another site sends in the name of the person', async (t) => {
    const stage = await scene(t);
    const page = await open(t);
    await page.goto(stage.request.address);
    await fillIn(page);
    await page.getByRole('heading', { name: words.en.question }).waitFor();
    const consent = page.url();
    const csrf = await page.locator('input[name=csrf]').inputValue();
    // Even with the token of the form, and on the same host name, for which cookies do not tell ports apart.
    const form =
      `<!doctype html><form method="post" action="${consent}"><input name="csrf" value="${csrf}"><button ` +
      'name="decision" value="allow">win</button></form>';
    for (const host of ['localhost', '127.0.0.1']) {
      const evil = await listen(t, (_request, response) => response.setHeader('content-type', 'text/html').end(form));
      await page.goto(evil.replace('127.0.0.1', host));
      await page.getByRole('button').click();
      await page.waitForURL(consent);
      assert.match(
        (await page.getByRole('heading', { level: 1 }).textContent()) ?? '',
        /This form was not sent from here|This sign-in is over/,
        host,
      );
    }
    await page.goto(consent);
    await page.getByRole('button', { name: words.en.allow }).click();
    await finish(stage, page);
  });

  it('leaves nothing for the next person: the page is in no cache, and back shows no consent again', async (t) => {
    const stage = await scene(t);
    const page = await open(t);
    await page.goto(stage.request.address);
    await fillIn(page);
    await page.getByRole('button', { name: words.en.allow }).click();
    await finish(stage, page);
    await page.goBack();
    await page.waitForLoadState();
    assert.equal(await page.getByRole('button', { name: words.en.allow }).count(), 0);
    assert.equal(await page.getByLabel(words.en.password).count(), 0);
  });
});

async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
