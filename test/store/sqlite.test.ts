// What the embedded engine does when the machine lets it down.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Problem } from '../../src/model/problem.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

describe('the embedded database', () => {
  it('tells clients of a full disk that it passes, the operator what it is, and writes again when there is room', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    const engine = openSqlite(join(folder, 'some.db'), Date.now);
    const statement = (text: string, ...values: string[]) => engine.write((transaction) => transaction.query({ text, values }));
    await statement('create table t (x text)');
    await statement('pragma max_page_count = 5');
    await assert.rejects(engine.write(async (transaction) => {
      for (let row = 0; row < 100; row += 1) await transaction.query({ text: 'insert into t values (?)', values: ['x'.repeat(5000)] });
    }), (error) => error instanceof Problem && error.slug === 'unavailable' && error.headers['Retry-After'] === '30' && /disk is full/.test(String(error.cause)));
    await assert.rejects(sql`insert into t values (${'x'.repeat(50_000)})`.execute(engine.db), (error) => error instanceof Problem && error.slug === 'unavailable');
    await statement('pragma max_page_count = 1000');
    await statement('insert into t values (?)', 'x'.repeat(50_000));
    assert.deepEqual(await engine.read({ text: 'select count(*) from t', values: [] }), [[1]]);
    await engine.close();
    rmSync(folder, { recursive: true });
  });
});
