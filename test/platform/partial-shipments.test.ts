// Shipments of which a carrier has made or voided only some parcels: all that exist are still known, whose they are,
// and can be voided and handed over. On every engine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startDpdSimulator } from '../../simulators/dpd/dpd.ts';
import { createAccountCipher } from '../../src/auth/account-cipher.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { createHost } from '../../src/carriers/host.ts';
import { loadCarrier } from '../../src/carriers/index.ts';
import { textBlock } from '../../src/model/text-block.ts';
import { accountOf, type OpenAccount } from '../../src/shipping/accounts.ts';
import { voidLabel } from '../../src/shipping/void-label.ts';
import type { StoredLabel } from '../../src/store/labels.ts';
import {
  labels,
  numberOf,
  pathOf,
  problem,
  type Shipping,
  startShipping,
  tracking,
  wish,
} from '../api/shipping/fixture.ts';
import { engines } from '../contract/engines.ts';
import type { Answered } from '../contract/running-app.ts';

/** DPD, which makes and voids a shipment parcel by parcel. */
interface FailingDpd {
  readonly settings: Readonly<Record<string, string>>;
  readonly password: string;
  /** The numbers of parcels that it was asked to void. */
  readonly voids: () => readonly string[];
  /** Requests of an operation that are still answered before one gets this instead; null: all are answered. */
  fail: { readonly operation: string; left: number; readonly instead: string } | null;
  readonly close: () => Promise<void>;
}

async function startFailingDpd(): Promise<FailingDpd> {
  const simulator = await startDpdSimulator();
  const voids: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const action = String(request.headers.soapaction).replaceAll('"', '');
    const number = /TerminateShipment$/.test(action) ? /<BarcodeId>(\w+)</.exec(body.toString())?.[1] : undefined;
    if (number !== undefined) voids.push(number);
    if (dpd.fail !== null && action.endsWith(dpd.fail.operation) && dpd.fail.left-- === 0) {
      response.writeHead(500, { 'content-type': 'text/xml' }).end(dpd.fail.instead);
      return;
    }
    const answer = await fetch(`${simulator.url}${request.url}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: String(request.headers.soapaction) },
      body,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { password = '', ...settings } = simulator.settings;
  const here = (url = ''): string => url.replace(simulator.url, `http://127.0.0.1:${address.port}`);
  const dpd: FailingDpd = {
    settings: { ...settings, baseUrl: here(settings.baseUrl), trackingUrl: here(settings.trackingUrl) },
    password,
    voids: () => voids,
    fail: null,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await simulator.close();
    },
  };
  return dpd;
}

/** DPD's answer where a parcel cannot be voided. */
const taken = textBlock`
  <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>
  <faultcode>soap:Server</faultcode><faultstring>taken</faultstring>
  <detail><Error><ErrorId>AlreadyScanned</ErrorId><ErrorMessage>taken</ErrorMessage></Error></detail>
  </soap:Fault></soap:Body></soap:Envelope>
`;

/** The number of the last parcel. */
function lastNumberOf(answer: Answered): string {
  const { outputs } = answer.object();
  assert.ok(Array.isArray(outputs), answer.body);
  return String(outputs.findLast(({ name }) => name === 'ParcelNumber').value);
}

const shipment = {
  ...{ ...wish, modeLiv: 'CLASSIC', expTel1: '+33320000000', nbPackage: '3', weight: '3000' },
} as const;

for (const engine of engines) {
  describe(`shipments that are incomplete on ${engine.name}`, { skip: engine.skip }, () => {
    let world: Shipping;
    let dpd: FailingDpd;
    let token: string;
    let secrets: string;
    let cipher: ReturnType<typeof createAccountCipher>;
    before(async () => {
      [world, dpd] = [await startShipping(engine), await startFailingDpd()];
      const secretKey = 'pebble lantern orchard seventeen willow';
      cipher = createAccountCipher({ secretKey, dataDir: world.running.documentsFolder, databaseUrl: null });
      secrets = await cipher.encrypt(JSON.stringify({ password: dpd.password }));
      const key = { name: 'desk', activityCodes: ['NOR'], roles: ['shipping'] } as const;
      token = (await addPlatformKey(world.running.app.store, key, world.clock.now)).text;
    });
    after(async () => {
      await world.close();
      await dpd.close();
    });
    beforeEach(() => {
      dpd.fail = null;
    });

    const contextOf = (activity: string): Promise<string> =>
      world.context({ activity, carrier: 'dpd', settings: dpd.settings, secrets });
    const openedOf = async (context: string): Promise<OpenAccount> => {
      const [carrier, stored] = [
        await loadCarrier('dpd'),
        await world.running.app.store.carrierAccounts.find(['NOR'], context, 'dpd'),
      ];
      assert.ok(carrier !== null && stored !== null);
      return { stored, carrier, account: await accountOf(stored, carrier, cipher) };
    };
    /** A label of three parcels at DPD, which fails at the third; with the numbers of those that exist. */
    const halfMade = async (context: string): Promise<{ readonly label: StoredLabel; readonly parcels: string[] }> => {
      dpd.fail = { operation: 'CreateShipmentWithLabelsBc', left: 2, instead: '<html>' };
      const answer = await world.north.send(labels(context, 'dpd'), shipment);
      dpd.fail = null;
      const { detail } = problem(answer, 502, 'carrier-unavailable');
      const parcels = /^The parcels (\d+), (\d+) exist/.exec(String(detail))?.slice(1) ?? [];
      assert.equal(parcels.length, 2, String(detail));
      const [label] = await world.running.app.store.labels.list({ activity: 'NOR', context, unknown: true, limit: 2 });
      assert.ok(label !== undefined);
      assert.deepEqual([label.state, label.expeditionNumber], ['unknown', parcels[0]]);
      return { label, parcels };
    };
    /** As the command line does, which finds such a label by its id. */
    const voided = async (label: StoredLabel) =>
      voidLabel(
        {
          store: world.running.app.store,
          callCarrier: createHost({ onCall: () => undefined }),
          onFault: () => undefined,
          now: () => world.clock.now,
        },
        {
          label,
          opened: await openedOf(label.context),
          unused: false,
          audit: { actorKind: 'command', actor: 'test', subject: null, operationId: null, address: null },
        },
      );
    /** The files of an answered label. */
    const filesOf = async (answer: Answered): Promise<readonly Answered[]> => {
      const { outputs } = answer.object();
      assert.ok(Array.isArray(outputs), answer.body);
      const links = outputs.filter(({ name }) => name === 'PdfUrl').map(({ value }) => pathOf(String(value)));
      return Promise.all(links.map((link) => world.running.get(link, { token: null })));
    };
    const bytesOf = async (answer: Answered): Promise<readonly Buffer[]> =>
      (await filesOf(answer)).map(({ bytes }) => bytes);
    const handedOver = async (context: string) => {
      const answer = await world.running.get(`/platform/shippings/handovers/${context}/dpd`, { method: 'POST', token });
      assert.equal(answer.status, 200, answer.body);
      const { store } = world.running.app;
      const account = (await openedOf(context)).stored;
      const [list] = await store.handovers.ofDay({ activity: 'NOR', accountId: account.id, day: '2026-11-23' });
      assert.ok(list !== undefined);
      const handed = (await store.handovers.labelsOf(list)).flatMap(({ parcelNumbers }) => parcelNumbers);
      return { counted: list.parcels, handed };
    };

    it('are voided with every parcel that exists', async () => {
      const { label, parcels } = await halfMade(await contextOf('NOR'));
      const { detail } = await voided(label);
      assert.deepEqual(dpd.voids().slice(-2), parcels);
      for (const number of parcels) assert.ok(detail.includes(number), detail);
    });

    it('belong to their activity with every parcel that exists, until somebody says that none does', async () => {
      const [context, theirs] = [await contextOf('NOR'), await contextOf('SOU')];
      const { label, parcels } = await halfMade(context);
      for (const number of parcels) {
        problem(await world.south.get(`${labels(theirs, 'dpd')}/${number}`), 404, 'resource-not-found');
        problem(await world.south.get(tracking(theirs, number, 'dpd')), 404, 'resource-not-found');
        assert.equal((await world.north.get(`${labels(context, 'dpd')}/${number}`)).status, 200);
      }
      const { store } = world.running.app;
      assert.equal(await store.labels.settle(label, null), 'settled');
      for (const number of parcels)
        assert.equal(await store.labels.isMadeByOthers({ activity: 'SOU', carrier: 'dpd' }, number), false);
    });

    it('are handed over with every parcel that exists, once they count as made', async () => {
      const context = await contextOf('NOR');
      const { label, parcels } = await halfMade(context);
      assert.equal(await world.running.app.store.labels.settle(label, parcels[0] ?? null), 'settled');
      assert.deepEqual(await handedOver(context), { counted: 2, handed: parcels.toSorted() });
    });

    it('are found as made, and voided, once they count as such, whatever was fetched in doubt', async () => {
      const context = await contextOf('NOR');
      const { label, parcels } = await halfMade(context);
      for (const number of parcels)
        assert.equal((await world.north.get(`${labels(context, 'dpd')}/${number}`)).status, 200);
      assert.equal(await world.running.app.store.labels.settle(label, parcels[0] ?? null), 'settled');
      for (const number of parcels) {
        const found = await world.running.get(`/platform/shippings/labels/${context}/dpd/${number}`, { token });
        assert.deepEqual([found.status, found.object().state, found.object().labelId], [200, 'made', label.id]);
      }
      const path = `/platform/shippings/labels/${context}/dpd/${parcels[1]}/void`;
      assert.equal((await world.running.get(path, { method: 'POST', token })).status, 200);
      assert.deepEqual(dpd.voids().slice(-2), parcels);
    });

    it('are fetched with the label of every parcel that exists, once they count as made', async () => {
      const context = await contextOf('NOR');
      const { label, parcels } = await halfMade(context);
      const single = await Promise.all(
        parcels.map(async (number) => bytesOf(await world.north.get(`${labels(context, 'dpd')}/${number}`))),
      );
      assert.equal(await world.running.app.store.labels.settle(label, parcels[0] ?? null), 'settled');
      const [first, second] = [
        await world.north.get(`${labels(context, 'dpd')}/${parcels[0]}`),
        await world.north.get(`${labels(context, 'dpd')}/${parcels[1]}`),
      ];
      assert.deepEqual(second.bytes, first.bytes);
      assert.deepEqual(await bytesOf(first), single.flat());
      const { outputs } = first.object();
      assert.ok(Array.isArray(outputs), first.body);
      assert.deepEqual(
        outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => String(value)),
        parcels,
      );
    });

    it('are fetched without the labels of parcels that are void', async () => {
      const context = await contextOf('NOR');
      const { label, parcels } = await halfMade(context);
      const [number = '', left = ''] = parcels;
      const single = await bytesOf(await world.north.get(`${labels(context, 'dpd')}/${left}`));
      assert.equal(await world.running.app.store.labels.settle(label, number), 'settled');
      dpd.fail = { operation: 'TerminateShipment', left: 1, instead: taken };
      const path = `/platform/shippings/labels/${context}/dpd/${number}/void`;
      problem(await world.running.get(path, { method: 'POST', token }), 409, 'not-voidable');
      const answer = await world.north.get(`${labels(context, 'dpd')}/${number}`);
      assert.equal(numberOf(answer), number);
      assert.deepEqual(await bytesOf(answer), single);
      const { outputs } = answer.object();
      assert.ok(Array.isArray(outputs), answer.body);
      assert.deepEqual(
        outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => String(value)),
        [left],
      );
      dpd.fail = null;
      assert.equal((await world.running.get(path, { method: 'POST', token })).status, 200);
      assert.deepEqual(dpd.voids().slice(-1), [left]);
    });

    it('are given from storage without what belongs to parcels that are void', async () => {
      const context = await contextOf('NOR');
      const answer = await world.north.send(labels(context, 'dpd'), shipment);
      const files = await bytesOf(answer);
      dpd.fail = { operation: 'TerminateShipment', left: 1, instead: taken };
      const path = `/platform/shippings/labels/${context}/dpd/${numberOf(answer)}/void`;
      problem(await world.running.get(path, { method: 'POST', token }), 409, 'not-voidable');
      const again = await world.north.get(`${labels(context, 'dpd')}/${numberOf(answer)}`);
      assert.deepEqual(await bytesOf(again), files.slice(1));
      const { outputs } = again.object();
      assert.ok(Array.isArray(outputs), again.body);
      assert.deepEqual(
        outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => String(value)),
        dpd.voids().slice(-1).concat(lastNumberOf(answer)),
      );
    });

    it('have a file of another name for each parcel, so that none is saved over another', async () => {
      const answer = await world.north.send(labels(await contextOf('NOR'), 'dpd'), shipment);
      const number = numberOf(answer);
      assert.deepEqual(
        (await filesOf(answer)).map(({ headers }) => headers['content-disposition']),
        ['', '-2', '-3'].map((place) => `inline; filename="label-${number}${place}.pdf"`),
      );
    });

    it('are handed over without the parcels that the carrier has voided', async () => {
      const context = await contextOf('NOR');
      const answer = await world.north.send(labels(context, 'dpd'), shipment);
      const { outputs } = answer.object();
      assert.ok(Array.isArray(outputs), answer.body);
      const parcels = outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => String(value));
      assert.equal(parcels.length, 3);
      dpd.fail = { operation: 'TerminateShipment', left: 1, instead: taken };
      const path = `/platform/shippings/labels/${context}/dpd/${numberOf(answer)}/void`;
      problem(await world.running.get(path, { method: 'POST', token }), 409, 'not-voidable');
      assert.deepEqual(dpd.voids().slice(-2), parcels.slice(0, 2));
      assert.deepEqual(await handedOver(context), { counted: 2, handed: parcels.slice(1) });
    });
  });
}
