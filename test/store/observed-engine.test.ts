// An observed engine: which parts its statements are, from when their time counts, and what of them is told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Span } from '../../src/model/tracing.ts';
import { inWork, workOf } from '../../src/model/work.ts';
import type { Engine, RunStatement, WriteTransaction } from '../../src/store/engine.ts';
import { createLongReads } from '../../src/store/long-reads.ts';
import { observedEngine } from '../../src/store/observed-engine.ts';
import { compile, sql } from '../../src/store/statement.ts';

function engineWith(parts: Partial<Engine>): Engine {
  const never = (): never => assert.fail('nobody asks for it');
  return {
    ...{ dialect: 'sqlite', now: never, read: never, readShort: never, readLong: never, snapshot: never },
    ...{ longReads: never, writeOnce: never, write: never, writeInBackground: never, optimize: never, close: never },
    ...parts,
  };
}

/** What a trace is told of work that asks an engine. */
async function traced(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const notes: unknown[] = [];
  const spanOf = (name: string): Span => ({
    ...{ traceId: '', traceparent: '', isSampled: true, rename: () => undefined },
    child: (child, kind, attributes) => {
      notes.push([child, kind, attributes['db.query.text'] ?? null]);
      return spanOf(child);
    },
    end: (attributes = {}, failure = null) => notes.push([name, attributes, failure]),
  });
  await inWork(
    workOf(() => ({}), { span: spanOf('work') }),
    work,
  );
  return notes;
}

describe('an observed engine', () => {
  const statement = sql`select a from movement where b = ${'Moreau'}`;

  it('tells the name and text of a statement, its rows, and no value', async () => {
    const engine = observedEngine(engineWith({ read: async () => [] }));
    assert.deepEqual(await traced(() => engine.read(statement)), [
      ['SELECT movement', 'client', 'select a from movement where b = ?'],
      ['SELECT movement', { 'db.response.returned_rows': 0 }, null],
    ]);
  });

  it('tells the kind of a failure, not what it says, and passes it on', async () => {
    const failure = new RangeError('Moreau');
    const engine = observedEngine(engineWith({ writeOnce: () => Promise.reject(failure) }));
    const notes = await traced(() => assert.rejects(engine.writeOnce(statement), failure));
    assert.deepEqual(notes.at(-1), ['SELECT movement', {}, 'RangeError']);
  });

  it('tells each statement of a transaction, and rows that are written together by their table', async () => {
    const transaction: WriteTransaction = { now: async () => 1, query: async () => [], putRows: async () => undefined };
    const engine = observedEngine(engineWith({ write: (work) => work(transaction) }));
    const notes = await traced(() =>
      engine.write(async ({ query, putRows }) => {
        await query(statement);
        await putRows({ table: 'outbox', columns: [{ name: 'body', type: 'text' }], conflict: [] }, [['Moreau']]);
      }),
    );
    assert.deepEqual(
      notes.map((note) => (Array.isArray(note) ? note[0] : null)),
      ['SELECT movement', 'SELECT movement', 'INSERT outbox', 'INSERT outbox'],
    );
    assert.ok(!JSON.stringify(notes).includes('Moreau'));
  });

  it('takes no statement for slow that only waited to be sent', async (t) => {
    let clock = 5000;
    t.mock.method(performance, 'now', () => clock);
    // As on a busy server: it waits for a connection for 60 ms, and takes 5 itself.
    const readShort: RunStatement = async (asked) => {
      clock += 60;
      asked.sent?.(3);
      clock += 5;
      return [];
    };
    const engine = observedEngine(engineWith({ readShort, readLong: async () => [] }));
    const told: unknown[] = [];
    const tell = ({ together, ms }: { readonly together: number; readonly ms: number }): void =>
      void told.push([together, ms]);
    engine.tellSlow({ overMs: 40, tell });
    await engine.readShort(statement);
    engine.tellSlow({ overMs: 4, tell });
    await engine.readShort(statement);
    for (let times = 0; times < 1000 && told.length === 0; times += 1) await pause(10);
    assert.deepEqual(told, [[3, 5]]);
  });

  it('tells apart what a long read waits among others and what it takes', async () => {
    const longReads = createLongReads(
      async () => {
        await pause(5);
        return [];
      },
      { maxLongReads: 2, maxLongReadSeconds: 30 },
    );
    const engine = observedEngine(
      engineWith({
        readLong: async (asked, reader) => {
          const rows = await longReads.read(compile(asked, 'sqlite'), reader);
          return rows.map(asked.toRow);
        },
      }),
    );
    const notes = await traced(() => engine.readLong(statement, { client: 'a' }));
    assert.deepEqual(
      notes.map((note) => (Array.isArray(note) ? note[0] : null)),
      ['wait among the long reads', 'wait among the long reads', 'SELECT movement', 'SELECT movement'],
    );
    longReads.close();
  });
});
