// A declaration is read from an order and its articles: what it holds, and what is said of what is missing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/carriers/json.ts';
import { plainAscii, shortDescription } from '../../../src/carriers/customs/goods-text.ts';
import { amountText, goodsCents, goodsGrams, insuredCents } from '../../../src/model/customs.ts';
import { mug, read, shirt } from './order.ts';

/** Pointers and codes of what is wrong with an order. */
function faults(changes: JsonObject, settings: Readonly<Record<string, string>> = {}): readonly string[] {
  const { declaration, reasons } = read(changes, settings);
  assert.equal(declaration === null, reasons.length > 0);
  for (const { detail } of reasons) assert.match(detail, /\.$/);
  return reasons.map(({ pointer, code }) => `${pointer} ${code}`);
}

const line = (changes: JsonObject): JsonObject => ({ orderEntries: [{ ...shirt, ...changes }] });

describe('a declaration', () => {
  it('holds what the lines, their articles and the account say', () => {
    assert.deepEqual(read({}, { eori: 'FR12345678900011', vatNumber: 'FR40303265045' }).declaration, {
      category: 'sale',
      currency: 'EUR',
      incoterm: 'DAP',
      invoiceNumber: 'INV-7',
      invoiceDate: '2026-11-20',
      shippingCents: 490,
      eori: 'FR12345678900011',
      ioss: '',
      vatNumber: 'FR40303265045',
      toCompany: false,
      lines: [
        {
          pointer: '/orderId/orderEntries/0',
          reference: 'TEE-1',
          description: 'T-shirt, cotton, été',
          quantity: 2,
          unitCents: 2083,
          unitGrams: 180,
          unitGrossGrams: 180,
          hsCode: '61091000',
          originCountry: 'PT',
          insuredCents: 0,
        },
        {
          pointer: '/orderId/orderEntries/1',
          reference: 'MUG-1',
          description: 'Mug, stoneware',
          quantity: 1,
          unitCents: 750,
          unitGrams: 350,
          unitGrossGrams: 350,
          hsCode: '691200',
          originCountry: 'FR',
          insuredCents: 0,
        },
      ],
    });
  });

  it('adds up values, weights and insured amounts', () => {
    const { declaration } = read({
      orderEntries: [
        { ...shirt, articleInsuredAmount: '41,66 EUR' },
        { ...mug, articleInsuredAmount: 'EUR 7.50' },
      ],
    });
    assert.ok(declaration !== null);
    assert.deepEqual([goodsCents(declaration), goodsGrams(declaration), insuredCents(declaration)], [4916, 710, 4916]);
    assert.equal(amountText(4916), '49.16');
    assert.equal(amountText(5), '0.05');
  });

  it('knows the gross weight of a piece, which is never less than the net one, and whether a company gets it', () => {
    const weighed = (weights: JsonObject) =>
      read({ orderEntries: [shirt] }, {}, 100, new Map([['TEE-1', weights]])).declaration?.lines[0]?.unitGrossGrams;
    assert.equal(weighed({ netWeightPerUVC: 0.18, grossWeightPerUVC: 0.2 }), 200);
    assert.equal(weighed({ netWeightPerUVC: 0.18, grossWeightPerUVC: 0.1 }), 180);
    assert.equal(weighed({ netWeightPerUVC: 0.18 }), 180);
    assert.equal(read({ deliveryAddressCompany: 'Favre SA' }).declaration?.toCompany, true);
  });

  it('takes the nature of goods for their category where it is one, else for what they are', () => {
    assert.equal(read(line({ articleNatureCN23: 'gift' })).declaration?.category, 'gift');
    const { declaration } = read(line({ articleNatureCN23: 'Clothing', articleBLDesignation: null }), {
      goodsCategory: 'sample',
    });
    assert.deepEqual([declaration?.category, declaration?.lines[0]?.description], ['sample', 'Clothing']);
  });

  it('leaves out lines of which nothing is prepared, and joins lines of the same goods', () => {
    const { declaration } = read({
      orderEntries: [shirt, { ...mug, quantityToPrepare: 0, unitPriceHT: null }, { ...shirt, quantityToPrepare: 3 }],
    });
    assert.deepEqual(
      declaration?.lines.map(({ reference, quantity }) => [reference, quantity]),
      [['TEE-1', 5]],
    );
  });

  it('has the lines of the sub-orders where the order has none itself', () => {
    const found = read({ orderEntries: [], orderSubOrders: [{ orderEntries: [shirt] }, { orderEntries: [mug] }] });
    assert.deepEqual(
      found.declaration?.lines.map(({ pointer }) => pointer),
      ['/orderId/orderSubOrders/0/orderEntries/0', '/orderId/orderSubOrders/1/orderEntries/0'],
    );
  });

  it('dates the invoice today and names it as the order, where the order has none', () => {
    const { declaration } = read({ customerInvoiceNumber: null, customerOrderID: null, invoiceIssuanceDate: null });
    assert.deepEqual([declaration?.invoiceNumber, declaration?.invoiceDate], ['WEB-1', '2026-11-23']);
  });
});

describe('what is missing is named', () => {
  it('of an order without lines, or with nothing in them', () => {
    assert.deepEqual(faults({ orderEntries: [] }), ['/orderId/orderEntries required']);
    assert.deepEqual(faults(line({ quantityToPrepare: 0 })), ['/orderId/orderEntries required']);
  });

  for (const [changes, field, code] of [
    [{ quantityToPrepare: null }, 'quantityToPrepare', 'required'],
    [{ quantityToPrepare: 1.5 }, 'quantityToPrepare', 'out-of-range'],
    [{ quantityToPrepare: -1 }, 'quantityToPrepare', 'out-of-range'],
    [{ unitPriceHT: null }, 'unitPriceHT', 'required'],
    [{ unitPriceHT: 0 }, 'unitPriceHT', 'out-of-range'],
    [{ unitPriceHT: -3 }, 'unitPriceHT', 'out-of-range'],
    [{ unitPriceHT: 0.004 }, 'unitPriceHT', 'out-of-range'],
    [{ unitPriceHT: 1e300 }, 'unitPriceHT', 'out-of-range'],
    [{ articleCN23CustomsCode: null }, 'articleCN23CustomsCode', 'required'],
    [{ articleCN23CustomsCode: '61091' }, 'articleCN23CustomsCode', 'wrong-format'],
    [{ articleCN23CustomsCode: '61091000000' }, 'articleCN23CustomsCode', 'wrong-format'],
    [{ articleCN23CustomsCode: '6109-10' }, 'articleCN23CustomsCode', 'wrong-format'],
    [{ articleOriginCountry: null }, 'articleOriginCountry', 'required'],
    [{ articleOriginCountry: 'Portugal' }, 'articleOriginCountry', 'wrong-format'],
    [{ articleOriginCountry: 'ZZ' }, 'articleOriginCountry', 'wrong-format'],
    [{ articleBLDesignation: null }, 'articleBLDesignation', 'required'],
    [{ articleBLDesignation: '12-34' }, 'articleBLDesignation', 'required'],
    [{ articleInsuredAmount: 'a lot' }, 'articleInsuredAmount', 'wrong-format'],
    [{ articleInsuredAmount: '12.345' }, 'articleInsuredAmount', 'wrong-format'],
    [{ articleReference: 'NONE' }, 'articleReference', 'required'],
    [{ articleReference: null }, 'articleReference', 'required'],
  ] as const)
    it(`${field} of a line: ${JSON.stringify(changes)}`, () =>
      assert.deepEqual(faults(line(changes)), [`/orderId/orderEntries/0/${field} ${code}`]));

  it('everything at once, up to a bound', () => {
    const { orderLineID, quantityToPrepare } = shirt;
    const bare = { orderLineID: orderLineID ?? null, quantityToPrepare: quantityToPrepare ?? null };
    assert.equal(faults({ orderEntries: [bare], paymentCurrency: '' }).length, 6);
    const many = faults({ orderEntries: Array.from({ length: 90 }, () => bare) });
    assert.deepEqual([many.length, many.at(-1)], [51, '/orderId more']);
  });

  it('more lines than the carrier takes', () => {
    assert.deepEqual(faults({ orderEntries: Array.from({ length: 1000 }, () => shirt) }), [
      '/orderId/orderEntries too-many',
    ]);
  });

  it('two currencies, two categories, an incoterm that is none', () => {
    assert.deepEqual(faults(line({ articleInsuredAmount: '40 USD' })), [
      '/orderId/orderEntries/0/articleInsuredAmount wrong-currency',
    ]);
    assert.deepEqual(faults({ orderEntries: [shirt, { ...mug, articleNatureCN23: 'GIFT' }] }), [
      '/orderId/orderEntries/1/articleNatureCN23 conflict',
    ]);
    assert.deepEqual(faults({ incotrm: 'XYZ' }), ['/orderId/incotrm unknown-code']);
    assert.deepEqual(faults({ paymentCurrency: 'euro' }), ['/orderId/paymentCurrency wrong-format']);
  });
});

it('descriptions are written in signs of ASCII, and shortened at a space', () => {
  assert.equal(plainAscii('Œuvre d’art – Straße №3 ° łódź'), "OEuvre d'art - Strasse 3 lodz");
  assert.equal(shortDescription('Cotton shirt with sleeves', 14), 'Cotton shirt');
  assert.equal(shortDescription('Cotton shirt', 12), 'Cotton shirt');
  assert.equal(shortDescription('Donaudampfschiff', 5), 'Donau');
});
