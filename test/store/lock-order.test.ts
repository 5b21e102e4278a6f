// Writes that meet at the same rows, on every engine: they wait for each other, and none is ended for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { lockCounters } from '../../src/store/counters.ts';
import { createRequestLog, type LoggedRequest } from '../../src/store/request-log.ts';
import { sql } from '../../src/store/statement.ts';
import { allEngines, storeOn } from '../contract/engines.ts';

for (const engine of allEngines) {
  describe(`writes that meet on ${engine.name}`, { skip: engine.skip }, () => {
    it('an activity that is renamed while somebody writes to it', async (t) => {
      const database = await engine.create();
      const store = await storeOn(await database.open());
      const beside = await database.open();
      t.after(async () => {
        await beside.close();
        await store.close();
        await database.remove();
      });
      await store.activities.add('NOR', 'North');
      const renamed = Promise.withResolvers<boolean>();
      await beside.write(async (transaction) => {
        await lockCounters(transaction, 'NOR');
        store.activities
          .edit([{ code: 'NOR', before: 'North', name: 'Northern' }], [])
          .then(renamed.resolve, renamed.reject);
        await pause(200);
        await transaction.query(sql`update activity set last_change = last_change + 1 where code = 'NOR'`);
      });
      assert.equal(await renamed.promise, true);
      assert.deepEqual(
        (await store.activities.list()).map(({ name }) => name),
        ['Northern'],
      );
    });

    it('two processes that remove the oldest requests of the same clients', async (t) => {
      const database = await engine.create();
      const store = await storeOn(await database.open());
      const beside = await database.open();
      t.after(async () => {
        await beside.close();
        await store.close();
        await database.remove();
      });
      const logs = [store.engine, beside].map((each) => createRequestLog(each, 1));
      const clients = Array.from({ length: 20 }, (_none, index) => `client-${index}`);
      for (let round = 0; round < 20; round += 1)
        await Promise.all(
          logs.map((log, index) => log.add((index === 0 ? clients : clients.toReversed()).map(requestOf))),
        );
      const [log] = logs;
      const left = await log?.read({ clientId: null, requestId: null, problemsOnly: false, after: null, limit: 100 });
      assert.ok(left !== undefined && left.length >= clients.length && left.length <= 2 * clients.length);
    });
  });
}

function requestOf(clientId: string): Omit<LoggedRequest, 'id'> {
  return {
    ...{ at: Date.now(), requestId: clientId, clientId, subject: null, method: 'GET', target: '/v1/orders' },
    ...{ route: '/v1/orders', status: 200, problem: null, detail: null, milliseconds: 1, bytes: 2, further: 0 },
  };
}
