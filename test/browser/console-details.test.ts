// What the pages of records say, against what the interface answers for these records: an article, an order with its
// parcels, a procurement.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { symbolsIn } from '../carriers/sandbox/readers.ts';
import { inBrowser } from './chromium.ts';
import { allRecords, firstRecord, suiteDemonstration } from './demonstration.ts';

type AnyRecord = Readonly<Record<string, unknown>>;

/** Numbers as a page in English writes them. */
const number = (value: unknown): string => Number(value).toLocaleString('en-GB', { maximumFractionDigits: 3 });

describe('the page of a record', { ...inBrowser }, () => {
  const demonstration = suiteDemonstration({ RATE_READS: '0' });

  it('of an article has its barcodes for a scanner, its stock by place, and a balance that ends with it', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const moved = await firstRecord(page, '/articles/movements', { sort: '-movementTimestamp', limit: '1' });
    const query = { filter: `articleReference=="${String(moved.articleReference)}"` };
    const article = await firstRecord(page, '/articles', query);
    await page.goto(`${origin}/#/articles/${pathOf(article, 'articleReference')}`);
    await page.locator('.chart .line').waitFor();

    const holders = [article, ...recordsOf(article.logisticalVariants)];
    const codes = new Set(holders.flatMap(({ barcodes }) => recordsOf(barcodes).map(({ code }) => String(code))));
    assert.ok(codes.size > 0);
    const read: string[] = [];
    for (const image of await page.locator('img.barcode').all())
      read.push(...(await symbolsIn(await image.screenshot({ scale: 'device' }))).map(({ text }) => text));
    // A reader tells a UPC-A as the EAN-13 that it is.
    assert.deepEqual(new Set(read.map((code) => (codes.has(code.slice(1)) ? code.slice(1) : code))), codes);

    const owner = { ...query, ownerActivity: String(article.activityCode) };
    const places = await allRecords(page, '/articles/stock', owner);
    assert.ok(places.length > 0);
    assert.deepEqual(
      await rowsOf(page, 'Stock by unit, lot and grade'),
      places.map((place) => [
        ...[place.stockUnitID, place.articleLotNumber, place.gradeCode].map((code) => code ?? '–'),
        ...[place.totalStockQuantity, place.totalAvailableForSaleQuantity, place.totalBlockedQuantity].map(number),
      ]),
    );
    // Movements after the image are in the balance and not in the image.
    const [{ stockImageExtractionDate } = {}] = places;
    const later = (await allRecords(page, '/articles/movements', owner)).filter(
      ({ movementTimestamp }) => String(movementTimestamp) > String(stockImageExtractionDate),
    );
    const since = sumOf(later, (one) => Number(one.movedQuantity) * (isOut(one) ? -1 : 1));
    const last = sumOf(places, ({ totalStockQuantity }) => Number(totalStockQuantity)) + since;
    const told = (await page.locator('.chart figcaption').textContent()) ?? '';
    assert.match(told, new RegExp(`: from [\\d,.-]+ to ${number(last)}, at least`));

    const levels = await page.locator('.level').allTextContents();
    const packs = ['quantityPerSPCB', 'quantityPerPCB', 'uvcQuantityPerCartonOrPalette'];
    const units = packs.map((name) => Number(article[name])).filter((count) => count > 1);
    for (const [index, count] of [1, ...units].entries())
      assert.match(levels[index] ?? '', new RegExp(`${number(count)} consumer units?`));
    assert.match(levels[0] ?? '', new RegExp(`${number(article.lengthPerUVC)} × ${number(article.widthPerUVC)} × `));
    assert.equal(levels.length, 1 + units.length);
    assert.deepEqual(page.complaints, []);
  });

  it('lets a value run in the direction of its own writing, wherever it is shown', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const written = 'مصباح Lamp نحاس';
    const articles = [
      {
        ...{ activityCode: 'ACM', articleReference: 'BRASS-1' },
        ...{ longArticleDescription: written, shortArticleDescription: written },
      },
    ];
    const answer = await page.evaluate(
      `fetch(document.getElementById('console').dataset.baseUrl + '/articles', {
        method: 'POST',
        headers: {
          authorization: 'Bearer ' + JSON.parse(localStorage.getItem('console-tokens')).accessToken,
          'content-type': 'application/json',
        },
        body: ${JSON.stringify(JSON.stringify(articles))},
      }).then((response) => response.json())`,
    );
    assert.deepEqual(Object(answer).passed, ['ACM/BRASS-1']);

    // In Arabic the first word is at the right: of every text of the page that has the value, but not in JSON.
    const firstIsRight = `(() => {
      const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
      const found = [];
      const leftOf = (text, word) => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(word));
        range.setEnd(text, text.data.indexOf(word) + word.length);
        return range.getBoundingClientRect().left;
      };
      while (texts.nextNode()) {
        const text = texts.currentNode;
        if (text.data.includes('نحاس') && text.parentElement.closest('pre') === null)
          found.push(leftOf(text, 'مصباح') > leftOf(text, 'نحاس'));
      }
      return found;
    })()`;
    await page.goto(`${origin}/#/articles/ACM/BRASS-1`);
    await page.getByRole('definition').filter({ hasText: written }).first().waitFor();
    assert.deepEqual(await page.evaluate(firstIsRight), [true, true, true]);
    await page.goto(`${origin}/#/articles?filter=articleReference%3D%3DBRASS-1`);
    await page.getByRole('cell', { name: written }).waitFor();
    assert.deepEqual(await page.evaluate(firstIsRight), [true]);
  });

  it('of an order has its lines, what was prepared of each, its parcels and their contents, and its way', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const shipped = { filter: 'lastPackageLoadDate=null=false', sort: '-lastPackageLoadDate', limit: '100' };
    const report = (await allRecords(page, '/orders/reports', shipped)).find(
      ({ parcels }) => recordsOf(parcels)[0]?.shipmentTrackingNumber != null,
    );
    assert.ok(report !== undefined, 'a parcel is tracked');
    const filter = `orderUniqueID=="${String(report.orderUniqueID)}"`;
    const owner = { filter, ownerActivity: String(report.activityCode) };
    const order = await firstRecord(page, '/orders', owner);
    const reports = await allRecords(page, '/orders/reports', owner);
    await page.goto(`${origin}/#/orders/${pathOf(order, 'orderUniqueID')}`);
    await page.getByRole('region', { name: 'Contents' }).first().waitFor();

    const own = recordsOf(order.orderEntries);
    const lines = own.length > 0 ? own : recordsOf(order.orderSubOrders).flatMap((sub) => recordsOf(sub.orderEntries));
    const prepared = reports.flatMap(({ lignes }) => recordsOf(lignes));
    assert.deepEqual(
      await rowsOf(page, 'Ordered and prepared'),
      [...Map.groupBy(lines, ({ articleReference }) => articleReference)].map(([reference, same]) => {
        const ordered = sumOf(same, (line) => Number(line.quantityToPrepare));
        const of = prepared.filter(({ articleReference }) => articleReference === reference);
        const done = sumOf(of, ({ preparedQuantity }) => Number(preparedQuantity));
        return [reference, number(ordered), number(done), done < ordered ? number(ordered - done) : '–'];
      }),
    );
    const parcels = reports.flatMap((one) => recordsOf(one.parcels));
    for (const parcel of parcels) {
      const name = `Contents: Parcel ${String(parcel.shipmentTrackingNumber ?? parcel.packageNumber)}`;
      const shown = (await rowsOf(page, name)).map((cells) => cells.slice(0, 2));
      const expected = recordsOf(parcel.entries).map((entry) => [
        entry.articleReference,
        number(entry.shippedQuantityInPackage),
      ]);
      assert.deepEqual(shown, expected, name);
    }
    const facts = (await page.locator('dl.facts').first().textContent()) ?? '';
    const [first] = parcels;
    assert.ok(facts.includes(number(first?.actualPackageWeight)), facts);
    const loaded = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
    assert.ok(facts.includes(loaded.format(new Date(String(first?.packageLoadDate)))), facts);
    assert.deepEqual(page.complaints, []);
  });

  it('of an order has the carrier’s steps of its parcel, its documents and its labels', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    // What was loaded last has hardly a step, and the carrier forgets in time.
    const shipped = { filter: `lastPackageLoadDate=ge=${day(4)};lastPackageLoadDate=lt=${day(1)}` };
    const parcelOf = (one: AnyRecord): string => String(recordsOf(one.parcels)[0]?.shipmentTrackingNumber ?? '');
    const report = (await allRecords(page, '/orders/reports', shipped)).find((one) => parcelOf(one) !== '');
    assert.ok(report !== undefined, 'a parcel is tracked');
    const [activity, parcel] = [String(report.activityCode), parcelOf(report)];
    const filter = `orderUniqueID=="${String(report.orderUniqueID)}"`;
    const order = await firstRecord(page, '/orders', { filter, ownerActivity: activity });
    const of = `/orders/${String(order.id)}`;
    const account = `${activity.toLowerCase()}/sandbox`;
    const sent = { ...labelFields, destAddr1: order.deliveryAddressLastname, destCity: order.deliveryAddressCity };
    const made = await answered(page, `/shippings/labels/${account}?orderId=${String(order.id)}`, JSON.stringify(sent));
    assert.equal(typeof made.expeditionNumber, 'string', JSON.stringify(made));

    await page.goto(`${origin}/#/orders/${pathOf(order, 'orderUniqueID')}`);
    const file = { name: 'customs paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('customs paper.pdf is attached.').waitFor();
    const documents = await allRecords(page, `${of}/docs`, { activityCode: activity });
    assert.equal(documents.length, 1);
    assert.deepEqual(
      await rowsOf(page, 'Documents'),
      documents.map(({ fileName, docSlug, version, size, createdAt }) => {
        assert.equal(docSlug, 'invoice');
        return [fileName, 'Invoice', number(version), `${number(size)} bytes`, instant(createdAt)];
      }),
    );
    const labels = await allRecords(page, `${of}/labels`, { activityCode: activity });
    assert.deepEqual(
      labels.map(({ expeditionNumber }) => expeditionNumber),
      [made.expeditionNumber],
    );
    for (const { carrier, expeditionNumber, dateCreation } of labels) {
      const card = page.locator('.mantine-Card-root', { hasText: `${String(carrier)} ${String(expeditionNumber)}` });
      assert.ok(((await card.textContent()) ?? '').includes(instant(dateCreation)));
    }

    const tracking = await answered(page, `/shippings/tracking/${account}/${parcel}`);
    const told = recordsOf(tracking.steps);
    assert.ok(told.length > 2, `it has come some way: ${JSON.stringify(tracking)}`);
    await page.getByRole('button', { name: `Where is it? ${parcel}` }).click();
    const steps = page.locator('.mantine-Timeline-item');
    await steps.first().waitFor();
    assert.deepEqual(
      await steps.allTextContents(),
      told.map(({ wording, date, hour, location }) => {
        const at = new Date(`${String(date)}T${String(hour)}Z`);
        const when = at.toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' });
        return `${String(wording)}${[when, location].filter((part) => part !== '').join(' · ')}`;
      }),
    );
    const places = told.map(({ location }) => location).filter((place) => place !== '');
    assert.deepEqual(
      await page.locator('.route li').allTextContents(),
      places.filter((place, index) => place !== places[index - 1]),
    );
    const states: Readonly<Record<string, string>> = { 80: 'Registered', 81: 'On its way', 82: 'Delivered' };
    const state =
      (await page
        .getByRole('status')
        .filter({ hasText: String(tracking.wording1) })
        .textContent()) ?? '';
    const wordings = [tracking.wording1, tracking.wording2].filter((wording) => wording !== '');
    assert.equal(state, `${states[String(tracking.status)]}${wordings.join(' · ')}`);
    assert.deepEqual(page.complaints, []);
  });

  it('of a procurement has what was expected and what was received of each article', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const lately = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 10);
    const received = { filter: `expectedReceiptDate=le=${lately}`, sort: '-expectedReceiptDate', limit: '1' };
    const procurement = await firstRecord(page, '/procurements', received);
    const unique = encodeURIComponent(String(procurement.uniqueProcurementID));
    const owner = { ownerActivity: String(procurement.activityCode) };
    const reports = await allRecords(page, `/procurements/${unique}/reports`, owner);
    assert.ok(reports.length > 0, 'something was received');
    await page.goto(`${origin}/#/procurements/${pathOf(procurement, 'uniqueProcurementID')}`);
    await page.locator('.mantine-Progress-root').waitFor();
    const entries = reports.flatMap((report) => recordsOf(report.entries));
    const lines = recordsOf(procurement.procurementEntries);
    const shown = await rowsOf(page, 'Expected and received');
    assert.deepEqual(
      shown.map((cells) => cells.slice(0, 3)),
      [...Map.groupBy(lines, ({ articleReference }) => articleReference)].map(([reference, same]) => [
        reference,
        number(sumOf(same, ({ expectedQuantity }) => Number(expectedQuantity))),
        number(
          sumOf(
            entries.filter(({ articleReference }) => articleReference === reference),
            ({ receivedQuantity }) => Number(receivedQuantity),
          ),
        ),
      ]),
    );
    assert.deepEqual(page.complaints, []);
  });
});

/** The least that is taken for a whole one. */
const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Size 2/Root 1 0 R>>\nstartxref\n0\n%%EOF\n';

const labelFields = {
  ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', destAddr2: '6 place des Vosges' },
  ...{ destZip: '75004', destCountry: 'FR', destTel1: '+33600000000' },
};

/** Times as a page in English writes them. */
function instant(at: unknown): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(String(at)));
}

/** What the client interface answers: to a GET, or to a POST of a body. */
async function answered(page: Page, path: string, body?: string): Promise<AnyRecord> {
  const request = body === undefined ? {} : { method: 'POST', body };
  const text = await page.evaluate(
    `fetch(document.getElementById('console').dataset.baseUrl + ${JSON.stringify(path)}, {
      ...${JSON.stringify(request)},
      headers: {
        authorization: 'Bearer ' + JSON.parse(localStorage.getItem('console-tokens')).accessToken,
        ${body === undefined ? '' : "'content-type': 'application/json'"}
      },
    }).then((response) => response.text())`,
  );
  return JSON.parse(String(text));
}

function isOut({ movementDirection }: AnyRecord): boolean {
  return ['O', 'S', '-'].includes(String(movementDirection));
}

function pathOf(record: AnyRecord, title: string): string {
  return [record.activityCode, record[title]].map((part) => encodeURIComponent(String(part))).join('/');
}

/** The cells of a table, by the name of the table. */
async function rowsOf(page: Page, label: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.locator(`section.list[aria-label=${JSON.stringify(label)}] tbody tr`).all();
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
}

function recordsOf(list: unknown): readonly AnyRecord[] {
  assert.ok(Array.isArray(list));
  return list;
}

function sumOf(records: readonly AnyRecord[], amount: (record: AnyRecord) => number): number {
  return records.reduce((sum, record) => sum + amount(record), 0);
}
