// The pages hold what they are given, in its place and nowhere else; they say the same in every language; nothing
// foreign may act on them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { consentTexts, roleTexts } from '../../../src/auth/pages/consent.ts';
import { errorTexts } from '../../../src/auth/pages/error.ts';
import {
  consentPage,
  errorPage,
  languageOf,
  pageHeaders,
  signedOutPage,
  signInPage,
  signOutPage,
} from '../../../src/auth/pages/index.ts';
import { returnedTexts } from '../../../src/auth/pages/returned.ts';
import { signInTexts } from '../../../src/auth/pages/sign-in.ts';
import { signOutTexts } from '../../../src/auth/pages/sign-out.ts';
import { platformRoles } from '../../../src/auth/platform-roles.ts';
import { readPage } from './read-page.ts';
import { joined } from '../../contract/joined.ts';
import { rounds } from '../../contract/rounds.ts';

const signIn = {
  language: 'en',
  action: '/connect/interaction/1/login',
  csrf: 'token',
  clientName: 'Web shop',
  login: '',
  fault: null,
  cancel: '/connect/interaction/1/abort',
} as const;
const consent = {
  language: 'en',
  action: '/connect/interaction/1/consent',
  csrf: 'token',
  clientName: 'Web shop',
  login: 'mia',
  activities: [{ code: 'AAA', name: 'Activity A' }],
  readOnly: false,
  account: '/account',
  signOut: '/connect/signout',
  redirectHost: 'shop.example',
} as const;

describe('texts', () => {
  const tables: Readonly<Record<string, Record<'en' | 'fr', Readonly<Record<string, string>>>>> = {
    signInTexts,
    consentTexts,
    roleTexts,
    signOutTexts,
    errorTexts,
    returnedTexts,
  };
  for (const [name, { en: english, fr: french }] of Object.entries(tables)) {
    it(`${name} has every key in both languages, none empty or the same, with the same places to fill`, () => {
      assert.deepEqual(Object.keys(french), Object.keys(english));
      for (const key of Object.keys(english)) {
        const [one = '', other = ''] = [english[key], french[key]];
        assert.deepEqual((other.match(/\{\w+\}/g) ?? []).sort(), (one.match(/\{\w+\}/g) ?? []).sort(), key);
        assert.ok(one.trim() !== '' && other.trim() !== '' && one !== other, key);
        // French sets a space that does not break before these signs.
        assert.doesNotMatch(other, /[^\u00a0][?!:;]( |$)/, key);
      }
    });
  }
});

describe('the language of a page', () => {
  const cases: readonly (readonly [header: string | undefined, language: string])[] = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'en'],
    ['de, fr;q=0.1', 'fr'],
    ['fr', 'fr'],
    ['FR-ca', 'fr'],
    ['fr-CH, fr;q=0.9, en;q=0.8', 'fr'],
    ['en-GB, fr;q=0.9', 'en'],
    ['fr;q=0', 'en'],
    ['fr;q=0.2, en;q=0.8', 'en'],
    [',,;;=', 'en'],
  ];
  for (const [header, language] of cases)
    it(`is ${language} for ${header ?? 'no header'}`, () => assert.equal(languageOf(header), language));

  it('is one of the two whatever is sent', () => {
    fc.assert(fc.property(fc.string(), (header) => assert.ok(['en', 'fr'].includes(languageOf(header)))));
  });
});

describe('what is put into a page', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "' autofocus onfocus=alert(1) x='",
      '</title><h1>',
      '<!--',
      '-->',
      ']]>',
      '&lt;',
      '&#0;',
      '&amp',
      '{client}',
      '{login}',
      '$&',
      '\u202e',
      '</style>',
      '\r\n',
      '\0',
      '`',
    ),
    fc
      .array(fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', '{', '}', '\n'), { maxLength: 20 })
      .map((list) => list.join('')),
  );
  /** What a reader of HTML makes of a text: it cannot hold U+0000 or half characters. */
  const carried = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');
  const language = fc.constantFrom('en', 'fr');

  it('cannot break out of the sign-in page', () => {
    const facts = fc.record({
      language,
      csrf: hostile,
      clientName: hostile,
      login: hostile,
      fault: fc.constantFrom('credentials', 'throttled', 'expired', null),
      path: hostile,
    });
    fc.assert(
      fc.property(facts, ({ path, ...rest }) => {
        const shape = readPage(
          signInPage({ ...signIn, language: rest.language, fault: rest.fault, login: rest.login === '' ? '' : 'x' }),
        ).shape;
        const page = readPage(signInPage({ ...rest, action: `/a${path}`, cancel: `/b${path}` }));
        assert.deepEqual(page.shape, shape);
        assert.equal(page.attribute('form', 'action'), carried(`/a${path}`));
        assert.equal(page.attribute('a', 'href'), carried(`/b${path}`));
        assert.equal(page.attribute('input name=csrf', 'value'), carried(rest.csrf));
        assert.equal(page.attribute('input name=login', 'value'), carried(rest.login));
        assert.equal(page.textOf('bdi'), carried(rest.clientName));
      }),
      { numRuns: rounds(300) },
    );
  });

  it('cannot break out of the consent page', () => {
    const facts = fc.record({
      language,
      csrf: hostile,
      clientName: hostile,
      login: hostile,
      readOnly: fc.boolean(),
      redirectHost: hostile,
      activities: fc.array(fc.record({ code: hostile, name: hostile }), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const tame = consentPage({
          ...consent,
          language: given.language,
          readOnly: given.readOnly,
          activities: given.activities.map(() => ({ code: 'A', name: 'B' })),
        });
        const page = readPage(consentPage({ ...given, action: '/x', account: '/account', signOut: '/x' }));
        assert.deepEqual(page.shape, readPage(tame).shape);
        assert.deepEqual(
          page.textsOf('bdi'),
          [given.clientName, given.login, ...given.activities.map(({ name }) => name), given.redirectHost].map(carried),
        );
        assert.deepEqual(
          page.textsOf('code'),
          given.activities.map(({ code }) => carried(code)),
        );
      }),
      { numRuns: rounds(300) },
    );
  });

  it('cannot break out of the other pages', () => {
    fc.assert(
      fc.property(language, hostile, hostile, hostile, (chosen, title, detail, text) => {
        const error = readPage(errorPage({ language: chosen, title, detail, reference: `r${text}` }));
        assert.deepEqual(
          error.shape,
          readPage(errorPage({ language: chosen, title: 'x', detail: 'x', reference: 'x' })).shape,
        );
        assert.equal(error.textOf('h1'), carried(title));
        assert.equal(error.textOf('code'), carried(`r${text}`));
        const signOut = readPage(
          signOutPage({
            language: chosen,
            action: '/x',
            csrf: text,
            login: detail,
            account: '/account',
            elsewhere: null,
          }),
        );
        assert.deepEqual(
          signOut.shape,
          readPage(
            signOutPage({
              language: chosen,
              action: '/x',
              csrf: 'x',
              login: 'x',
              account: '/account',
              elsewhere: null,
            }),
          ).shape,
        );
        assert.equal(signOut.textOf('bdi'), carried(detail));
      }),
      { numRuns: rounds(300) },
    );
  });

  it('is never an address that runs or leaves for another scheme', () => {
    for (const action of [
      'javascript:alert(1)',
      'JAVASCRIPT:x',
      ' /x',
      'data:text/html,x',
      '//evil.example/x',
      '/\\evil.example',
      'x',
      '',
      'ftp://x',
    ]) {
      assert.throws(() => signInPage({ ...signIn, action }), /cannot point/);
      assert.throws(() => consentPage({ ...consent, action }), /cannot point/);
      if (action !== '') assert.throws(() => signInPage({ ...signIn, cancel: action }), /cannot point/);
    }
  });
});

describe('the sign-in page', () => {
  it('ties each field to its label, and the fault to both fields', () => {
    for (const fault of ['credentials', 'throttled', 'expired'] as const) {
      const text = signInPage({ ...signIn, login: 'mia', fault });
      assert.match(text, /<div class="fault" id="fault" role="alert">/);
      assert.match(
        text,
        new RegExp(
          '<label for="login">Login</label>\\n<input id="login" name="login" type="text" value="mia" ' +
            'autocomplete="username"[^>]* required ' +
            `aria-describedby="fault"${fault === 'credentials' ? ' aria-invalid="true"' : ''}>`,
        ),
      );
      assert.match(
        text,
        joined(
          /<label for="password">Password<\/label>\n<input id="password" name="password" type="password" /,
          /autocomplete="current-password"[^>]* autofocus aria-describedby="fault"/,
        ),
      );
      assert.match(text, /<title>Error: Sign in/);
      assert.ok(text.includes(signInTexts.en[fault]));
    }
    assert.doesNotMatch(signInPage(signIn), /<\w[^>]* (?:role="alert"|aria-invalid|aria-describedby|placeholder)/);
  });

  it('never carries a password, and no link to give up where there is none', () => {
    assert.doesNotMatch(signInPage(signIn), /type="password"[^>]*value=/);
    assert.equal(readPage(signInPage({ ...signIn, cancel: '' })).attribute('a', 'href'), undefined);
  });

  it('is in the language that it says it is in', () => {
    assert.match(signInPage({ ...signIn, language: 'fr' }), /<html lang="fr">[\s\S]*Mot de passe/);
    assert.match(signInPage(signIn), /<html lang="en">[\s\S]*Password/);
  });
});

describe('the consent page', () => {
  it('promises no writes to a client that may only read, and names them to one that may write', () => {
    const reading = consentPage({ ...consent, readOnly: true });
    assert.ok(
      reading.includes(consentTexts.en.noWrites) &&
        !reading.includes(consentTexts.en.write) &&
        !reading.includes(consentTexts.en.ship),
    );
    const writing = consentPage(consent);
    assert.ok(
      !writing.includes(consentTexts.en.noWrites) &&
        writing.includes(consentTexts.en.write) &&
        writing.includes(consentTexts.en.ship),
    );
  });

  it('says what each role of an operator opens, in the language of the page, and lists unknown ones', () => {
    for (const language of ['en', 'fr'] as const) {
      const asked = consentPage({ ...consent, language, activities: [], roles: [...platformRoles, 'later'] });
      const page = readPage(asked);
      assert.deepEqual(page.textsOf('code'), [...platformRoles, 'later']);
      for (const role of platformRoles)
        assert.ok(asked.includes(`<span>${roleTexts[language][role]}</span><code>${role}</code>`), role);
    }
  });

  it('decides by two buttons, neither of which is the default of another field', () => {
    assert.match(consentPage(consent), /name="decision" value="allow">Allow<[\s\S]*name="decision" value="deny">Deny</);
  });

  it('says when the way back leads to this machine', () => {
    for (const redirectHost of ['127.0.0.1', '127.0.0.1:51234', '[::1]:1', 'localhost'])
      assert.match(consentPage({ ...consent, redirectHost }), /a program on this device/);
    for (const redirectHost of ['shop.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'com.example.app'])
      assert.doesNotMatch(consentPage({ ...consent, redirectHost }), /on this device/);
  });
});

describe('the headers of a page', () => {
  const policy = (...formTargets: readonly string[]): string =>
    pageHeaders({ formTargets })['content-security-policy'] ?? '';

  it('allow the style sheet of every page by its hash, and nothing else', () => {
    const pages = [
      signInPage(signIn),
      consentPage(consent),
      errorPage({ language: 'fr', title: 'x', detail: 'x', reference: '' }),
      signOutPage({ language: 'en', action: '/x', csrf: 'x', login: 'x', account: '/account', elsewhere: null }),
      signedOutPage({ language: 'en', still: null, start: '/' }),
    ];
    for (const page of pages) {
      const sheet = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? '';
      assert.ok(policy().includes(`style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'`));
      assert.doesNotMatch(page, /<script|<link|<img|<iframe| style=| on\w+=|url\(|@import|https?:/);
      assert.ok(Buffer.byteLength(page) < 10_000);
    }
    assert.match(
      policy(),
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
  });

  it('keep the page out of frames and caches, and let our own forms show where they come from', () => {
    const headers = pageHeaders({ formTargets: [] });
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'same-origin');
  });

  it('let a form lead to the client and on from there', () => {
    const formAction = (redirect: string): string => /form-action ([^;]*);/.exec(policy(redirect))?.[1] ?? '';
    assert.equal(formAction('https://shop.example/callback?x=1'), "'self' https://shop.example https:");
    assert.equal(formAction('https://shop.example:8443/callback'), "'self' https://shop.example:8443 https:");
    assert.equal(
      formAction('http://127.0.0.1:51234/callback'),
      "'self' http://127.0.0.1:51234 https: http://127.0.0.1:* http://localhost:*",
    );
    assert.equal(
      formAction('http://[::1]:51234/callback'),
      "'self' http: https: http://127.0.0.1:* http://localhost:*",
    );
    assert.equal(formAction('com.example.app:/callback'), "'self' com.example.app:");
  });

  it('let no address end the directive', () => {
    for (const redirect of ['nonsense', 'https://x y/', 'https://']) assert.throws(() => policy(redirect));
    for (const redirect of [
      'https://a;script-src/',
      'https://shop.example/;script-src *',
      'https://shop.example/, default-src *',
    ])
      assert.doesNotMatch(policy(redirect), /script-src|default-src \*|,/);
  });
});
