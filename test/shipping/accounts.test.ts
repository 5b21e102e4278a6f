// How the account of a request is found: defaults of the carrier filled in, secrets opened once, and once more where
// they could not be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountOf, createOpenSecrets } from '../../src/shipping/accounts.ts';
import type { Cipher } from '../../src/auth/cipher.ts';
import { karrio } from '../../src/carriers/karrio/karrio.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import type { StoredCarrierAccount } from '../../src/store/carrier-accounts.ts';

const stored: StoredCarrierAccount = {
  id: '1',
  activity: 'NOR',
  context: 'north',
  carrier: 'karrio',
  settings: { carrierName: 'dpd', currency: 'CHF' },
  secrets: 'encrypted',
  sender: {},
  dailyLimit: null,
  createdAt: 0,
};

describe('the account of a request', () => {
  it('has its settings, its secrets, and what the carrier takes where nothing is said', async () => {
    const { settings } = await accountOf(stored, karrio, cipherOf('{"apiKey":"hush"}').cipher);
    assert.deepEqual(settings, {
      baseUrl: '',
      apiKey: 'hush',
      carrierName: 'dpd',
      carrierId: '',
      currency: 'CHF',
      pickupOption: '',
      goodsCategory: 'sale',
      incoterm: 'DAP',
      eori: '',
      vatNumber: '',
      ioss: '',
    });
  });

  it('has nothing to open where there are no secrets', async () => {
    const { cipher, times } = cipherOf('{}');
    assert.equal((await accountOf({ ...stored, secrets: null }, karrio, cipher)).settings.apiKey, '');
    assert.equal(times(), 0);
  });

  it('is opened once for however many requests at once, and again for other secrets', async () => {
    const { cipher, times } = cipherOf('{"apiKey":"hush"}');
    const opened = createOpenSecrets();
    const accounts = await Promise.all(Array.from({ length: 50 }, () => accountOf(stored, karrio, cipher, opened)));
    assert.deepEqual([times(), new Set(accounts.map(({ settings }) => settings.apiKey)).size], [1, 1]);
    await accountOf({ ...stored, secrets: 'other' }, karrio, cipher, opened);
    assert.equal(times(), 2);
  });

  it('is tried again after it could not be opened', async () => {
    let fails = true;
    const { cipher, times } = cipherOf('{"apiKey":"hush"}', () => fails);
    const opened = createOpenSecrets();
    await Promise.all([1, 2].map(() => assert.rejects(accountOf(stored, karrio, cipher, opened), OperatorError)));
    fails = false;
    assert.equal((await accountOf(stored, karrio, cipher, opened)).settings.apiKey, 'hush');
    assert.equal(times(), 2);
  });

  it('does not keep an endless number of secrets', async () => {
    const { cipher } = cipherOf('{"apiKey":"hush"}');
    const opened = createOpenSecrets();
    for (let index = 0; index < 2_500; index += 1)
      await accountOf({ ...stored, secrets: `encrypted ${index}` }, karrio, cipher, opened);
    assert.ok(opened.size <= 1_000);
  });
});

function cipherOf(
  text: string,
  fails: () => boolean = () => false,
): { readonly cipher: Cipher; readonly times: () => number } {
  let times = 0;
  const decrypt = async (): Promise<string> => {
    times += 1;
    if (fails()) throw new OperatorError('The key is not there.');
    return text;
  };
  return {
    times: () => times,
    cipher: { encrypts: true, encrypt: async (given) => given, decrypt, isCurrent: async () => true },
  };
}
