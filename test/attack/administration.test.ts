// Administration over HTTP on a service with many users, clients and keys: lists, passwords that are hashed, and where
// the service stands.
import assert from 'node:assert/strict';
import { assertMemory, assertNoHold, sustainedMs, underAttack } from './attack.ts';
import { openBrowser, signIn } from './browser.ts';
import { machineSlowness } from './machine-slowness.ts';
import { activities, type Database } from './prepared.ts';
import { addKeys, addRows } from './storage.ts';
import type { Target } from './target.ts';
import { type Answer, ask, tally, together } from './wire.ts';

const people = 20_000;
const programs = 10_000;
/** Four hundred of the clients have as many as are kept of each. */
const requests = 400_000;
let key = '';

/**
 * Twenty thousand users, as many clients and keys together, the last requests of many clients, and a key that may do
 * everything.
 */
async function crowd(database: Database): Promise<void> {
  [key = ''] = await addKeys(database, 1, ['administration', 'operations', 'audit', 'shipping']);
  const created = '1767225600000';
  await addRows(database, {
    ...{ table: 'user_account', count: people },
    columns: {
      ...{ id: "'u' || k", login: "'user' || k", password_hash: "'none'", operator: 'false', created_at: created },
      activity_codes: `'["${activities.attacker}","${activities.victim}"]'`,
    },
  });
  await addRows(database, {
    ...{ table: 'oauth_client', count: programs },
    columns: {
      ...{ id: "'client' || k", name: "'Client ' || k", redirect_uris: `'["https://shop.example/back"]'` },
      ...{ activity_codes: `'["${activities.attacker}"]'`, read_only: 'false', confidential: 'false' },
      created_at: created,
    },
  });
  await addRows(database, {
    ...{ table: 'platform_key', count: programs },
    columns: {
      ...{ id: "'key' || (100000000 + k)", name: "'Key ' || k", secret_hash: "'none'", created_at: created },
      activity_codes: `'["${activities.attacker}"]'`,
    },
  });
  await addRows(database, {
    ...{ table: 'request_log', count: requests },
    columns: {
      ...{ id: "'request' || (100000000 + k)", request_id: "'id' || k", at: `${created} + k`, method: "'GET'" },
      ...{ client_id: "'client' || (1 + k % 400)", target: "'/v1/articles?limit=100'", route: "'/v1/articles'" },
      ...{ status: 'case when k % 10 = 0 then 400 else 200 end', milliseconds: '3', bytes: '900', further: '0' },
      problem: "case when k % 10 = 0 then 'validation' end",
    },
  });
}

const lists: readonly string[] = [
  '/platform/users',
  `/platform/users?activity=${activities.attacker}`,
  '/platform/users?after=user5&limit=500',
  `/platform/users?activity=NON`,
  '/platform/clients?after=client5',
  '/platform/keys',
  '/platform/activities',
];

const standing: readonly string[] = [
  '/platform/health',
  '/platform/requests?limit=100',
  '/platform/requests?problems=true&client=client7',
  '/platform/requests?client=nobody',
  '/platform/requests?problems=true&client=nobody',
  '/platform/requests?requestId=id199',
  '/platform/shippings/accounts',
  '/platform/me',
];

underAttack(
  'administration',
  {},
  (attack) => {
    attack(
      `lists of ${people} users and as many clients and keys, asked for without a pause`,
      (target) => unceasing(target, lists),
      (measured, answers) => {
        assertGiven(answers);
        // A page of 500 costs a few milliseconds; to go through all of them costs fifty.
        const each = (1000 * measured.processorSeconds) / answers.length;
        assert.ok(each < 25 * machineSlowness, `${each.toFixed(1)} ms of the processor for each page`);
        assertNoHold(measured, 250);
        assertMemory(measured, 300);
      },
    );

    attack(
      'where the service stands, its last requests and accounts, asked for without a pause',
      async (target) => ({ answers: await unceasing(target, standing), leastMs: await leastMsOf(target, standing) }),
      (measured, { answers, leastMs }) => {
        assertGiven(answers);
        // To go through all requests that are kept costs a fifth of a second.
        const slow = Object.entries(leastMs).filter(([, ms]) => ms > 60 * machineSlowness);
        assert.deepEqual(slow, []);
        assertNoHold(measured, 250);
        assertMemory(measured, 300);
      },
    );

    attack(
      'two hundred users who are added at once, each with a password that has to be hashed, while others sign in',
      async (target) => {
        let meanwhile = 0;
        const added = together(200, async (index) => {
          const user = { login: `new-${index}`, activityCodes: [activities.attacker] };
          const answer = await post(target, '/platform/users', user);
          if (answer.status === 200) meanwhile += 1;
          return answer;
        });
        const signedIn = await together(4, (index) =>
          signIn(target, openBrowser(target, `127.0.6.${index + 1}`), 'attacker'),
        );
        return { meanwhile, added: await added, signedIn };
      },
      (measured, { meanwhile, added, signedIn }) => {
        assertGiven(added);
        // Whoever signs in waits for a few of the others' passwords, not for all of them.
        const given = tally(added)[200] ?? 0;
        assert.ok(given > 50 && meanwhile < given / 2, `${meanwhile} of ${given} users were added meanwhile`);
        assert.deepEqual(
          signedIn.map((one) => one !== null && one.code !== ''),
          [true, true, true, true],
        );
        assertMemory(measured, 300);
      },
    );

    attack(
      'bodies of administration as long as they may be, of the longest lists',
      async (target) => {
        const many = (one: string): readonly string[] => Array.from({ length: 1000 }, (_none, index) => one + index);
        const bodies: readonly (readonly [string, object])[] = [
          [
            '/platform/clients',
            { name: 'Shop', redirectUris: many('https://shop.example/back?to='), confidential: true },
          ],
          ['/platform/clients', { name: `a${'\u0301\u0323'.repeat(10_000)}`, redirectUris: [] }],
          ['/platform/users', { login: 'x'.repeat(50_000), activityCodes: many('A') }],
          ['/platform/users', { login: 'somebody', activityCodes: many(''), roles: many('king') }],
          ['/platform/keys', { name: 'k'.repeat(50_000), activityCodes: many('') }],
          ['/platform/activities', { code: 'X'.repeat(30_000), name: 'é'.repeat(10_000) }],
        ];
        return together(120, (index) => post(target, ...(bodies[index % bodies.length] ?? ['', {}])));
      },
      (measured, answers) => {
        for (const { status, headers, body } of answers) {
          assert.ok([200, 400].includes(status) || Number(headers['retry-after']) > 0, `${status} ${body}`);
          assert.ok(body.length < 200_000, `an answer has ${body.length} bytes`);
        }
        assertNoHold(measured, 250);
        assertMemory(measured, 300);
      },
    );
  },
  { prepare: crowd, ownServer: true },
);

/** Asks for the pages in turn, on eight connections, for as long as an attack lasts. */
async function unceasing(target: Target, paths: readonly string[]): Promise<readonly Answer[]> {
  const over = performance.now() + sustainedMs;
  const answers: Answer[] = [];
  await together(8, async (lane) => {
    for (let count = lane; answers.length < paths.length || performance.now() < over; count += 1)
      answers.push(await ask(target, { path: paths[count % paths.length] ?? '', token: key }));
  });
  return answers;
}

/** Of some answers to each path, asked for one after another, the milliseconds of the soonest. */
async function leastMsOf(target: Target, paths: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const least: Record<string, number> = {};
  for (const path of [...paths, ...paths, ...paths]) {
    const began = performance.now();
    const { status } = await ask(target, { path, token: key });
    if (status === 200) least[path] = Math.min(least[path] ?? Infinity, performance.now() - began);
  }
  assert.deepEqual(Object.keys(least), paths);
  return least;
}

function post(target: Target, path: string, body: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return ask(target, { method: 'POST', path, token: key, headers, body: JSON.stringify(body) });
}

/** Done, or told to come again; and some were done. */
function assertGiven(answers: readonly Answer[]): void {
  const wrong = answers.filter(({ status, headers }) => status !== 200 && headers['retry-after'] === undefined);
  assert.deepEqual(tally(wrong), {}, String(wrong[0]?.body));
  assert.ok((tally(answers)[200] ?? 0) > 0, 'nothing was answered');
}
