// La Poste's Suivi v2: its documented sample, every return code and event code, and the simulator over a socket.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { laposte } from '../../../src/carriers/laposte/laposte.ts';
import { startLaposteSimulator, suiviSamples } from '../../../simulators/laposte.ts';
import { carrierContract, type CarrierSubject, simulatorContract } from '../contract.ts';
import {
  answer,
  carrierAccount,
  callCarrier,
  failureOf,
  labelRequest,
  replay,
  resultOf,
  timeLimitFor,
} from '../drive.ts';

const account = carrierAccount(laposte, { apiKey: 'okapi-9d3f7a' });
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });
const number = 'EW112720413FR';
const stage = (id: number, shortLabel: string, rest = {}) => ({
  shortLabel,
  longLabel: '',
  id,
  country: 'BR',
  status: true,
  type: 1,
  ...rest,
});

/** As it was recorded, shortened to four of nine events. */
const recorded = {
  lang: 'fr_FR',
  scope: 'open',
  returnCode: 200,
  shipment: {
    idShip: number,
    holder: 4,
    product: 'colissimo',
    isFinal: true,
    deliveryDate: '2023-03-09T09:38:00+01:00',
    entryDate: '2023-02-17T14:43:00+01:00',
    timeline: [
      stage(1, 'Votre colis est entre nos mains.'),
      stage(2, 'Il est en chemin.'),
      stage(3, 'Votre colis est arrivé sur son site de livraison.'),
      stage(4, 'Nous préparons votre colis pour sa livraison.'),
      stage(5, 'Votre colis a été livré', { date: '2023-03-09T09:38:00+01:00' }),
    ],
    event: [
      { code: 'DI1', label: 'Votre colis est livré.', date: '2023-03-09T09:38:00+01:00' },
      { code: 'ET1', label: "Votre colis est en cours d'acheminement.", date: '2023-03-08T16:25:00+01:00' },
      { code: 'PC1', label: 'Votre colis a été déposé dans un point postal.', date: '2023-02-17T14:43:00+01:00' },
      { code: 'DR1', label: 'Votre Colissimo va bientôt nous être confié !', date: '2023-02-17T14:41:00+01:00' },
    ],
    contextData: { deliveryChoice: { deliveryChoice: 0 }, originCountry: 'FR', arrivalCountry: 'BR' },
    estimDate: '2023-03-09T09:38:00+01:00',
    url: 'https://www.laposte.fr/outils/suivre-vos-envois?code=EW112720413FR',
  },
};
const step = (wording: string, date: string, hour: string) => ({
  wording,
  date,
  hour,
  location: '',
  relayId: '',
  relayCountry: '',
});
const request = {
  method: 'GET',
  url: `https://api.laposte.fr/suivi/v2/idships/${number}?lang=fr_FR`,
  repeat: 'safe',
  headers: { accept: 'application/json', 'x-okapi-key': 'okapi-9d3f7a' },
  body: null,
} as const;

const refusal = (returnCode: number, status: number, returnMessage = "Votre suivi n'est pas encore disponible.") =>
  json({ lang: 'fr_FR', scope: 'open', returnCode, returnMessage, idShip: number }, status);

const subject: CarrierSubject = {
  carrier: laposte,
  account,
  request: labelRequest({}),
  createLabel: null,
  fetchLabel: null,
  track: {
    expeditionNumber: number,
    requests: [request],
    answers: [json([recorded])],
    result: {
      status: '82',
      wording1: 'Votre colis est livré.',
      wording2: 'Votre colis a été livré',
      relayWording: '',
      relayNumber: '',
      steps: [
        step('Votre Colissimo va bientôt nous être confié !', '2023-02-17', '14:41'),
        step('Votre colis a été déposé dans un point postal.', '2023-02-17', '14:43'),
        step("Votre colis est en cours d'acheminement.", '2023-03-08', '16:25'),
        step('Votre colis est livré.', '2023-03-09', '09:38'),
      ],
    },
  },
  probe: {
    requests: [{ ...request, url: 'https://api.laposte.fr/suivi/v2/idships/CB662173705US?lang=fr_FR' }],
    answers: [refusal(104, 404)],
    result: 'La Poste accepts the key of this account.',
  },
  voidLabel: null,
  refusals: [
    ...[101, 104, 105, 109, 201, 208, 400, 404].map((code) => ({
      name: `return code ${code}`,
      operation: 'track' as const,
      answers: [refusal(code, code < 200 ? 404 : code)],
      kind: 'unknown' as const,
      carrierCode: String(code),
      fields: [],
    })),
    {
      name: 'return code 104 with status 200',
      operation: 'track',
      answers: [refusal(104, 200)],
      kind: 'unknown',
      carrierCode: '104',
      fields: [],
    },
    {
      name: 'return code 104 in a list',
      operation: 'track',
      answers: [json([{ returnCode: 104, returnMessage: 'x' }], 207)],
      kind: 'unknown',
      carrierCode: '104',
      fields: [],
    },
    {
      name: '404 that is no JSON',
      operation: 'track',
      answers: [answer('<html>', 404)],
      kind: 'unknown',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'return code 401',
      operation: 'track',
      answers: [refusal(401, 401)],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'return code 401 with status 200',
      operation: 'track',
      answers: [refusal(401, 200)],
      kind: 'configuration',
      carrierCode: '401',
      fields: [],
    },
    {
      name: 'a key that is not accepted, without JSON',
      operation: 'probe',
      answers: [answer('HMAC failed: okapi-9d3f7a', 401)],
      kind: 'configuration',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a probe that runs into a time-out',
      operation: 'probe',
      answers: [refusal(504, 200)],
      kind: 'unavailable',
      carrierCode: '504',
      fields: [],
    },
    {
      name: 'a probe that is answered with something else',
      operation: 'probe',
      answers: [json({ code: 'X', message: 'y' })],
      kind: 'unavailable',
      carrierCode: null,
      fields: [],
    },
    {
      name: 'a shipment without a number',
      operation: 'track',
      answers: [json({ returnCode: 104, returnMessage: 'x', shipment: { idShip: '' } }, 404)],
      kind: 'unknown',
      carrierCode: '104',
      fields: [],
    },
    {
      name: 'too many requests',
      operation: 'track',
      answers: [json({ code: 'TOO_MANY_REQUESTS', message: 'Quota of okapi-9d3f7a exceeded' }, 429)],
      kind: 'unavailable',
      carrierCode: 'TOO_MANY_REQUESTS',
      fields: [],
    },
    {
      name: 'return code 504',
      operation: 'track',
      answers: [refusal(504, 504)],
      kind: 'unavailable',
      carrierCode: '504',
      fields: [],
    },
    {
      name: 'return code 504 with status 200',
      operation: 'track',
      answers: [refusal(504, 200)],
      kind: 'unavailable',
      carrierCode: '504',
      fields: [],
    },
  ],
};

carrierContract(subject);
simulatorContract({
  carrier: laposte,
  start: startLaposteSimulator,
  request: labelRequest({}),
  unknownNumber: '6A99999999999',
});

const ask = (expeditionNumber: string, body: unknown) =>
  replay(laposte.track?.({ account, expeditionNumber, label: null, now: 0 }) ?? assert.fail(), [json(body)]);
const shipmentWith = (event: readonly unknown[], rest = {}) => ({
  returnCode: 200,
  shipment: { idShip: number, event, ...rest },
});

describe('tracking at La Poste', () => {
  for (const [status, codes] of Object.entries({
    80: ['DR1'],
    81: ['PC1', 'PC2', 'ET1', 'ET2', 'ET3', 'ET4', 'EP1', 'DO1', 'DO2', 'ID0', 'PB2', 'MD2', 'AG1', 'DI3'],
    82: ['DI0', 'DI1'],
    83: ['DR2', 'DO3', 'PB1', 'ND1', 'RE1', 'DI2'],
  })) {
    it(`calls ${codes.join(', ')} ${status}`, async () => {
      for (const code of codes)
        assert.equal(
          resultOf(await ask(number, shipmentWith([{ code, label: 'x', date: '2026-01-02T03:04:05+01:00' }]))).status,
          status,
          code,
        );
    });
  }

  it('goes by the shipment as a whole where a code is not in the list', async () => {
    const event = [{ code: 'ZZ9', label: 'x', date: '2026-01-02T03:04:05+01:00' }];
    assert.equal(resultOf(await ask(number, shipmentWith(event))).status, '81');
    const whole = async (rest: object) => resultOf(await ask(number, shipmentWith(event, rest))).status;
    assert.equal(await whole({ isFinal: true, deliveryDate: '2026-01-02T03:04:05+01:00' }), '82');
    assert.equal(await whole({ isFinal: true, timeline: [stage(4, 'a'), stage(5, 'b')] }), '82');
    // Final, but nothing says that it was delivered.
    assert.equal(await whole({ isFinal: true }), '81');
    assert.equal(await whole({ isFinal: true, timeline: [stage(4, 'a'), stage(5, 'b', { status: false })] }), '81');
    assert.equal(
      await whole({
        isFinal: true,
        deliveryDate: '2026-01-02T03:04:05+01:00',
        timeline: [stage(5, 'b', { type: -1 })],
      }),
      '83',
    );
    assert.equal(await whole({ isFinal: false, deliveryDate: '2026-01-02T03:04:05+01:00' }), '81');
    assert.equal(
      resultOf(
        await ask(
          number,
          shipmentWith(event, {
            timeline: [stage(1, 'a'), stage(2, 'b', { type: -1 }), stage(3, 'c', { status: false })],
          }),
        ),
      ).status,
      '83',
    );
    assert.equal(resultOf(await ask(number, shipmentWith([]))).status, '80');
  });

  it('names the point where the parcel waits', async () => {
    const tracking = resultOf(
      await ask(
        number,
        shipmentWith([{ code: 'AG1', label: 'x', date: '' }], {
          contextData: { removalPoint: { name: 'BUREAU DE POSTE LYON', type: 'BDP' } },
        }),
      ),
    );
    assert.equal(tracking.relayWording, 'BUREAU DE POSTE LYON');
  });

  it('keeps the order of the way where events share a minute', async () => {
    const date = '2026-01-02T03:04:05+01:00';
    const { steps } = resultOf(
      await ask(
        number,
        shipmentWith([
          { code: 'ET1', label: 'second', date },
          { code: 'PC1', label: 'first', date },
        ]),
      ),
    );
    assert.deepEqual(
      steps.map(({ wording }) => wording),
      ['first', 'second'],
    );
  });

  it('orders by the moment, shows the local time', async () => {
    const { steps } = resultOf(
      await ask(
        number,
        shipmentWith([
          { code: 'ET4', label: 'landed', date: '2026-01-01T23:30:00-05:00' },
          { code: 'ET3', label: 'left', date: '2026-01-02T01:00:00+01:00' },
        ]),
      ),
    );
    assert.deepEqual(
      steps.map(({ wording, date, hour }) => `${wording} ${date} ${hour}`),
      ['left 2026-01-02 01:00', 'landed 2026-01-01 23:30'],
    );
  });

  it('shows the time of France where it is written in UTC', async () => {
    const { steps } = resultOf(
      await ask(number, shipmentWith([{ code: 'ET1', label: 'left', date: '2026-07-01T22:30:00Z' }])),
    );
    assert.deepEqual([steps[0]?.date, steps[0]?.hour], ['2026-07-02', '00:30']);
  });

  it('asks nobody about what cannot be a number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }).filter((text) => !/^[A-Za-z0-9]{11,15}$/.test(text)),
        async (expeditionNumber) => {
          const driven = await replay(
            laposte.track?.({ account, expeditionNumber, label: null, now: 0 }) ?? assert.fail(),
            [],
          );
          assert.equal(failureOf(driven).kind, 'unknown');
          assert.deepEqual(driven.requests, []);
        },
      ),
    );
  });

  it('reads any shipment whatever without falling over', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('event', 'timeline', 'contextData', 'isFinal'), fc.jsonValue()),
        async (rest) => {
          const { status, steps } = resultOf(
            await ask(number, { returnCode: 200, shipment: { idShip: number, ...rest } }),
          );
          assert.match(status, /^8[0-3]$/);
          for (const one of steps) assert.ok(Object.values(one).every((value) => typeof value === 'string'));
        },
      ),
    );
  });
});

describe('the simulator of La Poste', () => {
  it('has a parcel in every state, and fails on demand', async (t) => {
    const simulator = await startLaposteSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(laposte, simulator.settings);
    const look = (expeditionNumber: string) =>
      callCarrier(
        laposte.track?.({ account: own, expeditionNumber, label: null, now: 0 }) ?? assert.fail(),
        laposte.origins(own),
        timeLimitFor(expeditionNumber),
      );
    const states = await Promise.all(
      Object.keys(suiviSamples).map(async (sample) => resultOf(await look(sample)).status),
    );
    assert.deepEqual(states, ['80', '81', '81', '82', '83', '83', '81', '81', '82']);
    const steps = resultOf(await look('6A00000000041')).steps.map(({ date, hour }) => `${date} ${hour}`);
    assert.deepEqual(steps, [...new Set(steps)].toSorted());
    assert.ok(
      steps.every((step) => step < new Date().toISOString().replace('T', ' ')),
      steps.join(),
    );
    for (const [wrong, kind] of Object.entries({
      FAULT4290000: 'unavailable',
      FAULT5030000: 'unavailable',
      FAULTHALF000: 'unavailable',
      FAULTSHAPE00: 'unavailable',
      '4010000000000': 'configuration',
      '5040000000000': 'unavailable',
      FAULTMUTE000: 'timeout',
      '6a0000000001': 'unknown',
    })) {
      assert.equal(failureOf(await look(wrong)).kind, kind, wrong);
    }
  });
});
