// The pages for operators in a real browser, with the demonstration: their sign-in, health, feeds with refused lines
// that are mended and replayed in place, outbox, reconciliation, audit, requests; who may, and what fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { App } from '../../src/app.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { addUser } from '../../src/auth/users.ts';
import { createDemoRunner } from '../../src/demo/runner.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { accountFlows } from './account-flows.ts';
import { administrationFlows } from './administration-flows.ts';
import { inBrowser, suiteBrowser } from './chromium.ts';
import { startFilledServer, until } from './demonstration.ts';
import { tabTo } from './keyboard.ts';
import { operatorStates } from './operator-states.ts';
import { outboxFlows } from './outbox-flows.ts';
import {
  giveCredentials,
  lookAt,
  open as openIn,
  openAs,
  type OperatorSuite,
  password,
  signIn,
  visit,
} from './operator-suite.ts';

const roles = ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations', 'administration'] as const;

describe('the pages for operators in Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();
  let app: App;
  let close: (() => Promise<void>) | undefined;
  let origin: string;
  let key: string;

  before(async () => {
    ({ app, close, origin } = await startFilledServer());
    await add('ops', roles);
    await add('auditor', ['audit']);
    await add('second', roles);
    key = (await addPlatformKey(app.store, { name: 'wms', activityCodes: null, roles: ['feed', 'outbox'] }, Date.now()))
      .text;
  });

  after(() => close?.());

  const add = (login: string, operatorRoles: readonly string[]) =>
    addUser(app.store, { login, password, activityCodes: [], operator: true, operatorRoles }, Date.now());
  const suite = (): OperatorSuite => ({ app, origin, browser: browser() });
  const open = (t: TestContext, options: Parameters<typeof openIn>[2]) => openIn(t, suite(), options);

  /** Sends what the warehouse system sends. */
  async function send(path: string, body: unknown): Promise<Response> {
    return fetch(`${origin}/platform${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Articles of which one has no description. @returns the id of the message */
  async function refusedMessage(reference: string): Promise<string> {
    const good = { articleReference: reference, shortArticleDescription: 'Lamp', longArticleDescription: 'A lamp' };
    const answer = await send('/feeds/articles?activity=ACM', [
      good,
      { articleReference: `${reference}-B`, shortArticleDescription: 7 },
    ]);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text).message.id;
  }

  it('phone, in French and dark: signs in to where it was, mends a refused line in place and replays it', async (t) => {
    const message = await refusedMessage('LAMP-FR');
    const { page, watched } = await open(t, {
      ...{ viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' },
    });
    await page.goto(`${origin}/#/operator/messages/${message}`);
    await page.getByRole('button', { name: 'Se connecter comme opérateur' }).waitFor();
    await lookAt(page, 'operator-sign-in-phone');
    await signIn(page, 'Se connecter comme opérateur', 'ops');
    await page.getByRole('heading', { name: `Message ${message}`, level: 1 }).waitFor();
    await page.getByRole('article').first().waitFor();
    await lookAt(page, 'operator-message-phone');

    await page.getByRole('button', { name: 'Corriger' }).first().click();
    const editor = page.getByLabel('L’enregistrement en JSON');
    await editor.fill('{ "articleReference": ');
    await page.getByText('Ceci n’est pas un objet JSON').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Enregistrer' }).isDisabled(), true);
    // Half done, and the page is loaded anew: what was typed is still there.
    await page.reload();
    await page.getByRole('button', { name: 'Corriger' }).first().click();
    assert.equal(await editor.inputValue(), '{ "articleReference": ');
    await editor.fill(
      JSON.stringify({
        ...{ articleReference: 'LAMP-FR-B', shortArticleDescription: 'Lampe', longArticleDescription: 'Une lampe' },
      }),
    );
    await lookAt(page, 'operator-edit-phone');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByText('Tel que corrigé').waitFor();
    await page.getByRole('button', { name: 'Rejouer', exact: true }).click();
    await page.getByText('Aucune ligne refusée n’attend.').waitFor();
    const [replay] = await app.store.feeds.messages({ activities: ['ACM'], limit: 1 });
    assert.deepEqual([replay?.channel, replay?.added, replay?.refused], ['replay', 1, 0]);

    for (const [name, heading] of [
      ['health', 'Santé'],
      ['feeds', 'Flux'],
      ['messages', 'Messages'],
      ['lines', 'Lignes refusées'],
      ['outbox', 'Boîte d’envoi'],
      ['accounts', 'Comptes transporteurs'],
      ['labels', 'Bureau d’expédition'],
      ['labels/day?context=acm&carrier=sandbox', 'Bureau d’expédition'],
      ['labels/points?context=acm&carrier=sandbox&destZip=75004&destCity=Paris', 'Bureau d’expédition'],
      ['labels/trial?context=acm&carrier=sandbox', 'Bureau d’expédition'],
      ['activities', 'Activités'],
      ['users', 'Utilisateurs'],
      ['clients', 'Clients'],
      ['keys', 'Clés'],
      ['reconciliation', 'Rapprochement'],
      ['audit', 'Audit'],
      ['requests', 'Requêtes'],
      ['demonstration', 'Démonstration'],
    ] as const)
      await visit(page, origin, name, heading, `operator-${name.split('?')[0]?.replace('/', '-')}-phone`);
    assert.deepEqual(watched.complaints, []);
    assert.deepEqual([...watched.origins], [origin], 'nobody else is asked');
  });

  it('desktop: shows every page, goes back and forward, and narrows down by the address', async (t) => {
    const message = await refusedMessage('LAMP-EN');
    await send('/outbox/ack', { position: 'ACM:0', consumer: 'wms' });
    const { page, watched } = await open(t, { viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    await page.goto(`${origin}/#/operator`);
    await signIn(page, 'Sign in as an operator', 'ops');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await page.getByText('Refused lines of ACM that wait').waitFor();
    await lookAt(page, 'operator-health-desktop', 1126);

    await page.getByRole('link', { name: /Refused lines of ACM that wait/ }).click();
    await page.getByRole('heading', { name: 'Refused lines', level: 1 }).waitFor();
    await page.getByRole('article').first().waitFor();
    await lookAt(page, 'operator-lines-desktop');
    await page.goBack();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await page.goForward();
    await page.getByRole('article').first().waitFor();

    // Dropped on purpose alone, and all of a message at once.
    await page.goto(`${origin}/#/operator/messages/${message}`);
    await page.getByRole('button', { name: 'Drop all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('article').first().waitFor();
    await page.getByRole('button', { name: 'Drop all' }).click();
    await lookAt(page, 'operator-drop-desktop');
    await page.getByRole('dialog').getByRole('button', { name: 'Drop all' }).click();
    await page.getByText('Lines dropped: 1.').waitFor();
    await page.getByText('No refused line waits.').waitFor();

    for (const [name, heading] of [
      ['feeds', 'Feeds'],
      ['messages', 'Messages'],
      ['outbox', 'Outbox'],
      ['accounts', 'Carrier accounts'],
      ['audit', 'Audit'],
      ['requests', 'Requests'],
    ] as const)
      await visit(page, origin, name, heading, `operator-${name}-desktop`);
    const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10);
    await page.goto(`${origin}/#/operator/reconciliation?activity=ACM&from=${days(-2)}&to=${days(0)}&all=true`);
    await page.locator('.list tbody tr').first().waitFor();
    await lookAt(page, 'operator-reconciliation-desktop');
    // An article is a page for clients' people: no link where it would ask for another sign-in.
    assert.equal(await page.locator('.list a').count(), 0);
    await page.evaluate(`localStorage.setItem('console-tokens', '{}')`);
    await page.reload();
    await page.locator('.list a[href^="#/articles/ACM/"]').first().waitFor();
    await page.evaluate(`localStorage.removeItem('console-tokens')`);

    // A client calls with the id of its request: what did you send us?
    const asked = await fetch(`${origin}/platform/feeds?nonsense=1`, { headers: { authorization: `Bearer ${key}` } });
    const requestId = asked.headers.get('x-request-id') ?? '';
    await page.goto(`${origin}/#/operator/requests`);
    await page.getByLabel('Request id').fill(requestId);
    await page.getByRole('button', { name: 'Search' }).click();
    // It is there some seconds after its answer.
    for (let tries = 0; tries < 600 && (await page.getByText('/platform/feeds?nonsense=1').count()) === 0; tries += 1) {
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.waitForTimeout(100);
    }
    await page.getByText('GET /platform/feeds?nonsense=1').waitFor();
    await page.locator('.list a', { hasText: /^wms$/ }).locator('[title]').waitFor();
    await page.getByRole('link', { name: 'unknown-parameter' }).waitFor();
    await lookAt(page, 'operator-request-desktop');

    // Who acted is read by name, where the role opens the list of users.
    await page.goto(`${origin}/#/operator/audit`);
    await page.locator('.list a', { hasText: /^ops$/ }).first().waitFor();
    await page.goto(`${origin}/#/operator/requests`);
    await page.locator('.list a', { hasText: /^ops$/ }).first().waitFor();

    // The language and the colours change where somebody is.
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Français' }).click();
    await page.getByRole('heading', { name: 'Requêtes', level: 1 }).waitFor();
    assert.deepEqual(watched.complaints, []);
  });

  it('can be gone without a mouse: a refused line is found, mended, left and dropped', async (t) => {
    await refusedMessage('LAMP-KEYS');
    const { page, watched } = await openAs(t, suite(), 'ops', 'health');
    const { keyboard } = page;
    const attention = page.getByRole('link', { name: /Refused lines of ACM that wait/ });
    await attention.waitFor();
    await tabTo(page, /^Refused lines of ACM that wait/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Refused lines', level: 1 }).waitFor();
    await page.getByRole('article').first().waitFor();

    // The editor has the focus at once; when it is left, the button has it that led there.
    await tabTo(page, 'Mend');
    await keyboard.press('Enter');
    await until(page, `document.activeElement.matches('textarea')`);
    await tabTo(page, 'Cancel', { limit: 3 });
    await keyboard.press('Enter');
    await until(page, `document.activeElement.textContent === 'Mend'`);

    // A question keeps the keyboard until it is answered, and gives it back.
    await tabTo(page, 'Drop', { limit: 2 });
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let presses = 0; presses < 4; presses += 1) {
      await keyboard.press('Tab');
      assert.equal(await page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`), true);
    }
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(page, `document.activeElement.textContent === 'Drop'`);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // What cannot be undone is a step away.
    await until(page, `document.activeElement.textContent === 'Cancel'`);
    await tabTo(page, 'Drop', { limit: 1 });
    const waiting = await page.getByRole('article').count();
    await keyboard.press('Enter');
    await page
      .getByRole('article')
      .nth(waiting - 1)
      .waitFor({ state: 'detached' });
    assert.deepEqual(watched.complaints, []);
  });

  it('disables and enables people, shows secrets once, and what a carrier says of a void', async (t) => {
    const { page, watched } = await openAs(t, suite(), 'ops', 'users');
    await page.getByRole('link', { name: 'auditor' }).click();
    await page.getByRole('heading', { name: 'auditor', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Signed in', level: 2 }).waitFor();
    await lookAt(page, 'operator-user-desktop');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();

    await page.goto(`${origin}/#/operator/keys`);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('WMS Lyon');
    await page.getByLabel('Every activity, also those to come').check();
    await page.getByRole('button', { name: 'Make a key' }).last().click();
    const made = (await page.locator('.once').textContent()) ?? '';
    assert.match(made, /^lck_/);
    await lookAt(page, 'operator-keys-desktop');
    await page.reload();
    await page.getByText('WMS Lyon').waitFor();
    assert.equal((await page.content()).includes(made), false, 'a key is shown once');

    await page.goto(`${origin}/#/operator/clients`);
    await page.getByRole('button', { name: 'Register a client' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Web shop');
    await page.getByLabel('Addresses that the browser').fill('https://shop.example/callback');
    await page.getByLabel('Can keep a secret').check();
    await page.getByRole('combobox', { name: 'Activities' }).click();
    await page.getByRole('option', { name: /^ACM/ }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Register a client' }).last().click();
    await page.locator('.once').waitFor();
    await lookAt(page, 'operator-clients-desktop');
    await page.getByRole('link', { name: 'Web shop' }).click();
    await page.getByRole('heading', { name: 'Web shop', level: 1 }).waitFor();
    await lookAt(page, 'operator-client-desktop');

    // The shipping desk: a label of the demonstration is found by its number; what its carrier says is shown.
    // The oldest, whose parcel was collected long ago, at whatever time of the day this runs.
    const labels = await app.store.labels.list({ activity: null, context: null, unknown: false, limit: 10_000 });
    const label = labels.findLast(({ state }) => state === 'made');
    assert.ok(label !== undefined, 'the demonstration has made labels');
    await page.goto(`${origin}/#/operator/labels`);
    await page.getByText('Choose a carrier account.').waitFor();
    await page.getByRole('combobox', { name: 'Carrier account' }).click();
    await page.getByRole('option', { name: `${label.activity}: ${label.context}` }).click();
    await page.getByLabel('Number of the shipment').fill(String(label.expeditionNumber));
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'Void it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Void it' }).click();
    await page.getByRole('alert').getByText('The sandbox has the parcel already').waitFor();
    await page.locator('dl.facts').getByText('refused by the carrier').waitFor();
    await lookAt(page, 'operator-desk-desktop');
    assert.equal((await app.store.labels.byId(label.id))?.state, 'made');
    assert.deepEqual(watched.complaints, []);
  });

  it('the shipping desk: tests an account, ends a day, finds points and tries a request', async (t) => {
    const { page, watched } = await openAs(t, suite(), 'ops', 'accounts');
    await page.getByRole('button', { name: 'Test: acm, sandbox' }).click();
    await page.getByText('The account acm, sandbox works.').waitFor();
    await lookAt(page, 'operator-account-test-desktop');

    // A day on which nothing was made, then one with labels; asked again there is nothing to do.
    const labels = await app.store.labels.list({ activity: 'ACM', context: 'acm', unknown: false, limit: 50 });
    const label = labels.find(({ state }) => state === 'made');
    assert.ok(label !== undefined, 'the demonstration has made labels');
    await page.goto(`${origin}/#/operator/labels/day?context=acm&carrier=sandbox&day=2020-01-01`);
    await page.getByText('No list was made for this day.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'End the day' }).isDisabled(), true);
    const inFrance = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris' }).format(label.createdAt);
    await page.getByLabel(/^Day/).fill(inFrance);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'End the day' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the day' }).click();
    await page.getByText('Every label of the day is on a list.').waitFor();
    const [made] = await app.store.audit.read({
      ...{ activityCodes: null, operationId: null, action: 'label.hand-over', actor: null, since: null, until: null },
      ...{ after: null, newestFirst: true, limit: 1 },
    });
    assert.equal(made?.actorKind, 'user', 'the audit trail names the person');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.list tbody tr').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'End the day' }).isDisabled(), true);
    await lookAt(page, 'operator-day-desktop');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the PDF' }).first().click();
    assert.match(readFileSync((await (await saving).path()) ?? '', 'latin1'), /^%PDF-/);

    await page.getByRole('link', { name: 'Pick-up points' }).click();
    await page.getByLabel('Postcode').fill('75004');
    await page.getByLabel('Town').fill('Paris');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('article').first().waitFor();
    await lookAt(page, 'operator-points-desktop');
    await page.getByLabel('Postcode').fill('00000');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('There is no pick-up point near this address.').waitFor();
    await page.getByLabel('Weight in grams').fill('heavy');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('expected grams of the heaviest parcel').first().waitFor();

    await page.getByRole('link', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('The carrier would take this request.').waitFor();
    const request = page.getByLabel('The label request as JSON');
    await request.fill((await request.inputValue()).replace('75004', 'x'));
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'destZip' }).waitFor();
    await lookAt(page, 'operator-trial-desktop');
    await request.fill('{');
    await page.getByText('This is no JSON object').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try it' }).isDisabled(), true);

    await page.goto(`${origin}/#/operator/labels/nothing`);
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    assert.deepEqual(watched.complaints, []);
  });

  it('the demonstration: sets its clock forward, lets something go wrong, and shows what came of it', async (t) => {
    const { page, watched } = await openAs(t, suite(), 'ops', 'health');
    await page.getByRole('link', { name: 'Demonstration' }).click();
    await page.getByRole('heading', { name: 'Demonstration', level: 1 }).waitFor();
    await page.getByText('Nothing was asked for yet.').waitFor();
    await page.getByRole('button', { name: '+1 hour' }).click();
    await page.getByText('Asked for: 1 hour.').waitFor();
    const own = page.getByLabel('Hours, 1 to 168');
    await own.fill('169');
    await page.reload();
    await own.waitFor();
    assert.equal(await own.inputValue(), '169');
    assert.equal(await page.getByRole('button', { name: 'Set forward' }).isDisabled(), true);
    // On a Saturday evening nothing is picked for the next thirty-six hours.
    await own.fill('71');
    await page.getByRole('button', { name: 'Set forward' }).click();
    await page.getByText('Asked for: 71 hours.').waitFor();
    await page.locator('.list').getByText('waiting').nth(1).waitFor();

    await page.getByRole('combobox', { name: 'Activity' }).click();
    await page.getByRole('option', { name: 'Maison Belloc' }).click();
    const fault = page.getByRole('article', { name: 'short-pick' });
    await fault.getByRole('button', { name: 'Let it happen: short-pick' }).click();
    await page.getByText('Asked for: short-pick of BEL.').waitFor();
    await fault.getByText('waits: BEL').waitFor();
    await lookAt(page, 'operator-demonstration-desktop', 1350);

    // What a server does that runs it.
    const running = { store: app.store, turns: createFeedTurns(), now: Date.now };
    await createDemoRunner(running).round();
    await page.locator('.list').getByText('done').nth(1).waitFor();
    await page.getByText('short-pick was asked for, of BEL').waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Français' }).click();
    await page.getByText('short-pick a été demandé pour BEL').waitFor();
    assert.deepEqual(await page.locator('main li [lang=en]').allTextContents(), []);
    await page.getByRole('button', { name: 'Votre compte' }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await fault.getByText('waits: BEL').waitFor({ state: 'detached' });
    await page.getByRole('article', { name: 'lost-movement' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Reconciliation', level: 1 }).waitFor();

    // The demonstration is made anew meanwhile: there is none for a moment.
    await page.route('**/platform/demonstration', (route) =>
      route.fulfill({ status: 404, contentType: 'application/problem+json', body: '{"status":404,"title":"None."}' }),
    );
    await page.reload();
    await page.goto(`${origin}/#/operator/demonstration`);
    await page.getByText('This server has no demonstration').waitFor();
    await lookAt(page, 'operator-no-demonstration');
    assert.deepEqual(watched.complaints, []);
  });

  it('opens what a role opened no more, once an action is refused for want of that role', async (t) => {
    const { id } = await add('mover', ['administration', 'audit']);
    const { page } = await openAs(t, suite(), 'mover', 'users', { locale: 'en-GB' });
    await page.getByRole('link', { name: 'second' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    const { text } = await addPlatformKey(
      app.store,
      { name: 'directory', activityCodes: null, roles: ['administration'] },
      Date.now(),
    );
    const changed = await fetch(`${origin}/platform/users/${id}/change`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ roles: ['audit'] }),
    });
    assert.equal(changed.status, 200, await changed.text());
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('heading', { name: 'This needs the role “administration”' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await menu.getByRole('link', { name: 'Audit' }).waitFor();
    assert.equal(await menu.getByRole('link', { name: 'Users', exact: true }).count(), 0);
  });

  it('says so where a page is forbidden, where somebody has no role, and where there is no such page', async (t) => {
    const { page } = await openAs(t, suite(), 'auditor', 'feeds', { locale: 'en-GB' });
    await page.getByRole('heading', { name: 'This needs the role “feed”' }).waitFor();
    await page.getByText('user change auditor --add-role feed').waitFor();
    await lookAt(page, 'operator-forbidden');
    // The menu has what the role opens, and nothing else for operators.
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await menu.getByRole('link', { name: 'Audit' }).waitFor();
    for (const name of ['Feeds', 'Users', 'Health', 'Shipping desk'])
      assert.equal(await menu.getByRole('link', { name, exact: true }).count(), 0, name);
    await page.reload();
    await menu.getByRole('link', { name: 'Audit' }).waitFor();
    await page.goto(`${origin}/#/operator`);
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    const somebodyElse = '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01';
    const entry = { id: '1', at: new Date().toISOString(), actorKind: 'user', actor: somebodyElse, subject: null };
    const change = { action: 'user.change', outcome: 'accepted', activityCodes: [], target: somebodyElse };
    const entries = [{ ...entry, ...change, operationId: null, address: null, details: null }];
    await page.route('**/platform/audit?*', (route) => route.fulfill({ json: { entries, after: null, more: false } }));
    const lookedUp: string[] = [];
    page.on('request', (request) => void (/\/platform\/users/.test(request.url()) && lookedUp.push(request.url())));
    await page.goto(`${origin}/#/operator/audit`);
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    await page.reload();
    // Whoever may not read the list of users reads ids, and asks for no names.
    await page.getByRole('link', { name: somebodyElse }).waitFor();
    assert.deepEqual(lookedUp, []);
    await page.goto(`${origin}/#/operator/nothing`);
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    await lookAt(page, 'operator-not-found');

    // What another role deals with is said, without a way to a page that would refuse it.
    await add('watcher', ['operations']);
    const watcher = await openAs(t, suite(), 'watcher', 'health', { locale: 'en-GB' });
    await watcher.page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await watcher.page.getByRole('cell', { name: 'ACM', exact: true }).waitFor();
    // Pages of problems are for everybody.
    const links = watcher.page.getByRole('cell').locator('a:not([href*="/problems/"])');
    assert.equal(await links.count(), 0);

    const somebody = { login: 'somebody', password, activityCodes: ['ACM'], operator: false };
    await addUser(app.store, somebody, Date.now());
    const other = await open(t, { locale: 'en-GB' });
    await other.page.goto(`${origin}/#/operator/feeds`);
    await other.page.getByRole('button', { name: 'Sign in as an operator' }).click();
    await giveCredentials(other.page, somebody.login, password);
    await other.page.getByText('You have no role of an operator.').waitFor();
    await lookAt(other.page, 'operator-no-role');
  });

  it('says so where something is slow or fails, and reads it again', async (t) => {
    const { page } = await open(t, { locale: 'en-GB' });
    const released = Promise.withResolvers<void>();
    await page.goto(`${origin}/#/operator/feeds`);
    await page.route('**/platform/feeds*', async (route) => {
      await released.promise;
      await route.abort();
    });
    await signIn(page, 'Sign in as an operator', 'ops');
    // Before it, the pages of operators are loaded themselves.
    await page.getByRole('heading', { name: 'Feeds', level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading …' }).waitFor();
    await lookAt(page, 'operator-loading');
    await page.getByText('This takes longer than usual').waitFor();
    released.resolve();
    await page.getByText('The service cannot be reached.').waitFor({ timeout: 90_000 });
    await lookAt(page, 'operator-failed');
    await page.unroute('**/platform/feeds*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.list tbody tr').first().waitFor();
  });

  administrationFlows(suite);
  accountFlows(suite);
  outboxFlows(suite);
  operatorStates(suite);

  it('keeps the sign-in of operators apart from that of clients’ people, and ends both', async (t) => {
    const { page } = await open(t, { locale: 'en-GB' });
    await page.goto(`${origin}/#/operator/health`);
    await signIn(page, 'Sign in as an operator', 'ops');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    assert.equal(await stored(page, 'console-tokens'), null);
    // The pages of clients' people still ask for a sign-in of their own.
    await page.goto(`${origin}/#/articles`);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.goto(`${origin}/#/operator/health`);
    await page.getByRole('button', { name: 'Sign in as an operator' }).waitFor();
    assert.equal(await stored(page, 'console-operator-tokens'), null);
  });
});

async function stored(page: Page, name: string): Promise<unknown> {
  return page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`);
}
