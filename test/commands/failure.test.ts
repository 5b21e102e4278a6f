// What an operator reads when storage fails under a command.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { reportFailure } from '../../src/commands/failure.ts';
import { run, succeed, temporaryFolder } from './fixture.ts';

/** What is written for an error that a command threw. */
function told(error: unknown, json = false): string {
  const stderr = new PassThrough();
  const environment = {
    variables: {},
    folder: '/',
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    now: Date.now,
    user: 'olga',
    nodeVersion: '24',
    interruption: () => new AbortController().signal,
  };
  assert.equal(reportFailure(error, environment, 'import', json), 1);
  return String(stderr.read());
}

/** The error that SQLite throws for a statement on a database of a table `t`. */
function errorOf(t: TestContext, options: { readonly readOnly?: boolean }, ...statements: readonly string[]): unknown {
  const path = join(temporaryFolder(t), 'x.db');
  const made = new DatabaseSync(path);
  made.exec('create table t (text text)');
  made.close();
  const database = new DatabaseSync(path, options);
  try {
    for (const statement of statements) database.exec(statement);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  return assert.fail('nothing was thrown');
}

describe('a command under which storage fails', () => {
  it('says that the disk is full, and that an import can be run again', (t) => {
    const full = errorOf(t, {}, 'pragma max_page_count = 2', 'insert into t values (zeroblob(100000))');
    const said =
      'logistics-connect: The disk is full. Make room, and run the command again: an import completes itself.\n';
    assert.equal(told(full), said);
    assert.equal(told(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })), said);
    assert.equal(told(Object.assign(new Error('could not extend file'), { code: '53100' })), said);
    assert.equal(told(new Error('the batch could not be written', { cause: full })), said);
    assert.deepEqual(JSON.parse(told(full, true)).error.message, 'The disk is full.');
  });

  it('says that the database may not be written', (t) => {
    assert.match(
      told(errorOf(t, { readOnly: true }, 'insert into t values (1)')),
      /may not be written\. Check that this user may write DATA_DIR/,
    );
  });

  it('says that the database is damaged, in one line', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const path = join(place.folder, 'data/logistics-connect.db');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 4096));
    const { code, stdout, stderr } = await run(place, 'activity', 'list');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^logistics-connect: The database file .*(damaged|cannot be opened).*\n$/);
  });

  it('says of anything else where to look', () => {
    assert.equal(
      told(new Error('something odd')),
      'logistics-connect: Something odd. Set LOG_LEVEL=debug to see where it happened.\n',
    );
    assert.match(told(Object.assign(new Error('connection reset'), { code: 'ECONNRESET' })), /LOG_LEVEL=debug/);
  });
});
