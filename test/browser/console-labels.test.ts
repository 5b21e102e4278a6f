// Labels and documents in the console: a label for an order by the carrier's fields, shown, printed and saved; a
// document attached, refused and saved again; in both languages, wide and narrow.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { notInTurn } from '../contract/rounds.ts';
import { inBrowser, picture } from './chromium.ts';
import { desk, firstRecord, lookAt, suiteDemonstration, until, views } from './demonstration.ts';
import { drawnSymbols, faxPdf, halvesOfLabel } from './drawn-labels.ts';

const words = {
  'en-GB': {
    ship: 'Ship',
    create: 'Create label',
    check: 'Check',
    weight: 'Weight in grams, all parcels',
    mode: 'Delivery mode',
    home: 'HOM · Home delivery',
    collection: 'Collection',
    collected: 'CCC · Collected at the sender',
    telephone: 'Telephone',
    output: 'Output',
    notMade: 'The label was not made.',
    download: 'Download PNG',
    label: /^Label \d/,
    shipOrder: 'Ship this order',
    choose: 'Choose a file',
    attached: 'invoice.pdf is attached.',
    invoice: 'Invoice',
  },
  'fr-FR': {
    ship: 'Expédier',
    create: 'Créer l’étiquette',
    check: 'Vérifier',
    weight: 'Poids en grammes, tous colis',
    mode: 'Mode de livraison',
    home: 'HOM · Livraison à domicile',
    collection: 'Enlèvement',
    collected: 'CCC · Enlèvement chez l’expéditeur',
    telephone: 'Téléphone',
    output: 'Sortie',
    notMade: 'L’étiquette n’a pas été créée.',
    download: 'Télécharger PNG',
    label: /^Étiquette \d/,
    shipOrder: 'Expédier cette commande',
    choose: 'Choisir un fichier',
    attached: 'invoice.pdf est joint.',
    invoice: 'Facture',
  },
} as const;

/** The shortest that is whole. */
const pdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n' +
    'xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n' +
    'trailer<</Size 3/Root 1 0 R>>\nstartxref\n98\n%%EOF\n',
);

describe('labels and documents in the console', { ...inBrowser }, () => {
  const demonstration = suiteDemonstration();

  for (const [index, view] of views.entries()) {
    const says = words[view.locale];

    it(`${view.name}: a label for an order, with what the carrier wants`, {
      skip: notInTurn(index, views.length),
    }, async (t) => {
      const { open, origin } = demonstration();
      const page = await open(t, view);
      const { order, activity } = await someOrder(page, view.name === 'desktop' ? 'ACM' : 'BEL');
      await page.goto(`${origin}/#/orders/${activity}/${order}`);
      await page.getByRole('link', { name: says.shipOrder }).click();
      await page.getByRole('heading', { name: says.ship, level: 1 }).waitFor();
      await page.getByLabel(says.weight).waitFor();
      await lookAt(page, `console-ship-${view.name}`);

      // Nothing is lost on reload.
      await page.getByLabel(says.weight).fill('0');
      await page.reload();
      assert.equal(await page.getByLabel(says.weight).inputValue(), '0');

      await choose(page, says.mode, says.home);
      await choose(page, says.collection, says.collected);
      await page.getByRole('button', { name: says.create }).click();
      await page.getByText(says.notMade).waitFor();
      await lookAt(page, `console-ship-refused-${view.name}`);
      // The service says in English what is wrong, as a whole and field by field; in French its meaning comes first.
      await page.locator('[role=alert] [lang=en]').waitFor();
      await page.locator('.mantine-InputWrapper-error [lang=en]').first().waitFor();
      if (view.locale === 'fr-FR') {
        await page.getByRole('alert').getByText('Une ou plusieurs valeurs ne sont pas valables.').waitFor();
        await page.locator('.mantine-InputWrapper-error').getByText('Cette valeur est refusée').first().waitFor();
      }
      assert.equal(await page.getByLabel(says.weight).getAttribute('aria-invalid'), 'true');

      await page.getByLabel(says.weight).fill('1200');
      if ((await page.getByLabel(says.telephone, { exact: true }).inputValue()) === '')
        await page.getByLabel(says.telephone, { exact: true }).fill('+33600000000');
      await page.getByRole('button', { name: says.check }).click();
      await page
        .locator('[role=status]')
        .filter({ hasText: /Carrier|carrier|transporteur/ })
        .waitFor();
      await choose(page, says.output, 'PngImage');
      await page.getByRole('button', { name: says.create }).click();
      await page.getByRole('status').filter({ hasText: says.label }).waitFor();
      await page.locator('.label-image').waitFor();
      await until(page, 'document.querySelector(".label-image").naturalWidth > 300');
      await lookAt(page, `console-label-${view.name}`);
      assert.equal(sheetsOf(await page.pdf()), 1, 'the label is printed without the page around it');
      await page.reload();
      await page.getByRole('status').filter({ hasText: says.label }).waitFor();
      await page.locator('.label-image').waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: says.download }).click();
      const file = readFileSync((await (await downloading).path()) ?? '');
      assert.equal(file.subarray(1, 4).toString(), 'PNG');

      // It is one of the order now.
      await page.goto(`${origin}/#/orders/${activity}/${order}`);
      await page.getByText(/^sandbox \d/).waitFor();
      assert.deepEqual(page.complaints, []);
    });

    it(`${view.name}: a document is attached, told of, and saved again`, {
      skip: notInTurn((index + 1) % views.length, views.length),
    }, async (t) => {
      const { open, origin } = demonstration();
      const page = await open(t, view);
      const { order, activity } = await someOrder(page, view.name === 'desktop' ? 'ACM' : 'BEL');
      await page.goto(`${origin}/#/orders/${activity}/${order}`);
      const input = page.locator('input[type=file]');
      await input.setInputFiles({ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') });
      await page.getByRole('alert').waitFor();
      await input.setInputFiles({ name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) });
      await page.getByRole('alert').filter({ hasText: 'empty.pdf' }).waitFor();
      await input.setInputFiles({ name: 'huge.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(21 << 20) });
      await page.getByRole('alert').filter({ hasText: 'huge.pdf' }).waitFor();
      await input.setInputFiles({ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: pdf });
      await page.getByText(says.attached).waitFor();
      await page.getByRole('button', { name: /(Download|Télécharger) invoice\.pdf/ }).waitFor();
      await page.getByRole('cell', { name: says.invoice, exact: true }).waitFor();
      await lookAt(page, `console-documents-${view.name}`);
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: /(Download|Télécharger) invoice\.pdf/ }).click();
      assert.deepEqual(readFileSync((await (await downloading).path()) ?? ''), pdf);

      // The same again is the same document.
      await input.setInputFiles({ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: pdf });
      await page.getByText(says.attached).waitFor();
      await page.reload();
      await page.getByRole('button', { name: /(Download|Télécharger) invoice\.pdf/ }).waitFor();
      assert.equal(await page.getByRole('button', { name: /(Download|Télécharger) invoice\.pdf/ }).count(), 1);
      assert.deepEqual(page.complaints, []);
    });
  }

  it('a label is saved as what was chosen, and its images are printed alone, each on a sheet', async (t) => {
    const { open, origin } = demonstration();
    // Paper is white, whatever the colours of the page.
    const page = await open(t, { ...desk, colorScheme: 'dark' });
    const says = words['en-GB'];
    const { order, activity } = await someOrder(page, 'ACM');
    await page.goto(`${origin}/#/ship?activity=${activity}&order=${order}`);
    for (const [output, kind, beginning] of [
      ['PdfUrl', 'PDF', '%PDF-'],
      ['ZplCode', 'ZPL', '^XA'],
      ['PngImage', 'PNG', '\x89PNG'],
    ] as const) {
      await page.getByLabel(says.weight).fill('2400');
      await page.getByRole('textbox', { name: 'Parcels', exact: true }).fill('2');
      await choose(page, says.mode, says.home);
      await choose(page, says.collection, says.collected);
      if ((await page.getByLabel(says.telephone, { exact: true }).inputValue()) === '')
        await page.getByLabel(says.telephone, { exact: true }).fill('+33600000000');
      await choose(page, says.output, output);
      await page.getByRole('button', { name: says.create }).click();
      await page.getByRole('status').filter({ hasText: says.label }).waitFor();
      if (kind !== 'ZPL') {
        await until(page, `document.querySelectorAll('.label-image').length === 2`);
        const number = /\d+/.exec(await page.getByRole('status').innerText())?.[0] ?? 'none';
        const symbols = await drawnSymbols(page);
        assert.ok(
          symbols[0]?.some((text) => text.includes(number)),
          `${kind}: ${number} in ${symbols.join(' | ')}`,
        );
        assert.notDeepEqual(symbols[0], symbols[1], 'each parcel has its own');
        assert.equal(sheetsOf(await page.pdf()), 2, `${kind}: one sheet for each parcel`);
      }
      await lookAt(page, `console-label-${kind.toLowerCase()}-desktop`);
      const downloading = page.waitForEvent('download');
      await page
        .getByRole('button', { name: `Download ${kind}` })
        .first()
        .click();
      const file = readFileSync((await (await downloading).path()) ?? '', 'latin1');
      assert.ok(file.startsWith(beginning), `${kind}: ${file.slice(0, 20)}`);
      if (kind === 'PDF') {
        const address = (await page.getByRole('link', { name: 'View and print' }).getAttribute('href')) ?? '';
        const { headers } = await fetch(address);
        assert.match(headers.get('content-disposition') ?? '', /^inline/);
        assert.equal(headers.get('content-type'), 'application/pdf');
      }
      if (kind === 'ZPL') await page.getByLabel('What a ZPL printer is sent').first().getByText('^XA').waitFor();
      if (kind !== 'PNG') await page.getByRole('button', { name: 'Another label' }).click();
    }
    await page.emulateMedia({ media: 'print' });
    await picture(page, 'console-label-printed');
    assert.equal(await page.getByRole('button').filter({ visible: true }).count(), 0);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate('globalThis.print = () => { globalThis.printed = true; }');
    await page.getByRole('button', { name: 'Print' }).first().click();
    assert.equal(await page.evaluate('globalThis.printed'), true);

    // The order itself, without menu and bar around it, in black.
    await page.goto(`${origin}/#/orders/${activity}/${order}`);
    await page
      .getByText(/^sandbox \d/)
      .first()
      .waitFor();
    await page.emulateMedia({ media: 'print' });
    await picture(page, 'console-order-printed');
    for (const around of ['banner', 'navigation'] as const)
      assert.equal(await page.getByRole(around).filter({ visible: true }).count(), 0, around);
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("main h1")).color'), 'rgb(0, 0, 0)');
    assert.deepEqual(page.complaints, []);
  });

  it('a label whose answer was lost is asked for again as it was, also after a reload', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const says = words['en-GB'];
    const { order, activity } = await someOrder(page, 'ACM');
    const sent: string[] = [];
    let isLost = true;
    await page.route('**/v1/shippings/labels/**', async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') return route.continue();
      sent.push(`${request.headers()['idempotency-key']} ${request.postData()}`);
      const response = await route.fetch();
      return isLost ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await page.goto(`${origin}/#/ship?activity=${activity}&order=${order}`);
    await page.getByLabel(says.weight).fill('1000');
    await choose(page, says.mode, says.home);
    await choose(page, says.collection, says.collected);
    if ((await page.getByLabel(says.telephone, { exact: true }).inputValue()) === '')
      await page.getByLabel(says.telephone, { exact: true }).fill('+33600000000');
    await page.getByRole('button', { name: says.create }).click();
    const unsure = page.getByRole('alert').filter({ hasText: 'It is not known whether there is a label.' });
    await unsure.waitFor();
    await page.reload();
    await unsure.waitFor();
    assert.equal(await page.getByLabel(says.weight).isDisabled(), true);
    await lookAt(page, 'console-label-unsure');
    isLost = false;
    await page.getByRole('button', { name: says.create }).click();
    await page.getByText('This label had been made before; no second one was made.').waitFor();
    assert.ok(sent.length > 1);
    assert.equal(new Set(sent).size, 1, 'always the same request under the same key');
    // What the browser says of the lost answer.
    assert.deepEqual(
      page.complaints.filter((complaint) => !complaint.includes('ERR_CONNECTION_RESET')),
      [],
    );
  });

  it('a PDF label is drawn whatever its pictures are coded in, and told of where it cannot be drawn', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const says = words['en-GB'];
    const { order, activity } = await someOrder(page, 'BEL');
    let file: Buffer = Buffer.from('no PDF at all');
    await page.route('**/shippings/files/*', (route) => route.fulfill({ contentType: 'application/pdf', body: file }));
    await page.goto(`${origin}/#/ship?activity=${activity}&order=${order}`);
    await page.getByLabel(says.weight).fill('900');
    await choose(page, says.mode, says.home);
    await choose(page, says.collection, says.collected);
    if ((await page.getByLabel(says.telephone, { exact: true }).inputValue()) === '')
      await page.getByLabel(says.telephone, { exact: true }).fill('+33600000000');
    await page.getByRole('button', { name: says.create }).click();
    await page.getByText('This label cannot be shown here.').waitFor();
    await lookAt(page, 'console-label-not-drawn');
    file = faxPdf();
    await page.getByRole('button', { name: 'Try again' }).click();
    await until(page, 'document.querySelector(".label-image")?.naturalWidth > 300');
    const [left = 255, right = 0] = await halvesOfLabel(page);
    assert.ok(left < 50 && right > 200, `${left}, ${right}`);
    assert.deepEqual(page.complaints, []);
  });

  it('a file that is dropped is attached, and one that is not there is told of', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const { order, activity } = await someOrder(page, 'ACM', true);
    await page.goto(`${origin}/#/orders/${activity}/${order}`);
    await page.locator('.drop').waitFor();
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer();
        const bytes = Uint8Array.from(${JSON.stringify([...pdf])});
        data.items.add(new File([bytes], 'dropped.pdf', { type: 'application/pdf' }));
        return data; })()`,
    );
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
    await page.getByText('dropped.pdf is attached.').waitFor();
    await page.goto(`${origin}/#/ship?activity=ACM&order=NONE`);
    await page.getByText('There is no such record').waitFor();
    assert.deepEqual(page.complaints, []);
  });
});

/** How many sheets a PDF has. */
function sheetsOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

async function someOrder(
  page: Page,
  activity: string,
  isOldest = false,
): Promise<{ readonly order: string; readonly activity: string }> {
  const filter = 'deliveryAddressCountry==FR;deliveryPickupPointID=null=true';
  const sort = isOldest ? 'dateCreation' : '-dateCreation';
  const { orderUniqueID } = await firstRecord(page, '/orders', { filter, sort, ownerActivity: activity, limit: '1' });
  return { order: String(orderUniqueID), activity };
}

async function choose(page: Page, field: string, value: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: false }).first().click();
  await page.getByRole('option', { name: value, exact: true }).click();
}
