// Customs declarations of Colissimo: against a request that another client has recorded, the rules, and the simulator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { colissimo } from '../../../src/carriers/colissimo/colissimo.ts';
import { customsReasons } from '../../../src/carriers/customs/rules.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import type { CustomsDeclaration } from '../../../src/model/customs.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { startColissimoSimulator } from '../../../simulators/colissimo/colissimo.ts';
import { answer, carrierAccount, callCarrier, failureOf, labelRequest, replay, resultOf } from '../drive.ts';
import { declarationWith } from '../customs/order.ts';

const now = Date.UTC(2026, 10, 23, 9);
const request = labelRequest({
  modeCol: 'depot',
  modeLiv: 'CDS',
  expAddr1: 'Entrepôt Nord',
  expAddr2: '3 rue des Docks',
  expCity: 'Lille',
  expZip: '59000',
  expCountry: 'FR',
  destAddr1: 'Hélène Dupré',
  destAddr2: '8 rue du Port',
  destCity: 'Basse-Terre',
  destZip: '97100',
  destCountry: 'GP',
  weight: '1200',
  nbPackage: '1',
});

const line = {
  pointer: '/orderId/orderEntries/0',
  reference: 'artref',
  description: 'Printed circuits',
  quantity: 2,
  unitCents: 100,
  unitGrams: 500,
  unitGrossGrams: 500,
  hsCode: '853400',
  originCountry: 'FR',
  insuredCents: 0,
};

async function orderFor(
  customs: CustomsDeclaration,
  changes: Partial<LabelRequest> = {},
  settings: Readonly<Record<string, string>> = {},
) {
  const account = carrierAccount(colissimo, { apiKey: 'key', ...settings });
  const { requests } = await replay(
    colissimo.createLabel?.({ account, request: { ...request, ...changes }, customs, sequence: 1, now }) ??
      assert.fail(),
    [answer('')],
  );
  return JSON.parse(requests[0]?.body ?? '');
}

function faults(
  changes: Partial<CustomsDeclaration>,
  wanted: Partial<LabelRequest> = {},
  settings: Readonly<Record<string, string>> = {},
): readonly string[] {
  const account = carrierAccount(colissimo, { apiKey: 'key', ...settings });
  const found = customsReasons(colissimo, declarationWith(changes), { ...request, ...wanted }, account);
  return found.map(({ pointer }) => pointer);
}

describe('a customs declaration of Colissimo', () => {
  /** Facts of test_full_customs_declarations of the client roulier, whose request was answered with a label. */
  it('says what a recorded request says', async () => {
    const { letter } = await orderFor(
      declarationWith({ shippingCents: 123, invoiceNumber: '111141111', lines: [line] }),
    );
    assert.deepEqual(letter.customsDeclarations, {
      includeCustomsDeclarations: true,
      numberOfCopies: 4,
      contents: {
        article: [
          {
            description: 'Printed circuits',
            quantity: 2,
            weight: 0.5,
            value: 1,
            currency: 'EUR',
            hsCode: '853400',
            originCountry: 'FR',
            artref: 'artref',
            originalIdent: 'A',
          },
        ],
        category: { value: 3 },
      },
      invoiceNumber: '111141111',
    });
    assert.deepEqual([letter.service.totalAmount, letter.service.transportationAmount], [123, 123]);
    assert.deepEqual([letter.parcel.ftd, letter.parcel.insuranceValue], [undefined, undefined]);
  });

  it('names the number of the sender at customs, in Great Britain the one of there', async () => {
    const numbers = { eori: 'FR123', eoriGb: 'GB123456789012' };
    const fields = async (customs: CustomsDeclaration, destCountry: string) =>
      (await orderFor(customs, { destCountry, modeLiv: 'DOS' }, numbers)).fields.field;
    const [cn23, ...others] = await fields(declarationWith({ eori: 'FR123' }), 'CH');
    assert.deepEqual(cn23, { key: 'OUTPUT_PRINT_TYPE_CN23', value: 'PDF_A4_300dpi' });
    assert.deepEqual(others, [{ key: 'EORI', value: 'FR123' }]);
    const british = declarationWith({ eori: 'FR123', vatNumber: 'FR403' });
    assert.deepEqual((await fields(british, 'GB')).at(-1), { key: 'EORI', value: 'GB123456789012' });
    const costly = { ...british, lines: [{ ...line, unitCents: 50_000 }] };
    assert.deepEqual((await fields(costly, 'GB')).at(-1), { key: 'EORI', value: 'GB123456789012 FR123' });
    const { letter } = await orderFor(british, { destCountry: 'GB' });
    assert.equal(letter.customsDeclarations.comments, 'N. TVA : FR403');
    assert.equal((await orderFor(declarationWith(), { destCountry: 'CH' })).fields.field.length, 1);
  });

  it('insures what can be insured, and pays duties where the sender may', async () => {
    const insured = declarationWith({ lines: [{ ...line, insuredCents: 20_000 }], incoterm: 'DDP' });
    const { parcel } = (await orderFor(insured)).letter;
    assert.deepEqual([parcel.insuranceValue, parcel.ftd], [20_000, true]);
    assert.equal((await orderFor(insured, { modeLiv: 'COM' })).letter.parcel.insuranceValue, undefined);
  });

  it('has at least 10 g of a piece, and descriptions in plain letters', async () => {
    const small = { ...line, unitGrams: 2, description: `Écharpe brodée ${'à la main '.repeat(8)}` };
    const [article] = (await orderFor(declarationWith({ lines: [small] }))).letter.customsDeclarations.contents.article;
    assert.equal(article.weight, 0.01);
    assert.match(article.description, /^Echarpe brodee a la main/);
    assert.ok(article.description.length <= 64 && !article.description.endsWith(' '));
  });

  it('explains goods of no category, and keeps to the lengths of the description', async () => {
    const long = declarationWith({
      category: 'other',
      invoiceNumber: 'I'.repeat(36),
      lines: [{ ...line, reference: 'R'.repeat(36) }],
    });
    const explained = (await orderFor(long, { content: 'Matériel de prêt' })).letter.customsDeclarations;
    assert.equal(explained.contents.explanations, 'Materiel de pret');
    assert.equal(explained.contents.category.value, 5);
    assert.equal(explained.invoiceNumber.length, 35);
    assert.equal(explained.contents.article[0].artref.length, 35);
    const unsaid = (await orderFor(long)).letter.customsDeclarations;
    assert.equal(unsaid.contents.explanations, 'Printed circuits');
  });

  it('is refused before Colissimo is asked', () => {
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ shippingCents: 0 }), ['/orderId/shippingCost']);
    assert.deepEqual(faults({ shippingCents: null }), ['/orderId/shippingCost']);
    assert.deepEqual(faults({}, { nbPackage: '2' }), ['/nbPackage']);
    assert.deepEqual(faults({}, { weight: '709' }), ['/weight']);
    assert.deepEqual(faults({}, { weight: '710' }), []);
    assert.deepEqual(faults({}, { modeLiv: 'CORI' }), ['/modeLiv']);
    assert.deepEqual(faults({ category: 'return' }), ['/modeLiv']);
    assert.deepEqual(faults({ incoterm: 'DDP' }), []);
    assert.deepEqual(faults({ incoterm: 'DDP' }, { destCountry: 'FR', destZip: '97400' }), []);
    assert.deepEqual(faults({ incoterm: 'DDP' }, { destCountry: 'CH', destZip: '1200' }), ['/orderId/incotrm']);
    const pointer = '/orderId/orderEntries/0';
    assert.deepEqual(faults({ lines: [{ ...line, description: 'Рубашка' }] }), [`${pointer}/articleBLDesignation`]);
    assert.deepEqual(faults({ lines: [{ ...line, hsCode: '8534000' }] }), [`${pointer}/articleCN23CustomsCode`]);
    assert.deepEqual(faults({ currency: 'NOK' }), ['/orderId/paymentCurrency']);
    assert.deepEqual(faults({}, { destCountry: 'US', destZip: '10001' }), ['/destCountry']);
    const insured = { lines: [{ ...line, insuredCents: 500_001 }] };
    assert.deepEqual(faults(insured), [`${pointer}/articleInsuredAmount`]);
    assert.deepEqual(faults({ ...insured, lines: [{ ...line, insuredCents: 1 }], currency: 'CHF' }), [
      `${pointer}/articleInsuredAmount`,
    ]);
  });

  it('of more than 1,000 EUR out of the Union needs an EORI number of the account', () => {
    const lines = [{ ...line, unitCents: 50_001 }];
    const toGeneva = { destCountry: 'CH', destZip: '1200' };
    assert.throws(
      () => faults({ lines }, toGeneva),
      (error) => error instanceof CarrierError && error.kind === 'configuration' && /\beori\b/.test(error.message),
    );
    assert.deepEqual(faults({ lines }, toGeneva, { eori: 'FR123' }), []);
    assert.deepEqual(faults({ lines: [{ ...line, unitCents: 50_000 }] }, toGeneva), []);
    assert.deepEqual(faults({ lines }), [], 'what goes overseas does not leave the Union');
  });

  it('is taken by the simulator, which gives the form; without one it refuses', async (t) => {
    const simulator = await startColissimoSimulator();
    t.after(() => simulator.close());
    const account = carrierAccount(colissimo, { ...simulator.settings, eori: 'FR123' });
    const ask = (customs: CustomsDeclaration | undefined, destCountry: string, destZip: string) =>
      callCarrier(
        colissimo.createLabel?.({
          account,
          request: { ...request, destCountry, destZip },
          ...(customs === undefined ? {} : { customs }),
          sequence: 1,
          now,
        }) ?? assert.fail(),
        colissimo.origins(account),
      );
    for (const [country, zip] of [
      ['GP', '97100'],
      ['FR', '97400'],
      ['CH', '1200'],
      ['ES', '35001'],
      ['GB', 'SW1A 1AA'],
    ] as const) {
      assert.equal(failureOf(await ask(undefined, country, zip)).carrierCode, '30500', country);
      const { outputs } = resultOf(await ask(declarationWith(), country, zip));
      assert.deepEqual(
        outputs.map(({ name }) => name),
        ['PdfUrl', 'CustomsUrl', 'PartnerParcelNumber'],
      );
    }
  });
});
