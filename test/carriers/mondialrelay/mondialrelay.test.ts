// Mondial Relay against its simulator over a real socket: both versions from label to tracking, its traps, faults on
// demand, and random requests.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import type { CarrierRequest } from '../../../src/carriers/carrier.ts';
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import { controlDigit } from '../../../simulators/mondialrelay/parcel-barcode.ts';
import { sampleParcels } from '../../../simulators/mondialrelay/parcels.ts';
import {
  type MondialRelaySimulator,
  startMondialRelaySimulator,
} from '../../../simulators/mondialrelay/mondialrelay.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { simulatorContract } from '../contract.ts';
import { carrierAccount, callCarrier, failureOf, resultOf } from '../drive.ts';
import { randomRequest, singleChanges } from './random-request.ts';
import { homeRequest, relayRequest } from './samples.ts';
import { rounds } from '../../contract/rounds.ts';

const withVersion = (request: LabelRequest, apiVersion: string): LabelRequest => ({ ...request, apiVersion });
const severalRequest: LabelRequest = {
  ...relayRequest,
  modeLiv: '24L',
  nbPackage: '2',
  modeCol: 'REL',
  pickupPoint: '1234',
  pickupPointCountry: 'FR',
};
const subject = { carrier: mondialrelay, unknownNumber: '99999999' };

simulatorContract({
  ...subject,
  name: 'mondialrelay, version 2',
  start: startMondialRelaySimulator,
  request: withVersion(relayRequest, '2'),
  pointRequest: withVersion(relayRequest, '2'),
  without: ['fetchLabel'],
});
simulatorContract({
  ...subject,
  name: 'mondialrelay, version 1',
  start: startMondialRelaySimulator,
  request: withVersion(relayRequest, '1'),
  pointRequest: withVersion(relayRequest, '1'),
});
simulatorContract({
  ...subject,
  name: 'mondialrelay, sandbox of version 2',
  request: withVersion(homeRequest, '2'),
  without: ['fetchLabel'],
  start: async () => {
    const simulator = await startMondialRelaySimulator();
    return { ...simulator, settings: simulator.sandboxSettings };
  },
});

describe('mondialrelay with its simulator', () => {
  const now = Date.UTC(2026, 9, 24, 22, 30);
  let simulator: MondialRelaySimulator;
  before(async () => {
    simulator = await startMondialRelaySimulator({ now: () => now });
  });
  after(() => simulator.close());
  const accountWith = (settings: Readonly<Record<string, string>> = {}) =>
    carrierAccount(mondialrelay, { ...simulator.settings, ...settings });
  const create = (request: LabelRequest, settings?: Readonly<Record<string, string>>, timeout?: number) => {
    const account = accountWith(settings);
    const exchange = mondialrelay.createLabel?.({ account, request, sequence: 1, now });
    assert.ok(exchange !== undefined);
    return callCarrier(exchange, mondialrelay.origins(account), timeout);
  };
  const track = (expeditionNumber: string, settings?: Readonly<Record<string, string>>, timeout?: number) => {
    const account = accountWith(settings);
    const exchange = mondialrelay.track?.({ account, expeditionNumber, label: null, now });
    assert.ok(exchange !== undefined);
    return callCarrier(exchange, mondialrelay.origins(account), timeout);
  };
  const fetchAgain = (expeditionNumber: string, request: LabelRequest | null) => {
    const account = accountWith();
    const exchange = mondialrelay.fetchLabel?.({
      account,
      expeditionNumber,
      label: request === null ? null : { request, createdAt: now },
      now,
    });
    assert.ok(exchange !== undefined);
    return callCarrier(exchange, mondialrelay.origins(account));
  };

  it('tells the way of a parcel, of the times of Paris, oldest first, whatever the order of the carrier', async () => {
    for (const apiVersion of ['1', '2']) {
      const { expeditionNumber } = resultOf(await create(withVersion(relayRequest, apiVersion)));
      simulator.move(expeditionNumber, '82');
      const { status, wording1, steps } = resultOf(await track(expeditionNumber));
      assert.deepEqual([status, wording1], ['82', 'COLIS LIVRÉ']);
      // The clocks went back in between: the first step is in summer time, the others are not.
      assert.deepEqual(
        steps.map(({ wording, date, hour, relayId }) => [wording, date, hour, relayId]),
        [
          ['RÉCEPTION DES DONNÉES', '2026-10-25', '00:30', ''],
          ['PRISE EN CHARGE EN AGENCE', '2026-10-25', '19:30', ''],
          ['DISPONIBLE AU POINT RELAIS', '2026-10-26', '21:30', '048607'],
          ['COLIS LIVRÉ', '2026-10-27', '21:30', '048607'],
        ],
      );
    }
  });

  it('knows each state of the samples, 0 as under way', async () => {
    for (const [number, state] of Object.entries(sampleParcels)) {
      const { status, steps } = resultOf(await track(number));
      assert.equal(status, state === '0' ? '81' : state);
      // In Paris it is 00:30 of the next day.
      assert.ok(
        steps.every(({ date, hour }) => `${date} ${hour}` < '2026-10-25 00:30'),
        JSON.stringify(steps),
      );
    }
  });

  it('tells no parcel from a number of another form, without asking', async () => {
    for (const number of ['', '1234567', '123456789', '1234567a', '../../etc', '<a>']) {
      const driven = await track(number);
      assert.equal(failureOf(driven).kind, 'unknown');
      assert.deepEqual(driven.requests, []);
    }
  });

  it('gives each format that there is, and the one of the label again', async () => {
    for (const outputFormat of ['A4', 'A5', '10x15']) {
      for (const apiVersion of ['1', '2']) {
        const request = { ...relayRequest, apiVersion, outputFormat };
        const {
          outputs: [output],
          expeditionNumber,
        } = resultOf(await create(request));
        assert.ok(output?.kind === 'document' && output.bytes.includes(`(${outputFormat})`));
        if (apiVersion === '2') continue;
        const [again] = resultOf(await fetchAgain(expeditionNumber, request)).outputs;
        assert.ok(again?.kind === 'document' && again.bytes.includes(`(${outputFormat})`));
      }
    }
    const { expeditionNumber } = resultOf(await create({ ...relayRequest, apiVersion: '1', outputFormat: 'A4' }));
    const [unknownHere] = resultOf(await fetchAgain(expeditionNumber, null)).outputs;
    assert.ok(unknownHere?.kind === 'document' && unknownHere.bytes.includes('(10x15)'));
  });

  it('gives the code of printers decoded, one for each parcel', async () => {
    const request = {
      ...relayRequest,
      apiVersion: '2',
      modeLiv: '24L',
      nbPackage: '3',
      weight: '1000',
      outputType: 'ZplCode',
    };
    const { outputs } = resultOf(await create(request));
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ['ZplCode', 'ZplCode', 'ZplCode', 'ParcelNumber', 'ParcelNumber', 'ParcelNumber'],
    );
    for (const [index, output] of outputs.slice(0, 3).entries()) {
      const code = output.kind === 'text' ? output.text : output.bytes.toString('utf8');
      assert.match(code, new RegExp(`^\\^XA.*${index + 1}/3.*\\^XZ$`));
    }
    const ipl = resultOf(await create({ ...request, nbPackage: '1', outputType: 'IplCode' }));
    assert.match(JSON.stringify(ipl.outputs), /<STX>SIMULATOR/);
    const qr = resultOf(await create({ ...request, nbPackage: '1', outputType: 'QRCode' }));
    assert.deepEqual(qr.outputs, [{ name: 'QRCode', kind: 'text', text: `SIMULATOR:${qr.expeditionNumber}:1` }]);
  });

  it('tells what the bar code of each of several parcels says, as the specification of labels has it', async () => {
    // The example of the specification, and the one answer that was ever published.
    assert.deepEqual(['12123456780101', '0662312345'].map(controlDigit), ['0', '4']);
    assert.deepEqual(['11964088870301', '0662366974'].map(controlDigit), ['0', '0']);
    for (const outputType of ['ZplCode', 'PdfUrl']) {
      const request = { ...relayRequest, apiVersion: '2', modeLiv: '24L', nbPackage: '3', weight: '1000', outputType };
      const { expeditionNumber, outputs } = resultOf(await create(request));
      const numbers = outputs.flatMap((one) => (one.name === 'ParcelNumber' && one.kind === 'text' ? [one.text] : []));
      assert.deepEqual(
        numbers.map((number) => number.slice(2, 14)),
        ['0103', '0203', '0303'].map((parcel) => `${expeditionNumber}${parcel}`),
      );
      for (const number of numbers) assert.equal(number.length, 26);
    }
  });

  it('asks for the one PDF of several parcels once', async () => {
    const driven = await create({ ...relayRequest, apiVersion: '2', modeLiv: '24L', nbPackage: '3', weight: '1000' });
    assert.equal(resultOf(driven).outputs.filter(({ name }) => name === 'PdfUrl').length, 1);
    assert.equal(driven.requests.length, 2);
  });

  it('gives the link of the carrier where the PDF of a new parcel cannot be had', async () => {
    for (const apiVersion of ['1', '2']) {
      const { expeditionNumber, outputs } = resultOf(await create({ ...relayRequest, apiVersion, nDossier: 'NOPDF' }));
      assert.equal(outputs.length, 1);
      assert.ok(
        outputs[0]?.kind === 'text' &&
          outputs[0].text.startsWith(`${simulator.url}/`) &&
          outputs[0].text.includes(`expedition=${expeditionNumber}`),
      );
    }
  });

  it('makes the link of version 1 itself where the carrier gives none, and needs the brand code for it', async () => {
    const request = { ...relayRequest, apiVersion: '1', nDossier: 'NOLINK' };
    assert.equal(resultOf(await create(request)).outputs[0]?.kind, 'document');
    const error = failureOf(await create(request, { brandCode: '' }));
    assert.equal(error.kind, 'unavailable');
    assert.match(error.message, /^The parcel \d{8} exists at Mondial Relay all the same\./);
  });

  it('says whose fault a refusal is', async () => {
    const cases: readonly (readonly [
      values: Partial<LabelRequest>,
      settings: Readonly<Record<string, string>>,
      kind: string,
      code: string,
    ])[] = [
      [{ apiVersion: '2', destZip: '00000' }, {}, 'refused', '10056'],
      [{ apiVersion: '2', shippingPickupPoint: '0' }, {}, 'refused', '10073'],
      [{ apiVersion: '2' }, { password: 'wrong-password' }, 'configuration', '10001'],
      [{ apiVersion: '2' }, { customerId: 'OTHER' }, 'configuration', '10005'],
      [{ apiVersion: '1', destZip: '00000' }, {}, 'refused', '93'],
      [{ apiVersion: '1' }, { privateKey: 'wrong-key' }, 'configuration', '97'],
      [{ apiVersion: '1' }, { enseigne: 'OTHERS00' }, 'configuration', '2'],
    ];
    for (const [values, settings, kind, code] of cases) {
      const made = simulator.parcels().length;
      const error = failureOf(await create({ ...relayRequest, ...values }, settings));
      assert.deepEqual([error.kind, error.carrierCode], [kind, code]);
      assert.equal(simulator.parcels().length, made);
      assert.doesNotMatch(JSON.stringify([error.message, error.carrierMessage]), /wrong-|simulator-password/);
    }
  });

  it('takes the faults of the network for what they are', async () => {
    for (const apiVersion of ['1', '2']) {
      for (const word of ['FAULT500', 'FAULT503', 'FAULTTEXT', 'FAULTEMPTY', 'FAULTSHAPE', 'FAULTHALF']) {
        assert.equal(
          failureOf(await create({ ...relayRequest, apiVersion, nDossier: word })).kind,
          'unavailable',
          word,
        );
      }
      assert.equal(
        failureOf(await create({ ...relayRequest, apiVersion, nDossier: 'FAULTMUTE' }, {}, 300)).kind,
        'timeout',
      );
    }
    for (const word of ['FAULT500', 'FAULTTEXT', 'FAULTHALF']) {
      assert.equal(
        failureOf(await track('10000081', { v1Url: `${simulator.url}/${word}/Web_Services.asmx` })).kind,
        'unavailable',
        word,
      );
    }
    assert.equal(
      failureOf(await track('10000081', { v1Url: `${simulator.url}/FAULTMUTE/Web_Services.asmx` }, 300)).kind,
      'timeout',
    );
  });

  it('tells the operator when the key is wrong', async () => {
    const account = accountWith({ privateKey: 'wrong-key' });
    const exchange = mondialrelay.probe?.(account, 0);
    assert.ok(exchange !== undefined);
    assert.equal(failureOf(await callCarrier(exchange, mondialrelay.origins(account))).kind, 'configuration');
  });

  for (const apiVersion of ['1', '2']) {
    describe(`takes whatever the rules of version ${apiVersion} let pass, without a warning`, () => {
      const check = async (values: LabelRequest): Promise<boolean> => {
        const account = accountWith();
        const request = { ...values, apiVersion };
        // By these the simulator is asked to find no relay, which no rule can know.
        if (/^0+$/.test(request.shippingPickupPoint ?? '') || request.destZip === '00000') return false;
        if (mondialrelay.check(request, account).length > 0) return false;
        const step = await mondialrelay.createLabel?.({ account, request, sequence: 1, now })?.next();
        assert.ok(step !== undefined && step.done !== true);
        const said = await ask(step.value);
        assert.match(said, apiVersion === '1' ? /<STAT>0<\/STAT>/ : / ShipmentNumber="\d{8}"/, JSON.stringify(request));
        assert.doesNotMatch(said, /level=/i, JSON.stringify(request));
        return true;
      };

      it('with one field changed', async () => {
        for (const right of [relayRequest, homeRequest, severalRequest]) {
          for (const request of singleChanges(right)) await check(request);
        }
      });

      it('with several fields changed', async () => {
        let passed = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(relayRequest, homeRequest, severalRequest).chain(randomRequest),
            async (request) => {
              if (await check(request)) passed += 1;
            },
          ),
          { numRuns: rounds(600) },
        );
        // Otherwise the test says nothing.
        assert.ok(passed > 0, `${passed} passed the rules`);
      });
    });
  }

  async function ask({ method, url, headers, body }: CarrierRequest): Promise<string> {
    return (await fetch(url, { method, headers, body })).text();
  }
});

describe('the simulator of mondialrelay', () => {
  let simulator: MondialRelaySimulator;
  before(async () => {
    simulator = await startMondialRelaySimulator();
  });
  after(() => simulator.close());
  const request = async (apiVersion: string): Promise<CarrierRequest> => {
    const account = carrierAccount(mondialrelay, simulator.settings);
    const step = await mondialrelay
      .createLabel?.({ account, request: { ...relayRequest, apiVersion }, sequence: 1, now: 0 })
      ?.next();
    assert.ok(step !== undefined && step.done !== true);
    return step.value;
  };
  const send = async (
    { url, headers, body }: CarrierRequest,
    change: (body: string) => string = (same) => same,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: change(body ?? '') });
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
  };

  it('answers in JSON where nobody asks for XML, and echoes the password where somebody does', async () => {
    const right = await request('2');
    assert.match(
      (await send(right, undefined, { Accept: '*/*' })).text,
      /^{"shipmentsListField":\[{"shipmentNumberField":"\d{8}"/,
    );
    assert.match((await send(right)).text, /<Password>simulator-password<\/Password>/);
  });

  it('minds the order and the names of elements', async () => {
    const right = await request('2');
    const turned = await send(right, (body) =>
      body.replace(/(<OrderNo>.*<\/OrderNo>)(<CustomerNo>.*<\/CustomerNo>)/, '$2$1'),
    );
    assert.match(turned.text, /Code="99998"/);
    assert.match((await send(right, (body) => body.replaceAll('OrderNo', 'Order'))).text, /Code="99998"/);
    assert.match((await send(right, (body) => body.slice(0, 100))).text, /Code="10061"/);
    assert.match(
      (await send(right, (body) => body.replace('example.org/Request', 'example.org/Other'))).text,
      /Code="10061"/,
    );
    // Version 1 does not see what is not in its place, and its signature is then another.
    assert.match(
      (
        await send(await request('1'), (body) =>
          body.replace(/(<ModeCol>.*<\/ModeCol>)(<ModeLiv>.*<\/ModeLiv>)/, '$2$1'),
        )
      ).text,
      /<STAT>97<\/STAT>/,
    );
  });

  it('checks what it is sent parameter by parameter', async () => {
    const changes: readonly (readonly [from: string | RegExp, to: string, stat: string])[] = [
      ['<Enseigne>BDTEST13', '<Enseigne>bdtest13', '1'],
      ['<Enseigne>BDTEST13', '<Enseigne>BDTEST14', '2'],
      [/<Security>.*<\/Security>/, '', '97'],
      ['ZOE', 'MIA', '97'],
    ];
    for (const [from, to, stat] of changes) {
      const { status, text } = await send(await request('1'), (body) => body.replace(from, to));
      assert.deepEqual([status, /<STAT>(\d+)/.exec(text)?.[1]], [200, stat]);
    }
    assert.equal((await send(await request('1'), undefined, { SOAPAction: '"other"' })).status, 500);
    assert.equal((await send(await request('1'), undefined, { 'Content-Type': 'application/json' })).status, 415);
  });

  it('gives no PDF for a check that is wrong', async () => {
    for (const path of [
      '/ww2/PDF/StickerMaker2.aspx?ens=BDTEST1311&expedition=50000001&lg=FR&format=A4&crc=0',
      '//BDTEST/etiquette/GetStickersExpeditionsAnonyme2?ens=BDTEST&expedition=50000001&crc=0',
    ]) {
      const response = await fetch(`${simulator.url}${path}`);
      assert.notEqual(response.headers.get('content-type'), 'application/pdf');
      assert.equal(response.status, 404);
    }
  });
});
