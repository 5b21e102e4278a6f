// Identity providers of companies that answer with too much, too slowly, or with what is not theirs: only who signs in
// there notices.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { assertMemory, assertNoHold, underAttack } from './attack.ts';
import { beginSignIn, openBrowser, signIn } from './browser.ts';
import { type HostileProvider, type Misbehaviour, openHostileProvider } from './hostile-provider.ts';
import { addresses } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, tally, together } from './wire.ts';

/** Sign-ins at each provider. */
const times = 8;
let provider: HostileProvider | undefined;

after(() => provider?.end());

underAttack(
  'identity providers',
  {},
  (attack) => {
    attack(
      'metadata, keys and tokens of 100 MB',
      (target) => signInsAt(target, ['metadata-pour', 'keys-pour', 'token-pour']),
      (measured, answers) => {
        assert.deepEqual(tally(answers), { 503: answers.length });
        assertNoHold(measured, 500);
        assertMemory(measured, 300);
      },
    );

    attack(
      'metadata and tokens that come byte by byte, and keys that never come, while others sign in here',
      async (target) => {
        const waiting = signInsAt(target, ['metadata-drip', 'keys-hang', 'token-drip']);
        const signedIn = await together(4, (index) =>
          signIn(target, openBrowser(target, `127.0.6.${index + 1}`), 'attacker'),
        );
        return { answers: await waiting, signedIn };
      },
      (measured, { answers, signedIn }) => {
        assert.deepEqual(tally(answers), { 503: answers.length });
        assert.deepEqual(
          signedIn.map((one) => one !== null && one.code !== ''),
          [true, true, true, true],
        );
        assertNoHold(measured, 500);
        assertMemory(measured, 200);
      },
      60_000,
    );

    attack(
      'redirections, tokens that are signed with other keys, and ten thousand groups',
      async (target) => {
        const kinds = ['metadata-elsewhere', 'token-elsewhere', 'other-keys', 'many-groups'] as const;
        const statuses: Record<string, Readonly<Record<string, number>>> = {};
        for (const kind of kinds) statuses[kind] = tally(await signInsAt(target, [kind]));
        return { statuses, followed: provider?.followed() };
      },
      (measured, { statuses, followed }) => {
        assert.deepEqual(statuses, {
          'metadata-elsewhere': { 503: times },
          'token-elsewhere': { 400: times },
          'other-keys': { 400: times },
          // On to the program's consent.
          'many-groups': { 303: times },
        });
        assert.equal(followed, 0, 'nobody goes where a provider sends them');
        assertNoHold(measured, 500);
        assertMemory(measured, 200);
      },
    );
  },
  {
    moreSettings: async () => {
      provider ??= await openHostileProvider();
      return { IDENTITY_PROVIDERS: provider.setting };
    },
  },
);

/** Some sign-ins at each, all at once, each of a browser of its own; what the browser is told at last. */
function signInsAt(target: Target, kinds: readonly Misbehaviour[]): Promise<readonly Answer[]> {
  return together(kinds.length * times, (index) =>
    signInAt(target, index, kinds[index % kinds.length] ?? 'other-keys'),
  );
}

async function signInAt(target: Target, index: number, kind: Misbehaviour): Promise<Answer> {
  const browser = openBrowser(target, `127.0.${10 + index}.1`);
  const page = await beginSignIn(target, browser);
  assert.ok(page !== null, 'no sign-in was begun');
  const led = await browser.get(`${page.address}/with/${kind}`);
  const there = new URL(led.headers.location ?? addresses.AUTH_URL);
  if (led.status !== 303) return led;
  const query = new URLSearchParams({
    code: there.searchParams.get('nonce') ?? '',
    state: there.searchParams.get('state') ?? '',
  });
  const back = await browser.get(`/connect/federation/${kind}?${query}`);
  return back.status === 303 ? browser.get(back.headers.location ?? '') : back;
}
