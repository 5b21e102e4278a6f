// Simulators that speak JSON: whatever is sent to them, they answer, and go on answering.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import type { Simulator } from '../../simulators/server.ts';
import { startColissimoSimulator } from '../../simulators/colissimo/colissimo.ts';
import { startDhlSimulator } from '../../simulators/dhl.ts';
import { basicAuthorization } from '../../src/carriers/access-token.ts';
import { startGlsSimulator } from '../../simulators/gls.ts';
import { startKarrioSimulator } from '../../simulators/karrio.ts';
import { startLaposteSimulator } from '../../simulators/laposte.ts';
import { simulatorNames } from '../../simulators/index.ts';
import { startUpsSimulator } from '../../simulators/ups.ts';
import { rounds } from '../contract/rounds.ts';

interface Door {
  readonly start: () => Promise<Simulator>;
  readonly paths: readonly string[];
  readonly headers: (
    settings: Simulator['settings'],
  ) =>
    | Readonly<Record<string, string>>
    | { readonly token: string; readonly form: string; readonly authorization?: string };
}

const doors: Readonly<Record<string, Door>> = {
  karrio: {
    start: startKarrioSimulator,
    paths: ['/v1/shipments', '/v1/shipments/x/documents/label', '/v1/proxy/tracking'],
    headers: ({ apiKey }) => ({ authorization: `Token ${apiKey}` }),
  },
  laposte: {
    start: startLaposteSimulator,
    paths: ['/suivi/v2/idships/6A00000000010', '/suivi/v2/idships/%00'],
    headers: ({ apiKey = '' }) => ({ 'x-okapi-key': apiKey, accept: 'application/json' }),
  },
  colissimo: {
    start: startColissimoSimulator,
    paths: [
      '/sls-ws/SlsServiceWSRest/2.0/generateLabel',
      '/sls-ws/SlsServiceWSRest/3.1/getLabel',
      '/suivi/v2/idships/a',
    ],
    headers: ({ apiKey = '' }) => ({ apiKey }),
  },
  gls: {
    start: startGlsSimulator,
    paths: ['/shipit-farm/v1/backend/rs/shipments', '/track-and-trace-v1/tracking/simple/trackids/%F0%9F%8C%B8'],
    headers: ({ clientId = '', clientSecret = '' }) => ({
      token: '/oauth2/v2/token',
      form: 'grant_type=client_credentials',
      authorization: basicAuthorization(clientId, clientSecret),
    }),
  },
  ups: {
    start: startUpsSimulator,
    paths: ['/api/shipments/v2409/ship', '/api/labels/v1/recovery', '/api/track/v1/details/x'],
    headers: ({ clientId = '', clientSecret = '' }) => ({
      token: '/security/v1/oauth/token',
      form: 'grant_type=client_credentials',
      authorization: basicAuthorization(clientId, clientSecret),
    }),
  },
  dhl: {
    start: startDhlSimulator,
    paths: [
      '/parcel/de/shipping/v2/orders',
      '/parcel/de/shipping/v2/orders?shipment=x',
      '/track/shipments?trackingNumber=x',
    ],
    headers: ({ clientId = '', clientSecret = '', username = '', password = '' }) => ({
      token: '/parcel/de/account/auth/ropc/v1/token',
      form: String(
        new URLSearchParams({
          grant_type: 'password',
          client_id: clientId,
          client_secret: clientSecret,
          username,
          password,
        }),
      ),
    }),
  },
};

/** Members that the carriers know, so that the rubbish gets further than the door. */
const names = [
  'service',
  'parcels',
  'recipient',
  'shipper',
  'letter',
  'outputFormat',
  'address',
  'Shipment',
  'Consignee',
  'Address',
  'ShipmentUnit',
  'Weight',
  'PrintingOptions',
  'ShipmentRequest',
  'Package',
  'shipments',
  'profile',
  'consignee',
  'details',
  'product',
  'weight',
  'unknown\n"é',
];
const rubbish = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;

it('every simulator is tried here, unless it speaks SOAP', () => {
  const ofSoap = ['mondialrelay', 'chronopost', 'dpd'];
  assert.deepEqual([...Object.keys(doors), ...ofSoap].toSorted(), simulatorNames.toSorted());
});

for (const [name, door] of Object.entries(doors)) {
  describe(`the simulator of ${name}`, () => {
    let simulator: Simulator;
    let headers: Readonly<Record<string, string>>;
    before(async () => {
      simulator = await door.start();
      const given = door.headers(simulator.settings);
      if (!('token' in given) || !('form' in given)) {
        headers = given;
        return;
      }
      const response = await fetch(`${simulator.url}${given.token}`, {
        method: 'POST',
        body: given.form,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(given.authorization === undefined ? {} : { authorization: given.authorization }),
        },
      });
      const token: unknown = await response.json();
      assert.ok(typeof token === 'object' && token !== null && 'access_token' in token);
      headers = {
        authorization: `Bearer ${String(token.access_token)}`,
        transId: '1',
        transactionSrc: 'x',
        'dhl-api-key': simulator.settings.trackingKey ?? '',
        'content-type': 'application/glsVersion1+json',
      };
    });
    after(() => simulator.close());

    it('answers any request whatever', async () => {
      const request = fc.record({
        path: fc.oneof(fc.constantFrom(...door.paths), fc.webPath()),
        method: fc.constantFrom('GET', 'POST', 'DELETE'),
        body: fc.oneof(
          rubbish.map((value) => JSON.stringify(value)),
          fc.string({ unit: 'binary' }),
          fc.constant(''),
        ),
        open: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ path, method, body, open }) => {
          const response = await fetch(`${simulator.url}${path}`, {
            method,
            headers: open ? headers : {},
            ...(method === 'POST' ? { body: body ?? '' } : {}),
          });
          await response.arrayBuffer();
          assert.ok(response.status >= 200 && response.status < 505, String(response.status));
        }),
        { numRuns: rounds(150) },
      );
    });
  });
}
