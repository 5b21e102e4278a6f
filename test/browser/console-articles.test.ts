// Articles and procurements in the console: an article with all that belongs to it, one that is created and changed in
// the form, many from a file; a procurement with what was received of it; the overview.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { notInTurn } from '../contract/rounds.ts';
import { inBrowser } from './chromium.ts';
import { firstRecord, lookAt, overviewShown, suiteDemonstration, until, views } from './demonstration.ts';

describe('articles in the console', { ...inBrowser }, () => {
  const demonstration = suiteDemonstration();

  for (const [index, view] of views.entries())
    it(`${view.name}: the overview, an article, a procurement and an order with what belongs to them`, {
      skip: notInTurn(index, views.length),
    }, async (t) => {
      const { open, origin } = demonstration();
      const page = await open(t, view);
      await overviewShown(page);
      await lookAt(page, `console-overview-${view.name}`);
      const counted = Number(((await page.locator('.figure .number').nth(1).textContent()) ?? '').replace(/\D/g, ''));
      await page.locator('.figure').nth(1).click();
      await page.locator('[role=status]').last().waitFor();
      if (counted > 0 && counted < 50) {
        await page.locator('.list tbody a').first().waitFor();
        await page.getByText(new RegExp(`^${counted} (records?|enregistrements?)$`)).waitFor();
      }

      const moved = await firstRecord(page, '/articles/movements', { sort: '-movementTimestamp', limit: '1' });
      const reference = String(moved.articleReference);
      const query = { filter: `articleReference=="${reference}"` };
      const { activityCode } = await firstRecord(page, '/articles', query);
      await page.goto(`${origin}/#/articles/${String(activityCode)}/${encodeURIComponent(reference)}`);
      await page.locator('.chart .line').waitFor();
      await page.locator('img.barcode').first().waitFor();
      await until(page, 'document.querySelector("img.barcode").naturalWidth > 50');
      await page.locator('svg.box').first().waitFor();
      await page
        .locator('.level')
        .getByText(/\d × [\d.,]+\s(cm) · [\d.,]+\skg$/)
        .first()
        .waitFor();
      await lookAt(page, `console-article-${view.name}`, 1400);

      const lately = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 10);
      const received = { filter: `expectedReceiptDate=le=${lately}`, sort: '-expectedReceiptDate', limit: '1' };
      const procurement = await firstRecord(page, '/procurements', received);
      const parts = [procurement.activityCode, procurement.uniqueProcurementID].map(String).map(encodeURIComponent);
      await page.goto(`${origin}/#/procurements/${parts.join('/')}`);
      await page.locator('.mantine-Progress-root').waitFor();
      await lookAt(page, `console-procurement-${view.name}`);

      // Long enough ago for the carrier to have seen its parcels.
      const before = new Date(Date.now() - 2 * 86_400_000).toISOString();
      const shipped = { filter: `lastPackageLoadDate=lt=${before}`, sort: '-lastPackageLoadDate', limit: '1' };
      const report = await firstRecord(page, '/orders/reports', shipped);
      await page.goto(`${origin}/#/orders/${String(report.activityCode)}/${String(report.orderUniqueID)}`);
      await page
        .getByRole('button', { name: /^(Where is it|Où est-il)/ })
        .first()
        .click();
      await page.locator('.mantine-Timeline-item').first().waitFor();
      const steps = await page.locator('.mantine-Timeline-item').count();
      // The places that it came through, one after the other; it is at the last one.
      const places = await page.locator('ol.route li').count();
      assert.ok(places > 0 && places <= steps, `${places} places of ${steps} steps`);
      assert.equal(await page.locator('ol.route li').last().getAttribute('class'), 'here');
      await lookAt(page, `console-order-details-${view.name}`, 1160);
      assert.deepEqual(page.complaints, []);
    });

  it('one is created in the form, refused with reasons by field, and changed', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    await page.goto(`${origin}/#/articles`);
    await page.getByRole('link', { name: 'New article' }).click();
    const reference = page.getByRole('textbox', { name: 'Article reference', exact: true });
    await reference.fill('GIVEN-UP');
    await page.reload();
    await page.getByText('What you had filled in and not saved is here again.').waitFor();
    await page.getByRole('button', { name: 'Begin anew' }).click();
    assert.equal(await reference.inputValue(), '');
    await reference.fill('CONSOLE-1');
    // Half done while the service is away, and the page is loaded anew: what was typed is still there.
    await page.route(/\/v1\/articles\?/, (route) => route.abort());
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The article was not saved.').waitFor();
    await page.unroute(/\/v1\/articles\?/);
    await page.reload();
    assert.equal(await reference.inputValue(), 'CONSOLE-1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The article was not saved.').waitFor();
    assert.equal(
      await page.getByRole('textbox', { name: 'Short article description', exact: true }).getAttribute('aria-invalid'),
      'true',
    );
    await lookAt(page, 'console-article-form-refused');
    await page.getByRole('textbox', { name: 'Short article description', exact: true }).fill('From the console');
    await page
      .getByRole('textbox', { name: 'Long article description', exact: true })
      .fill('An article from the console');
    await page.getByRole('button', { name: 'Add a barcode', exact: true }).click();
    const barcode = page.getByRole('group', { name: 'Barcode 1' }).getByRole('textbox', { name: 'Code', exact: true });
    await barcode.fill('9520000123450');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'check digit' }).first().waitFor();
    await barcode.fill('9520000123451');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Nothing was written.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('CONSOLE-1 is saved.').waitFor();
    assert.equal(await page.evaluate('sessionStorage.getItem("console-article-")'), null);

    // Again it is another one with the same reference: refused, and nothing is changed.
    await page.getByRole('textbox', { name: 'Short article description', exact: true }).fill('Something else');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The article was not saved.').waitFor();
    const filter = 'articleReference==CONSOLE-1';
    assert.equal((await firstRecord(page, '/articles', { filter })).shortArticleDescription, 'From the console');

    await page.goto(`${origin}/#/articles/ACM/CONSOLE-1`);
    await page.getByRole('link', { name: 'Change this article' }).click();
    await page.getByRole('textbox', { name: 'Short article description', exact: true }).fill('Changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('CONSOLE-1 is saved.').waitFor();
    const changed = await firstRecord(page, '/articles', { filter });
    assert.equal(changed.shortArticleDescription, 'Changed');
    assert.equal(changed.longArticleDescription, 'An article from the console');
    assert.ok(Array.isArray(changed.barcodes) && changed.barcodes.length === 1);
    assert.deepEqual(
      page.complaints.filter((one) => !one.includes('ERR_FAILED')),
      [],
    );
  });

  it('many come from a file: checked first, line by line, and written when somebody says so', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    await page.goto(`${origin}/#/articles/import`);
    const input = page.locator('input[type=file]');
    const csv = (text: string | Buffer) => ({ name: 'articles.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const header =
      'activityCode;articleReference;shortArticleDescription;longArticleDescription;netWeightPerUVC;barcodes';
    for (const [file, told] of [
      [csv(''), 'The file has no articles.'],
      [csv(`${header}\n`), 'The file has no articles.'],
      [csv('a,b\n1,2\n'), 'are no fields of an article: a, b'],
      [csv('articleReference\nX\n'), 'These columns are needed: activityCode'],
      [csv('activityCode,articleReference\n"ACM,X\n'), 'could not be read as CSV'],
      [csv(Buffer.from(`${header}\nACM;X;\xe9;x;1;\n`, 'latin1')), 'not in UTF-8'],
      [csv(Buffer.alloc(11 << 20, 'x')), 'larger than 10 MiB'],
    ] as const) {
      await input.setInputFiles(file);
      await page.getByRole('alert').filter({ hasText: told }).waitFor();
    }
    const lines = [
      'ACM;CSV-1;"One; with a semicolon";The first;0,75;9520000123451|9520000123468',
      'ACM;CSV-2;Two;The second;heavy;',
      'ZZZ;CSV-3;Three;Of another activity;1;',
      'ACM;CSV-4;Four;The fourth;1;',
    ];
    await input.setInputFiles(csv(`\uFEFF${header}\r\n${lines.join('\r\n')}\r\n`));
    await page.getByText('2 of 4 articles can be written; nothing was written yet.').waitFor();
    await page.reload();
    await page.getByText('2 of 4 articles can be written; nothing was written yet.').waitFor();
    await page.getByText('To write it, choose the file again.').waitFor();
    await input.setInputFiles(csv(`\uFEFF${header}\r\n${lines.join('\r\n')}\r\n`));
    await page.getByRole('button', { name: 'Write 2 articles' }).waitFor();
    await lookAt(page, 'console-import');
    const absent = { filter: 'articleReference==CSV-1' };
    await assert.rejects(firstRecord(page, '/articles', absent), /no such record/);
    await page.getByRole('button', { name: 'Write 2 articles' }).click();
    await page.getByText('2 of 2 articles are written.').waitFor();
    // The result is there after a reload, line by line.
    await page.reload();
    await page.getByText('2 of 2 articles are written.').waitFor();
    assert.equal(await page.getByRole('main').locator('tbody a', { hasText: 'CSV-' }).count(), 2);
    assert.equal(await page.getByRole('button', { name: /^Write/ }).count(), 0);
    const first = await firstRecord(page, '/articles', absent);
    assert.equal(first.shortArticleDescription, 'One; with a semicolon');
    assert.equal(first.netWeightPerUVC, 0.75);
    assert.ok(Array.isArray(first.barcodes) && first.barcodes.length === 2);

    // What the file does not name stays; an empty cell empties its field.
    const changes = [
      'activityCode;articleReference;shortArticleDescription;longArticleDescription;netWeightPerUVC',
      'ACM;CSV-1;Changed;The first;',
      'ACM;CSV-5;Five;The fifth;2',
    ];
    await input.setInputFiles(csv(`${changes.join('\n')}\n`));
    await page.getByText('right: exists, is changed').waitFor();
    await page.getByText('right: new').waitFor();
    await page.getByRole('button', { name: 'Write 2 articles' }).click();
    await page.getByText('written: existed').waitFor();
    const second = await firstRecord(page, '/articles', absent);
    assert.equal(second.shortArticleDescription, 'Changed');
    assert.equal(second.netWeightPerUVC, null);
    assert.deepEqual(second.barcodes, first.barcodes);

    // Writing that is broken off tells what was written.
    const written = /\/v1\/articles\?/;
    await page.route(written, (route) =>
      route.request().method() === 'POST' && !route.request().url().includes('dryRun=true')
        ? route.abort()
        : route.fallback(),
    );
    await input.setInputFiles(csv(`${changes.join('\n')}\n`));
    await page.getByRole('button', { name: 'Write 2 articles' }).click();
    await page.getByRole('alert').filter({ hasText: 'Not all articles were written.' }).waitFor();
    await page.getByText('0 of 2 articles are written.').waitFor();
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Not all articles were written.' }).waitFor();
    await page.getByText('0 of 2 articles are written.').waitFor();
    await page.unroute(written);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download a template' }).click();
    assert.match(readFileSync((await (await downloading).path()) ?? '', 'utf8'), /^\uFEFFactivityCode,/);
    assert.deepEqual(
      page.complaints.filter((one) => !one.includes('ERR_FAILED')),
      [],
    );
  });
});
