// Removing an activity: all that is stored of it, nothing of others, and what becomes of the code.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../../src/model/operator-error.ts';
import { v7 as uuidv7 } from 'uuid';
import { resources } from '../../src/resources/index.ts';
import { noSecondFactor } from '../../src/store/second-factors.ts';
import { createActivityRemoval, maxCountedRows, ownedTables } from '../../src/store/activity-removal.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { maxRemovedAtOnce } from '../../src/store/batches.ts';
import { lockCounters } from '../../src/store/counters.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { VoidOutcome } from '../../src/store/label-voids.ts';
import type { StoredLabel } from '../../src/store/labels.ts';
import { createStore } from '../../src/store/open.ts';
import { recordTables, type TableShape } from '../../src/store/record-tables.ts';
import { sql } from '../../src/store/statement.ts';
import { administrationTables } from '../../src/store/tables/index.ts';
import { definitions } from '../../src/resources/index.ts';
import { auditEntry, killedDetails, wholeTrail } from '../contract/audit.ts';
import { allEngines, type EngineUnderTest } from '../contract/engines.ts';
import { reserveLabel } from '../contract/reserve-label.ts';
import { storedLabel } from '../contract/stored-label.ts';

const shapes: readonly TableShape[] = [...resources.flatMap(recordTables), ...administrationTables];
const ofActivities = shapes.filter(({ columns }) => columns.some(({ name }) => name === 'owner'));
/** How far the texts of a resource have been brought to another form: not of an activity, though it names one. */
const others = ['text_form'];

/** Values that fit each column; numbered, so that no unique key has the same twice. */
async function addRow({ write }: Pick<Engine, 'write'>, { name, columns }: TableShape, owner: string, place: number) {
  const values = columns.map((column) =>
    column.name === 'owner'
      ? owner
      : column.name === 'state'
        ? name === 'stock_image'
          ? 'published'
          : 'made'
        : column.name === 'kind'
          ? 'document'
          : column.type === 'text'
            ? `${owner}-${place}`
            : place,
  );
  const names = sql.join(columns.map((column) => sql.quoted(column.name)));
  await write(({ query }) => query(sql`insert into ${sql.quoted(name)} (${names}) values (${sql.join(values)})`));
}

async function countOf({ read }: Pick<Engine, 'read'>, table: string, owner: string): Promise<number> {
  const [row] = await read(sql`select count(*) from ${sql.quoted(table)} where owner = ${owner}`);
  return Number(row?.[0]);
}

/** A store in which every table has rows of ACM and BLU. */
async function opened(t: TestContext, engine: EngineUnderTest, rowsOfEach = 2) {
  const database = await engine.create();
  const running = await database.open();
  const store = await createStore(running, definitions);
  t.after(async () => {
    await store.close();
    await database.remove();
  });
  for (const code of ['ACM', 'BLU']) {
    await store.activities.add(code, `Activity ${code}`);
    for (const shape of ofActivities.filter(({ name }) => !others.includes(name)))
      for (let place = 1; place <= rowsOfEach; place += 1) await addRow(running, shape, code, place);
  }
  return { store, running };
}

it('knows every table that has rows of activities', () => {
  const emptied = [...ownedTables(resources).map(({ name }) => name), 'carrier_account', ...others];
  assert.deepEqual(ofActivities.map(({ name }) => name).toSorted(), emptied.toSorted());
});

for (const engine of allEngines) {
  describe(`an activity that is removed, on ${engine.name}`, { skip: engine.skip }, () => {
    it('takes all of its rows with it, and none of another', async (t) => {
      const { store, running } = await opened(t, engine);
      for (const accountId of ['ACM-1', 'another'])
        await store.tracking.put({ accountId, expeditionNumber: '1', tracking: '{}', fetchedAt: 1 });
      const contents = await store.activityRemoval.contents('ACM');
      assert.equal(contents?.isRemoved, false);
      const counted = Object.entries(contents?.rows ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const expected = ofActivities.filter(({ name }) => !others.includes(name)).map(({ name }) => [name, 2] as const);
      assert.deepEqual(
        counted,
        expected.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
      const rows = expected.length * 2;
      assert.equal(await store.activityRemoval.remove('ACM', 5), rows + 1);
      for (const [name] of expected)
        assert.deepEqual([await countOf(running, name, 'ACM'), await countOf(running, name, 'BLU')], [0, 2], name);
      assert.deepEqual((await running.read(sql`select account_id from parcel_tracking`)).flat(), ['another']);
      assert.deepEqual(
        (await store.activities.list()).map(({ code }) => code),
        ['BLU'],
      );
    });

    it('is taken from users, clients and keys, which stay, and no code like it is', async (t) => {
      const { store } = await opened(t, engine, 0);
      await store.activities.add('AC', 'Like it');
      const state = {
        createdAt: 1,
        disabledAt: null,
        signedOutAt: null,
        operatorRoles: [],
        identityProvider: null,
        secondFactorRequired: false,
        ...noSecondFactor,
      };
      const user = { passwordHash: 'x', operator: false, ...state };
      await store.users.add({ ...user, id: '1', login: 'mia', activityCodes: ['AC', 'ACM', 'BLU'] });
      await store.users.add({ ...user, id: '2', login: 'leo', activityCodes: ['AC'] });
      const key = { name: 'x', secretHash: 'x', createdAt: 1, revokedAt: null, lastUsedAt: null, roles: [] };
      await store.platformKeys.add({ ...key, id: 'k', activityCodes: ['ACM'] });
      await store.platformKeys.add({ ...key, id: 'all', activityCodes: null });
      const { users, clients, platformKeys } = (await store.activityRemoval.contents('ACM')) ?? {};
      assert.deepEqual([users, clients, platformKeys], [1, 0, 1]);
      await store.activityRemoval.remove('ACM', 5);
      assert.deepEqual(
        (await store.users.list()).map(({ activityCodes }) => activityCodes),
        [['AC'], ['AC', 'BLU']],
      );
      assert.deepEqual(
        (await store.platformKeys.list()).map(({ activityCodes }) => activityCodes).toSorted(),
        [[], null].toSorted(),
      );
    });

    it('cannot be written to any more, and its code goes on where it was: no number is given out twice', async (t) => {
      const { store, running } = await opened(t, engine, 0);
      const write = (code: string) =>
        running.write(async (transaction) => {
          const counters = await lockCounters(transaction, code);
          const numbers = [counters.takeChange(), counters.takeId()];
          await counters.save();
          return numbers;
        });
      const first = await write('BLU');
      await store.activityRemoval.remove('BLU', 5);
      await assert.rejects(write('BLU'), /There is no activity BLU/);
      await store.activities.add('NEW', 'It has another number');
      const [, idOfNew = 0] = await write('NEW');
      await store.activities.add('BLU', 'Blue again');
      const [change = 0, id = 0] = await write('BLU');
      assert.deepEqual([change, id], [(first[0] ?? 0) + 1, (first[1] ?? 0) + 1]);
      assert.ok(idOfNew > id, 'ids of the new one begin after those of all that were');
      assert.equal(await store.activityRemoval.remove('BLU', 6), 0);
      await store.activities.add('BLU', 'And again');
    });

    it('that was interrupted keeps no round from what is left of others', async (t) => {
      const { store, running } = await opened(t, engine);
      await running.write(async ({ query }) => {
        await query(sql`
          update feed_message set state = 'open', channel = 'http', counts_only = 0, holder = null, message_id = null,
          request_key = null
        `);
        await query(sql`delete from activity where code = 'ACM'`);
      });
      assert.equal(await store.feeds.endAbandoned(0), 2, 'those of BLU');
      assert.equal(await store.outbox.removeAcknowledged(Date.now()), 1, 'that of BLU');
    });

    it('goes on after it was interrupted; until then its code is not free', async (t) => {
      const { store, running } = await opened(t, engine);
      let left = 3;
      const failing = (write: Engine['write']): Engine['write'] => {
        return (work) => {
          left -= 1;
          return left < 0 ? Promise.reject(new Error('killed')) : write(work);
        };
      };
      const killed: Engine = {
        ...running,
        write: failing(running.write),
        writeInBackground: failing(running.writeInBackground),
      };
      await assert.rejects(createActivityRemoval(killed, resources).remove('ACM', 5), /killed/);
      const contents = await store.activityRemoval.contents('ACM');
      assert.equal(contents?.isRemoved, true);
      await assert.rejects(store.activities.add('ACM', 'Again'), /not all of its records are gone yet/);
      assert.ok(((await store.activityRemoval.remove('ACM', 6)) ?? 0) > 0);
      assert.deepEqual((await store.activityRemoval.contents('ACM'))?.rows, {});
      assert.equal(await store.activityRemoval.remove('ACM', 7), 0, 'twice');
      await store.activities.add('ACM', 'Again');
    });

    it('goes batch by batch, and by two at once', async (t) => {
      const { store, running } = await opened(t, engine, 0);
      const shape = ofActivities.find(({ name }) => name === 'label_parcel');
      assert.ok(shape);
      const many = maxRemovedAtOnce * 2 + 1;
      const columns = shape.columns.map(({ name, type }) => ({ name, type }));
      await running.write((transaction) =>
        transaction.putRows(
          { table: shape.name, columns, conflict: [] },
          Array.from({ length: many }, (_one, place) =>
            columns.map(({ name }) => (name === 'owner' ? 'ACM' : `${place}`)),
          ),
        ),
      );
      const counts = await Promise.all([
        store.activityRemoval.remove('ACM', 5),
        store.activityRemoval.remove('ACM', 5),
      ]);
      assert.equal(
        counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
        many,
      );
      assert.equal(await countOf(running, shape.name, 'ACM'), 0);
      assert.ok(many < maxCountedRows);
    });

    it('waits for rows that another process is working on: none of them outlives it', {
      skip: (engine.name === 'SQLite' && 'one writer at a time') || (!engine.parallel && 'one connection'),
    }, async (t) => {
      const { store, running } = await opened(t, engine);
      const removal = await running.write(async ({ query }) => {
        await query(sql`update label_void set ended_at = 1 where owner = 'ACM'`);
        const begun = store.activityRemoval.remove('ACM', 5);
        // Long enough for a removal that waits for nobody.
        await Promise.race([begun, pause(3000)]);
        await assert.rejects(store.activities.add('ACM', 'Again'), /not all of its records are gone yet/);
        return { begun };
      });
      assert.ok(((await removal.begun) ?? 0) > 0);
      assert.equal(await countOf(running, 'label_void', 'ACM'), 0);
      await store.activities.add('ACM', 'Again');
    });

    it('waits for a bounded time, says who holds the rows, and goes on where it was when it is called again', {
      skip: (engine.name === 'SQLite' && 'one writer at a time') || (!engine.parallel && 'one connection'),
    }, async (t) => {
      const { store, running } = await opened(t, engine);
      const { remove } = createActivityRemoval(running, resources, 700);
      const held: string[] = [];
      const removed: string[] = [];
      await running.write(async ({ query }) => {
        await query(sql`update label_void set ended_at = 1 where owner = 'ACM'`);
        const [[pid] = []] = await query(sql`select pg_backend_pid()`);
        const onHeld = (tables: readonly string[]) => void held.push(...tables);
        const onRows = (table: string) => void removed.push(table);
        await assert.rejects(remove('ACM', 5, { onHeld, onRows }), (error: unknown) => {
          assert.ok(error instanceof OperatorError);
          assert.match(
            error.message,
            /^Another transaction holds rows of ACM in the table label_void, and does not end: /,
          );
          assert.match(
            error.message,
            new RegExp(`process ${String(pid)} \\(logistics-connect.*in a transaction of \\d`),
          );
          assert.match(error.remedy, new RegExp(`pg_terminate_backend\\(${String(pid)}\\).*goes on where it was`));
          return true;
        });
      });
      assert.deepEqual([new Set(held), removed.includes('label_void')], [new Set(['label_void']), false]);
      assert.ok(removed.length > 3, 'nothing that nobody holds was waited for');
      await assert.rejects(store.activities.add('ACM', 'Again'), /not all of its records are gone yet/);
      assert.equal(await remove('ACM', 6), 2);
      await store.activities.add('ACM', 'Again');
    });

    it('is gone together with its entry in the audit trail, or not at all', async (t) => {
      const { store } = await opened(t, engine);
      const audit = auditEntry('activity.remove');
      const seen = async () => [
        (await store.activities.list()).map(({ code }) => code),
        (await store.audit.read(wholeTrail)).map(({ action }) => action),
      ];
      await assert.rejects(
        store.activityRemoval.remove('ACM', 5, { audit: { ...audit, details: killedDetails } }),
        /killed/,
      );
      assert.deepEqual(await seen(), [['ACM', 'BLU'], []]);
      const onRows = (): void => {
        throw new Error('killed');
      };
      await assert.rejects(store.activityRemoval.remove('ACM', 5, { audit, onRows }), /killed/);
      assert.deepEqual(await seen(), [['BLU'], ['activity.remove']]);
    });

    it('says which rows are held by a transaction that does not end, and is completed after that', {
      skip: (engine.name === 'SQLite' && 'one writer at a time') || (!engine.parallel && 'one connection'),
    }, async (t) => {
      const { store, running } = await opened(t, engine);
      await running.write(async ({ query }) => {
        await query(sql`update label_void set ended_at = 1 where owner = 'ACM'`);
        const removal = createActivityRemoval(running, resources, 300).remove('ACM', 5);
        await assert.rejects(removal, /holds rows of ACM in the table label_void/);
      });
      await assert.rejects(store.activities.add('ACM', 'Again'), /not all of its records are gone yet/);
      assert.equal(await store.activityRemoval.remove('ACM', 6), 2);
      await store.activities.add('ACM', 'Again');
    });

    it('is not written of by labels, voids and readers that end after it, and nothing begins', async (t) => {
      const { store } = await opened(t, engine, 0);
      const account = { activity: 'ACM', context: 'acm', carrier: 'sandbox', settings: {}, sender: {} };
      const secrets = { secrets: null, dailyLimit: null };
      await store.carrierAccounts.add({ ...account, ...secrets }, 1);
      const { id: accountId } = (await store.carrierAccounts.find(['ACM'], 'acm', 'sandbox')) ?? assert.fail();
      const labelOf = (expeditionNumber: string): StoredLabel =>
        storedLabel({
          ...{ activity: 'ACM', context: 'acm', carrier: 'sandbox', accountId, id: uuidv7(), operationId: uuidv7() },
          ...{ state: 'asked', fingerprint: 'f', request: '{}', clientId: 'shop', createdAt: 1, expeditionNumber },
        });
      const [made, doubtful, fetched, voided] = [labelOf('N1'), labelOf('N2'), labelOf('N3'), labelOf('N4')];
      for (const label of [made, doubtful, voided]) await reserveLabel(store, label, 0);
      const isMade = { ...voided, state: 'made' } as const;
      await store.records.submit([], (unit) => unit.putMadeLabel(isMade, []));
      const attempt = { id: 'a', at: 2 };
      assert.equal((await store.labelVoids.begin(isMade, attempt)).state, 'begun');
      const file = { token: 'x', mediaType: 'a/b', fileName: 'x', storedAs: 'x', size: 1, expiresAt: 9 };
      const late = async (): Promise<void> => {
        await store.records.submit([], async (unit) => {
          await unit.putMadeLabel({ ...made, state: 'made' }, [file], ['ALIAS']);
          await unit.putLabel({ ...doubtful, state: 'unknown' }, [], { parcels: ['P1', 'P2'] });
          await unit.putLabel({ ...fetched, state: 'fetched' }, [{ ...file, token: 'y' }]);
        });
        const audit: NewAuditEntry = {
          ...{ subject: null, action: 'label.void', activityCodes: ['ACM'], target: 'x', operationId: null },
          ...{ actorKind: 'command', actor: 'x', outcome: 'accepted', address: null, details: {} },
        };
        const outcome: VoidOutcome = { state: 'voided', detail: '', voidedParcels: [], audit };
        await store.labelVoids.end(isMade, { ...attempt, endedAt: 3 }, outcome);
      };
      await store.activityRemoval.remove('ACM', 5);
      await late();
      assert.ok(await store.outbox.noteDelivered('wms', { ACM: 0, BLU: 0 }));
      await assert.rejects(store.carrierAccounts.add({ ...account, ...secrets }, 6), /There is no activity ACM/);
      await assert.rejects(store.retentionRules.set('ACM', new Map([['orders', 1]])), /There is no activity ACM/);
      assert.deepEqual((await store.activityRemoval.contents('ACM'))?.rows, {});
      await store.activities.add('ACM', 'Another');
      await late();
      assert.deepEqual((await store.activityRemoval.contents('ACM'))?.rows, {});
    });

    it('is unknown where it never was', async (t) => {
      const { store } = await opened(t, engine, 0);
      assert.equal(await store.activityRemoval.contents('XXX'), null);
      assert.equal(await store.activityRemoval.remove('XXX', 5), null);
      assert.deepEqual((await store.activities.list()).length, 2);
    });
  });
}
