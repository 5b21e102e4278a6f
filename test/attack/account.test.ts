// The account pages and the second factor: codes that are guessed and used again, forms of other sites, and programs
// that somebody else let in.
import assert from 'node:assert/strict';
import { newRecoveryCodes } from '../../src/auth/recovery-codes.ts';
import { totpCode } from '../auth/totp-code.ts';
import { assertMemory, assertProcessor, underAttack } from './attack.ts';
import { type Browser, openBrowser } from './browser.ts';
import { activities, password } from './prepared.ts';
import { type Answer, ask, tally, together } from './wire.ts';

const account = '/account';
const stepMs = 30_000;

underAttack('account', {}, (attack) => {
  attack(
    'six hundred codes of an app and recovery codes that are guessed, with the password, at two processes',
    async (target) => {
      const { secret } = await setUp(openBrowser(target, '127.0.5.1'), 'reader');
      const { port } = await target.beside();
      const answers = await together(20, async (index) => {
        const browser = openBrowser(target, `127.0.${20 + index}.1`);
        const asked = await givePassword(browser, 'reader');
        assert.match(asked.body.toString(), /name="code"/);
        const guesses: Answer[] = [];
        for (let guess = 0; guess < 30; guess += 1) {
          const code = guess % 3 === 2 ? (newRecoveryCodes()[0] ?? '') : String(index * 30 + guess).padStart(6, '0');
          const at = guess % 2 === 0 ? browser : browser.at(port);
          guesses.push(await at.post(`${account}/sign-in`, { ...hiddenIn(asked), code }));
        }
        return guesses;
      });
      const last = openBrowser(target, '127.0.7.1');
      const asked = await givePassword(last, 'reader');
      const code = totpCode(secret, Date.now() + stepMs);
      const right = await last.post(`${account}/sign-in`, { ...hiddenIn(asked), code });
      return { counts: tally(answers.flat()), right };
    },
    (measured, { counts, right }) => {
      assert.deepEqual(counts, { 400: 10, 429: 590 }, 'no more than ten are looked at');
      assert.equal(right.status, 429, 'who guesses on learns nothing from the right one');
      assertMemory(measured, 500);
      assertProcessor(measured, 20);
    },
  );

  attack(
    'a code of an app, and a recovery code, used forty times at one moment at two processes',
    async (target) => {
      const { secret } = await setUp(openBrowser(target, '127.0.5.2'), 'twins');
      // Of another user: wrong attempts of the first are many by then.
      const { codes } = await setUp(openBrowser(target, '127.0.5.7'), 'victim');
      const { port } = await target.beside();
      const use = async (login: string, code: string, network: number): Promise<Readonly<Record<string, number>>> => {
        // Four browsers, because ten attempts of a user are looked at.
        const asked = await together(4, async (index) => {
          const browser = openBrowser(target, `127.0.${network}.${index + 1}`);
          const page = await givePassword(browser, login);
          assert.match(page.body.toString(), /name="code"/);
          return { browser, hidden: hiddenIn(page) };
        });
        const answers = await together(40, async (index) => {
          const one = asked[index % asked.length];
          assert.ok(one !== undefined);
          const at = index % 2 === 0 ? one.browser : one.browser.at(port);
          return at.post(`${account}/sign-in`, { ...one.hidden, code });
        });
        return tally(answers);
      };
      return [await use('twins', totpCode(secret, Date.now() + stepMs), 8), await use('victim', codes[0] ?? '', 9)];
    },
    (measured, results) => {
      for (const counts of results) assert.equal(counts[303], 1, `one is in, and no more: ${JSON.stringify(counts)}`);
      assertProcessor(measured, 15);
    },
  );

  attack(
    'forms of other sites, of other sessions and of other purposes, at every page that changes something',
    async (target) => {
      const [own, foreign] = [openBrowser(target, '127.0.5.3'), openBrowser(target, '127.0.5.4')];
      await givePassword(own, 'twin');
      await givePassword(foreign, 'attacker');
      const csrfOf = async (browser: Browser, path: string): Promise<string> =>
        hiddenIn(await browser.get(account + path)).csrf ?? '';
      const fields = {
        ...{ client: target.database.clientIds.twin, change: 'remove', code: '000000' },
        ...{ current: password, password: 'another one that the attacker knows', again: 'another one' },
      };
      const sites: readonly Readonly<Record<string, string>>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ];
      const answers: Answer[] = [];
      for (const path of ['/withdraw', '/password', '/second-factor', '/sign-in']) {
        const shown = path === '/withdraw' || path === '/sign-in' ? '' : path;
        const csrf = await csrfOf(own, shown);
        for (const headers of sites) answers.push(await own.post(account + path, { ...fields, csrf }, headers));
        for (const other of ['', 'x', await csrfOf(foreign, shown), await csrfOf(own, '/second-factor')])
          if (other !== csrf && (path !== '/second-factor' || other.length < 2))
            answers.push(await own.post(account + path, { ...fields, csrf: other }));
        const { csrf: _none, ...rest } = { ...fields, csrf };
        answers.push(await own.post(account + path, rest));
      }
      const stillIn = (await own.get(account)).body.includes('<bdi>twin</bdi>');
      return { answers, stillIn, again: await givePassword(openBrowser(target, '127.0.5.5'), 'twin') };
    },
    (_measured, { answers, stillIn, again }) => {
      const counts = tally(answers);
      assert.deepEqual(Object.keys(counts), ['400', '403'], JSON.stringify(counts));
      assert.equal(counts[403], 16);
      assert.ok(stillIn, 'still signed in');
      assert.equal(again.status, 303, 'the password is the same');
    },
  );

  attack(
    'withdrawals of programs that somebody else let in, and of what is no program',
    async (target) => {
      const browser = openBrowser(target, '127.0.5.6');
      await givePassword(browser, 'attacker');
      const { clientIds, tokens } = target.database;
      const others = [clientIds.victim, clientIds.twin, clientIds.twins, '', '\0', "' or 1=1 --", 'x'.repeat(5000)];
      const answers: Answer[] = [];
      for (let round = 0; round < 20; round += 1)
        for (const client of others) {
          const { csrf = '' } = hiddenIn(await browser.get(account));
          answers.push(await browser.post(`${account}/withdraw`, { csrf, client }));
        }
      const reads = await together(2, (index) =>
        ask(target, { path: '/v1/articles?limit=1', token: index === 0 ? tokens.twin : tokens.victim }),
      );
      return { answers, reads, page: (await browser.get(account)).body.toString() };
    },
    (measured, { answers, reads, page }) => {
      assert.deepEqual(
        answers.filter(({ status }) => status >= 500),
        [],
      );
      assert.deepEqual(tally(reads), { 200: 2 }, 'the tokens of others go on working');
      assert.match(page, /<bdi>attacker<\/bdi>/);
      for (const code of Object.values(activities))
        if (code !== activities.attacker) assert.ok(!page.includes(`<code>${code}</code>`), code);
      assertProcessor(measured, 15);
    },
  );
});

/** Where the account asks for a password: signed in (303), or on the page that asks for a code. */
async function givePassword(browser: Browser, login: string): Promise<Answer> {
  const { csrf = '' } = hiddenIn(await browser.get(account));
  return browser.post(`${account}/sign-in`, { csrf, login, password });
}

/** Signs in and sets a second factor up. */
async function setUp(
  browser: Browser,
  login: string,
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  assert.equal((await givePassword(browser, login)).status, 303);
  const hidden = hiddenIn(await browser.get(`${account}/second-factor`));
  const { secret = '' } = hidden;
  const form = { ...hidden, password, code: totpCode(secret, Date.now()) };
  const done = await browser.post(`${account}/second-factor`, form);
  const codes = [...done.body.toString().matchAll(/<code>([0-9a-z-]{19})<\/code>/g)].map(([, code = '']) => code);
  assert.equal(codes.length, 10, `${done.status}`);
  return { secret, codes };
}

/** The hidden fields of the first form of a page that has one. */
function hiddenIn({ body }: Answer): Readonly<Record<string, string>> {
  const [form = ''] = /<form[\s\S]*?<\/form>/.exec(body.toString()) ?? [];
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}
