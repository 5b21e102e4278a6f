// Statements that go to a PostgreSQL server together: each has its own answer and its own fault, whatever is around it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Submittable } from 'pg';
import fc from '../contract/properties.ts';
import { requestUnderWay } from '../../src/model/cooperative-yield.ts';
import { collectGarbage } from '../../src/model/garbage-collection.ts';
import type { BulkTarget, Engine } from '../../src/store/engine.ts';
import { type BatchedStatement, sendTogether } from '../../src/store/postgres-batch.ts';
import { MessageClient, messageSplitter } from '../../src/store/postgres-messages.ts';
import { sql } from '../../src/store/statement.ts';
import { plain } from '../contract/database.ts';
import { type EngineUnderTest, allEngines } from '../contract/engines.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');

describe('messages of a server', () => {
  it('are the same however they were cut on their way', () => {
    const message = fc.tuple(fc.constantFrom(0x44, 0x43, 0x54), fc.uint8Array({ maxLength: 40 }));
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 50 }));
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), cuts, (messages, lengths) => {
        const sent = messages.map(([kind, content]) => {
          const header = Buffer.from([kind, 0, 0, 0, 0]);
          header.writeUInt32BE(content.length + 4, 1);
          return Buffer.concat([header, content]);
        });
        const all = Buffer.concat(sent);
        const taken: Buffer[] = [];
        const arrive = messageSplitter((kind, bytes) => {
          assert.equal(kind, bytes[0]);
          taken.push(Buffer.from(bytes));
        });
        for (let at = 0; at < all.length; ) {
          const length = lengths.next().value ?? 1;
          arrive(Buffer.from(all.subarray(at, at + length)));
          at += length;
        }
        assert.deepEqual(taken, sent);
      }),
    );
  });
});

describe('statements that go to a PostgreSQL server together', { skip: server?.skip }, () => {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  before(async () => {
    assert.ok(server);
    database = await server.create();
    engine = await database.open();
    await engine.write((transaction) => transaction.query(plain('create table kept (value integer)')));
  });
  after(async () => {
    await engine.close();
    await database.remove();
  });

  it('have an answer each, whatever becomes of those beside them', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, (_, number) =>
        engine.readShort(
          number % 7 === 3 ? sql`select 1 / (${number}::int - ${number}::int)` : sql`select ${number}::int`,
        ),
      ),
    );
    for (const [number, answer] of answers.entries()) {
      if (number % 7 === 3) assert.ok(answer.status === 'rejected' && /division by zero/.test(String(answer.reason)));
      else assert.deepEqual(answer, { status: 'fulfilled', value: [[number]] });
    }
  });

  it('give long texts whole, of as many rows and columns as there are, also none', async () => {
    const text = 'Ä€😀'.repeat(30_000);
    const [long, many, none, nothing] = await Promise.all([
      engine.readShort(sql`select ${text}::text as bytes, null::text, ${text}::text`),
      engine.readShort(sql`select n, repeat('x', n) from generate_series(0, 2000) n`),
      engine.readShort(sql`select 1 where false`),
      engine.readShort(sql`select`),
    ]);
    assert.deepEqual(long, [[Buffer.from(text), null, text]]);
    assert.deepEqual(
      many,
      Array.from({ length: 2001 }, (_, length) => [length, 'x'.repeat(length)]),
    );
    assert.deepEqual([none, nothing], [[], [[]]]);
    assert.deepEqual(await engine.readShort(sql`select 5 as bytes`), [[5]]);
  });

  it('see what was written before they were asked', async () => {
    for (let value = 1; value <= 20; value += 1) {
      await engine.write((transaction) => transaction.query(sql`insert into kept (value) values (${value})`));
      const all = await Promise.all(
        Array.from({ length: 10 }, () => engine.readShort(sql`select max(value) from kept`)),
      );
      assert.deepEqual(new Set(all.map(([row]) => row?.[0])), new Set([value]));
    }
  });

  it('of a transaction that was given up are not carried out after its end', async () => {
    const insert = sql`insert into kept (value) values (-1)`;
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert);
        for (let count = 0; count < 5; count += 1) transaction.query(insert).catch(() => undefined);
        throw new Error('given up');
      }),
      /given up/,
    );
    await assert.rejects(
      engine.write(async (transaction) => {
        transaction.query(insert).catch(() => undefined);
        transaction.query(plain('select 1 / 0')).catch(() => undefined);
        transaction.query(insert).catch(() => undefined);
      }),
      /division by zero/,
    );
    assert.deepEqual(await engine.read(sql`select count(*) from kept where value = -1`), [[0]]);
  });

  it('go in pieces where a feed writes while somebody reads, and all at once otherwise', async () => {
    await engine.write((transaction) =>
      transaction.query(plain('create table pieces (owner text, key integer, value text)')),
    );
    const text = 'x'.repeat(5000);
    /** How many of ten statements went together, and in how many ten rows came. */
    const written = async (
      { write, owner }: { readonly write: Engine['write']; readonly owner: string },
      read: () => void,
    ): Promise<readonly number[]> => {
      const together: number[] = [];
      const sent = (count: number): void => void together.push(count);
      await write(async (transaction) => {
        await transaction.now();
        await Promise.all(
          Array.from({ length: 10 }, () => transaction.query({ ...sql`select octet_length(${text}::text)`, sent })),
        );
        read();
        await transaction.putRows(
          pieces,
          Array.from({ length: 10 }, (_none, key) => [owner, key, text]),
        );
      });
      const rows = sql`select count(*), count(distinct cmin::text) from pieces where owner = ${owner}`;
      const [[count, statements] = []] = await engine.read(rows);
      assert.equal(count, 10);
      return [Math.max(...together), Number(statements)];
    };
    const inBackground = { write: engine.writeInBackground, owner: 'unread' };
    assert.deepEqual(await written(inBackground, () => undefined), [10, 1]);
    const read = (): void => requestUnderWay('read')();
    const reading = setInterval(read, 20);
    try {
      read();
      assert.deepEqual(await written({ ...inBackground, owner: 'read' }, read), [2, 5]);
      assert.deepEqual(await written({ write: engine.write, owner: 'client' }, read), [10, 1]);
    } finally {
      clearInterval(reading);
    }
  });

  it('leave a bounded number of prepared ones on a connection', async () => {
    const count = await engine.write(async (transaction) => {
      for (let number = 0; number < 700; number += 1) await transaction.query(plain(`select ${number} as n${number}`));
      // The first ones were closed, and are prepared again.
      assert.deepEqual(await transaction.query(plain('select 0 as n0')), [[0]]);
      return transaction.query(sql`select count(*) from pg_prepared_statements`);
    });
    assert.ok(Number(count[0]?.[0]) <= 301, `${count[0]?.[0]} are prepared`);
  });

  it('keep nothing of what was asked, however long something keeps them', async () => {
    const client = new MessageClient(process.env.TEST_DATABASE_URL ?? '');
    await client.connect();
    try {
      const kept: Submittable[] = [];
      const query = client.query.bind(client);
      Object.assign(client, {
        query: (batch: Submittable) => {
          kept.push(batch);
          return query(batch);
        },
      });
      const asked = await askedOnce(client);
      await immediate();
      collectGarbage();
      assert.equal(asked.deref(), undefined);
      assert.equal(kept.length, 1);
    } finally {
      await client.end();
    }
  });
});

const pieces: BulkTarget = {
  table: 'pieces',
  columns: [
    { name: 'owner', type: 'text' },
    { name: 'key', type: 'integer' },
    { name: 'value', type: 'text' },
  ],
  conflict: [],
};

/** Asks something, and keeps hold of nothing. */
async function askedOnce(client: MessageClient): Promise<WeakRef<BatchedStatement>> {
  const asked: BatchedStatement = {
    statement: { text: 'select 1', values: [], plannedAnew: false },
    answer: (rows) => assert.deepEqual(rows, [[1]]),
  };
  await sendTogether(client, [asked]);
  return new WeakRef(asked);
}
