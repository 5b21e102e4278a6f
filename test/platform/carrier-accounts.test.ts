// Accounts at carriers, on every engine: who is shown them, what they lack, what their test says, and that no value of
// a setting is told.
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

    describe('are tested at their carrier', () => {
      const test = async (context: string, carrier: string, roles = ['shipping'], query = '', activities = ['NOR']) => {
        const wanted = { name: 'desk', activityCodes: activities, roles };
        const { text } = await addPlatformKey(running.app.store, wanted, Date.now());
        const path = `/platform/shippings/accounts/${context}/${carrier}/test${query}`;
        return running.get(path, { method: 'POST', token: text });
      };
      before(async () => {
        const put = (context: string, carrier: string, secrets: string | null) =>
          running.app.store.carrierAccounts.put(
            { activity: 'NOR', context, carrier, settings: {}, secrets, sender: {}, dailyLimit: null },
            Date.now(),
          );
        await put('tested', 'sandbox', null);
        await put('tested', 'ups', null);
        await put('sealed', 'ups', 'no ciphertext of this service');
      });

      it('by nobody without the role, not those of others, and none that is not there', async () => {
        assert.equal((await test('tested', 'sandbox', ['feed'])).status, 403);
        assert.equal((await test('tested', 'sandbox', ['shipping'], '', ['SOU'])).status, 404);
        assert.equal((await test('tested', 'nobody')).status, 404);
        assert.equal((await test('tested', 'sandbox', ['shipping'], '?really=true')).status, 400);
      });

      it('that lacks what it needs, or whose secrets cannot be read: says so, and tells no secret', async () => {
        const lacking = await test('tested', 'ups');
        assert.equal(lacking.status, 200, lacking.body);
        assert.equal(lacking.object().works, false);
        assert.match(String(lacking.object().detail), /clientSecret/);
        const sealed = await test('sealed', 'ups');
        assert.equal(sealed.status, 502, sealed.body);
        assert.equal(sealed.body.includes('no ciphertext'), false);
      });

      it('that works', async () => {
        const { works, detail, ...named } = (await test('tested', 'sandbox')).object();
        assert.deepEqual(named, { activityCode: 'NOR', context: 'tested', carrier: 'sandbox' });
        assert.notEqual(works, false);
        assert.notEqual(detail, '');
      });
    });
  });
}
