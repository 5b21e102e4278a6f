// Carrier accounts on the command line: what is refused, how secrets come in and that they never come out, and the
// carrier's own word.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { startChronopostSimulator } from '../../simulators/chronopost/chronopost.ts';
import { json, launcher, type Place, run, start, succeed, temporaryFolder } from './fixture.ts';
import { joined } from '../contract/joined.ts';

interface Listed {
  readonly activity: string;
  readonly context: string;
  readonly carrier: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly sender: Readonly<Record<string, string>>;
  readonly dailyLimit: number | null;
  readonly hasSecrets: boolean;
}

const secret = 'Chr0n0-s3cret';
const stdin = JSON.stringify({ password: secret });
const add = (carrier: string, ...more: readonly string[]) => [
  'carrier-account',
  'add',
  '--context',
  'paris',
  '--carrier',
  carrier,
  '--activity',
  'ACM',
  ...more,
];
const addChronopost = add('chronopost', '--set', 'accountNumber=19869502');

async function placeWithActivities(t: TestContext): Promise<Place & { readonly folder: string }> {
  const place = { folder: temporaryFolder(t) };
  for (const code of ['ACM', 'BLU']) await succeed(place, 'activity', 'add', code, code);
  return place;
}

/** Everything that lies in DATA_DIR. */
function stored(place: Place): string {
  const folder = join(place.folder, 'data');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('\n');
}

describe('carrier-account add', () => {
  for (const [name, line, said] of [
    ['an unknown carrier', add('chronopst'), /There is no carrier chronopst\. Known are sandbox, .*chronopost/],
    [
      'a context that is no name',
      ['carrier-account', 'add', '--context', 'Paris!', '--carrier', 'sandbox', '--activity', 'ACM'],
      /A context is named with/,
    ],
    [
      'a setting that the carrier does not have',
      add('chronopost', '--set', 'login=x'),
      /Chronopost has no setting login; it has accountNumber, password, /,
    ],
    [
      'a secret on the command line',
      add('chronopost', '--set', `password=${secret}`),
      /password is a secret: it does not belong on a command line/,
    ],
    ['a setting without a value', add('chronopost', '--set', secret), /--set takes NAME=VALUE\. /],
    ['a setting without a name', add('chronopost', '--set', `=${secret}`), /--set takes NAME=VALUE\. /],
    [
      'a field that no sender has',
      add('sandbox', '--sender', 'destCity=Lyon'),
      /--sender takes expLang, expAddr1, .*, not destCity/,
    ],
    [
      'a sender that is too long',
      add('sandbox', '--sender', `expCountry=${'x'.repeat(3)}`),
      /--sender expCountry may have 2 characters/,
    ],
    [
      'a limit that is none',
      add('sandbox', '--daily-limit', '1e3'),
      /--daily-limit must be a whole number from 0 to 1000000/,
    ],
    ['a limit of nothing', add('sandbox', '--daily-limit', ''), /--daily-limit must be/],
    [
      'several things at once',
      add('chronopost', '--set', 'login=x', '--sender', 'x=y', '--daily-limit', '-1'),
      /--daily-limit.*--sender takes.*no setting login/,
    ],
  ] as const) {
    it(`refuses ${name} before storage is opened or anything is read`, async (t) => {
      const { code, stdout, stderr } = await run({ folder: temporaryFolder(t), stdin: new PassThrough() }, ...line);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, said);
      assert.match(stderr, /^logistics-connect: [^\n]+\n$/);
      assert.ok(!stderr.includes(secret));
    });
  }

  it('refuses an activity that does not exist before anything is read', async (t) => {
    const place = await placeWithActivities(t);
    const { code, stderr } = await run({ ...place, stdin: new PassThrough() }, ...addChronopost.with(-3, 'NOP'));
    assert.equal(code, 1);
    assert.match(stderr, /There is no activity NOP\. Add it: \.\/logistics-connect activity add NOP/);
  });

  for (const [name, input, said] of [
    ['nothing', '', /password is missing\. Nothing was changed/],
    ['an empty password', '{"password":""}', /password is missing/],
    ['no JSON', `password=${secret}`, /no JSON object of texts/],
    ['half of JSON', `{"password":"${secret}`, /no JSON object of texts/],
    ['a list', `["${secret}"]`, /no JSON object of texts/],
    ['null', 'null', /no JSON object of texts/],
    ['a password that is no text', '{"password":{"text":"Chr0n0-s3cret"}}', /no JSON object of texts/],
    [
      'a setting that there is not',
      `{"password":"${secret}","pasword":"${secret}"}`,
      /Chronopost has no setting pasword\./,
    ],
    [
      'a password that cannot be sent',
      `{"password":"${secret}\\n"}`,
      /password is not of the right form: Password of the contract/,
    ],
  ] as const) {
    it(`refuses ${name} on standard input, and repeats nothing of it`, async (t) => {
      const place = await placeWithActivities(t);
      const { code, stdout, stderr } = await run({ ...place, stdin: input }, ...addChronopost);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, said);
      assert.ok(!stderr.includes(secret));
      assert.deepEqual(await json<Listed[]>(place, 'carrier-account', 'list'), []);
    });
  }

  it('refuses a setting of the wrong form, or none of the choices', async (t) => {
    const place = await placeWithActivities(t);
    const { stderr } = await run(
      { ...place, stdin },
      ...add('chronopost', '--set', 'accountNumber=A1', 'language=xx', 'baseUrl=ftp://x'),
    );
    assert.match(
      stderr,
      joined(
        /accountNumber is not of the right form: Number of your contract.*/,
        /baseUrl must be an address with https, or with http on this machine alone.*language must be one of fr_FR, /,
      ),
    );
  });

  it('stores secrets so that nothing shows them', async (t) => {
    const place = await placeWithActivities(t);
    const told = await succeed(
      { ...place, stdin },
      ...addChronopost,
      '--sender',
      'expAddr1=Acme Home',
      'expCity=Lesquin',
      '--daily-limit',
      '500',
    );
    assert.equal(
      told,
      'Context paris of ACM ships with Chronopost.\nTo check it: ' +
        './logistics-connect carrier-account test --context paris --carrier chronopost\n',
    );
    const [headings, row] = (await succeed(place, 'carrier-account', 'list')).split('\n');
    assert.equal(headings, 'ACTIVITY\tCONTEXT\tCARRIER\tSETTINGS\tSENDER\tLABELS A DAY\tLACKS');
    assert.deepEqual(row?.split('\t'), [
      'ACM',
      'paris',
      'chronopost',
      'accountNumber=19869502',
      'expAddr1=Acme Home expCity=Lesquin',
      '500',
      '',
    ]);
    const [{ hasSecrets, ...listed }] = await json<[Listed]>(place, 'carrier-account', 'list');
    assert.equal(hasSecrets, true);
    assert.deepEqual(Object.keys(listed), [
      'activity',
      'context',
      'carrier',
      'settings',
      'sender',
      'dailyLimit',
      'createdAt',
      'lacks',
    ]);
    const audited = await succeed(place, 'audit', '--json');
    assert.match(audited, /carrier-account\.add.*paris\/chronopost/);
    for (const text of [JSON.stringify(listed), audited, stored(place)]) assert.ok(!text.includes(secret));
  });

  it('takes any setting from standard input, also optional secrets; the command line counts for more', async (t) => {
    const place = await placeWithActivities(t);
    await succeed(
      {
        ...place,
        stdin: JSON.stringify({ enseigne: 'BDTEST13', privateKey: 'PrivateK-4711', brandCode: '22', culture: '' }),
      },
      ...add('mondialrelay', '--set', 'brandCode=11'),
    );
    const [{ settings, hasSecrets }] = await json<[Listed]>(place, 'carrier-account', 'list');
    assert.deepEqual([settings, hasSecrets], [{ enseigne: 'BDTEST13', brandCode: '11' }, true]);
    assert.ok(!stored(place).includes('PrivateK-4711'));
  });

  for (const [carrier, given, said] of [
    ['mondialrelay', [], /Labels need .*: login, password and customerId, or enseigne and privateKey\. Tracking needs/],
    ['mondialrelay', ['enseigne=BDTEST13'], /Labels need .*, or privateKey\. Tracking needs .*: privateKey\./],
    ['colissimo', [], /Labels need .*: apiKey, or contractNumber and password\. Tracking needs .*, or suiviKey\./],
    ['colissimo', ['contractNumber=123456'], /Labels need .*: apiKey, or password\. Tracking needs .*, or suiviKey\./],
    ['dhl', [], /Labels need .*: clientId, clientSecret, .* and billingNumbers\. Tracking needs .*: trackingKey\./],
  ] as const) {
    it(`refuses an account that could do nothing at ${carrier}, with ${given.join() || 'nothing'}`, async (t) => {
      const place = await placeWithActivities(t);
      const line = given.length === 0 ? add(carrier) : add(carrier, '--set', ...given);
      const { code, stdout, stderr } = await run({ ...place, stdin: '{}' }, ...line);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /The account could do nothing at /);
      assert.match(stderr, said);
      assert.match(stderr, /Nothing was changed\./);
      assert.deepEqual(await json<Listed[]>(place, 'carrier-account', 'list'), []);
    });
  }

  it('leaves a good account as it is when one that could do nothing would take its place', async (t) => {
    const place = await placeWithActivities(t);
    await succeed({ ...place, stdin: '{"apiKey":"k3y-of-box"}' }, ...add('colissimo'));
    const before = await succeed(place, 'carrier-account', 'list');
    assert.equal((await run({ ...place, stdin: '{}' }, ...add('colissimo'))).code, 1);
    assert.equal(await succeed(place, 'carrier-account', 'list'), before);
  });

  it('says of an account that can do one thing what the other needs: added, listed, examined', async (t) => {
    const place = await placeWithActivities(t);
    const missing = 'clientId, clientSecret, username, password and billingNumbers';
    const told = await succeed({ ...place, stdin: '{"trackingKey":"k3y-of-tracking"}' }, ...add('dhl'));
    assert.ok(told.includes(`Labels need settings that it lacks: ${missing}.`), told);
    const line = (await succeed(place, 'carrier-account', 'list')).split('\n')[1] ?? '';
    assert.equal(line.split('\t').at(-1), `labels: ${missing}`);
    const [{ lacks }] = await json<[{ lacks: unknown }]>(place, 'carrier-account', 'list');
    assert.deepEqual(lacks, { labels: missing, tracking: null });
    const { findings } = JSON.parse((await run({ ...place, variables: { PORT: '0' } }, 'doctor', '--json')).stdout);
    assert.deepEqual(
      findings.filter(({ subject }: { subject: string }) => subject === 'carriers'),
      [
        {
          subject: 'carriers',
          verdict: 'ok',
          message:
            'The account of context paris at dhl is not set up for everything. Labels need settings that it lacks: ' +
            `${missing}.`,
          remedy: '',
        },
      ],
    );
  });

  it('finds an account of an earlier version that can do nothing: listed, tested, examined', async (t) => {
    const place = await placeWithActivities(t);
    await succeed({ ...place, stdin: '{"suiviKey":"k3y-of-suivi"}' }, ...add('colissimo'));
    const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'));
    database.exec("update carrier_account set secrets = null, settings = '{}'");
    database.close();
    const [{ lacks }] = await json<[{ lacks: unknown }]>(place, 'carrier-account', 'list');
    const access = 'apiKey, or contractNumber and password';
    assert.deepEqual(lacks, { labels: access, tracking: `${access}, or suiviKey` });
    const tested = await run(place, 'carrier-account', 'test', '--context', 'paris', '--carrier', 'colissimo');
    assert.equal(tested.code, 1);
    assert.match(tested.stderr, /The account does not work: Labels need .*apiKey.* Tracking needs .*suiviKey/);
    const { findings } = JSON.parse((await run({ ...place, variables: { PORT: '0' } }, 'doctor', '--json')).stdout);
    const [found] = findings.filter(({ subject }: { subject: string }) => subject === 'carriers');
    assert.equal(found?.verdict, 'warning');
    assert.match(found?.message, /can do nothing\. Labels need .*apiKey.* Tracking needs .*suiviKey/);
  });

  it('says that nobody can tell what is missing where the secrets cannot be opened', async (t) => {
    const place = await placeWithActivities(t);
    const variables = { SECRET_KEY: 'a passphrase of more than thirty-two characters' };
    await succeed({ ...place, stdin: '{"apiKey":"k3y-of-box"}', variables }, ...add('colissimo'));
    const [{ lacks }] = await json<[{ lacks: unknown }]>(place, 'carrier-account', 'list');
    assert.equal(lacks, null);
    const line = (await succeed(place, 'carrier-account', 'list')).split('\n')[1] ?? '';
    assert.match(line.split('\t').at(-1) ?? '', /The secrets of the carrier account are encrypted/);
    const { code, stdout } = await run({ ...place, variables: { PORT: '0' } }, 'doctor', '--json');
    assert.equal(code, 1);
    assert.match(stdout, /The account of context paris at colissimo cannot be used\. The secrets/);
  });

  it('reads nothing for a carrier that needs nothing', async (t) => {
    const place = await placeWithActivities(t);
    assert.deepEqual(await json({ ...place, stdin: new PassThrough() }, ...add('sandbox')), {
      context: 'paris',
      carrier: 'sandbox',
      activity: 'ACM',
      outcome: 'added',
      lacks: { labels: null, tracking: null },
    });
  });

  it('replaces the account that is there, whole', async (t) => {
    const place = await placeWithActivities(t);
    await succeed({ ...place, stdin }, ...addChronopost, '--daily-limit', '5', '--sender', 'expCity=Lille');
    assert.match(
      await succeed({ ...place, stdin }, ...add('chronopost', '--set', 'accountNumber=7')),
      /^Context paris of ACM now ships with Chronopost/,
    );
    const listed = await json<Listed[]>(place, 'carrier-account', 'list');
    assert.deepEqual(
      listed.map(({ settings, sender, dailyLimit }) => ({ settings, sender, dailyLimit })),
      [{ settings: { accountNumber: '7' }, sender: {}, dailyLimit: null }],
    );
    assert.match(await succeed(place, 'audit', '--json'), /carrier-account\.change/);
  });

  it('leaves the account of another activity alone', async (t) => {
    const place = await placeWithActivities(t);
    await succeed({ ...place, stdin }, ...addChronopost);
    const { code, stderr } = await run({ ...place, stdin }, ...addChronopost.with(-3, 'BLU'));
    assert.equal(code, 1);
    assert.match(stderr, /The context paris has an account at chronopost already, for another activity/);
    assert.deepEqual(
      (await json<Listed[]>(place, 'carrier-account', 'list')).map(({ activity }) => activity),
      ['ACM'],
    );
  });
});

describe('carrier-account test', () => {
  const test = ['carrier-account', 'test', '--context', 'paris', '--carrier', 'chronopost'];

  it('knows no account that is not there', async (t) => {
    const { code, stderr } = await run(await placeWithActivities(t), ...test);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /There is no account of context paris at chronopost\. See: \.\/logistics-connect carrier-account list/,
    );
  });

  it('says what the carrier says', async (t) => {
    const place = await placeWithActivities(t);
    const simulator = await startChronopostSimulator();
    t.after(() => simulator.close());
    const { accountNumber = '', password = '', baseUrl = '' } = simulator.settings;
    const line = [...add('chronopost', '--set', `accountNumber=${accountNumber}`, `baseUrl=${baseUrl}`)];
    await succeed({ ...place, stdin: JSON.stringify({ password }) }, ...line);
    assert.match(await succeed(place, ...test), /^Chronopost accepts the account number and the password\./);
    assert.deepEqual(Object.keys(await json(place, ...test)), ['context', 'carrier', 'works', 'detail']);

    await succeed({ ...place, stdin }, ...line);
    const { code, stdout, stderr } = await run(place, ...test);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      joined(
        /The account does not work: Chronopost does not accept the account: "invalid account or password"\. /,
        /Its code: 3\. Put its settings right/,
      ),
    );
    assert.equal(stderr.split('invalid account').length, 2, 'the wording is told once');
    assert.ok(!stderr.includes(secret));

    await simulator.close();
    assert.match((await run(place, ...test)).stderr, /The account does not work: The carrier cannot be reached/);
  });

  it('works offline with the sandbox', async (t) => {
    const place = await placeWithActivities(t);
    await succeed(place, ...add('sandbox'));
    assert.match(
      await succeed(place, 'carrier-account', 'test', '--context', 'paris', '--carrier', 'sandbox'),
      /^The sandbox works/,
    );
  });

  it('tells what is missing when the key of the secrets is gone', async (t) => {
    const place = await placeWithActivities(t);
    const variables = { SECRET_KEY: 'a passphrase of more than thirty-two characters' };
    await succeed({ ...place, stdin, variables }, ...addChronopost);
    const { code, stderr } = await run(place, ...test);
    assert.equal(code, 1);
    assert.match(stderr, /secrets of the carrier account.*SECRET_KEY/i);
    assert.ok(!stderr.includes(secret));
  });
});

describe('carrier-account remove', () => {
  const remove = ['carrier-account', 'remove', '--context', 'paris', '--carrier', 'chronopost'];

  it('refuses an account that is not there', async (t) => {
    const { code, stderr } = await run(await placeWithActivities(t), ...remove);
    assert.equal(code, 1);
    assert.match(stderr, /There is no account of context paris at chronopost/);
  });

  it('removes one account and no other', async (t) => {
    const place = await placeWithActivities(t);
    await succeed({ ...place, stdin }, ...addChronopost);
    await succeed(place, ...add('sandbox'));
    assert.match(await succeed(place, ...remove), /^The account of context paris at chronopost is removed\./);
    assert.deepEqual(
      (await json<Listed[]>(place, 'carrier-account', 'list')).map(({ carrier }) => carrier),
      ['sandbox'],
    );
    assert.match(await succeed(place, 'audit', '--json'), /carrier-account\.remove/);
    assert.equal((await run(place, ...remove)).code, 1);
  });
});

const script = '/usr/bin/script';
const noTerminal =
  existsSync(script) && process.platform === 'linux' ? false : 'there is no script(1) that makes a pseudo terminal';

describe('the questions of carrier-account add on a terminal', { skip: noTerminal }, () => {
  const inTerminal = (t: TestContext, place: Place) =>
    start(
      t,
      { ...place, program: script },
      '-qefc',
      `'${launcher}' carrier-account add --context paris --carrier chronopost --activity ACM`,
      '/dev/null',
    );

  it('ask for what has no default, show what is typed, but no secret', async (t) => {
    const place = await placeWithActivities(t);
    const child = inTerminal(t, place);
    await child.seen('accountNumber (Number of your contract with Chronopost, digits): ');
    child.write('19869502x\u007f\r');
    await child.seen('password (Password of the contract for the web services (Chronotrace code)): ');
    child.write(`${secret}\r`);
    await child.seen('subAccount (Number of the sub-account, where you ship for one; empty for none): ');
    child.write('\r');
    await child.seen('Empty: tracking at Chronopost, which needs no key): ');
    child.write('okapi-4711\r');
    const { code, stdout } = await child.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /19869502/);
    assert.doesNotMatch(stdout, /baseUrl|idEmit/);
    assert.ok(!stdout.includes(secret) && !stdout.includes('okapi-4711'));
    const [{ settings, hasSecrets }] = await json<[Listed]>(place, 'carrier-account', 'list');
    assert.deepEqual([settings, hasSecrets], [{ accountNumber: '19869502' }, true]);
  });

  it('do not show a secret that is pasted behind another answer', async (t) => {
    const place = await placeWithActivities(t);
    const child = inTerminal(t, place);
    await child.seen('digits): ');
    child.write(`19869502\r${secret}\r\r\r`);
    const { code, stdout } = await child.ended;
    assert.equal(code, 0, stdout);
    assert.ok(!stdout.includes(secret));
  });

  it('end at the first answer that will not do', async (t) => {
    const place = await placeWithActivities(t);
    const child = inTerminal(t, place);
    await child.seen('digits): ');
    child.write('A1\r');
    const { code, stdout } = await child.ended;
    assert.equal(code, 1);
    assert.match(stdout, /accountNumber is not of the right form/);
    assert.doesNotMatch(stdout, /password \(/);
  });

  for (const [name, key, exit] of [
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 1],
  ] as const) {
    it(`end on ${name} with ${exit}, and nothing is stored`, async (t) => {
      const place = await placeWithActivities(t);
      const child = inTerminal(t, place);
      await child.seen('digits): ');
      child.write('19869502\r');
      await child.seen('password (');
      child.write(key);
      const { code, stdout } = await child.ended;
      assert.equal(code, exit, stdout);
      assert.deepEqual(await json<unknown>(place, 'carrier-account', 'list'), []);
    });
  }
});
