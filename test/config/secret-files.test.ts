// Secrets from files of their own: what is read, what is refused, and that nothing of it is shown.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readConfig, settingsHelp } from '../../src/config.ts';
import { mergedSettings, readSettingsFile } from '../../src/config/settings-file.ts';
import { OperatorError } from '../../src/model/operator-error.ts';

function place(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** What the operator is told. */
function said(variables: Record<string, string>, folder: string): string {
  try {
    readConfig(variables, folder);
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  return 'nothing';
}

describe('a secret in a file', () => {
  it('is its one line, without the line break at its end, at a path relative to the folder', (t) => {
    const folder = place(t, { key: 'tall ships carry heavy crates\n', url: 'postgres://lc:pw@db/lc\r\n' });
    const config = readConfig({ SECRET_KEY_FILE: 'key', DATABASE_URL_FILE: join(folder, 'url') }, folder);
    assert.equal(config.secretKey, 'tall ships carry heavy crates');
    assert.equal(config.databaseUrl, 'postgres://lc:pw@db/lc');
    assert.equal(readConfig({ SECRET_KEY_FILE: ' ' }, folder).secretKey, null);
  });

  it('is refused where it is missing, empty, long, of several lines, no text, or given twice', (t) => {
    const folder = place(t, {
      empty: '\n',
      lines: 'hush\nhush',
      long: 'h'.repeat(8193),
      bytes: new Uint8Array([0xff, 0xfe, 0x41]),
      key: 'hush hush hush hush',
    });
    mkdirSync(join(folder, 'folder'));
    for (const [file, told] of [
      ['missing', /^SECRET_KEY in the file of SECRET_KEY_FILE cannot be read: ENOENT/],
      ['folder', /^SECRET_KEY in the file of SECRET_KEY_FILE cannot be read: EISDIR/],
      ['bytes', /^SECRET_KEY in the file of SECRET_KEY_FILE cannot be read/],
      ['empty', /^SECRET_KEY in the file of SECRET_KEY_FILE is empty: .*empty/],
      ['lines', /^SECRET_KEY in the file of SECRET_KEY_FILE must be one line of at most 8192 bytes\.$/],
      ['long', /^SECRET_KEY in the file of SECRET_KEY_FILE must be one line of at most 8192 bytes\.$/],
    ] as const) {
      assert.match(said({ SECRET_KEY_FILE: file }, folder), told);
      assert.doesNotMatch(said({ SECRET_KEY_FILE: file }, folder), /hush/);
    }
    assert.equal(
      said({ SECRET_KEY: 'x', SECRET_KEY_FILE: 'key' }, folder),
      'SECRET_KEY and SECRET_KEY_FILE are both set: leave one of them out.',
    );
    // What is in the file is checked as the variable would be.
    assert.match(
      said({ DATABASE_URL_FILE: 'key' }, folder),
      /^DATABASE_URL must be an address like postgres:(?!.*hush)/,
    );
  });

  it('is for secrets alone, and the help says so', () => {
    assert.match(settingsHelp(['secretKey']), /\(or SECRET_KEY_FILE=PATH\)$/);
    assert.doesNotMatch(settingsHelp(['logLevel']), /_FILE/);
  });
});

describe('a settings file', () => {
  it('may name it, relative to itself, and the environment wins in either form', (t) => {
    const folder = place(t, {
      'server.env': 'SECRET_KEY_FILE=key\nDATABASE_URL=postgres://a:b@c/d\n',
      key: 'of the file!',
    });
    const file = readSettingsFile(join(folder, 'server.env'));
    const read = (environment: Record<string, string>) => readConfig(mergedSettings(environment, file), '/');
    assert.equal(read({}).secretKey, 'of the file!');
    assert.equal(read({ SECRET_KEY: 'of the shell' }).secretKey, 'of the shell');
    writeFileSync(join(folder, 'url'), 'postgres://e:f@g/h');
    assert.equal(read({ DATABASE_URL_FILE: join(folder, 'url') }).databaseUrl, 'postgres://e:f@g/h');
  });

  it('with a name like it is told what is meant', (t) => {
    const folder = place(t, { 'server.env': 'SECRET_KEYFILE=key\nLOG_LEVEL_FILE=x\n' });
    assert.throws(
      () => readSettingsFile(join(folder, 'server.env')),
      /did you mean SECRET_KEY_FILE\?.*LOG_LEVEL_FILE/s,
    );
  });
});
