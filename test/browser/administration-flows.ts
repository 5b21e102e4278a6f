// Administration by the pages for operators: companies, people, clients and keys, by hand and as CSV files, each with
// what goes wrong on the way. Tests of the suite of `operator.test.ts`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { addClient, clientSecretHash, findActiveClient, removeClient } from '../../src/auth/clients.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { totpCode } from '../auth/totp-code.ts';
import { removeUser } from '../../src/auth/user-changes.ts';
import { addUser } from '../../src/auth/users.ts';
import { confirm, decline, desk, giveCredentials, lookAt, open, openAs, password, phone } from './operator-suite.ts';
import type { OperatorSuite } from './operator-suite.ts';

export function administrationFlows(suite: () => OperatorSuite): void {
  it('twenty companies with five users and a client each, as CSV files', async (t) => {
    await companies(t, suite());
  });

  it('a client: another secret, disabled, enabled, removed; and removed by another operator meanwhile', async (t) => {
    await clientFlow(t, suite());
  });

  it('a key is revoked, and opens nothing from then on', async (t) => {
    await keyFlow(t, suite());
  });

  it('phone, in French: somebody is invited, chooses a password, loses a second factor, is removed', async (t) => {
    await personFlow(t, suite());
  });

  it('what was begun is still there after a reload, and after a sign-in that ended meanwhile', async (t) => {
    await draftFlow(t, suite());
  });
}

const codes = Array.from({ length: 20 }, (_, index) => `Z${String(index).padStart(2, '0')}`);
const logins = codes.flatMap((code) => [1, 2, 3, 4, 5].map((number) => `user${number}@${code.toLowerCase()}.example`));

async function companies(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const { page, watched } = await openAs(t, suite, 'ops', 'activities');
  await page.getByLabel('Code').fill('ACM');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Another name');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('alert').waitFor();

  // What is wrong with the file, or with a line of it, is said before anything is done.
  await page.getByRole('button', { name: 'Import CSV' }).click();
  await choose(page, 'name\nAcme\n');
  await page.getByText('Something is missing: line 1: code.').waitFor();
  const rows = codes.map((code) => `${code};Company ${code}`);
  await choose(page, `code;name\n${rows.join('\n')}\nTOOLONG;Nobody\n`);
  await page.getByText('1 line is wrong and will be left out').waitFor();
  const before = (await app.store.activities.list()).length;
  await lookAt(page, 'operator-activities-plan-desktop');
  // One answer gets lost on the way back: the line says so, the others go on, and once more there is nothing to do.
  await page.route('**/platform/activities', async (route) => {
    if (route.request().postDataJSON()?.code !== 'Z03') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Do it: 20' }).click();
  await page.getByText('Done: 19. With a fault: 1.').waitFor({ timeout: 240_000 });
  await page.getByText('Whether it was done is not known').waitFor();
  await page.unroute('**/platform/activities');
  assert.equal((await app.store.activities.list()).length, before + 20);
  await page.getByRole('button', { name: 'Once more: 1' }).click();
  await page.getByText('Done: 19. With a fault: 0.').waitFor();
  await page.getByRole('row', { name: /Z03/ }).getByText('unchanged').first().waitFor();

  await page.goto(`${origin}/#/operator/users`);
  await page.getByRole('button', { name: 'Import CSV' }).click();
  await choose(page, 'login;colour\nmia;red\n');
  await page.getByText('There is no column “colour”.').waitFor();
  const people = logins.map((login, index) => `${login};${codes[Math.floor(index / 5)]}`);
  await choose(page, `login;activities\n${people.join('\n')}\nwrong@z00.example;QQQ\n`);
  await page.getByText('wrong: there is no activity “QQQ”').waitFor();
  await page.getByRole('button', { name: 'Do it: 100' }).click();
  await page.getByText('Done: 100. With a fault: 0.').waitFor({ timeout: 480_000 });
  await lookAt(page, 'operator-import-desktop');
  const users = (await app.store.users.list()).filter(({ login }) => logins.includes(login));
  assert.equal(users.length, 100);
  for (const { login, activityCodes } of users)
    assert.deepEqual(activityCodes, [codes[Math.floor(logins.indexOf(login) / 5)]]);
  // They are nowhere else: whoever would lose them is asked first.
  const asked = page.waitForEvent('dialog');
  await page.evaluate('setTimeout(() => location.reload())');
  const dialog = await asked;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  const signingOut = page.waitForEvent('dialog');
  await page.getByRole('button', { name: 'Your account' }).click();
  const pressed = page.getByRole('menuitem', { name: 'Sign out' }).click();
  const question = await signingOut;
  assert.match(question.message(), /^100 secrets or links are not saved to a file yet and will be lost\./);
  await question.dismiss();
  await pressed;
  // The links are there on other pages too, until they are saved; then they can be forgotten.
  await page.goto(`${origin}/#/operator/keys`);
  const links = await saved(page, 'Save the links: 100');
  assert.equal(links.length, 101);
  assert.match(links[1]?.split(',')[1] ?? '', /^http/);
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('button', { name: 'Save the links: 100' }).waitFor({ state: 'detached' });

  await page.goto(`${origin}/#/operator/clients`);
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const clients = codes.map((code) => `Shop ${code};https://${code.toLowerCase()}.example/in;${code};yes`);
  const file = `name;redirect_addresses;activities;confidential\n${clients.join('\n')}\n`;
  await choose(page, file);
  await page.getByRole('button', { name: 'Do it: 20' }).click();
  await page.getByText('Done: 20. With a fault: 0.').waitFor({ timeout: 240_000 });
  const secrets = await saved(page, 'Save the secrets: 20');
  const [id = '', name, secret = ''] = secrets[1]?.split(',') ?? [];
  assert.equal(name, 'Shop Z00');
  const active = await findActiveClient(app.store, id, Date.now());
  assert.deepEqual(active?.secretHashes, [clientSecretHash(secret)]);
  await choose(page, file);
  await page.getByRole('button', { name: 'Do it: 0' }).waitFor();
  await exportedAgain(page, origin);
  await findAndPage(page, origin);
  assert.deepEqual(watched.complaints.filter(isNotMeant), []);
}

/** What is written is read again, and changes nothing; a list of keys has none, and those that it makes come once. */
async function exportedAgain(page: Page, origin: string): Promise<void> {
  for (const list of ['activities', 'users', 'clients', 'keys']) {
    await page.goto(`${origin}/#/operator/${list}`);
    const written = (await saved(page, 'Export CSV')).join('\r\n');
    if ((await page.locator('input[type=file]').count()) === 0)
      await page.getByRole('button', { name: 'Import CSV' }).click();
    await choose(page, written);
    await page.getByRole('button', { name: 'Do it: 0' }).waitFor();
    await page.getByRole('button', { name: 'Import CSV' }).click();
  }
  await page.goto(`${origin}/#/operator/keys`);
  const keys = await saved(page, 'Export CSV');
  assert.match(keys[0] ?? '', /id,name,activities,roles/);
  assert.ok(keys.some((line) => line.includes(',wms,*,')));
  assert.doesNotMatch(keys.join(), /lck_/);

  await page.getByRole('button', { name: 'Import CSV' }).click();
  await choose(page, `name;activities;roles\nWMS Z00;Z00;feed outbox\nToo wide;Z00;administration\nwms;Z01;feed\n`);
  await page.getByText('wrong: a key cannot be changed, only revoked').waitFor();
  await page.getByRole('button', { name: 'Do it: 2' }).click();
  // What the service refuses of one line stands in it; the other is done.
  await page.getByText('Done: 1. With a fault: 1.').waitFor();
  await page
    .getByRole('row', { name: /Too wide/ })
    .locator('[lang=en]')
    .waitFor();
  await lookAt(page, 'operator-keys-import-desktop');
  const [, made = ''] = await saved(page, 'Save the secrets: 1');
  const text = made.split(',')[2] ?? '';
  const answer = await fetch(`${origin}/platform/me`, { headers: { authorization: `Bearer ${text.trim()}` } });
  assert.equal(answer.status, 200, 'the key that the file gives opens what its line says');
  assert.deepEqual(Object(await answer.json()).activityCodes, ['Z00']);
  await page.getByRole('button', { name: 'Forget' }).click();
}

/** Lists are searched, and read page by page. */
async function findAndPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/#/operator/users`);
  await page.getByText('100 records, more below').waitFor();
  await lookAt(page, 'operator-users-many-desktop');
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText(/^1\d\d records$/).waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('user3@Z17');
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'user3@z17.example' }).click();
  await page.getByRole('heading', { name: 'user3@z17.example', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('nobody at all');
  await page.getByText('No user fits.').waitFor();
  for (const [list, searched, found] of [
    ['activities', 'company z1', '10 records'],
    ['clients', 'shop z05', '1 record'],
  ] as const) {
    await page.goto(`${origin}/#/operator/${list}?search=${searched}`);
    await page.getByText(found, { exact: true }).waitFor();
    await lookAt(page, `operator-${list}-found-desktop`);
  }
  await page.goto(`${origin}/#/operator/clients`);
  await page.getByRole('link', { name: 'Shop Z19' }).waitFor();
  await lookAt(page, 'operator-clients-many-desktop');
}

async function clientFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const wanted = { name: 'Rotated', redirectUris: ['https://shop.example/in'], activityCodes: ['ACM'] };
  const { client } = await addClient(app.store, { ...wanted, readOnly: false, confidential: true }, Date.now());
  const gone = await addClient(app.store, { ...wanted, name: 'Gone', readOnly: false, confidential: true }, Date.now());
  const { page, watched } = await openAs(t, suite, 'ops', `clients/${client.id}`);
  const hashes = async () => (await findActiveClient(app.store, client.id, Date.now()))?.secretHashes ?? [];
  const [first] = await hashes();
  await decline(page, 'Another secret');
  assert.deepEqual(await hashes(), [first], 'nothing is done unless it is confirmed');
  // A held key presses one button; what removes is not the one that has the keyboard first.
  const dialog = page.getByRole('dialog');
  for (const [name, focused] of [
    ['Another secret', 'Another secret'],
    ['Remove', 'Cancel'],
  ] as const) {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().focus();
    await page.keyboard.down('Enter');
    await dialog.locator(`button:focus:has-text("${focused}")`).waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  assert.deepEqual(await hashes(), [first]);
  // A held Tab goes on past every button.
  await page.getByRole('main').getByRole('button', { name: 'Another secret', exact: true }).focus();
  for (let held = 0; held < 3; held += 1) await page.keyboard.down('Tab');
  await page.keyboard.up('Tab');
  await page.locator('button:focus:has-text("Remove")').waitFor();
  const rotations: string[] = [];
  page.on('request', (request) => request.url().endsWith('/rotate-secret') && rotations.push(request.url()));
  await page.getByRole('main').getByRole('button', { name: 'Another secret', exact: true }).click();
  await dialog.getByRole('button', { name: 'Another secret', exact: true }).dblclick();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.once').waitFor();
  assert.equal(rotations.length, 1, 'a confirmation counts once');
  const secret = (await page.locator('.once').textContent()) ?? '';
  assert.deepEqual(await hashes(), [clientSecretHash(secret), first], 'the old one is good beside it');
  await lookAt(page, 'operator-client-secret-desktop');
  // While an earlier one is good it is not changed so again, and can be with an end to both.
  await confirm(page, 'Another secret');
  await page.getByRole('alert').getByText('the earlier one stays good until').waitFor();
  await confirm(page, 'Another secret, end the old ones at once');
  await page.locator('.once').filter({ hasNotText: secret }).waitFor();
  const last = (await page.locator('.once').textContent()) ?? '';
  assert.deepEqual(await hashes(), [clientSecretHash(last)]);
  await page.reload();
  await page.getByRole('heading', { name: 'Rotated', level: 1 }).waitFor();
  assert.equal(await page.locator('.once').count(), 0, 'a secret is shown once');

  // A change that was begun is kept until it is saved; then the page says so.
  const named = page.getByRole('textbox', { name: 'Name' });
  await named.fill('Rotated twice');
  await page.reload();
  await page.getByRole('heading', { name: 'Rotated', level: 1 }).waitFor();
  assert.equal(await named.inputValue(), 'Rotated twice');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('heading', { name: 'Rotated twice', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Rotated twice', level: 1 }).waitFor();
  assert.equal(await named.inputValue(), 'Rotated twice');

  // What the service refuses is said, and nothing has changed.
  await page.route('**/disable', (route) =>
    route.fulfill({
      ...{ status: 409, contentType: 'application/problem+json', headers: { 'x-request-id': 'req-409' } },
      body: JSON.stringify({ title: 'Conflict', status: 409, detail: 'Somebody else changes it just now.' }),
    }),
  );
  await confirm(page, 'Disable');
  await page.getByRole('alert').getByText('Somebody else changes it just now. (req-409)').waitFor();
  await page.unroute('**/disable');
  await confirm(page, 'Disable');
  await page.getByText('disabled', { exact: true }).waitFor();
  assert.equal(await findActiveClient(app.store, client.id, Date.now()), null);
  // What was read before stays where it cannot be read again, with a word about it.
  const own = (url: URL): boolean => url.pathname === `/platform/clients/${client.id}`;
  const failing = { status: 500, contentType: 'text/plain', headers: { 'retry-after': '0' }, body: 'away' };
  await page.route(own, (route) => route.fulfill(failing));
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('This was read before and could not be read again').waitFor();
  await page.unroute(own);
  await page.reload();
  await page.getByText('active', { exact: true }).waitFor();
  await decline(page, 'Remove');
  await confirm(page, 'Remove');
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  assert.equal(await app.store.clients.byId(client.id), null);

  await page.goto(`${origin}/#/operator/clients/${gone.client.id}`);
  await page.getByRole('heading', { name: 'Gone', level: 1 }).waitFor();
  await removeClient(app.store, gone.client.id);
  await confirm(page, 'Another secret');
  await page.getByText('This is not there, or not any more.').waitFor();
  await lookAt(page, 'operator-gone-desktop');
  assert.deepEqual(watched.complaints.filter(isNotMeant), []);
}

async function keyFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const wanted = { activityCodes: null, roles: ['outbox' as const] };
  const { text } = await addPlatformKey(app.store, { name: 'Soon gone', ...wanted }, Date.now());
  const status = async (): Promise<number> =>
    (await fetch(`${origin}/platform/me`, { headers: { authorization: `Bearer ${text}` } })).status;
  assert.equal(await status(), 200);
  const { page, watched } = await openAs(t, suite, 'ops', 'keys?search=soon');
  const row = page.getByRole('row', { name: /Soon gone/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByText('Soon gone opens nothing any more').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await status(), 200);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
  await row.getByText(/^revoked /).waitFor();
  assert.equal(await status(), 401);
  assert.deepEqual(watched.complaints, []);
}

async function personFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const { page, watched } = await openAs(t, suite, 'ops', 'users', phone);
  await page.getByRole('button', { name: 'Ajouter un utilisateur' }).click();
  await page.getByRole('textbox', { name: 'Identifiant' }).fill('zoe@acme.example');
  await page.getByRole('combobox', { name: 'Activités' }).click();
  await page.getByRole('option', { name: /^ACM/ }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Ajouter et inviter' }).click();
  const link = (await page.locator('.once').textContent()) ?? '';
  await lookAt(page, 'operator-invited-phone');
  // The same once more is refused.
  await page.getByRole('textbox', { name: 'Identifiant' }).fill('zoe@acme.example');
  await page.getByRole('button', { name: 'Ajouter et inviter' }).click();
  await page.getByRole('alert').waitFor();

  const { page: hers } = await open(t, suite, desk);
  await hers.goto(link);
  await hers.getByLabel('New password', { exact: true }).fill('short');
  await hers.getByLabel('New password once more').fill('short');
  await hers.getByRole('button', { name: 'Use this password' }).click();
  await hers.getByRole('alert').getByText('at least 15 characters').waitFor();
  await hers.getByLabel('New password', { exact: true }).fill(password);
  await hers.getByLabel('New password once more').fill(password);
  await hers.getByRole('button', { name: 'Use this password' }).click();
  await hers.getByRole('heading', { name: 'Your password is set' }).waitFor();
  await hers.goto(link);
  await hers.getByRole('heading', { name: 'This link is good no more' }).waitFor();
  await hers.getByRole('link', { name: 'Sign in' }).click();
  await giveCredentials(hers, 'zoe@acme.example', password);
  await hers.getByRole('heading', { name: 'Your account' }).waitFor();

  // Her browser is signed out by the operator, and says so at its next request.
  const account = hers.url();
  await page.goto(`${origin}/#/operator/users?search=zoe`);
  await page.getByRole('link', { name: 'zoe@acme.example' }).click();
  await page.getByRole('heading', { name: 'zoe@acme.example', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Terminer' }).click();
  await page.getByText('Connecté nulle part.').waitFor();
  await hers.goto(account);
  await hers.getByLabel('Password').waitFor();

  // She sets up a second factor, and loses her telephone.
  await giveCredentials(hers, 'zoe@acme.example', password);
  await hers.getByRole('link', { name: 'Set up a second factor' }).click();
  const secret = ((await hers.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
  await hers.getByLabel('Password').fill(password);
  await hers.getByLabel('Code that the app shows now').fill(totpCode(secret, Date.now()));
  await hers.getByRole('button', { name: 'Confirm' }).click();
  await hers.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor();
  await page.reload();
  await decline(page, 'Retirer le second facteur', 'Annuler');
  await confirm(page, 'Retirer le second facteur');
  await page.getByRole('button', { name: 'Retirer le second facteur' }).waitFor({ state: 'detached' });
  await lookAt(page, 'operator-user-phone');
  const { page: another } = await open(t, suite, desk);
  await another.goto(account);
  await giveCredentials(another, 'zoe@acme.example', password);
  await another.getByRole('heading', { name: 'Your account' }).waitFor();

  await confirm(page, 'Supprimer');
  await page.getByRole('heading', { name: 'Utilisateurs', level: 1 }).waitFor();
  assert.equal(await app.store.users.byLogin('zoe@acme.example'), null);
  await another.goto(account);
  await another.getByLabel('Password').waitFor();

  // One whom another operator has removed meanwhile.
  const leo = { login: 'leo@acme.example', password, activityCodes: ['ACM'], operator: false };
  const { id } = await addUser(app.store, leo, Date.now());
  await page.goto(`${origin}/#/operator/users/${id}`);
  await page.getByRole('heading', { name: leo.login, level: 1 }).waitFor();
  await removeUser(app.store, leo.login);
  await confirm(page, 'Supprimer');
  await page.getByText('Ceci n’est pas là, ou n’y est plus.').waitFor();
  assert.deepEqual(watched.complaints, []);
}

async function draftFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const { page } = await openAs(t, suite, 'second', 'users');
  await page.getByRole('button', { name: 'Add a user' }).click();
  await page.getByRole('textbox', { name: 'Login' }).fill('begun@acme.example');
  await page.getByLabel('Operator of the service').check();
  await page.reload();
  const login = page.getByRole('textbox', { name: 'Login' });
  await login.waitFor();
  assert.equal(await login.inputValue(), 'begun@acme.example');
  assert.equal(await page.getByLabel('Operator of the service').isChecked(), true);

  // Another operator ends all that this one is signed in to, in the middle of it.
  const second = await app.store.users.byLogin('second');
  const { page: other } = await openAs(t, suite, 'ops', `users/${second?.id}`);
  await decline(other, 'Sign out everywhere');
  await confirm(other, 'Sign out everywhere');
  await other.getByText('Signed in nowhere.').waitFor();
  await page.getByRole('button', { name: 'Add and invite' }).click();
  await page.getByRole('button', { name: 'Sign in as an operator' }).click();
  await giveCredentials(page, 'second', password);
  await page.locator('button[value=allow]').click();
  await login.waitFor();
  assert.equal(await login.inputValue(), 'begun@acme.example');
  assert.equal(await app.store.users.byLogin('begun@acme.example'), null);
  await page.goto(`${origin}/#/operator/users`);
  await page.getByRole('button', { name: 'Add and invite' }).click();
  await page.locator('.once').waitFor();
  assert.equal(await login.inputValue(), '');
  await searchesKept(other, origin);

  // Whoever signs out leaves nothing at the tab.
  await login.fill('left@acme.example');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in as an operator' }).waitFor();
  assert.doesNotMatch(String(await page.evaluate('JSON.stringify(sessionStorage)')), /left@acme/);
}

/** What was typed into a search and not sent is there after a reload; once it was sent, it is no more. */
async function searchesKept(page: Page, origin: string): Promise<void> {
  const searches = [
    ['requests', 'Client, key or user', 'acme-shop', 'Search'],
    ['audit', 'Action', 'users.add', 'Search'],
    ['reconciliation', 'From', '2026-01-31', 'Compare'],
  ] as const;
  for (const [place, label, typed, send] of searches) {
    await page.goto(`${origin}/#/operator/${place}`);
    const field = page.getByLabel(label, { exact: true });
    const begun = await field.inputValue();
    await field.fill(typed);
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), typed, place);
    await page.getByRole('button', { name: send, exact: true }).click();
    await page.waitForURL(new RegExp(typed));
    await page.goto(`${origin}/#/operator/${place}`);
    await page.waitForURL((url) => !url.hash.includes(typed));
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), begun, place);
  }
}

/** Of what the browser complains about: what the test did not bring about itself. */
function isNotMeant(complaint: string): boolean {
  return !/^Failed to load resource: (net::ERR_FAILED|the server responded with a status of 500)/.test(complaint);
}

/** Gives the page a CSV file. */
async function choose(page: Page, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
}

/** Lines of the file that a button gives. */
async function saved(page: Page, button: string): Promise<readonly string[]> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  return readFileSync((await (await downloading).path()) ?? '', 'utf8')
    .trimEnd()
    .split('\r\n');
}
