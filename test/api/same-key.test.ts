// Two uploads with one Idempotency-Key at the same time, on every engine: one of them works, and whichever comes too
// late writes nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDiskStorage } from '../../src/documents/disk.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { createChecker } from '../../src/model/check.ts';
import { order } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, storeOn } from '../contract/engines.ts';
import { pdf } from '../documents/samples.ts';
import { filesIn } from './uploads.ts';
import { writeServer } from './write-server.ts';

for (const engine of engines) {
  describe(`two uploads with one key on ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<typeof engine.create>>;
    let store: Store;
    let storage: DocumentStorage;
    const folder = mkdtempSync(join(tmpdir(), 'same-key-'));
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      await store.activities.add('NOR', 'North Trading');
      const checked = createChecker(order)(
        { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'O-1' },
        { owner: 'NOR', ownerName: 'North Trading' },
      );
      assert.ok(checked.ok);
      await store.records.write(order, 'NOR', [checked.record]);
      storage = createDiskStorage({ folder, database: store.epoch, failed: () => undefined });
    });
    after(async () => {
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    });

    it('at once: the second is told to wait, and then gets the answer of the first', async () => {
      const {
        storage: slow,
        arrived: [arrived],
        goOn: [goOn],
      } = heldUp(storage, 1);
      const server = writeServer(store, slow);
      const [file, headers] = [{ content: pdf('at once') }, { 'idempotency-key': 'at-once' }];
      const first = server.upload('O-1', file, headers);
      await arrived;
      const second = await server.upload('O-1', file, headers);
      assert.deepEqual([second.status, /idempotency-in-progress/.test(second.text)], [409, true]);
      assert.match(String(second.headers['retry-after']), /^(?:[1-9]|1[0-5])$/);
      const other = await server.upload('O-1', { content: pdf('something else') }, headers);
      assert.equal(other.status, 422);
      goOn?.();
      const { status, text } = await first;
      const again = await server.upload('O-1', file, headers);
      assert.deepEqual([status, again.text, again.headers['idempotency-replayed']], [200, text, 'true']);
      await server.close();
    });

    for (const [held, what] of [
      [1, 'does it'],
      [2, 'is doing it'],
    ] as const) {
      it(`of which the first stands still for longer than its claim lasts, while the second ${what}: the first writes nothing`, async (t) => {
        // It gives no sign of life meanwhile.
        t.mock.timers.enable({ apis: ['setInterval'] });
        const { storage: slow, arrived, goOn } = heldUp(storage, held);
        const server = writeServer(store, slow);
        const [file, headers] = [{ content: pdf(what) }, { 'idempotency-key': `too-slow-${held}` }];
        const ends = await store.outbox.ends(['NOR']);
        const first = server.upload('O-1', file, headers);
        await arrived[0];
        await store.db.updateTable('stored_answer').set({ claimed_until: 0 }).where('answer', 'is', null).execute();
        const second = server.upload('O-1', file, headers);
        await (arrived[1] ?? second);
        goOn[0]?.();
        const late = await first;
        assert.deepEqual(
          [late.status, /idempotency-in-progress/.test(late.text), late.headers['retry-after']],
          [409, true, '1'],
        );
        // Nor has it taken the claim from the second one.
        if (held === 2) assert.equal((await server.upload('O-1', file, headers)).status, 409);
        goOn[1]?.();
        assert.equal((await second).body.status, 200);
        assert.deepEqual(await store.outbox.ends(['NOR']), { NOR: (ends.NOR ?? 0) + 1 });
        assert.equal((await server.upload('O-1', file, headers)).text, (await second).text);
        await sweepDocuments({ storage, known: store.documents.known, now: Date.now() + 2 * 3_600_000 });
        assert.equal(
          filesIn(folder).length,
          (await store.db.selectFrom('order_document').select('id').execute()).length,
        );
        await server.close();
      });
    }
  });
}

/** A storage that keeps each of its first documents only when it is told to go on. */
function heldUp(
  storage: DocumentStorage,
  count: number,
): {
  readonly storage: DocumentStorage;
  readonly arrived: readonly Promise<void>[];
  readonly goOn: readonly (() => void)[];
} {
  const gates = Array.from({ length: count }, () => ({
    arrived: Promise.withResolvers<void>(),
    open: Promise.withResolvers<void>(),
  }));
  let seen = 0;
  return {
    arrived: gates.map(({ arrived }) => arrived.promise),
    goOn: gates.map(({ open }) => open.resolve),
    storage: {
      ...storage,
      receive: async (content, limits) => {
        const received = await storage.receive(content, limits);
        return {
          ...received,
          keep: async (name) => {
            const gate = gates[seen];
            seen += 1;
            gate?.arrived.resolve();
            await gate?.open.promise;
            await received.keep(name);
          },
        };
      },
    },
  };
}
