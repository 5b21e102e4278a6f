// Settings from the environment: what each kind takes, what it refuses, and what the operator is told.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig, settingsHelp } from '../../src/config.ts';
import type { Setting } from '../../src/config/setting-kinds.ts';
import { settings } from '../../src/config/settings.ts';
import { OperatorError } from '../../src/model/operator-error.ts';

const rows: readonly Setting[] = Object.values(settings);
const integers = rows.filter(({ kind }) => kind.range !== null);
const read = (variables: Record<string, string>) => readConfig(variables, '/srv/app');

/** What the operator is told about wrong settings. */
function said(variables: Record<string, string>): string {
  try {
    read(variables);
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
  return 'nothing';
}

describe('without settings', () => {
  it('each has its default, which its own kind takes', () => {
    const config = read({});
    assert.deepEqual(
      [config.port, config.host, config.dataDir, config.databaseUrl, config.builtInIssuer, config.logLevel],
      [8080, '127.0.0.1', '/srv/app/data', null, true, 'info'],
    );
    assert.deepEqual([config.trustedIssuers, config.corsOrigins, config.trustProxy], [[], [], []]);
    assert.deepEqual(config.documentSlugs.slice(0, 2), ['invoice', 'delivery-note']);
    const written = rows.flatMap(({ name, default: standard }) => (standard === null ? [] : [[name, standard]]));
    assert.deepEqual(read(Object.fromEntries(written)), config);
  });

  it('an empty or blank variable is one that is not set', () => {
    for (const blank of ['', ' ', ' \t\n'])
      assert.deepEqual(read(Object.fromEntries(rows.map(({ name }) => [name, blank]))), read({}));
  });
});

describe('a whole number', () => {
  for (const { name, kind } of integers) {
    const [min = 0, max = 0] = (kind.range ?? '').split(' to ').map(Number);
    it(`${name} is one of ${kind.range}, with blanks around it`, () => {
      for (const right of [String(min), String(max), ` ${max}\n`]) assert.equal(said({ [name]: right }), 'nothing');
      const unit = ['milliseconds', 'seconds', 'hours', 'days', 'MB'].includes(kind.name) ? ` of ${kind.name}` : '';
      for (const given of [
        ...(min > 0 ? [String(min - 1)] : []),
        String(max + 1),
        '-1',
        '+1',
        '1.5',
        '1e3',
        '0x10',
        '1 000',
        '10s',
        '10 seconds',
        '1d',
        '64MB',
        'ten',
        'Infinity',
        '٣',
        '00000001',
        '99999999999999999999',
      ])
        assert.equal(
          said({ [name]: given }),
          `${name} must be a whole number${unit} from ${min} to ${max}, not ${JSON.stringify(given)}.`,
        );
    });
  }
});

describe('a number of days after which something is removed', () => {
  it('is never 0, which means "no limit" elsewhere', () => {
    const days = integers.filter(({ name }) => name.endsWith('_RETENTION_DAYS'));
    assert.ok(days.length >= 10);
    for (const { name } of days) assert.match(said({ [name]: '0' }), /from 1 to 36500, not "0"/);
  });
});

describe('an address', () => {
  it('loses the slashes at its end, and its scheme is lower case', () => {
    assert.equal(read({ BASE_URL: ' HTTPS://api.example.com/v1// ' }).baseUrl, 'https://api.example.com/v1');
  });

  it('has no login, query or fragment, and what may be secret in it is not shown', () => {
    const cases: readonly (readonly [given: string, shown: string])[] = [
      ['api.example.com', '"api.example.com"'],
      ['ftp://api.example.com', '"ftp://api.example.com"'],
      ['https://', '"https://"'],
      ['https://api.example.com/v1?key=hush', '"https://api.example.com/v1?…"'],
      ['https://api.example.com/v1#hush', '"https://api.example.com/v1?…"'],
      ['https://mia:hush@api.example.com/v1', '"https://…@api.example.com/v1"'],
      ['https://:hush@api.example.com/v1', '"https://…@api.example.com/v1"'],
      ['https://mia:hu/sh@api.example.com', '"https://…@api.example.com"'],
      ['mia:hush@api.example.com', '"…@api.example.com"'],
    ];
    for (const [given, shown] of cases)
      assert.equal(
        said({ AUTH_URL: given }),
        `AUTH_URL must be an address like https://api.example.com/v1, without login, query or fragment, not ${shown}.`,
      );
  });

  it('of the two interfaces differ in their paths', () => {
    assert.match(said({ BASE_URL: 'https://a.example/x', PLATFORM_URL: 'https://b.example/x' }), /different paths/);
  });
});

describe('a secret', () => {
  it('is never shown, whatever is wrong', () => {
    for (const given of ['mysql://lc:hush@db/lc', 'lc:hush@db/lc', 'hush'])
      assert.equal(
        said({ DATABASE_URL: given }),
        'DATABASE_URL must be an address like postgres://user:password@host:5432/database; ' +
          'what it is now is not shown, because it may hold a password.',
      );
  });
});

describe('a word', () => {
  it('is one of those that there are, in their own letters', () => {
    assert.equal(said({ BUILT_IN_ISSUER: 'no' }), 'BUILT_IN_ISSUER must be on or off, not "no".');
    assert.equal(
      said({ LOG_LEVEL: 'INFO' }),
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "INFO".',
    );
  });

  it('that is wrong and huge, or has lines, is told short and on one line', () => {
    const message = said({ LOG_LEVEL: `loud\nlines\u001b[2J${'x'.repeat(1_000_000)}` });
    assert.ok(message.length < 200, String(message.length));
    assert.doesNotMatch(message, /\p{Cc}/u);
  });
});

describe('a list', () => {
  it('has each item once, without blanks and items of nothing', () => {
    assert.deepEqual(read({ DOCUMENT_SLUGS: ' invoice ,,label,invoice, ' }).documentSlugs, ['invoice', 'label']);
    assert.deepEqual(read({ CORS_ORIGINS: ',' }).corsOrigins, []);
    assert.match(said({ DOCUMENT_SLUGS: ',' }), /^DOCUMENT_SLUGS must be names of 1 to 32 .*, not ","\.$/);
    assert.match(said({ DOCUMENT_SLUGS: 'label,Invoice' }), /not "Invoice"\.$/);
  });

  it('of origins has what browsers send, no addresses of pages', () => {
    const right = 'https://shop.example,http://localhost:5173,capacitor://localhost,null';
    assert.deepEqual(read({ CORS_ORIGINS: right }).corsOrigins, right.split(','));
    for (const item of ['*', 'shop.example', 'https://shop.example/', 'https://Shop.example', 'https://a.example b'])
      assert.equal(
        said({ CORS_ORIGINS: `https://shop.example,${item}` }),
        `CORS_ORIGINS must be origins like https://shop.example, without a path, separated by commas, not "${item}".`,
      );
  });

  it('of proxies has addresses, networks, or names that the server knows', () => {
    const right = '127.0.0.1,10.0.0.0/8,::1,fd00::/8,loopback';
    assert.deepEqual(read({ TRUST_PROXY: right }).trustProxy, right.split(','));
    for (const item of ['proxy', '10.0.0.1;10.0.0.2', '10.0.0.0/33', '10.0.0.0/0', '::/129', '10.0.0.0/', '1/2/3'])
      assert.equal(
        said({ TRUST_PROXY: item }),
        `TRUST_PROXY must be addresses or networks like 10.0.0.0/8, separated by commas, not "${item}".`,
      );
  });
});

describe('other issuers', () => {
  it('come from a file beside the program, and a file that is away or wrong is told', (t) => {
    const place = mkdtempSync(join(tmpdir(), 'settings-'));
    t.after(() => rmSync(place, { recursive: true }));
    const issuer = { name: 'x', issuer: 'https://a.example', audiences: ['y'], activities: { claim: 'z' } };
    writeFileSync(join(place, 'issuers.json'), JSON.stringify([issuer]));
    assert.equal(readConfig({ TRUSTED_ISSUERS: '@issuers.json' }, place).trustedIssuers[0]?.name, 'x');
    assert.match(said({ TRUSTED_ISSUERS: '@missing.json' }), /^TRUSTED_ISSUERS cannot be read: .*app\/missing\.json/);
    assert.match(said({ TRUSTED_ISSUERS: '[{]' }), /^TRUSTED_ISSUERS is not right/);
  });

  it('are needed where there is no issuer of our own', () => {
    assert.match(said({ BUILT_IN_ISSUER: 'off' }), /^BUILT_IN_ISSUER is off and TRUSTED_ISSUERS names nobody else/);
  });
});

describe('what the operator is told', () => {
  it('names every setting that is wrong', () => {
    assert.match(said({ PORT: '80a', LOG_LEVEL: 'loud', TRUST_PROXY: 'x' }), /^PORT .*; LOG_LEVEL .*; TRUST_PROXY /);
  });

  it('shows each setting in the help with its default and its bounds', () => {
    const lines = settingsHelp().split('\n');
    assert.equal(lines.length, rows.length);
    assert.match(settingsHelp(['maxWaitSeconds']), /^ {2}MAX_WAIT_SECONDS {2}Seconds .* \(10; 1 to 60\)$/);
    assert.match(settingsHelp(['logLevel']), /^ {2}LOG_LEVEL {2}\S.* \(info\)$/);
    assert.match(settingsHelp(['corsOrigins']), /empty: none\.$/);
  });
});
