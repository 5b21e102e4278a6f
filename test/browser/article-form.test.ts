// The form of an article in the console, its barcodes and logistical variants: each of their fields is written as it
// was typed, changed, put into another order and removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import {
  type ArticleFieldFacts,
  articleFieldFacts,
  articleListFacts,
} from '../../packages/console/src/generated/article-fields.ts';
import { textsIn } from '../../packages/console/src/texts/texts.ts';
import { inBrowser } from './chromium.ts';
import { firstRecord, lookAt, suiteDemonstration, views } from './demonstration.ts';

describe('the form of an article in the console', { ...inBrowser }, () => {
  const demonstration = suiteDemonstration();
  const filter = 'articleReference==EVERY-FIELD';

  it('creates one with every field of a variant and of its barcodes, and shows each fault at its place', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    await page.goto(`${origin}/#/articles/create`);
    await page.getByRole('heading', { name: 'New article' }).waitFor();
    await openAll(page.getByRole('main'));
    // One of each kind, and those that are needed; further ones are in other groups, by the same means.
    const some = articleFieldFacts.filter(({ name, required }) => required || kindsOf.includes(name));
    const values = valuesOf(some, { articleReference: 'EVERY-FIELD' });
    await fill(page, page.getByRole('main'), some, values);

    await page.getByRole('button', { name: 'Add a barcode', exact: true }).click();
    const own = valuesOf(articleListFacts.barcodes, { code: '9520000123451', logisticalVariantCode: 'UVC' });
    await fill(page, page.getByRole('group', { name: 'Barcode 1', exact: true }), articleListFacts.barcodes, own);

    const variants = [
      valuesOf(articleListFacts.logisticalVariants, { logisticalVariantCode: 'PCB' }),
      { logisticalVariantCode: 'UVC', baseLv: true, netWeight: 0.75 },
    ];
    const inPcb = [
      valuesOf(articleListFacts.barcodes, { code: '19520000123450', barcodeQuantity: 6, logisticalVariantCode: 'UVC' }),
      { code: 'PCB-2', barcodeQuantity: 0.5 },
    ];
    for (const [index, variant] of variants.entries()) {
      await page.getByRole('button', { name: 'Add a variant' }).click();
      const group = variantGroup(page, index + 1);
      await openAll(group);
      await fill(page, group, articleListFacts.logisticalVariants, variant);
    }
    for (const [index, barcode] of inPcb.entries()) {
      await page.getByRole('button', { name: 'Add a barcode to variant 1' }).click();
      const group = page.getByRole('group', { name: `Variant 1, barcode ${index + 1}` });
      await fill(page, group, articleListFacts.barcodes, barcode);
    }

    // A wrong check digit, and a variant that is not the one the barcode stands in: each is said where it is, and stays
    // there when the element is moved.
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The article was not saved.').waitFor();
    const faulty = page.getByRole('group', { name: 'Variant 1, barcode 1' });
    await faulty.getByText('has 14 digits').waitFor();
    const invalid = page.locator('input[aria-invalid=true]');
    assert.deepEqual(
      await invalid.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
      ['19520000123450', 'UVC'],
    );
    await page.getByRole('button', { name: 'Move down: Variant 1', exact: true }).click();
    await page.getByRole('group', { name: 'Variant 2, barcode 1' }).getByText('has 14 digits').waitFor();
    await page.getByRole('button', { name: 'Move up: Variant 2', exact: true }).click();
    await faulty.getByText('has 14 digits').waitFor();
    await lookAt(page, 'console-article-form-nested');
    const mended = { code: '19520000123458', logisticalVariantCode: 'PCB' };
    await fill(page, faulty, articleListFacts.barcodes, mended);
    // What was typed is there after a reload.
    await page.reload();
    await page.getByText('What you had filled in and not saved is here again.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('EVERY-FIELD is saved.').waitFor();

    const { barcodes, logisticalVariants, ...stored } = await firstRecord(page, '/articles', { filter });
    assertHolds(stored, values);
    assertAll(barcodes, [own]);
    assertAll(logisticalVariants, variants);
    const [pcb, uvc] = recordsOf(logisticalVariants);
    assertAll(pcb?.barcodes, [
      { ...inPcb[0], ...mended },
      { ...inPcb[1], barcodeUnit: null, disabled: null },
    ]);
    assert.deepEqual(uvc?.barcodes, []);
    assert.deepEqual(page.complaints, []);
  });

  it('changes, moves and removes parts of one, and leaves every other field as it was', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t, views[1]);
    const before = await firstRecord(page, '/articles', { filter });
    await page.goto(`${origin}/#/articles/change/ACM/EVERY-FIELD`);
    await page.getByRole('button', { name: 'Descendre : Variante 1', exact: true }).click();
    const pcb = page.getByRole('group', { name: 'Variante 2', exact: true });
    await pcb.getByRole('textbox', { name: 'Hauteur', exact: true }).fill('33,5');
    await pcb.getByRole('button', { name: 'Descendre : Variante 2, code-barres 1' }).click();
    await page
      .getByRole('group', { name: 'Variante 2, code-barres 1' })
      .getByRole('textbox', { name: 'Quantité', exact: true })
      .fill('12');
    await page.getByRole('button', { name: 'Retirer : Code-barres 1', exact: true }).click();
    await lookAt(page, 'console-article-form-nested-phone');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByText('EVERY-FIELD est enregistré.').waitFor();

    const after = await firstRecord(page, '/articles', { filter });
    const [first, second] = recordsOf(before.logisticalVariants);
    const [one, two] = recordsOf(first?.barcodes);
    const changed = { ...first, height: 33.5, barcodes: [{ ...two, barcodeQuantity: 12 }, one] };
    const times = ['dateLastUpdated', 'dateLasteUpdate'];
    assert.deepEqual(
      without(after, times),
      without({ ...before, barcodes: [], logisticalVariants: [second, changed] }, times),
    );
    assert.deepEqual(page.complaints, []);
  });

  it('leaves what somebody else changed meanwhile, and asks where both changed the same', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const article = await firstRecord(page, '/articles', { ownerActivity: 'ACM', limit: '1' });
    const reference = String(article.articleReference);
    const mine = { filter: `articleReference=="${reference}"` };
    const ofField = (name: string) => page.getByRole('textbox', { name: textsIn('en').fieldName(name), exact: true });
    await page.goto(`${origin}/#/articles/change/ACM/${encodeURIComponent(reference)}`);
    await ofField('shortArticleDescription').fill('mine');
    await replaceArticle(page, { ...article, articlePrice1: 25, longArticleDescription: 'theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`${reference} is saved.`).waitFor();
    assertHolds(await firstRecord(page, '/articles', mine), {
      ...{ shortArticleDescription: 'mine', articlePrice1: 25, longArticleDescription: 'theirs' },
    });

    await ofField('shortArticleDescription').fill('mine again');
    await replaceArticle(page, { ...article, shortArticleDescription: 'theirs' });
    // What it was begun from is known after a reload too.
    await page.reload();
    await page.getByRole('button', { name: 'Save' }).click();
    const asked = page.getByRole('alert').filter({ hasText: 'Somebody else changed what you changed.' });
    await asked.getByRole('listitem').filter({ hasText: 'theirs' }).waitFor();
    assertHolds(await firstRecord(page, '/articles', mine), { shortArticleDescription: 'theirs' });
    await lookAt(page, 'console-article-form-overtaken');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    assert.equal(await ofField('shortArticleDescription').inputValue(), 'theirs');
    assert.deepEqual(page.complaints, []);
  });

  it('takes nothing while it is sent, and what it saved itself for nobody else’s change', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    const reference = String((await firstRecord(page, '/articles', { ownerActivity: 'ACM' })).articleReference);
    const mine = { filter: `articleReference=="${reference}"` };
    const field = page.getByRole('textbox', { name: textsIn('en').fieldName('shortArticleDescription'), exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    const saved = page.getByText(`${reference} is saved.`);
    await page.goto(`${origin}/#/articles/change/ACM/${encodeURIComponent(reference)}`);
    const isWrite = (url: URL): boolean => url.pathname.endsWith('/articles') && url.searchParams.has('onExisting');
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(isWrite, async (route) => {
      await held;
      await route.continue();
    });
    await field.fill('A');
    await save.click();
    await page.locator('button[data-loading]').waitFor();
    assert.equal(await field.isDisabled(), true);
    letGo();
    await saved.waitFor();
    await page.unroute(isWrite);
    assert.equal(await field.isDisabled(), false);

    // The answer is lost, and more is typed.
    await page.route(isWrite, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await field.fill('AB');
    await save.click();
    await page.getByRole('alert').waitFor({ timeout: 90_000 });
    assertHolds(await firstRecord(page, '/articles', mine), { shortArticleDescription: 'AB' });
    await page.unroute(isWrite);
    await page.reload();
    await field.fill('ABC');
    await save.click();
    await saved.waitFor();
    assertHolds(await firstRecord(page, '/articles', mine), { shortArticleDescription: 'ABC' });
  });

  it('draws nothing but the field that is typed in, of the article and of its lists', async (t) => {
    const { open, origin } = demonstration();
    const page = await open(t);
    await page.goto(`${origin}/#/articles/change/ACM/EVERY-FIELD`);
    const ofArticle = page.getByRole('textbox', { name: textsIn('en').fieldName('longArticleDescription') });
    const ofVariant = variantGroup(page, 1).getByRole('textbox', { name: 'Height', exact: true });
    const profiler = await page.context().newCDPSession(page);
    await profiler.send('Profiler.enable');
    for (const field of [ofArticle, ofVariant]) {
      await field.fill('1');
      await profiler.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await field.press('2');
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      const { result } = await profiler.send('Profiler.takePreciseCoverage');
      await profiler.send('Profiler.stopPreciseCoverage');
      assert.equal(await field.inputValue(), '12');
      const functions = result.filter(({ url }) => url.startsWith(origin)).flatMap((script) => script.functions);
      const calls = sum(functions.map(({ ranges }) => ranges[0]?.count ?? 0));
      t.diagnostic(`${calls} calls of functions for a key`);
      assert.ok(calls > 100 && calls < maxCallsPerKey, `a key takes ${calls} calls of functions`);
    }
    assert.deepEqual(page.complaints, []);
  });
});

/** Calls of functions for a key, the same on every machine; when every field is drawn they are 640,000. */
const maxCallsPerKey = 150_000;

const kindsOf = ['articleType', 'articlePrice4', 'lotTrackedArticle', 'customField1', 'customField16', 'customField11'];

type Values = Readonly<Record<string, unknown>>;

/** A value for each field, another one for each; @param given those that are more than of their kind */
function valuesOf(fields: readonly ArticleFieldFacts[], given: Values): Values {
  const ruled: Values = { activityCode: 'ACM', articleType: 1, articleAnalysisCode: 'D', countryOfOriginCode: 'FR' };
  return Object.fromEntries(
    fields.map(({ name, kind, max = 0 }, index) => {
      const byKind = {
        text: `${index} ${name}`.slice(0, max),
        integer: index + 1,
        decimal: index + 0.5,
        boolean: index % 2 === 0,
        'date-time': `2026-01-31T12:00:${String(index % 60).padStart(2, '0')}.000Z`,
        object: null,
        list: null,
      };
      return [name, given[name] ?? ruled[name] ?? byKind[kind]];
    }),
  );
}

/** Types those of the values that there are into the fields of a part of the form. */
async function fill(page: Page, part: Locator, fields: readonly ArticleFieldFacts[], values: Values): Promise<void> {
  for (const { name, kind } of fields) {
    const value = values[name];
    if (value === undefined) continue;
    const named = { name: textsIn('en').fieldName(name), exact: true };
    const input = part.getByRole('textbox', named).or(part.getByRole('combobox', named)).first();
    if (kind !== 'boolean' && name !== 'activityCode') await input.fill(String(value));
    else if ((await input.inputValue()) !== (value === true ? 'yes' : value === false ? 'no' : value)) {
      await input.click();
      await page.locator('[role=option]:visible', { hasText: value === true ? 'yes' : 'no' }).click();
    }
  }
}

/** As another program does. */
async function replaceArticle(page: Page, article: Values): Promise<void> {
  const status = await page.evaluate(
    `fetch(document.getElementById('console').dataset.baseUrl + '/articles?onExisting=replace', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer ' + JSON.parse(localStorage.getItem('console-tokens')).accessToken,
      },
      body: ${JSON.stringify(JSON.stringify([article]))},
    }).then((response) => response.status)`,
  );
  assert.equal(status, 200);
}

/** From the last one: those before it keep their places. */
async function openAll(part: Locator): Promise<void> {
  const closed = await part.locator('details:not([open]) > summary').all();
  for (const summary of closed.toReversed()) await summary.click();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function variantGroup(page: Page, place: number): Locator {
  return page.getByRole('group', { name: `Variant ${place}`, exact: true });
}

function recordsOf(list: unknown): readonly Values[] {
  assert.ok(Array.isArray(list));
  return list;
}

function assertHolds(record: Values | undefined, expected: Values): void {
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, record?.[name]])), expected);
}

function assertAll(list: unknown, expected: readonly Values[]): void {
  const records = recordsOf(list);
  assert.equal(records.length, expected.length);
  for (const [index, values] of expected.entries()) assertHolds(records[index], values);
}

/** A copy without some fields, at whatever depth. */
function without(value: unknown, names: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(value, (name, part) => (names.includes(name) ? undefined : part)));
}
