// The demonstration by the client of `packages/client`, on the real server: its clock, its faults, and where there is
// none.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPlatformClient, ProblemError } from '../../packages/client/src/index.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { warehouseVersion } from '../../src/demo/warehouse.ts';
import { startService } from '../auth/flow.ts';
import { losingProxy } from './fixture.ts';

describe('the demonstration by the client', { timeout: 900_000 }, () => {
  it('is asked for things, each once, and says so where it is not there', async (t) => {
    const service = await startService(t);
    const { store } = service.app;
    const wanted = { name: 'lab', activityCodes: null, roles: ['operations'] };
    const { text: token } = await addPlatformKey(store, wanted, Date.now());
    const at = (origin: string) => createPlatformClient({ platformUrl: `${origin}/platform`, token }).demonstration;
    const demonstration = at(new URL(service.baseUrl).origin);
    const isMissing = (error: unknown): boolean => error instanceof ProblemError && error.status === 404;
    await assert.rejects(demonstration.status(), isMissing);
    await assert.rejects(demonstration.advance({ hours: 1 }), isMissing);
    await assert.rejects(demonstration.fault({ fault: 'late-image' }), isMissing);

    const now = Date.now();
    await store.demonstration.begin({
      ...{ version: warehouseVersion, filledAt: now, playedTo: now, anchorAt: now, anchorClock: now, speed: 1 },
      ...{ outbox: '{}', summary: null },
    });
    const { advanceId, state } = await demonstration.advance({ duration: '90m' });
    assert.equal(state, 'waiting');
    assert.equal((await demonstration.fault({ fault: 'late-image', activityCode: 'BEL' })).activityCode, 'BEL');
    const { advances, faults } = await demonstration.status();
    assert.deepEqual(
      advances.map(({ advanceId: id, hours }) => [id, hours]),
      [[advanceId, 1.5]],
    );
    assert.deepEqual(faults.find(({ fault }) => fault === 'late-image')?.setFor, ['BEL']);

    // The first answer is lost: it is sent again under its key, and taken once.
    const proxy = await losingProxy(t, service, 1);
    const sentTwice = await at(proxy.origin).advance({ hours: 1 });
    assert.deepEqual([proxy.lost(), sentTwice.isReplayed], [1, true]);
    assert.equal((await demonstration.status()).advances.length, 2);
    const options = { idempotencyKey: 'tuesday' };
    assert.equal((await demonstration.fault({ fault: 'short-pick' }, options)).isReplayed, false);
    assert.equal((await demonstration.fault({ fault: 'short-pick' }, options)).isReplayed, true);
    assert.equal((await store.demonstration.waiting()).length, 2);
  });
});
