// The simulator of Colissimo refuses what the published description refuses, whatever an adapter thinks of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startColissimoSimulator } from '../../simulators/colissimo/colissimo.ts';

const person = {
  lastName: 'Moreau',
  firstName: 'Camille',
  line2: '6 place des Vosges',
  countryCode: 'FR',
  city: 'Paris',
  zipCode: '75004',
  mobileNumber: '0612345678',
  email: 'camille@example.com',
};
const company = { companyName: 'Acme', line2: '3 rue des Docks', countryCode: 'FR', city: 'Lille', zipCode: '59000' };

/** An order that breaks no rule, with some members changed. */
function order({ service = {}, parcel = {}, from = {}, to = {}, ref = {}, letter = {} }: Changes) {
  return {
    outputFormat: { x: 0, y: 0, outputPrintingType: 'PDF_10x15_300dpi' },
    letter: {
      service: { productCode: 'DOM', depositDate: '2026-11-22', commercialName: 'Acme', ...service },
      parcel: { weight: 1.25, ...parcel },
      sender: { ...ref, address: { ...company, ...from } },
      addressee: { address: { ...person, ...to } },
      ...letter,
    },
  };
}
type Changes = Readonly<Partial<Record<'service' | 'parcel' | 'from' | 'to' | 'ref' | 'letter', object>>>;

const hd = { service: { productCode: 'HD' }, parcel: { pickupLocationId: '060567' } };
const back = {
  service: { productCode: 'CORE' },
  from: { companyName: undefined, lastName: 'Moreau', firstName: 'Camille', email: 'camille@example.com' },
  to: { companyName: 'Acme', lastName: undefined, firstName: undefined },
};
const abroad = {
  service: { returnTypeChoice: 3 },
  to: { countryCode: 'BE', zipCode: '1000', mobileNumber: undefined },
};

const circuits = {
  description: 'Printed circuits',
  quantity: 2,
  weight: 0.5,
  value: 1,
  hsCode: '853400',
  originCountry: 'FR',
  currency: 'EUR',
  artref: 'artref',
  originalIdent: 'A',
};
const overseas = { countryCode: 'GP', zipCode: '97100' };

/** An order to Guadeloupe with a declaration, as the client roulier has recorded one, with changes. */
function declared(
  article: object = {},
  { category = 3, totalAmount = 123 }: { readonly category?: number; readonly totalAmount?: number } = {},
): Changes {
  return {
    service: { productCode: 'COM', returnTypeChoice: 3, totalAmount },
    to: overseas,
    letter: {
      customsDeclarations: {
        includeCustomsDeclarations: true,
        contents: { article: [{ ...circuits, ...article }], category: { value: category } },
      },
    },
  };
}

describe('the simulator of Colissimo', () => {
  for (const [name, changes, code] of [
    ['takes an order that breaks no rule', {}, null],
    ['takes two decimals of a kilogram', { parcel: { weight: 0.01 } }, null],
    ['refuses three decimals', { parcel: { weight: 1.234 } }, '30301'],
    ['refuses a weight over 30 kg', { parcel: { weight: 30.01 } }, '30301'],
    ['takes a parcel to a point', hd, null],
    ['refuses a point without a first name', { ...hd, to: { firstName: undefined } }, '30202'],
    ['refuses a point without a name', { ...hd, to: { lastName: undefined, companyName: 'Point' } }, '30200'],
    ['refuses a point without an e-mail address', { ...hd, to: { email: undefined } }, '30222'],
    ['refuses a point without a mobile telephone', { ...hd, to: { mobileNumber: undefined } }, '30220'],
    [
      'refuses a point without a commercial name',
      { ...hd, service: { ...hd.service, commercialName: undefined } },
      '30018',
    ],
    ['takes a return', back, null],
    ['refuses a return to no company', { ...back, to: { companyName: undefined } }, '30089'],
    [
      'refuses a return without the name of the sender',
      { ...back, from: { ...back.from, lastName: undefined } },
      '30065',
    ],
    ['refuses a return without a first name', { ...back, from: { ...back.from, firstName: undefined } }, '30043'],
    ['refuses a return without an e-mail address', { ...back, from: { ...back.from, email: undefined } }, '30045'],
    ['takes a parcel abroad', abroad, null],
    ['refuses one that does not say what becomes of it', { ...abroad, service: {} }, '30323'],
    ['refuses one that says it wrong', { ...abroad, service: { returnTypeChoice: 1 } }, '30324'],
    ['takes a Belgian mobile telephone', { ...abroad, to: { ...abroad.to, mobileNumber: '+32470123456' } }, null],
    ['refuses one without +32', { ...abroad, to: { ...abroad.to, mobileNumber: '0470123456' } }, '30221'],
    ['refuses a French landline as a mobile telephone', { to: { mobileNumber: '0123456789' } }, '30221'],
    ["refuses a sender's reference of 18", { ref: { senderParcelRef: 'x'.repeat(18) } }, 'TOO_LONG'],
    ['refuses an instruction of 36', { parcel: { instructions: 'x'.repeat(36) } }, 'TOO_LONG'],
    ['takes a declaration', declared(), null],
    [
      'refuses a parcel overseas without one',
      { service: { productCode: 'COM', returnTypeChoice: 3 }, to: overseas },
      '30500',
    ],
    ['refuses one without the cost of transport', declared({}, { totalAmount: 0 }), 'CN23'],
    ['refuses one without a category', declared({}, { category: 7 }), 'CN23'],
    ['refuses goods that go back without their invoice', declared({}, { category: 6 }), 'CN23'],
    ['refuses goods without a quantity', declared({ quantity: 0 }), 'CN23'],
    ['refuses goods of less than 10 g', declared({ weight: 0.009 }), 'CN23'],
    ['refuses goods of no value', declared({ value: 0 }), 'CN23'],
    ['refuses a value of three decimals', declared({ value: 1.234 }), 'CN23'],
    ['refuses a customs code of five digits', declared({ hsCode: '85340' }), '30519'],
    ['refuses a customs code of seven digits', declared({ hsCode: '8534000' }), '30519'],
    ['refuses a sale without a customs code', declared({ hsCode: '' }), '30519'],
    ['refuses a customs code with points', declared({ hsCode: '8534.00' }), '30519'],
    ['refuses half a country', declared({ originCountry: 'F' }), 'CN23'],
    ['refuses accents in a description', declared({ description: 'Été' }), 'CN23'],
    ['refuses a description of 65', declared({ description: 'x'.repeat(65) }), 'TOO_LONG'],
    ['takes goods without a currency for those of euros', declared({ currency: undefined }), null],
    ['refuses a currency that is not in its list', declared({ currency: 'NOK' }), 'CN23'],
    ['refuses a sale without an origin', declared({ originCountry: undefined }), 'CN23'],
    ['refuses goods of no category without an explanation', declared({}, { category: 5 }), 'CN23'],
    ['refuses a reference of 36', declared({ artref: 'x'.repeat(36) }), 'TOO_LONG'],
  ] as const satisfies readonly (readonly [string, Changes, string | null])[]) {
    it(name, async (t) => {
      const { url, settings, close } = await startColissimoSimulator();
      t.after(close);
      const response = await fetch(`${url}/sls-ws/SlsServiceWSRest/2.0/generateLabel`, {
        method: 'POST',
        headers: { apiKey: settings.apiKey ?? '' },
        body: JSON.stringify(order(changes)),
      });
      const text = await response.text();
      assert.equal(/"id":"(\w+)","type":"ERROR"/.exec(text)?.[1] ?? null, code, text.slice(0, 300));
    });
  }

  it('reads cash on delivery by the names that JSON has', async (t) => {
    const { url, settings, close } = await startColissimoSimulator();
    t.after(close);
    const status = async (parcel: object) =>
      (
        await fetch(`${url}/sls-ws/SlsServiceWSRest/2.0/generateLabel`, {
          method: 'POST',
          headers: { apiKey: settings.apiKey ?? '' },
          body: JSON.stringify(order({ service: { productCode: 'DOS' }, parcel })),
        })
      ).status;
    assert.deepEqual(
      [await status({ cod: true, codamount: 100 }), await status({ COD: true, CODAmount: 100 })],
      [200, 422],
    );
  });
});
