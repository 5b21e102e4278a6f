// The processes that read the embedded database: one statement each, started when needed, gone when idle, replaced when
// lost, kept a while for the next database.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Problem } from '../../src/model/problem.ts';
import { EndedByLimit } from '../../src/store/long-reads.ts';
import { createLongReaders, type LongReaders, type LongReaderTimes } from '../../src/store/sqlite-long-readers.ts';
import { endReaderProcesses, readerProcesses } from '../contract/reader-processes.ts';
import { turns, until } from '../contract/until.ts';

describe('the processes for long reads of the embedded database', { timeout: 900_000 }, () => {
  let folder: string;
  let path: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    path = join(folder, 'some.db');
    const database = new DatabaseSync(path);
    database.exec("create table t (n integer, b blob); insert into t values (1, x'00ff'), (2, null)");
    database.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  const open = (t: TestContext, times: Partial<LongReaderTimes> = {}, file = path): LongReaders => {
    const readers = createLongReaders(file, { maxReadMs: 60_000, ...times });
    t.after(async () => {
      await readers.close();
      await endReaderProcesses();
    });
    return readers;
  };
  const wanted = new AbortController().signal;
  const endless = {
    text: 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c',
    values: [],
  };
  const one = { text: 'select 1', values: [] };

  it('end with a read that takes too long, and with that one alone', async (t) => {
    const readers = open(t, { maxReadMs: 2_500 });
    const all = { text: 'select n, b from t order by n', values: [] };
    // Where the machine stands still for as long, a quick read takes too long too: not each time.
    await until(async () => {
      const slow = assert.rejects(readers.read(endless, wanted), EndedByLimit);
      const quick = await unlessEnded(readers.read(one, wanted));
      const both = readerProcesses();
      await slow;
      const rest = readerProcesses();
      const after = await unlessEnded(readers.read(all, wanted));
      if (quick === null || after === null) return false;
      assert.deepEqual(quick, [[1]]);
      assert.deepEqual(after, [
        [1, new Uint8Array([0, 255])],
        [2, null],
      ]);
      assert.ok(rest.length === 1 && both.includes(rest[0] ?? 0), 'the one that had answered is left');
      assert.deepEqual(readerProcesses(), rest, 'and used again');
      return true;
    });
  });

  it('leave this process free meanwhile', async (t) => {
    const readers = open(t);
    const ended = assert.rejects(readers.read(endless, wanted), Problem);
    await until(() => readerProcesses().length === 1);
    // While it is at work.
    await turns(5);
    await readers.close();
    await ended;
  });

  it('are not many: one for reads that come one after another', async (t) => {
    const readers = open(t);
    for (let count = 0; count < 5; count += 1) await readers.read(one, wanted);
    assert.equal(readerProcesses().length, 1);
    await Promise.all([readers.read(one, wanted), readers.read(one, wanted)]);
    assert.equal(readerProcesses().length, 2);
  });

  it('let go of a database that is closed, and serve the next one', async (t) => {
    const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
    const writers = [first, second].map((file) => {
      const writer = new DatabaseSync(file);
      writer.exec(`pragma journal_mode = wal; create table t (file text); insert into t values ('${file}')`);
      return writer;
    });
    const read = { text: 'select file from t', values: [] };
    const ofFirst = open(t, {}, first);
    assert.deepEqual(await ofFirst.read(read, wanted), [[first]]);
    const processes = readerProcesses();
    await ofFirst.close();
    for (const writer of writers) writer.close();
    assert.ok(!existsSync(`${first}-wal`), 'the log of a database goes with the last who has it');
    assert.deepEqual(await open(t, {}, second).read(read, wanted), [[second]]);
    assert.deepEqual(readerProcesses(), processes);
  });

  it('say what is wrong with a statement, cannot write, and leave no trace when they were idle', async (t) => {
    const readers = open(t, { idleMs: 1 });
    await assert.rejects(readers.read({ text: 'select x from t', values: [] }, wanted), /no such column/);
    await assert.rejects(readers.read({ text: 'insert into t values (3, null)', values: [] }, wanted), /readonly/);
    await until(() => readerProcesses().length === 0);
    assert.deepEqual(await readers.read({ text: 'select count(*) from t', values: [] }, wanted), [[2]]);
  });

  it('are not ended as idle while they read', async (t) => {
    const readers = open(t, { idleMs: 200 });
    await Promise.all([readers.read(one, wanted), readers.read(one, wanted)]);
    const lasting = {
      text: 'with recursive c(n) as (select 1 union all select n + 1 from c where n < 2000000) select count(*) from c',
      values: [],
    };
    assert.deepEqual(await Promise.all([readers.read(lasting, wanted), readers.read(lasting, wanted)]), [
      [[2_000_000]],
      [[2_000_000]],
    ]);
  });

  it('let a read that nobody waits for end by itself at first: hanging up costs no process each time', async (t) => {
    const readers = open(t, { unwantedMs: 2_500 });
    // Where the machine stands still for as long, it is ended all the same: not each time.
    await until(async () => {
      const kept = new AbortController();
      const answered = unlessEnded(readers.read(one, kept.signal));
      kept.abort();
      const rows = await answered;
      if (rows !== null) assert.deepEqual(rows, [[1]]);
      return rows !== null;
    });
    const process = readerProcesses();
    const hangUp = new AbortController();
    const left = assert.rejects(readers.read(endless, hangUp.signal), Problem);
    assert.deepEqual(readerProcesses(), process);
    hangUp.abort();
    await left;
    await until(() => readerProcesses().length === 0);
  });

  it('are not used again where one answers just when it is ended', async (t) => {
    const readers = open(t, { maxReadMs: 100 });
    const some = { ...endless, text: endless.text.replace('from c)', 'from c where n < 400000)') };
    await unlessEnded(readers.read(some, wanted));
    for (let round = 0; round < 5; round += 1) {
      const late = unlessEnded(readers.read(some, wanted));
      // Its answer lies there when this process, which stood still, finds that the time is over.
      await setTimeout(10);
      await setImmediate();
      const stillUntil = performance.now() + 300;
      while (performance.now() < stillUntil);
      await late;
      await readers.read(one, wanted).catch((error: unknown) => {
        // A busy machine may need too long for it.
        assert.ok(error instanceof EndedByLimit, String(error));
      });
    }
  });

  it('are replaced when something else ends them: a read of then is told to come again', async (t) => {
    const readers = open(t);
    const lost = assert.rejects(
      readers.read(endless, wanted),
      (error) => error instanceof Problem && error.slug === 'unavailable',
    );
    await until(() => readerProcesses().length === 1);
    for (const processId of readerProcesses()) process.kill(processId, 'SIGKILL');
    await lost;
    assert.deepEqual(await readers.read(one, wanted), [[1]]);
  });
});

/** What is read; null where it was ended before. */
async function unlessEnded(read: Promise<unknown>): Promise<unknown> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof EndedByLimit || error instanceof Problem) return null;
    throw error;
  }
}
