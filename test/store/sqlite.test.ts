// What the embedded engine does when the machine lets it down, and how its writing thread comes and goes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { OperatorError } from '../../src/model/operator-error.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Engine, RunStatement } from '../../src/store/engine.ts';
import { article, resources } from '../../src/resources/index.ts';
import { changeKeyed, selectKeyed, updateKeyed } from '../../src/store/keyed-rows.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { createSqliteWriter, WriterLost } from '../../src/store/sqlite-writer.ts';
import { recordsBy } from '../../src/store/stored-records.ts';
import { storeOn } from '../contract/engines.ts';
import { rowsIn, run } from '../contract/database.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { createCarrierAccounts } from '../../src/store/carrier-accounts.ts';
import { createHandovers } from '../../src/store/handovers.ts';
import { createLabelVoids } from '../../src/store/label-voids.ts';
import { createLabels } from '../../src/store/labels.ts';
import { shippingLabelTable } from '../../src/store/tables/shipping.ts';
import { storedLabel } from '../contract/stored-label.ts';
import { statementText } from '../contract/statement-text.ts';
import { keysOfRefused } from '../../src/store/feed-refusals.ts';
import { type Sql, type Statement, sql } from '../../src/store/statement.ts';

const onlyOnLinux = platform() === 'linux' ? false : 'threads have a priority of their own on Linux alone';

/** Of the threads of this process (proc(5), field 19; the name in parentheses is field 2). */
function niceness(): readonly number[] {
  return readdirSync('/proc/self/task').map((thread) =>
    Number(
      readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[16],
    ),
  );
}

const threads: Worker[] = [];
process.on('worker', (thread) => threads.push(thread));

describe('the embedded database', () => {
  it('writes nothing of what was sent after the statement that ended the transaction', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table t (x text)`);
    await change(engine, sql`create table later (x text)`);
    await change(engine, sql`pragma max_page_count = 5`);
    const into = (table: string) => ({ table, columns: [{ name: 'x', type: 'text' }], conflict: [] }) as const;
    await assert.rejects(
      engine.write((transaction) =>
        Promise.all([
          transaction.putRows(
            into('t'),
            Array.from({ length: 100 }, () => ['x'.repeat(5000)]),
          ),
          transaction.putRows(into('later'), [['a row of its own']]),
          transaction.query(sql`insert into later values (${'one more'})`),
        ]),
      ),
      (error) => error instanceof Problem && error.slug === 'unavailable',
    );
    assert.deepEqual(await engine.read(sql`select (select count(*) from t), (select count(*) from later)`), [[0, 0]]);
  });

  it('finds each row that a batch changes by its key, and goes through no others', async (t) => {
    const { engine } = opened(t);
    const store = await storeOn(engine);
    await store.activities.add('ACM', 'Acme');
    for (const resource of resources.filter(({ storage }) => storage === 'records')) {
      const rows = recordsBy(resource, 'ACM', ['a', 'b']);
      const few = { ...rows, and: sql`withdrawn_at is null` };
      for (const statement of [
        updateKeyed(few, { feed_message: [1, 1], feed_line: [1, null] }),
        changeKeyed(rows, sql`delete from ${sql.quoted(resource.table)}`),
        selectKeyed(rows, sql`body`),
      ]) {
        const plan = (await engine.read(sql`explain query plan ${statement}`)).map((step) => String(step[3]));
        const inTable = plan.filter((step) =>
          new RegExp(`^(?:SEARCH|SCAN) (?:${resource.table}|stored)\\b`).test(step),
        );
        assert.ok(inTable.length > 0, plan.join('; '));
        for (const step of inTable)
          assert.match(step, /INTEGER PRIMARY KEY \(rowid=\?\)|\(owner=\? AND natural_key=\?\)/, plan.join('; '));
      }
    }
    await change(
      engine,
      sql`
      insert into article (owner, natural_key, change_number, content_hash, body, feed_line)
      values ('ACM', 'a', 1, 'x', '{}', null), ('ACM', 'b', 2, 'x', '{}', 7), ('BLU', 'a', 1, 'x', '{}', 8)
    `,
    );
    await change(engine, updateKeyed(recordsBy(article, 'ACM', ['b', 'a', 'c']), { feed_line: [null, 1, 2] }));
    const stored = await engine.read(
      sql`select owner, natural_key, feed_line from article order by owner, natural_key`,
    );
    assert.deepEqual(stored, [
      ['ACM', 'a', 1],
      ['ACM', 'b', null],
      ['BLU', 'a', 8],
    ]);
  });

  it('looks for refused lines of the records of a batch by their keys, and reads no others', async (t) => {
    const { engine } = opened(t);
    await storeOn(engine);
    const lines = sql`insert into feed_line
      (owner, message, record, resource, line, state, reasons, natural_key, kind, changed_at)`;
    await change(
      engine,
      sql`
        ${lines} select 'BLU', 1, value, 'articles', value, 'refused', '[]', value, 'record', 1
        from json_each(${JSON.stringify(Array.from({ length: 2000 }, (_, index) => index))})
      `,
    );
    await change(
      engine,
      sql`
        ${lines} values ('ACM', 1, 1, 'articles', 1, 'refused', '[]', 'a', 'record', 1),
        ('ACM', 1, 2, 'articles', 2, 'dropped', '[]', 'b', 'record', 1)
      `,
    );
    await change(engine, sql`analyze`);
    const asked: Sql[] = [];
    const waiting = (resource: string) =>
      engine.write((transaction) =>
        keysOfRefused(
          {
            ...transaction,
            query: (statement) => {
              asked.push(statement);
              return transaction.query(statement);
            },
          },
          { activity: 'ACM', resource },
          ['a', 'b', 'c'],
        ),
      );
    assert.deepEqual(await waiting('articles'), new Set(['a']));
    assert.deepEqual(await waiting('orders'), new Set());
    const plans = await Promise.all(asked.map((statement) => engine.read(sql`explain query plan ${statement}`)));
    const steps = plans.flat().map((step) => String(step[3]));
    const inLines = steps.filter((step) => /\bfeed_line\b/.test(step));
    assert.equal(inLines.length, 3, steps.join('; '));
    for (const step of inLines)
      assert.match(step, /\(owner=\? AND (?:\(state,resource\)>\(\?,\?\)|resource=\? AND natural_key=\?)\)/);
  });

  it('recognizes a message without going through all others of its activity', async (t) => {
    const { engine } = opened(t);
    const asked: Sql[] = [];
    const watched: Engine = {
      ...engine,
      writeInBackground: (work) =>
        engine.writeInBackground((transaction) =>
          work({
            ...transaction,
            query: (statement) => {
              asked.push(statement);
              return transaction.query(statement);
            },
          }),
        ),
    };
    const store = await storeOn(watched);
    await store.activities.add('ACM', 'Acme');
    const begun = await store.feeds.begin(
      article,
      {
        ...{ activity: 'ACM', feed: 'main', channel: 'command', source: 'articles.json', messageId: 'm1' },
        ...{ requestKey: 'k1', sequence: null, mapping: null, replayOf: null, actor: 'test' },
      },
      { bySource: true },
    );
    assert.equal(begun.state, 'begun');
    const plans = await Promise.all(
      // One that is for PostgreSQL alone is empty here.
      asked
        .filter((statement) => statementText(sql`${statement}`) !== '')
        .map(async (statement) =>
          (await engine.read(sql`explain query plan ${statement}`)).map((step) => String(step[3])),
        ),
    );
    const inMessages = plans.flat().filter((step) => /^(?:SEARCH|SCAN) feed_message\b/.test(step));
    assert.ok(inMessages.length >= 3, inMessages.join('; '));
    for (const step of inMessages) assert.doesNotMatch(step, /^SCAN|\(owner=\?\)/);
    assert.match(inMessages.join('; '), /\(owner=\? AND request_key=\?\)/);
  });

  it('finds a label by its number without going through others', async (t) => {
    const { engine } = opened(t);
    const asked: Sql[] = [];
    const labels = createLabels({
      ...engine,
      read: (statement) => {
        asked.push(statement);
        return engine.read(statement);
      },
    });
    await storeOn(engine);
    assert.equal(await labels.find({ activity: 'ACM', context: 'x', carrier: 'gls' }, 'N1'), null);
    assert.equal(await labels.isMadeByOthers({ activity: 'ACM', carrier: 'gls' }, 'N1'), false);
    const plans = await Promise.all(asked.map((statement) => engine.read(sql`explain query plan ${statement}`)));
    const inLabels = plans
      .flat()
      .map((step) => String(step[3]))
      .filter((step) => /^(?:SEARCH|SCAN) shipping_label\b/.test(step));
    assert.equal(inLabels.length, 2);
    for (const step of inLabels) assert.match(step, /expedition_number=\?/);
  });

  for (const isAnalyzed of [false, true])
    it(`finds what is a label's or an account's, ${isAnalyzed ? 'with' : 'without'} statistics`, async (t) => {
      const { engine } = opened(t);
      const { activities, carrierAccounts } = await storeOn(engine);
      await activities.add('ACM', 'Acme');
      const place = { activity: 'ACM', context: 'acm', carrier: 'gls' };
      await carrierAccounts.add({ ...place, settings: {}, secrets: null, sender: {}, dailyLimit: null }, 1);
      const account = (await carrierAccounts.find(['ACM'], 'acm', 'gls')) ?? assert.fail();
      const labels = Array.from({ length: 300 }, (_, index) =>
        storedLabel({
          ...{ ...place, accountId: account.id, id: `L${index}`, state: 'made', expeditionNumber: `N${index}` },
          ...{ fingerprint: `f${index}`, request: '{}', operationId: 'o', clientId: 'shop', createdAt: index },
        }),
      );
      await engine.write((transaction) =>
        transaction.putRows(shippingLabelTable.target, labels.map(shippingLabelTable.toCells)),
      );
      if (isAnalyzed) await change(engine, sql`analyze`);
      const asked: Sql[] = [];
      const noted =
        (ask: RunStatement): RunStatement =>
        (statement) => {
          asked.push(statement);
          return ask(statement);
        };
      const watched: Engine = {
        ...engine,
        read: noted(engine.read),
        write: (work) => engine.write((transaction) => work({ ...transaction, query: noted(transaction.query) })),
      };
      const [label] = labels;
      assert.ok(label);
      assert.deepEqual(await createLabelVoids(watched).parcelNumbers(label), []);
      assert.equal(await createLabels(watched).countUnknown(Date.now()), 0);
      assert.equal(await createCarrierAccounts(watched).lastLabelAt(account), 299);
      const list = {
        ...{ ...place, accountId: account.id, id: 'H', day: '2026-11-23', state: 'asked' as const },
        ...{ attempt: 'a', askedAt: 1, createdAt: 1, endedAt: null, detail: '', number: null },
      };
      const handed = { ...label, expeditionNumber: 'N0', parcelNumbers: ['N0'] };
      assert.equal(await createHandovers(watched).begin(list, [handed]), true);
      const plans = await Promise.all(asked.map((statement) => engine.read(sql`explain query plan ${statement}`)));
      assert.deepEqual(
        plans
          .flat()
          .map((step) => String(step[3]))
          .filter((step) => /^(?:SEARCH|SCAN) (?:shipping_label|label|label_parcel)\b/.test(step))
          .map((step) => /\(.*\)$/.exec(step)?.[0] ?? step),
        ['(owner=? AND label_id=?)', '(state=?)', '(account_id=?)', '(owner=? AND id=?)', '(owner=? AND id=?)'],
      );
    });

  it('undoes what cannot be committed, tells its writer so, and no other', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table parent (id integer primary key)`);
    await change(engine, sql`create table child (parent integer references parent (id) deferrable initially deferred)`);
    const insert = (id: number) =>
      engine.write(async (transaction) => {
        await transaction.query(sql`insert into child values (${id})`);
        if (id % 2 === 0) await transaction.query(sql`insert into parent values (${id})`);
        return id;
      });
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(insert));
    assert.deepEqual(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : /FOREIGN KEY constraint failed/.test(String(outcome.reason)),
      ),
      [true, 2, true, 4, true, 6],
    );
    await assert.rejects(run(engine, sql`insert into child values (7)`), /FOREIGN KEY constraint failed/);
    await insert(8);
    assert.deepEqual(await engine.read(sql`select parent from child order by 1`), [[2], [4], [6], [8]]);
  });

  it('has committed what was written when the write is done, also where it is closed at once', async (t) => {
    const path = join(temporaryFolder(t), 'some.db');
    const engine = openSqlite(path, Date.now);
    await change(engine, sql`create table t (x integer)`);
    const reader = openSqlite(path, Date.now);
    const writes = Array.from({ length: 50 }, async (_, x) => {
      await engine.write((transaction) => transaction.query(sql`insert into t values (${x})`));
      assert.deepEqual(await reader.read(sql`select count(*) from t where x = ${x}`), [[1]]);
    });
    await Promise.all([...writes, engine.close()]);
    await reader.close();
  });

  it('ends what is lent to a transaction that was refused', async (t) => {
    const { engine, path } = opened(t);
    await change(engine, sql`create table t (x text)`);
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(sql`insert into t values ('a')`);
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    await assert.rejects(run(engine, sql`insert into nowhere values ('a')`), /no such table: nowhere/);
    await change(engine, sql`insert into t values (${'b'})`);
    const other = openSqlite(path, Date.now);
    assert.deepEqual(await other.read(sql`select x from t`), [['b']]);
    await other.close();
  });

  it('lets nobody who only reads wait for a transaction', async (t) => {
    const { engine } = opened(t);
    const store = await storeOn(engine);
    await store.activities.add('ACM', 'Acme');
    const names = async () => (await rowsIn(engine, activityTable)).map(({ name }) => name);
    await engine.write(async (transaction) => {
      await transaction.query(sql`update activity set name = 'Bio'`);
      assert.deepEqual(await names(), ['Acme']);
    });
    assert.deepEqual(await names(), ['Bio']);
  });

  it('keeps bytes, empty text, large numbers and null as they are', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table secret_bytes (id integer, content blob, note text)`);
    const largest = Number.MAX_SAFE_INTEGER;
    await run(engine, sql`insert into secret_bytes values (${largest}, x'323334', ${''}), (2, x'', ${null})`);
    assert.deepEqual(await engine.read(sql`select * from secret_bytes order by id desc`), [
      [Number.MAX_SAFE_INTEGER, Buffer.from('234'), ''],
      [2, Buffer.alloc(0), null],
    ]);
  });

  it('tells clients that a full disk passes, the operator what it is, and writes when there is room', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table t (x text)`);
    await change(engine, sql`pragma max_page_count = 5`);
    await assert.rejects(
      engine.write(async (transaction) => {
        for (let row = 0; row < 100; row += 1) await transaction.query(sql`insert into t values (${'x'.repeat(5000)})`);
      }),
      (error) =>
        error instanceof Problem &&
        error.slug === 'unavailable' &&
        error.headers['Retry-After'] === '30' &&
        /disk is full/.test(String(error.cause)),
    );
    await assert.rejects(
      run(engine, sql`insert into t values (${'x'.repeat(50_000)})`),
      (error) => error instanceof Problem && error.slug === 'unavailable',
    );
    await change(engine, sql`pragma max_page_count = 1000`);
    await change(engine, sql`insert into t values (${'x'.repeat(50_000)})`);
    assert.deepEqual(await engine.read(sql`select count(*) from t`), [[1]]);
  });
});

describe('the thread that writes to the embedded database', () => {
  it('is stopped when it is idle, and started again, with nothing lost', async (t) => {
    const path = join(temporaryFolder(t), 'some.db');
    const writer = createSqliteWriter(path, 1);
    t.after(() => writer.close());
    await writer.once({ text: 'create table t (x integer)', values: [] });
    for (let round = 0; round < 20; round += 1) {
      await pause(round % 5);
      await writer.begin();
      await pause(3);
      await writer.query({ text: 'insert into t values (?)', values: [round] });
      await pause(round % 3);
      await writer.commit();
    }
    const counts = { text: 'select count(*), count(distinct x) from t', values: [] };
    assert.deepEqual(await writer.once(counts), [[20, 20]]);
  });

  it('tells the writer of its transaction and clients that it was lost, whenever, and comes back', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table t (x text)`);
    const insert = sql`insert into t values ('lost')`;
    const isPassing = (error: unknown): boolean =>
      error instanceof Problem && error.slug === 'unavailable' && error.cause instanceof WriterLost;
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert);
        const answer = transaction.query(
          sql`with recursive n (i) as (select 1 union all select i + 1 from n limit 2000000) select count(*) from n`,
        );
        await Promise.all([assert.rejects(answer, WriterLost), lastThread().terminate()]);
        await transaction.query(insert);
      }),
      isPassing,
      'at a step and before the next',
    );
    await assert.rejects(
      engine.write(async (transaction) => {
        await transaction.query(insert);
        await lastThread().terminate();
      }),
      isPassing,
      'before the commit',
    );
    await change(engine, sql`insert into t values (${'kept'})`);
    assert.deepEqual(await engine.read(sql`select x from t`), [['kept']]);
  });

  it('leaves the processor to others where it writes in the background', { skip: onlyOnLinux }, async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table t (x integer)`);
    const priorities = (): readonly number[] => niceness().toSorted((a, b) => a - b);
    const before = priorities();
    await engine.write((transaction) => transaction.query(sql`insert into t values (1)`));
    assert.deepEqual(priorities(), before, 'what others wait for has the usual priority');
    const writes = Array.from({ length: 40 }, (_, x) =>
      (x % 2 === 0 ? engine.write : engine.writeInBackground)((transaction) =>
        transaction.query(sql`insert into t values (${x})`),
      ),
    );
    await Promise.all(writes);
    assert.deepEqual(priorities().at(-1), Math.min((before[0] ?? 0) + 7, 19));
    assert.deepEqual(await engine.read(sql`select count(*), sum(x) from t`), [[41, 781]]);
  });

  it('tells whoever wrote in the background that it could not be committed, and lets others write', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table parent (id integer primary key)`);
    await change(engine, sql`create table child (parent integer references parent (id) deferrable initially deferred)`);
    const failing = engine.writeInBackground((transaction) => transaction.query(sql`insert into child values (1)`));
    const other = engine.write((transaction) => transaction.query(sql`insert into parent values (2)`));
    await assert.rejects(failing, /FOREIGN KEY constraint failed/);
    await other;
    await engine.writeInBackground((transaction) => transaction.query(sql`insert into child values (2)`));
    assert.deepEqual(await engine.read(sql`select parent from child`), [[2]]);
  });

  it('says what an operator can do about a file that cannot be opened, and opens it later', async (t) => {
    const path = join(temporaryFolder(t), 'some.db');
    writeFileSync(path, 'no database at all, but long enough to be looked at as one: '.repeat(20));
    const writer = createSqliteWriter(path);
    t.after(() => writer.close());
    await assert.rejects(
      writer.begin(),
      (error) =>
        error instanceof OperatorError &&
        /cannot be opened: file is not a database/.test(error.message) &&
        /^Check that DATA_DIR/.test(error.remedy),
    );
    rmSync(path);
    await writer.begin();
    await writer.query({ text: 'create table t (x integer)', values: [] });
    await writer.commit();
  });

  it('writes nothing more once the database is closed', async (t) => {
    const path = join(temporaryFolder(t), 'some.db');
    const engine = openSqlite(path, Date.now);
    await change(engine, sql`create table t (x text)`);
    const last = change(engine, sql`insert into t values (${'in time'})`);
    const closed = engine.close();
    const late = change(engine, sql`insert into t values (${'late'})`);
    await Promise.all([last, closed, assert.rejects(late, /the database is closed/)]);
    await assert.rejects(run(engine, sql`insert into t values ('late')`), /the database is closed/);
    const other = openSqlite(path, Date.now);
    assert.deepEqual(await other.read(sql`select x from t`), [['in time']]);
    await other.close();
  });

  it('refuses what a transaction asks after its end, also while another one runs', async (t) => {
    const { engine } = opened(t);
    await change(engine, sql`create table t (x text)`);
    let late: Promise<unknown> = Promise.resolve();
    await engine.write(async (transaction) => {
      late = pause(20).then(() => transaction.query(sql`insert into t values ('late')`));
      late.catch(() => undefined);
    });
    await engine.write(async () => void (await assert.rejects(late, /this transaction has ended/)));
    assert.deepEqual(await engine.read(sql`select count(*) from t`), [[0]]);
  });

  it('begins no transaction for what belongs to one that has ended', async (t) => {
    const writer = createSqliteWriter(join(temporaryFolder(t), 'some.db'));
    t.after(() => writer.close());
    await writer.once({ text: 'create table t (x integer)', values: [] });
    await writer.begin();
    await writer.rollback();
    for (const late of [
      writer.query({ text: 'insert into t values (1)', values: [] }),
      writer.each('insert into t values (?)', [[2]]),
    ]) {
      await assert.rejects(late, /the transaction has ended/);
    }
    assert.deepEqual(await writer.once({ text: 'select count(*) from t', values: [] }), [[0]]);
  });

  it('serves the next database once the one before is closed, and starts anew where it ended meanwhile', async (t) => {
    const folder = temporaryFolder(t);
    const written = async (name: string, end?: (thread: Worker) => Promise<unknown>): Promise<Worker | undefined> => {
      const writer = createSqliteWriter(join(folder, name));
      await writer.once({ text: 'create table t (x text)', values: [] });
      await writer.once({ text: 'insert into t values (?)', values: [name] });
      const thread = atWork();
      assert.deepEqual(await writer.once({ text: 'select x from t', values: [] }), [[name]]);
      await Promise.all([writer.close(), thread && end?.(thread)]);
      return thread;
    };
    const atWork = (): Worker | undefined => threads.filter(({ threadId }) => threadId > 0).at(-1);
    const count = (): number => threads.length;
    await written('first.db');
    const before = count();
    const second = await written('second.db');
    assert.equal(count(), before, 'no other thread');
    const third = await written('third.db', (thread) => thread.terminate());
    assert.equal(third, second);
    await Promise.all(threads.map((thread) => thread.terminate()));
    await written('fourth.db');
    assert.equal(count(), before + 1, 'another thread');
    const [one, other] = ['fifth.db', 'sixth.db'].map((name) => createSqliteWriter(join(folder, name)));
    for (const writer of [one, other]) await writer?.begin();
    assert.equal(count(), before + 2, 'each has its own');
    for (const writer of [one, other]) await writer?.close();
  });

  it('does not keep a program alive that has nothing left to do', (t) => {
    const module = JSON.stringify(new URL('../../src/store/sqlite.ts', import.meta.url).href);
    const statementModule = JSON.stringify(new URL('../../src/store/statement.ts', import.meta.url).href);
    const program = `
      import { openSqlite } from ${module};
      import { sql } from ${statementModule};
      const engine = openSqlite(process.argv[1], Date.now);
      await engine.write((transaction) => transaction.query(sql\`create table t (x)\`));
      console.log('written');`;
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '--input-type=module',
        '-e',
        program,
        join(temporaryFolder(t), 'some.db'),
      ],
      { encoding: 'utf8', timeout: 900_000 },
    );
    assert.deepEqual([status, stdout], [0, 'written\n']);
  });
});

/** The thread that was started last. */
function lastThread(): Worker {
  const thread = threads.at(-1);
  assert.ok(thread !== undefined);
  return thread;
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function opened(t: TestContext): { readonly engine: Engine; readonly path: string } {
  const path = join(temporaryFolder(t), 'some.db');
  const engine = openSqlite(path, Date.now);
  t.after(() => engine.close());
  return { engine, path };
}

function change(engine: Engine, statement: Statement): Promise<unknown> {
  return engine.write((transaction) => transaction.query(statement));
}
