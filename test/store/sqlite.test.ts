// What the embedded engine does when the machine lets it down.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../src/store/sqlite.ts';

describe('the embedded database', () => {
  it('names a full disk, and writes again when there is room', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    const engine = openSqlite(join(folder, 'some.db'), Date.now);
    const statement = (text: string, ...values: string[]) => engine.write((transaction) => transaction.query({ text, values }));
    await statement('create table t (x text)');
    await statement('pragma max_page_count = 5');
    await assert.rejects(engine.write(async (transaction) => {
      for (let row = 0; row < 100; row += 1) await transaction.query({ text: 'insert into t values (?)', values: ['x'.repeat(5000)] });
    }), /disk is full/);
    await statement('pragma max_page_count = 1000');
    await statement('insert into t values (?)', 'x'.repeat(50_000));
    assert.deepEqual(await engine.read({ text: 'select count(*) from t', values: [] }), [[1]]);
    await engine.close();
    rmSync(folder, { recursive: true });
  });
});
