// Carrier accounts by the pages for operators: added with what goes wrong on the way, tested, changed, used for a
// label, and removed. Tests of the suite of `operator.test.ts`.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { addUser } from '../../src/auth/users.ts';
import { startDpdSimulator } from '../../simulators/dpd/dpd.ts';
import { tokenFor } from '../contract/running-app.ts';
import { until } from './demonstration.ts';
import { tabTo } from './keyboard.ts';
import { confirm, decline, lookAt, openAs, type OperatorSuite, password, phone } from './operator-suite.ts';

export function accountFlows(suite: () => OperatorSuite): void {
  it('a carrier account: faults at their fields, a secret that is never seen again, its test', async (t) => {
    await secretFlow(t, suite());
  });

  it('phone, in French: a carrier account is added, used for a label, and removed with a clear word', async (t) => {
    await usedFlow(t, suite());
  });

  it('carrier accounts are changed by administrators alone', async (t) => {
    await readingFlow(t, suite());
  });
}

/** What the simulator of DPD accepts. */
const secret = 'simulator-password';

async function secretFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const simulator = await startDpdSimulator();
  t.after(() => simulator.close());
  const { page, watched } = await openAs(t, suite, 'ops', 'accounts');
  await page.getByRole('button', { name: 'Add an account' }).click();
  await choose(page, 'Carrier', 'DPD');
  const baseUrl = simulator.settings.baseUrl ?? '';
  await choose(page, 'Activity', 'ACM');
  await page.getByLabel('Context').fill('Paris!');
  await page.getByLabel('userId').fill('simulator');
  await page.getByLabel('customerNumber').fill('18028');
  await page.getByLabel('centerNumber').fill('A1');
  await page.getByLabel(/^password/).fill(secret);
  await page.getByLabel('Country of the sender').fill('FR');
  await page.getByLabel('Labels a day').fill('many');
  // A new page has what was entered, but for the secret, which the browser does not keep.
  await page.reload();
  assert.equal(await page.getByLabel('centerNumber').inputValue(), 'A1');
  assert.equal(await page.getByLabel(/^password/).inputValue(), '');
  await page.getByLabel(/^password/).fill(secret);
  await page.getByRole('button', { name: 'Add an account' }).last().click();
  await page.getByRole('alert').getByText('What is wrong stands at its fields').waitFor();
  for (const [field, said] of [
    ['Context', 'A context is named with 1 to 40'],
    ['centerNumber', 'centerNumber is not of the right form'],
    ['Labels a day', 'dailyLimit must be a whole number'],
  ] as const)
    await described(page, field, said);
  await lookAt(page, 'operator-account-faults-desktop');

  await page.getByLabel('Context').fill('paris');
  await page.getByLabel('centerNumber').fill('77');
  await page.getByLabel('Labels a day').fill('500');
  await page.getByLabel('baseUrl').fill(baseUrl);
  await page.getByRole('button', { name: 'Add an account' }).last().click();
  await page.getByText('The account paris, dpd is added.').waitFor();
  await page.getByRole('button', { name: 'Test: paris, dpd' }).first().click();
  await page.getByText('The account paris, dpd works.').waitFor();
  await lookAt(page, 'operator-account-added-desktop');
  await page.getByRole('link', { name: 'Show it' }).click();

  await page.getByRole('heading', { name: /^paris, DPD/, level: 1 }).waitFor();
  const field = page.getByLabel(/^password/);
  assert.equal(await field.inputValue(), '');
  assert.equal(await field.getAttribute('placeholder'), 'kept as it is unless you type another');
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  assert.equal(`${await page.content()} ${String(kept)}`.includes(secret), false);
  await lookAt(page, 'operator-account-desktop');

  // What is not entered stays: the account works as before.
  await page.getByLabel('Labels a day').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The account paris, dpd is saved').waitFor();
  await page.getByRole('button', { name: 'Test: paris, dpd' }).click();
  await page.getByText('The account paris, dpd works.').waitFor();
  // Another address would be sent the stored secret: it has to be entered.
  await page.getByLabel('baseUrl').fill('https://elsewhere.example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await described(page, /^password/, 'enter password again');
  await page.getByLabel('baseUrl').fill(baseUrl);
  await page.getByLabel(/^password/).fill('another-secret');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The account paris, dpd is saved').waitFor();
  await page.getByRole('button', { name: 'Test: paris, dpd' }).click();
  await page.getByRole('alert').getByText('The account paris, dpd does not work.').waitFor();
  assert.equal(await page.getByLabel(/^password/).inputValue(), '');
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 1);
  await lookAt(page, 'operator-account-fails-desktop');
  const stored = await app.store.carrierAccounts.find(['ACM'], 'paris', 'dpd');
  assert.deepEqual([stored?.dailyLimit, stored?.sender], [null, { expCountry: 'FR' }]);
  assert.deepEqual([stored?.settings.centerNumber, stored?.settings.baseUrl], ['77', baseUrl]);

  // Nothing was made with it: it goes without another word, and with the keyboard alone.
  await tabTo(page, 'Remove');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('The account paris, dpd is removed with its secrets.').waitFor();
  // The dialog takes the focus a moment after it is shown.
  await until(page, 'document.activeElement.textContent === "Cancel"');
  await tabTo(page, 'Remove', { limit: 1 });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Carrier accounts', level: 1 }).waitFor();
  assert.equal(await app.store.carrierAccounts.find(['ACM'], 'paris', 'dpd'), null);
  await page.goto(`${origin}/#/operator/accounts/paris/dpd`);
  await page.getByText('This is not there, or not any more.').waitFor();
  assert.deepEqual(watched.complaints.filter(isNotMeant), []);
}

const label = {
  ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', destAddr1: 'Camille Moreau' },
  ...{ destAddr2: '6 place des Vosges', destZip: '75004', destCity: 'Paris', destCountry: 'FR' },
  destTel1: '+33600000000',
};

async function usedFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const { page, watched } = await openAs(t, suite, 'ops', 'accounts', phone);
  await page.getByRole('button', { name: 'Ajouter un compte' }).click();
  await choose(page, 'Transporteur', 'Sandbox');
  await choose(page, 'Activité', 'ACM');
  await page.getByLabel('Contexte').fill('quai');
  await page.getByText('Préfixe GS1 des numéros de colis').waitFor();
  await page.getByLabel('speed').fill('vite');
  for (const [field, value] of [
    ['Nom de l’expéditeur', 'Acme'],
    ['Rue de l’expéditeur', '1 quai du Nord'],
    ['Code postal de l’expéditeur', '59810'],
    ['Ville de l’expéditeur', 'Lesquin'],
    ['Pays de l’expéditeur', 'FR'],
  ] as const)
    await page.getByLabel(field).fill(value);
  await page.getByRole('button', { name: 'Ajouter un compte' }).last().click();
  await described(page, 'speed', 'speed is not of the right form');
  await lookAt(page, 'operator-account-faults-phone');
  await page.getByLabel('speed').fill('1440');
  await page.getByRole('button', { name: 'Ajouter un compte' }).last().click();
  await page.getByText('Le compte quai, sandbox est ajouté.').waitFor();
  await page.getByRole('button', { name: 'Tester: quai, sandbox' }).first().click();
  await page.getByText('Le compte quai, sandbox fonctionne.').waitFor();
  await lookAt(page, 'operator-account-added-phone');

  const make = async (): Promise<number> =>
    (
      await fetch(`${origin}/v1/shippings/labels/quai/sandbox`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(label),
      })
    ).status;
  const token = await tokenFor(app, ['ACM']);
  assert.equal(await make(), 200);
  await page.goto(`${origin}/#/operator/accounts/quai/sandbox`);
  await page.getByRole('heading', { name: /^quai, / }).waitFor();
  await lookAt(page, 'operator-account-phone');
  await page.getByRole('button', { name: 'Supprimer', exact: true }).click();
  await page.getByRole('dialog').getByText('Le compte quai, sandbox est utilisé').waitFor();
  await lookAt(page, 'operator-account-in-use-phone');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await decline(page, 'Supprimer', 'Annuler');
  assert.equal(await make(), 200);
  await confirm(page, 'Supprimer');
  await page.getByRole('heading', { name: 'Comptes transporteurs', level: 1 }).waitFor();
  assert.equal(await make(), 404);
  assert.deepEqual(watched.complaints.filter(isNotMeant), []);
}

async function readingFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  await addUser(
    app.store,
    { login: 'desk', password, activityCodes: [], operator: true, operatorRoles: ['shipping'] },
    Date.now(),
  );
  const { page, watched } = await openAs(t, suite, 'desk', 'accounts');
  await page.getByRole('button', { name: 'Test: acm, sandbox' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add an account' }).count(), 0);
  assert.equal(await page.locator('.list a[href*="operator/accounts/"]').count(), 0);
  await page.goto(`${origin}/#/operator/accounts/acm/sandbox`);
  await page.getByText('administration').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
  assert.deepEqual(watched.complaints.filter(isNotMeant), []);
}

/** Chooses from a list that opens. */
async function choose(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: list }).click();
  await page.getByRole('option', { name: new RegExp(`^${option}`) }).click();
}

/** The fault of a field is tied to it, for those who do not see it. */
async function described(page: Page, field: string | RegExp, said: string): Promise<void> {
  await page.getByText(said).first().waitFor();
  const input = page.getByLabel(field).first();
  assert.equal(await input.getAttribute('aria-invalid'), 'true', String(field));
  const ids = (await input.getAttribute('aria-describedby')) ?? '';
  const texts = await Promise.all(ids.split(/\s+/).map((id) => page.locator(`[id="${id}"]`).textContent()));
  assert.match(texts.join(' '), new RegExp(said), String(field));
}

/** A browser says of each refused request that it failed. */
function isNotMeant(complaint: string): boolean {
  return !/status of 4\d\d|Failed to load resource/.test(complaint);
}
