// Settings from a file: which file, what wins, and what is wrong in it.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { programWithSettings } from '../../src/commands/program-with-settings.ts';
import { mergedSettings, readSettingsFile } from '../../src/config/settings-file.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { run, succeed, temporaryFolder } from './fixture.ts';

describe('--config', () => {
  it('is taken before and after the command, with paths relative to the file, and the environment wins', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc/server.env'), '# the server\nexport DATA_DIR=stored\nLOG_LEVEL="warn"\n');
    const add = ['activity', 'add', 'ACM', 'Acme'];
    await succeed({ folder }, '--config', 'etc/server.env', ...add);
    assert.ok(existsSync(join(folder, 'etc/stored/logistics-connect.db')));
    assert.match(await succeed({ folder }, 'activity', 'list', '--config=etc/server.env'), /ACM/);
    assert.match(await succeed({ folder }, '--config=etc/server.env', 'activity', 'list'), /ACM/);
    const variables = { DATA_DIR: 'mine', LOG_LEVEL: ' ' };
    await succeed({ folder, variables }, '--config', 'etc/server.env', ...add);
    assert.ok(existsSync(join(folder, 'mine/logistics-connect.db')));
    assert.equal(existsSync(join(folder, 'data')), false);
  });

  it('is what a server tells to be repeated, with what its environment says beside it', (t) => {
    const folder = temporaryFolder(t);
    const settingsFile = join(folder, 'the server.env');
    writeFileSync(settingsFile, 'DATA_DIR=stored\nPORT=8181\nDATABASE_URL=postgres://a:b@c/d\n');
    const addresses = { baseUrl: 'http://localhost:9/v1', authUrl: 'http://localhost:9', platformUrl: 'x' };
    const told = (given: Record<string, string>): string =>
      programWithSettings(
        { variables: mergedSettings(given, readSettingsFile(settingsFile)), settingsFile },
        addresses,
      );
    const program = `./logistics-connect --config '${settingsFile}'`;
    // A variable of the shell that it does not have would lead to another database.
    assert.equal(told({}), program);
    assert.equal(told({ PORT: '8282' }), `PORT=8282 ${program}`);
    assert.equal(told({ DATABASE_URL: 'postgres://e' }), `DATABASE_URL="$DATABASE_URL" ${program}`);
    assert.equal(
      programWithSettings({ variables: { PORT: '0', DATA_DIR: 'd' } }, addresses),
      'DATA_DIR=d BASE_URL=http://localhost:9/v1 AUTH_URL=http://localhost:9 ./logistics-connect',
    );
  });

  it('needs not be said of ./logistics-connect.env, and the file that is named is taken instead of it', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'logistics-connect.env'), 'DATA_DIR=standard\n');
    writeFileSync(join(folder, 'other.env'), 'LOG_LEVEL=warn\n');
    await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
    assert.ok(existsSync(join(folder, 'standard/logistics-connect.db')));
    await succeed({ folder }, '--config', 'other.env', 'activity', 'add', 'ACM', 'Acme');
    assert.ok(existsSync(join(folder, 'data/logistics-connect.db')));
  });

  it('is told what is wrong in the file, by its lines, in no command but help and version', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'logistics-connect.env'), 'DATA_DRI=x\n\nSECRET_KEY=geheim#not\nDATA_DIR\n');
    const { code, stdout, stderr } = await run({ folder }, 'activity', 'list');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /Line 1: there is no setting DATA_DRI; did you mean DATA_DIR\?/);
    assert.match(stderr, /Line 3: what follows # would be left out of SECRET_KEY: put the value in quotes\./);
    assert.match(stderr, /Line 4 is not NAME=value\./);
    assert.ok(!stderr.includes('geheim'));
    for (const words of [['--help'], ['activity', 'list', '--help'], ['--version']])
      await succeed({ folder }, ...words);
    for (const name of ['missing.env', '.']) {
      const missing = await run({ folder }, '--config', name, 'activity', 'list');
      assert.deepEqual([missing.code, /The settings file .* cannot be read/.test(missing.stderr)], [1, true]);
    }
    assert.equal((await run({ folder }, 'activity', 'list', '--config')).code, 2);
  });

  it('is looked at by doctor: who can read a file with secrets', async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'logistics-connect.env');
    writeFileSync(file, 'SECRET_KEY=a secret of more than thirty-two characters\n', { mode: 0o644 });
    chmodSync(file, 0o644);
    await succeed({ folder }, 'activity', 'add', 'ACM', 'Acme');
    const warned = (await run({ folder }, 'doctor')).stdout;
    assert.match(warned, /Others on this machine can read or write .*logistics-connect\.env, which holds SECRET_KEY/);
    assert.ok(!warned.includes('thirty-two'));
    chmodSync(file, 0o600);
    assert.doesNotMatch((await run({ folder }, 'doctor')).stdout, /Others on this machine/);
    writeFileSync(file, 'LOG_LEVEL=warn\n');
    chmodSync(file, 0o644);
    assert.doesNotMatch((await run({ folder }, 'doctor')).stdout, /Others on this machine/);
  });
});

describe('doctor', () => {
  const client = { clientId: 'lc', clientSecret: 'very-secret-words' };
  const company = { name: 'company', title: 'Company', issuer: 'https://login.example.com', groups: {} };
  const providers = JSON.stringify([{ ...company, ...client }]);

  it('warns where others can read a settings file with the secret of an identity provider', async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'logistics-connect.env');
    writeFileSync(file, `IDENTITY_PROVIDERS='${providers}'\n`);
    chmodSync(file, 0o644);
    const { stdout } = await run({ folder }, 'doctor');
    assert.match(stdout, /can read or write .*logistics-connect\.env, which holds IDENTITY_PROVIDERS\./);
    assert.ok(!stdout.includes('very-secret'));
  });

  it('warns where everybody can read the file of a secret, however it is named', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'people.json'), providers);
    writeFileSync(join(folder, 'secret_key'), 'a secret of more than thirty-two characters');
    const variables = { IDENTITY_PROVIDERS: '@people.json', SECRET_KEY_FILE: 'secret_key' };
    const said = async (place: Parameters<typeof run>[0]): Promise<string> => (await run(place, 'doctor')).stdout;
    const warning = (name: string, variable: string): RegExp =>
      new RegExp(
        `warning .*Everybody on this machine can read or write ${join(folder, name)}, the file of ${variable}`,
      );
    const [ofPeople, ofKey] = [warning('people.json', 'IDENTITY_PROVIDERS'), warning('secret_key', 'SECRET_KEY_FILE')];
    for (const name of ['people.json', 'secret_key']) chmodSync(join(folder, name), 0o644);
    const bySettings = await said({ folder, variables });
    assert.match(bySettings, ofPeople);
    assert.match(bySettings, ofKey);
    writeFileSync(join(folder, 'server.env'), 'IDENTITY_PROVIDERS=@people.json\nSECRET_KEY_FILE=secret_key\n');
    const byFile = (await run({ folder: temporaryFolder(t) }, '--config', join(folder, 'server.env'), 'doctor')).stdout;
    assert.match(byFile, ofPeople);
    assert.match(byFile, ofKey);
    // The group may be that of the server.
    for (const name of ['people.json', 'secret_key']) chmodSync(join(folder, name), 0o640);
    assert.doesNotMatch(await said({ folder, variables }), /Everybody on this machine/);
  });
});

describe('a settings file', () => {
  const read = (t: Parameters<typeof temporaryFolder>[0], text: string | Uint8Array) => {
    const path = join(temporaryFolder(t), 'file.env');
    writeFileSync(path, text);
    return readSettingsFile(path);
  };
  for (const [name, text, said] of [
    ['a name twice', 'PORT=1\nPORT=2\n', /Line 2: PORT is on line 1 already/],
    ['a name that is none', '1PORT=1\n', /Line 1 is not NAME=value/],
    ['a quote without an end', 'SECRET_KEY="abc\nPORT=1\n', /A value that begins with " has no end/],
    [
      'a quote within its quotes',
      'PORT=1\nSECRET_KEY="half"half"\n',
      /Line 2: what follows the second " would be left out/,
    ],
    [
      'a quote of a word within its quotes',
      "SECRET_KEY='it's me'\n",
      /Line 1: what follows the second ' would be left/,
    ],
    [
      'a value behind the quotes',
      'DATABASE_URL="postgres://u:p"w@h/db"\n',
      /what follows the second " .* DATABASE_URL/,
    ],
    ['letters behind the quotes', 'SECRET_KEY=`x`y\n', /Line 1: what follows the second `/],
    ['a comment next to the quotes', 'SECRET_KEY="x"#y\n', /Line 1: what follows the second "/],
    ['something behind several lines', 'SECRET_KEY="a\nb" PORT=2\n', /Line 2: what follows the second " .* SECRET_KEY/],
    ['a quote that is escaped', 'SECRET_KEY="a\\"b"\n', /Line 1: what follows the second "/],
    ['an escaped line break', 'SECRET_KEY="a\\nb"\n', /Line 1: \\n would become a line break in SECRET_KEY/],
    [
      'an escaped line break further down',
      'SECRET_KEY="a\nb\\nc"\n',
      /Line 2: \\n would become a line break in SECRET/,
    ],
    ['bytes that are no text', new Uint8Array([0x50, 0xff]), /not UTF-8 text/],
    ['a megabyte', 'x'.repeat(1_000_001), /larger than 1000000 bytes/],
  ] as const)
    it(`may not have ${name}`, (t) => {
      assert.throws(
        () => read(t, text),
        (error) => error instanceof OperatorError && said.test(error.message),
      );
    });

  it('may be empty, have comments, quotes, a byte order mark, and values of several lines', (t) => {
    assert.deepEqual({ ...read(t, '') }, {});
    const text =
      '\ufeff# all\r\nPORT = 8080 # here\r\nSECRET_KEY=\'a # b\'\r\nTRUSTED_ISSUERS="[\n  PORT=1\n]"\nLOG_LEVEL=\n';
    assert.deepEqual(
      { ...read(t, text) },
      { PORT: '8080', SECRET_KEY: 'a # b', TRUSTED_ISSUERS: '[\n  PORT=1\n]', LOG_LEVEL: '' },
    );
  });

  it('may have other quotes, and a comment, behind quotes', (t) => {
    const text = 'SECRET_KEY=\'say "\\n"\'  # one\nSECRET_KEY_PREVIOUS=`it\'s`\nHOST="a\nb"\t# two "\nPORT="1" \n';
    const secrets = { SECRET_KEY: 'say "\\n"', SECRET_KEY_PREVIOUS: "it's" };
    assert.deepEqual({ ...read(t, text) }, { ...secrets, HOST: 'a\nb', PORT: '1' });
  });

  it('may name files, relative to itself', (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'server.env');
    writeFileSync(
      path,
      'DICTIONARY_FILE=codes.json\nTRUSTED_ISSUERS=@issuers.json\nIDENTITY_PROVIDERS=@etc/people.json\n',
    );
    assert.deepEqual(
      { ...readSettingsFile(path) },
      {
        DICTIONARY_FILE: join(folder, 'codes.json'),
        TRUSTED_ISSUERS: `@${join(folder, 'issuers.json')}`,
        IDENTITY_PROVIDERS: `@${join(folder, 'etc/people.json')}`,
      },
    );
    writeFileSync(path, 'IDENTITY_PROVIDERS=[]\n');
    assert.equal(readSettingsFile(path).IDENTITY_PROVIDERS, '[]');
  });

  it('gives what the environment leaves open', () => {
    assert.deepEqual(
      mergedSettings({ PORT: '1', LOG_LEVEL: '', HOST: undefined }, { PORT: '2', LOG_LEVEL: 'warn', HOST: '::' }),
      { PORT: '1', LOG_LEVEL: 'warn', HOST: '::' },
    );
  });
});
