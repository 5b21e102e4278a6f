// Accounts that lack what labels or tracking need: the operator must mend them, so the client is told 502, whatever it
// sent, and is blamed for nothing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAccountCipher } from '../../../src/auth/account-cipher.ts';
import { engines } from '../../contract/engines.ts';
import { labels, problem, type Shipping, startShipping, tracking, untouched, wish } from './fixture.ts';

/** Settings by what they are called here; `secrets` are stored encrypted. */
interface Incomplete {
  readonly carrier: string;
  readonly what: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** What a client hears of the settings, or null where the account has them. */
  readonly labels: RegExp | null;
  readonly tracking: RegExp | null;
}

const accounts: readonly Incomplete[] = [
  {
    carrier: 'mondialrelay',
    what: 'nothing',
    labels: /Labels need .*: login, password and customerId, or enseigne and privateKey\./,
    tracking: /Tracking needs .*: enseigne and privateKey\./,
  },
  {
    carrier: 'mondialrelay',
    what: 'half of each version',
    settings: { login: 'X@business-api.mondialrelay.com', enseigne: 'BDTEST13' },
    labels: /Labels need .*: password and customerId, or privateKey\./,
    tracking: /Tracking needs .*: privateKey\./,
  },
  {
    carrier: 'mondialrelay',
    what: 'version 2, and version 1 as that of requests that name none',
    settings: { login: 'X@business-api.mondialrelay.com', customerId: 'BDTEST', apiVersion: '1' },
    secrets: { password: 'a-secret' },
    labels: /Labels by version 1 need .*: enseigne and privateKey\./,
    tracking: /Tracking needs .*: enseigne and privateKey\./,
  },
  {
    carrier: 'colissimo',
    what: 'nothing',
    labels: /Labels need .*: apiKey, or contractNumber and password\./,
    tracking: /Tracking needs .*: apiKey, or contractNumber and password, or suiviKey\./,
  },
  {
    carrier: 'colissimo',
    what: 'a contract without its password',
    settings: { contractNumber: '123456' },
    labels: /Labels need .*: apiKey, or password\./,
    tracking: /Tracking needs .*: apiKey, or password, or suiviKey\./,
  },
  {
    carrier: 'dhl',
    what: 'nothing',
    labels: /Labels need .*: clientId, clientSecret, username, password and billingNumbers\./,
    tracking: /Tracking needs .*: trackingKey\./,
  },
  {
    carrier: 'dhl',
    what: 'a key for tracking alone',
    secrets: { trackingKey: 'a-secret' },
    labels: /Labels need .*: clientId, clientSecret, username, password and billingNumbers\./,
    tracking: null,
  },
  {
    carrier: 'dhl',
    what: 'a billing number of no product',
    settings: { clientId: 'id', username: 'user', billingNumbers: '33333333339901' },
    secrets: { clientSecret: 'a-secret', password: 'a-secret' },
    labels: /No billing number of the account .*setting billingNumbers/,
    tracking: /Tracking needs .*: trackingKey\./,
  },
  {
    carrier: 'chronopost',
    what: 'no password, which every account needs',
    settings: { accountNumber: '19869502' },
    labels: /Labels need .*: password\./,
    tracking: /Tracking needs .*: password\./,
  },
  {
    carrier: 'laposte',
    what: 'nothing',
    labels: null,
    tracking: /Tracking needs .*: apiKey\./,
  },
];

/** Storage has no part in what a carrier wants to know. */
const [engine = assert.fail('there is no engine')] = engines;

describe('accounts that lack settings', () => {
  let shipping: Shipping;
  before(async () => {
    shipping = await startShipping(engine, { SECRET_KEY: secretKey });
  });
  after(() => shipping.close());
  for (const account of accounts) lackTests(() => shipping, account);
});

const secretKey = 'meadow compass harbour nineteen birch';

function lackTests(world: () => Shipping, { carrier, what, settings = {}, secrets, ...expected }: Incomplete): void {
  const contextOf = async (): Promise<string> => {
    const { running } = world();
    const cipher = createAccountCipher({ secretKey, dataDir: running.documentsFolder, databaseUrl: null });
    return world().context({
      carrier,
      settings,
      ...(secrets !== undefined && { secrets: await cipher.encrypt(JSON.stringify(secrets)) }),
    });
  };
  const told = (members: Readonly<Record<string, unknown>>, said: RegExp): void => {
    const detail = String(members.detail);
    assert.match(detail, said);
    assert.match(detail, /^The account at the carrier does not work: .*Tell whoever runs the service\.$/);
    assert.equal(members.errors, undefined);
  };

  if (expected.labels !== null) {
    const said = expected.labels;
    it(`${carrier} with ${what}: a label is 502, a dry run too, and the key stays free`, async () => {
      const context = await contextOf();
      const path = labels(context, carrier);
      for (const [where, headers] of [
        [path, {}],
        [`${path}?dryRun=true`, {}],
        [path, { 'Idempotency-Key': `"${context}"` }],
        [path, { 'Idempotency-Key': `"${context}"` }],
      ] as const) {
        const answer = await untouched(world(), () => world().north.send(where, wish, { headers }));
        told(problem(answer, 502, 'carrier-unavailable'), said);
        assert.equal(answer.headers['retry-after'], undefined, 'asking again helps nobody');
      }
    });
  }

  if (expected.tracking !== null) {
    const said = expected.tracking;
    it(`${carrier} with ${what}: tracking is 502`, async () => {
      const path = tracking(await contextOf(), '6A00000000001', carrier);
      const answer = await untouched(world(), () => world().north.get(path));
      told(problem(answer, 502, 'carrier-unavailable'), said);
    });
  }
}
