// Accounts at carriers, on every engine: who is shown them, what they lack, and that no value of a setting is told.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

interface Listed {
  readonly accounts: readonly {
    readonly activityCode: string;
    readonly context: string;
    readonly carrier: string;
    readonly settings: readonly string[];
    readonly labels: { readonly lacks: string | null } | null;
    readonly fault: string | null;
  }[];
}

for (const engine of engines) {
  describe(`accounts at carriers on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
    });
    after(() => running.close());
    const list = async (activityCodes: readonly string[] | null): Promise<Listed> => {
      const wanted = { name: 'desk', activityCodes, roles: ['shipping'] };
      const { text } = await addPlatformKey(running.app.store, wanted, Date.now());
      const answer = await running.get('/platform/shippings/accounts', { token: text });
      assert.equal(answer.status, 200, answer.body);
      return JSON.parse(answer.body);
    };

    it('are told with what they lack, by activity, without the values of their settings', async () => {
      const { accounts: before } = await list(null);
      const put = (activity: string, context: string, carrier: string, settings: Record<string, string>) =>
        running.app.store.carrierAccounts.put(
          { activity, context, carrier, settings, secrets: null, sender: {}, dailyLimit: 7 },
          Date.now(),
        );
      await put('NOR', 'north-box', 'sandbox', {});
      await put('NOR', 'north-ups', 'ups', { clientId: 'value-of-a-setting' });
      await put('SOU', 'south', 'nobody-ships', {});
      const all = await list(null);
      assert.equal(all.accounts.length, before.length + 3);
      assert.equal(JSON.stringify(all).includes('value-of-a-setting'), false);
      const found = (context: string) => all.accounts.find((account) => account.context === context);
      assert.deepEqual(found('north-box')?.labels, { lacks: null });
      assert.deepEqual(found('north-ups')?.settings, ['clientId']);
      assert.match(String(found('north-ups')?.labels?.lacks), /clientSecret/);
      assert.match(String(found('south')?.fault), /no such carrier/);
      assert.ok((await list(['SOU'])).accounts.every(({ activityCode }) => activityCode === 'SOU'));
    });
  });
}
