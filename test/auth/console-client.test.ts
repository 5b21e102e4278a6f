// The client that the console signs in as: it registers itself, follows the activities, and stays disabled.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableClient, findClient, listClients } from '../../src/auth/clients.ts';
import { consoleClient, consoleClientId } from '../../src/auth/console-client.ts';
import { openDatabase } from './fixture.ts';

const origin = 'https://logistics.example';

describe('the client of the console', () => {
  it('is registered once, by however many who open the page together', async (t) => {
    const { store } = await openDatabase(t);
    const ids = await Promise.all([1, 2, 3].map(() => consoleClient(store, origin, 0)));
    assert.deepEqual(ids, [consoleClientId, consoleClientId, consoleClientId]);
    const [client, ...others] = await listClients(store);
    assert.deepEqual(others, []);
    assert.deepEqual(client?.redirectUris, [`${origin}/`]);
    assert.equal(client?.confidential, false);
    assert.equal(client?.pkceRequired, true);
  });

  it('leaves one entry in the audit trail for each thing that was done, by however many', async (t) => {
    const { store } = await openDatabase(t);
    const open = (): Promise<unknown> => Promise.all([1, 2, 3].map(() => consoleClient(store, origin, 0)));
    await open();
    await open();
    await store.activities.add('NEW', 'New');
    await open();
    const entries = await store.audit.read({
      ...{ activityCodes: null, operationId: null, action: null, actor: consoleClientId, since: null, until: null },
      ...{ after: null, newestFirst: false, limit: 10 },
    });
    assert.deepEqual(
      entries.map(({ action, target, activityCodes }) => ({ action, target, activityCodes })),
      [
        { action: 'client.add', target: consoleClientId, activityCodes: ['AAA', 'BBB', 'CCC'] },
        { action: 'client.change', target: consoleClientId, activityCodes: ['AAA', 'BBB', 'CCC', 'NEW'] },
      ],
    );
  });

  it('is there before there is an activity, for operators', async (t) => {
    const { store } = await openDatabase(t);
    const none = { ...store, activities: { ...store.activities, list: async () => [] } };
    assert.equal(await consoleClient(none, origin, 0), consoleClientId);
    const client = await findClient(store, consoleClientId);
    assert.deepEqual([client?.activityCodes, client?.platform], [[], true]);
  });

  it('has the activities and the address that have come since', async (t) => {
    const { store } = await openDatabase(t);
    await consoleClient(store, origin, 0);
    await store.activities.add('NEW', 'New');
    await consoleClient(store, 'https://moved.example', 1);
    const client = await findClient(store, consoleClientId);
    assert.ok(client?.activityCodes.includes('NEW'));
    assert.deepEqual(client?.redirectUris, [`${origin}/`, 'https://moved.example/']);
  });

  it('stays disabled once the operator has disabled it', async (t) => {
    const { store } = await openDatabase(t);
    await consoleClient(store, origin, 0);
    await disableClient(store, consoleClientId, 1);
    assert.equal(await consoleClient(store, origin, 2), null);
  });

  it('is none where no sign-in may come back to the address', async (t) => {
    const { store } = await openDatabase(t);
    assert.equal(await consoleClient(store, 'http://10.0.0.5:8080', 0), null);
    assert.deepEqual(await listClients(store), []);
  });
});
