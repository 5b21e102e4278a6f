// Parcels that a carrier knows under other numbers too: each of these is the label's and its activity's, and none is
// another parcel. On every engine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startGlsSimulator } from '../../../simulators/gls.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { addPlatformKey } from '../../../src/auth/platform-keys.ts';
import type { LabelResult } from '../../../src/model/shipping.ts';
import { labelFileTable } from '../../../src/store/tables/shipping.ts';
import { rowsIn } from '../../contract/database.ts';
import { engines } from '../../contract/engines.ts';
import { labels, numberOf, output, pathOf, problem, type Shipping, startShipping, tracking, wish } from './fixture.ts';

/** GLS, which may leave out the last parcel of an answer, as if it had not made it. */
interface ForgetfulGls {
  readonly settings: Readonly<Record<string, string>>;
  forgets: boolean;
  /** The numbers by which it was asked to cancel parcels. */
  readonly cancelled: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** The label that it gives for the parcels that it does not forget. */
const label = samplePdf(['A label that comes once']);

async function startForgetfulGls(): Promise<ForgetfulGls> {
  const simulator = await startGlsSimulator();
  const cancelled: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const number = /\/shipments\/cancel\/([^/]+)$/.exec(path)?.[1];
    if (number !== undefined) cancelled.push(number);
    const answer = await fetch(`${simulator.url}${path}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).flatMap(([name, value]): readonly [string, string][] =>
        ['accept', 'authorization', 'content-type'].includes(name) ? [[name, String(value)]] : [],
      ),
      body: request.method === 'GET' ? null : await buffer(request),
    });
    const body = await answer.text();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(gls.forgets && path.endsWith('/rs/shipments') ? withoutLast(body) : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const gls: ForgetfulGls = {
    settings: { ...simulator.settings, baseUrl: `http://127.0.0.1:${address.port}` },
    forgets: false,
    cancelled: () => cancelled,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await simulator.close();
    },
  };
  return gls;
}

function withoutLast(body: string): string {
  const { CreatedShipment } = JSON.parse(body);
  const ParcelData = CreatedShipment.ParcelData.slice(0, -1);
  const PrintData = [{ Data: [label.toString('base64')], LabelFormat: 'PDF' }];
  return JSON.stringify({ CreatedShipment: { ...CreatedShipment, ParcelData, PrintData } });
}

for (const engine of engines) {
  describe(`other numbers of parcels on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    let gls: ForgetfulGls;
    before(async () => {
      [shipping, gls] = [await startShipping(engine), await startForgetfulGls()];
      for (const [name, activity] of [
        ['ours', 'NOR'],
        ['theirs', 'SOU'],
      ] as const)
        await shipping.context({ name, activity, carrier: 'gls', settings: gls.settings });
    });
    after(async () => {
      await shipping.close();
      await gls.close();
    });

    const made = async (parcels: string) => {
      const answer = await shipping.north.send(labels('ours', 'gls'), {
        ...wish,
        modeLiv: 'PARCEL',
        nbPackage: parcels,
        weight: '9000',
      });
      return { number: numberOf(answer), trackId: output(answer, 'TrackID') };
    };

    it('are followed by the activity of the label alone, whatever is kept of the label', async () => {
      const { number, trackId } = await made('1');
      const { store } = shipping.running.app;
      for (const erased of [false, true]) {
        if (erased) assert.ok((await store.labels.forget(shipping.clock.now)) > 0);
        for (const other of [trackId, trackId.toLowerCase(), number.slice(0, -1)])
          problem(await shipping.south.get(tracking('theirs', other, 'gls')), 404, 'resource-not-found');
        const followed = await shipping.north.get(tracking('ours', trackId, 'gls'));
        assert.equal(followed.object().status, '80', followed.body);
      }
    });

    it('find the label', async () => {
      const { number, trackId } = await made('1');
      for (const other of [trackId, number.slice(0, -1)]) {
        assert.equal(numberOf(await shipping.north.get(`${labels('ours', 'gls')}/${other}`)), number);
        problem(await shipping.south.get(`${labels('theirs', 'gls')}/${other}`), 404, 'resource-not-found');
      }
    });

    it('and labels are kept of a shipment of which GLS names fewer parcels than were asked for', async () => {
      const { app } = shipping.running;
      const send = () =>
        shipping.north.send(
          labels('ours', 'gls'),
          { ...wish, modeLiv: 'PARCEL', nbPackage: '2', weight: '2000' },
          { headers: { 'idempotency-key': 'half-made' } },
        );
      gls.forgets = true;
      const { detail } = problem(await send(), 502, 'carrier-unavailable');
      gls.forgets = false;
      assert.match(String(detail), /^The parcel \d+ exists at GLS all the same\. Whether there is another one is not/);
      const [doubtful] = await app.store.labels.list({ activity: 'NOR', context: 'ours', unknown: true, limit: 1 });
      assert.ok(doubtful !== undefined);
      const { outputs }: LabelResult = JSON.parse(doubtful.result ?? '{"outputs":[]}');
      const trackId = outputs.find(({ name }) => name === 'TrackID')?.value ?? '';
      problem(await shipping.south.get(tracking('theirs', trackId, 'gls')), 404, 'resource-not-found');
      problem(await send(), 504, 'carrier-timeout');
      assert.equal(await app.store.labels.settle(doubtful, doubtful.expeditionNumber), 'settled');
      const made = await send();
      assert.deepEqual([numberOf(made), output(made, 'TrackID')], [doubtful.expeditionNumber, trackId]);
      assert.deepEqual((await shipping.running.get(pathOf(output(made)), { token: null })).bytes, label);
      assert.equal(numberOf(await shipping.north.get(`${labels('ours', 'gls')}/${trackId}`)), numberOf(made));
      const key = { name: 'desk', activityCodes: ['NOR'], roles: ['shipping'] } as const;
      const { text: token } = await addPlatformKey(app.store, key, shipping.clock.now);
      const path = `/platform/shippings/labels/ours/gls/${trackId}/void`;
      const voided = await shipping.running.get(path, { method: 'POST', token });
      assert.equal(voided.status, 200, voided.body);
      assert.deepEqual(gls.cancelled(), [trackId]);
    });

    it('are those by which all of many parcels are voided at once', async () => {
      const { number } = await made('25');
      const key = { name: 'many', activityCodes: ['NOR'], roles: ['shipping'] } as const;
      const { text: token } = await addPlatformKey(shipping.running.app.store, key, shipping.clock.now);
      const before = gls.cancelled().length;
      const path = `/platform/shippings/labels/ours/gls/${number}/void`;
      const voided = await shipping.running.get(path, { method: 'POST', token });
      assert.equal(voided.status, 200, voided.body);
      assert.equal(gls.cancelled().length - before, 25);
    });

    it('are forgotten where there is no parcel', async () => {
      const { store } = shipping.running.app;
      gls.forgets = true;
      const body = { ...wish, modeLiv: 'PARCEL', nbPackage: '2', weight: '2000' };
      problem(await shipping.north.send(labels('ours', 'gls'), body), 502, 'carrier-unavailable');
      gls.forgets = false;
      const [doubtful] = await store.labels.list({ activity: 'NOR', context: 'ours', unknown: true, limit: 1 });
      assert.ok(doubtful !== undefined && doubtful.expeditionNumber !== null);
      assert.equal(await store.labels.settle(doubtful, null), 'settled');
      assert.equal((await store.labels.byId(doubtful.id))?.result, null);
      const theirs = { activity: 'SOU', carrier: 'gls' };
      const other = doubtful.expeditionNumber.slice(0, -1);
      assert.equal(await store.labels.isMadeByOthers(theirs, other), false);
      assert.equal((await rowsIn(store, labelFileTable, { labelId: doubtful.id })).length, 0);
    });

    it('are no parcels more, on a list or where the label is voided', async () => {
      const { store } = shipping.running.app;
      for (const [parcels, expected] of [
        ['1', 0],
        ['2', 2],
      ] as const) {
        const { number } = await made(parcels);
        const label = await store.labels.find({ activity: 'NOR', context: 'ours', carrier: 'gls' }, number);
        assert.ok(label !== null);
        assert.equal((await store.labelVoids.parcelNumbers(label)).length, expected);
        const [handed] = await store.handovers.withParcels('NOR', [{ ...label, expeditionNumber: number }]);
        assert.equal(handed?.parcelNumbers.length, Number(parcels));
      }
    });
  });
}
