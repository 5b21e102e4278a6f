// How many consumers a key may make known, and that however many there are, looking at them costs little and holds up
// nobody.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { maxConsumers } from '../../src/platform/outbox.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { engines, storeOn } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { statementText } from '../contract/statement-text.ts';
import { sql } from '../../src/store/statement.ts';

for (const engine of engines) {
  describe(`the consumers of a key on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    let key: { readonly id: string; readonly text: string };
    before(async () => {
      running = await startApp(engine);
    });
    after(() => running.close());
    beforeEach(async () => {
      for (const consumer of await names()) await running.app.store.outbox.forget(consumer);
      key = await newKey();
    });
    const newKey = async (): Promise<typeof key> => {
      const made = await addPlatformKey(
        running.app.store,
        { name: 'WMS', activityCodes: null, roles: ['outbox'] },
        Date.now(),
      );
      return { id: made.key.id, text: made.text };
    };
    const read = (consumer: string, { text } = key, more = ''): Promise<Answered> =>
      running.get(`/platform/outbox?consumer=${consumer}${more}`, { token: text });
    const names = async (): Promise<readonly string[]> => [
      ...new Set((await running.app.store.outbox.consumers()).map(({ consumer }) => consumer)),
    ];

    it('are twenty; one more is refused before anybody waits, with their names, and leaves nothing', async () => {
      const wanted = Array.from({ length: maxConsumers }, (_, index) => `c${String(index).padStart(2, '0')}`);
      for (const name of wanted) assert.equal((await read(name)).status, 200);
      const started = performance.now();
      const refused = await read('one-more', key, '&wait=25');
      assert.ok(performance.now() - started < 20_000);
      assert.equal(refused.status, 409, refused.body);
      assert.match(String(refused.object().type), /\/problems\/too-many-consumers$/);
      assert.deepEqual(refused.object().consumers, wanted);
      // The name that a key reads under where it gives none counts as well.
      assert.equal((await running.get('/platform/outbox', { token: key.text })).status, 409);
      assert.deepEqual(await names(), wanted);
      for (const name of [wanted[0] ?? '', wanted.at(-1) ?? '']) assert.equal((await read(name)).status, 200);
    });

    it('are twenty also where more are asked for at once', async () => {
      const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => read(`c${index}`)));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array(maxConsumers).fill(200),
        ...Array(25).fill(409),
      ]);
      assert.equal((await names()).length, maxConsumers);
    });

    it('make room when one is forgotten, and do not concern other keys, nor commands', async () => {
      for (let index = 0; index < maxConsumers; index += 1) await read(`c${index}`);
      assert.equal((await read('other', await newKey())).status, 200);
      await running.app.store.outbox.noteDelivered('files', { NOR: 0, SOU: 0 });
      assert.equal((await read('one-more')).status, 409);
      await running.app.store.outbox.forget('c7');
      assert.equal((await read('one-more')).status, 200);
      assert.equal((await read('c7')).status, 409);
    });
  });

  describe(`thousands of consumers on ${engine.name}`, { skip: engine.skip }, () => {
    it('cost no more counting than one, and give way to others', async (t) => {
      const database = await engine.create();
      const opened = await database.open();
      const store = await storeOn(opened);
      t.after(async () => {
        await store.close();
        await database.remove();
      });
      await store.activities.add('ACM', 'Acme');
      const [entries, consumers] = [12_000, 2_500];
      await opened.write(async (transaction) => {
        const rows = Array.from({ length: entries }, (_, index) => [
          'ACM',
          index + 1,
          'document',
          '{}',
          'op',
          index + 1,
        ]);
        const column = (name: string, type: 'text' | 'integer') => ({ name, type });
        await transaction.putRows(
          {
            table: 'outbox_entry',
            conflict: [],
            columns: [
              column('owner', 'text'),
              column('change_number', 'integer'),
              column('kind', 'text'),
              column('body', 'text'),
              column('operation_id', 'text'),
              column('created_at', 'integer'),
            ],
          },
          rows,
        );
        await transaction.query(sql`insert into revision values ('ACM', 'outbox', ${entries})`);
        const known = Array.from({ length: consumers }, (_, index) => ['ACM', `c${index}`, entries, index * 4, 1, 1]);
        await transaction.putRows(
          {
            table: 'outbox_consumer',
            conflict: [],
            columns: [
              column('owner', 'text'),
              column('consumer', 'text'),
              column('delivered', 'integer'),
              column('acknowledged', 'integer'),
              column('created_at', 'integer'),
              column('updated_at', 'integer'),
            ],
          },
          known,
        );
      });
      let counted = 0;
      const counting: Engine = {
        ...opened,
        read: async (statement) => {
          const rows = await opened.read(statement);
          const [first] = rows;
          if (statementText(statement).startsWith('select count('))
            counted += Number(Array.isArray(first) ? first[0] : first);
          return rows;
        },
      };
      let turns = 0;
      let reading = true;
      const watch = (): void => {
        turns += 1;
        if (reading) setImmediate(watch);
      };
      setImmediate(watch);
      const progress = await createOutbox(counting).consumers();
      reading = false;
      assert.equal(progress.length, consumers);
      assert.ok(counted <= 10_000, `${counted} entries were counted`);
      assert.ok(turns > 10, `others had ${turns} turns`);
      for (const { acknowledged, waiting, waitingSince } of progress) {
        assert.deepEqual([waiting, waitingSince], [Math.min(entries - acknowledged, 10_000), acknowledged + 1]);
      }
    });
  });
}
