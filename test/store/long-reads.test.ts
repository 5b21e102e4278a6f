// Reads that may take long run beside other requests, and end when they take too long.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Problem } from '../../src/model/problem.ts';
import { createLongReads } from '../../src/store/sqlite-long-reads.ts';

describe('long reads of the embedded database', () => {
  let folder: string;
  let path: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    path = join(folder, 'some.db');
    const database = new DatabaseSync(path);
    database.exec('create table t (n integer); insert into t values (1), (2)');
    database.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Counts for about as long as it is let. */
  const endless = { text: 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c', values: [] };

  it('ends a read that takes too long, tells the client so, and serves the next one', async () => {
    const reads = createLongReads(path, { slowest: 2_000, idle: 60_000 });
    await assert.rejects(reads.read(endless), (error) => error instanceof Problem && error.slug === 'unavailable');
    assert.deepEqual(await reads.read({ text: 'select n from t where n > ?', values: [1] }), [[2]]);
    reads.close();
  });

  it('leaves this process free meanwhile', async () => {
    const reads = createLongReads(path, { slowest: 1_000, idle: 60_000 });
    let turns = 0;
    const ended = assert.rejects(reads.read(endless)).then(() => true);
    while (await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve(false), 5))]) === false) turns += 1;
    assert.ok(turns > 3, `${turns} turns`);
    reads.close();
  });

  it('is not ended as idle while it reads, after several reads were answered at once', async () => {
    const reads = createLongReads(path, { slowest: 60_000, idle: 400 });
    const quick = { text: 'select 1', values: [] };
    await reads.read(quick);
    await Promise.all([quick, quick, quick, quick].map((statement) => reads.read(statement)));
    const lasting = { text: 'with recursive c(n) as (select 1 union all select n + 1 from c where n < 3000000) select count(*) from c', values: [] };
    assert.deepEqual(await reads.read(lasting), [[3_000_000]]);
    reads.close();
  });

  it('says what is wrong with a statement, cannot write, and starts anew after it was idle', async () => {
    const reads = createLongReads(path, { slowest: 5_000, idle: 1 });
    await assert.rejects(reads.read({ text: 'select x from t', values: [] }), /no such column/);
    await assert.rejects(reads.read({ text: 'insert into t values (3)', values: [] }), /readonly/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(await reads.read({ text: 'select count(*) from t', values: [] }), [[2]]);
    reads.close();
  });
});
