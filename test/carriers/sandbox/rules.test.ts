// What the sandbox refuses and why, and that it makes a label of everything else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { CarrierError } from '../../../src/carriers/carrier.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import { histories } from '../../../src/carriers/sandbox/histories.ts';
import { collectionModes, deliveryModes, postcodes } from '../../../src/carriers/sandbox/modes.ts';
import { labelTriggers, late, trackingTriggers, voidTriggers } from '../../../src/carriers/sandbox/triggers.ts';
import { type LabelField, type LabelRequest, labelRequestFields } from '../../../src/model/shipping.ts';
import { carrierContract } from '../contract.ts';
import { failureOf, labelRequest, replay, resultOf, inBrief } from '../drive.ts';
import { account, now, randomRequest, task, toHome, toPoint } from './samples.ts';
import { rounds } from '../../contract/rounds.ts';

// It asks nobody, so that the samples of exchanges, which others have, would be empty.
carrierContract({
  carrier: { ...sandbox, createLabel: null, probe: null },
  account,
  request: toPoint,
  createLabel: null,
  fetchLabel: null,
  track: null,
  probe: null,
  voidLabel: null,
  dryRun: { requests: [], answers: [], result: 'The sandbox would take this request.' },
  refusals: [],
});

function faultsOf(change: Partial<LabelRequest>, request = toPoint): readonly string[] {
  return sandbox.check({ ...request, ...change }, account).map(inBrief);
}

const cases: readonly (readonly [
  name: string,
  change: Partial<LabelRequest>,
  faults: readonly string[],
  request?: LabelRequest,
])[] = [
  ['a request that is right', {}, []],
  ['a home delivery that is right', {}, [], toHome],
  ['an unknown mode of collection', { modeCol: 'XYZ' }, ['modeCol unknown-code']],
  ['an unknown mode of delivery', { modeLiv: 'constructor' }, ['modeLiv unknown-code']],
  ['a pick-up point without number', { shippingPickupPoint: '' }, ['shippingPickupPoint required']],
  ['a pick-up point without country', { shippingPickupPointCountry: '' }, ['shippingPickupPointCountry required']],
  ['a pick-up point in no country', { shippingPickupPointCountry: 'ZZ' }, ['shippingPickupPointCountry unknown-code']],
  [
    'a pick-up point with signs of a printer in its number',
    { shippingPickupPoint: '12^XZ' },
    ['shippingPickupPoint wrong-format'],
  ],
  [
    'a hand-over at a pick-up point that is not named',
    { modeCol: 'REL' },
    ['pickupPoint required', 'pickupPointCountry required'],
  ],
  ['a home delivery without telephone', { destTel1: '' }, ['destTel1 required'], toHome],
  ['a home delivery without street', { destAddr2: ' ' }, ['destAddr2 required'], toHome],
  ['a return without telephone', { modeLiv: 'LCC', destTel1: '' }, []],
  [
    'no sender, neither in the request nor in the context',
    { expAddr1: '', expCity: '', expZip: '', expCountry: '' },
    ['expAddr1 required', 'expCity required', 'expZip required', 'expCountry required'],
  ],
  ['a name that leaves no ink', { destAddr1: '\u200b\u0000\u00ad' }, ['destAddr1 required']],
  ['a postcode that the country has not', { destZip: '3300' }, ['destZip wrong-format']],
  ['a postcode of a country whose postcodes are not known', { destZip: 'SW1A 1AA', destCountry: 'GB' }, []],
  ['a country in small letters', { destCountry: 'fr' }, ['destCountry unknown-code']],
  ['9 grams', { weight: '9' }, ['weight out-of-range']],
  ['10 grams', { weight: '10' }, []],
  ['10 grams for two parcels', { weight: '10', nbPackage: '2' }, ['weight out-of-range']],
  ['a weight with a fraction', { weight: '1.5' }, ['weight wrong-format']],
  ['no parcels', { nbPackage: '0' }, ['nbPackage out-of-range']],
  ['a hundred parcels', { nbPackage: '100', weight: '100000' }, ['nbPackage out-of-range']],
  ['an amount below zero', { crtValue: '-5' }, ['crtValue wrong-format']],
  ['an unknown output', { outputType: 'IplCode' }, ['outputType unknown-code']],
  ['a format of another output', { outputType: 'PngImage', outputFormat: 'A4' }, ['outputFormat unknown-code']],
];

describe('the rules of the sandbox', () => {
  for (const [name, change, expected, request] of cases)
    it(name, () => assert.deepEqual(faultsOf(change, request), expected));

  it('names every field that an empty request lacks', () => {
    assert.deepEqual(faultsOf({}, labelRequest({})), [
      'modeCol required',
      'modeLiv required',
      ...['exp', 'dest'].flatMap((who) =>
        ['Addr1', 'City', 'Zip', 'Country'].map((field) => `${who}${field} required`),
      ),
      'nbPackage required',
      'weight required',
    ]);
  });

  it('finds something wrong with any texts whatever, or makes a label of them in every output', async () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ maxLength: 300 }),
      fc.constantFrom(
        '',
        '\u0000',
        '\ud800',
        '^XZ~JR',
        '\u202eabc',
        '﷽'.repeat(20),
        `e${'\u0301'.repeat(80)}`,
        '\u{10ffff}',
      ),
    );
    const fields = Object.keys(labelRequestFields).filter((name): name is LabelField => name in labelRequestFields);
    const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...fields), any), {
      maxLength: 5,
      selector: ([field]) => field,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom('PdfUrl', 'ZplCode', 'PngImage'), async (changed, outputType) => {
        const request = { ...toPoint, outputType, ...Object.fromEntries(changed) };
        for (const { detail } of sandbox.check(request, account)) assert.match(detail, /\S.*\.$/s);
        if (sandbox.check(request, account).length > 0) return;
        const label = await created(request);
        assert.ok(label.error === null || label.error instanceof CarrierError, String(label.error));
      }),
      { numRuns: rounds(200) },
    );
  });

  it('takes random texts in many scripts, but for what is too long', () => {
    fc.assert(
      fc.property(randomRequest, (request) =>
        assert.deepEqual(
          sandbox.check(request, account).filter(({ code }) => code !== 'too-long'),
          [],
        ),
      ),
    );
  });
});

function created(request: LabelRequest) {
  const exchange = sandbox.createLabel?.(task(request));
  assert.ok(exchange !== undefined);
  return replay(exchange, []);
}

function tracked(request: LabelRequest | null) {
  const exchange = sandbox.track?.({
    account,
    expeditionNumber: '952000000000172',
    label: request === null ? null : { request, createdAt: now },
    now,
  });
  assert.ok(exchange !== undefined);
  return replay(exchange, []);
}

describe('the words that make the sandbox misbehave', () => {
  for (const { word, kind, code, reasons, acted } of labelTriggers) {
    it(`${word} ends a request for a label as ${kind}`, async () => {
      for (const request of [
        { ...toPoint, nDossier: word.toLowerCase() },
        { ...toPoint, destAddr2: `12 rue ${word}, étage 2` },
      ]) {
        assert.deepEqual(
          sandbox.check(request, account),
          [],
          'a dry run does not see it: a real carrier would be asked first',
        );
        const error = failureOf(await created(request));
        assert.deepEqual([error.kind, error.carrierCode, error.reasons, error.acted], [kind, code, reasons, acted]);
        assert.match(error.message, /\.$/);
      }
    });
  }

  for (const { word, kind } of trackingTriggers) {
    it(`${word} ends a question after the parcel as ${kind}, and its label is made`, async () => {
      const request = { ...toPoint, nDossier: `WEB-1 ${word}` };
      assert.equal((await created(request)).error, null);
      assert.equal(failureOf(await tracked(request)).kind, kind);
    });
  }

  it('SANDBOX-LATE makes the label, eight seconds later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isMade = false;
    const making = created({ ...toPoint, nDossier: late.word }).finally(() => {
      isMade = true;
    });
    for (const passed of [0, late.milliseconds - 1]) {
      t.mock.timers.tick(passed);
      for (let turn = 0; turn < 20; turn += 1)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      assert.equal(isMade, false);
    }
    t.mock.timers.tick(1);
    assert.equal(resultOf(await making).expeditionNumber, resultOf(await created(toPoint)).expeditionNumber);
  });

  it('act as whole words alone, and of all fields in two', async () => {
    for (const request of [
      { ...toPoint, nDossier: 'SANDBOX-DOWNTOWN' },
      { ...toPoint, nDossier: 'MY-SANDBOX-DOWN' },
      { ...toPoint, instruction: 'SANDBOX-DOWN' },
    ])
      assert.equal((await created(request)).error, null);
  });

  it('are each one thing', () => {
    const words = [...labelTriggers, late, ...trackingTriggers, ...histories].map(({ word }) => word);
    assert.equal(new Set(words).size, words.length);
    for (const word of words) assert.match(word, /^SANDBOX(-[A-Z]+)+$/);
  });
});

describe('the documentation of the sandbox', () => {
  const page = readFileSync(new URL('../../../docs/carriers/sandbox.md', import.meta.url), 'utf8');

  it('has every word with what it does, and no other', () => {
    const statuses = {
      invalid: 400,
      refused: 422,
      unknown: 404,
      configuration: 502,
      unavailable: 502,
      timeout: 504,
    } as const;
    for (const { word, kind, code } of [...labelTriggers, ...trackingTriggers]) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${word}\` |`)) ?? '';
      assert.ok(
        row.includes(`| ${statuses[kind]} |`) &&
          (!labelTriggers.some((trigger) => trigger.word === word) ||
            row.endsWith(`| ${code === null ? '' : `${code} `}|`)),
        `${word}: ${row}`,
      );
    }
    const words = [...labelTriggers, late, ...trackingTriggers, ...voidTriggers, ...histories].map(({ word }) => word);
    assert.deepEqual(new Set([...page.matchAll(/SANDBOX(?:-[A-Z]+)+/g)].map(([word]) => word)), new Set(words));
  });

  it('has every mode, setting, output and format, and every country whose postcodes are checked', () => {
    const names = [
      ...Object.keys(collectionModes),
      ...Object.keys(deliveryModes),
      ...sandbox.settings.map(({ name }) => name),
      ...Object.keys(sandbox.outputs),
      ...Object.values(sandbox.outputs).flat(),
    ];
    for (const name of names) assert.ok(page.includes(`\`${name}\``), name);
    const [, countries = ''] = /postcode in ([A-Z, and]+);/.exec(page) ?? [];
    assert.deepEqual(countries.split(/, | and /), Object.keys(postcodes).toSorted());
  });
});

describe('the sandbox', () => {
  it('knows no parcel whose label it did not make', async () =>
    assert.equal(failureOf(await tracked(null)).kind, 'unknown'));

  it('finds its account in order without asking anybody', async () => {
    const exchange = sandbox.probe?.(account, 0);
    assert.ok(exchange !== undefined);
    assert.match(resultOf(await replay(exchange, [])), /\.$/);
  });
});
