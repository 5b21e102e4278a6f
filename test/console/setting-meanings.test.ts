// What each setting of a carrier account means is said in French in the console.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frenchMeaning } from '../../packages/console/src/operator/accounts/setting-meanings-fr.ts';
import { carrierNames, loadCarrier } from '../../src/carriers/index.ts';

describe('settings of carrier accounts', () => {
  it('of another version of the service are not made up', () => {
    assert.equal(frenchMeaning('sandbox', 'colour'), null);
    assert.equal(frenchMeaning('sandbox', 'constructor'), null);
  });

  for (const name of carrierNames)
    it(`of ${name} are said in French, with the addresses and examples of the English words`, async () => {
      for (const { name: setting, meaning } of (await loadCarrier(name))?.settings ?? []) {
        const french = frenchMeaning(name, setting);
        assert.match(french ?? '', /^[A-ZÀ-Ý].*\.$/, setting);
        for (const address of meaning.match(/https?:\/\/[^\s,;]+[^\s,;.]/g) ?? [])
          assert.ok(french?.includes(address), `${setting}: ${address}`);
      }
    });
});
