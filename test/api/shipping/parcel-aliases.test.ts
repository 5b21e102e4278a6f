// Parcels that a carrier knows under other numbers too: each of these is the label's and its activity's, and none is
// another parcel. On every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startGlsSimulator } from '../../../simulators/gls.ts';
import type { Simulator } from '../../../simulators/server.ts';
import { engines } from '../../contract/engines.ts';
import { labels, numberOf, output, problem, type Shipping, startShipping, tracking, wish } from './fixture.ts';

for (const engine of engines) {
  describe(`other numbers of parcels on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    let gls: Simulator;
    before(async () => {
      [shipping, gls] = [await startShipping(engine), await startGlsSimulator()];
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
        weight: '2000',
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
