// What a platform key may do: its roles, asked for by every operation, on every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

const somebody = '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01';
const nobody = '019c8ef1-1b2c-7a10-9c44-0d5e7f8a9b10';
/** Every operation that wants a key: the role it needs, and the status that its holder gets. */
const operations = [
  ['GET', '/outbox', 'outbox', 200],
  ['POST', '/outbox/ack', 'outbox', 400],
  ['GET', `/documents/${nobody}`, 'outbox', 404],
  ['GET', `/documents/${nobody}/content`, 'outbox', 404],
  ['GET', '/audit', 'audit', 200],
  ['GET', '/health', 'operations', 200],
  ['GET', '/shippings/accounts', 'shipping', 200],
  ['POST', '/shippings/accounts/nowhere/sandbox/test', 'shipping', 415],
  ['GET', '/requests', 'operations', 200],
  ['GET', '/demonstration', 'operations', 404],
  ['POST', '/demonstration/advance', 'operations', 404],
  ['POST', '/demonstration/faults', 'operations', 400],
  ['GET', '/outbox/consumers', 'operations', 200],
  ['GET', '/outbox/waiting', 'operations', 400],
  ['GET', '/reconciliation?activity=NOR&from=2026-01-01&to=2026-01-02', 'stock', 404],
  ['GET', '/shippings/labels/nowhere/sandbox/1', 'shipping', 404],
  ['POST', '/shippings/labels/nowhere/sandbox/1/void', 'shipping', 415],
  ['GET', '/shippings/points/nowhere/sandbox', 'shipping', 400],
  ['POST', '/shippings/dry-runs/nowhere/sandbox', 'shipping', 404],
  ['GET', '/shippings/handovers/nowhere/sandbox', 'shipping', 404],
  ['POST', '/shippings/handovers/nowhere/sandbox', 'shipping', 415],
  ['GET', `/shippings/handovers/nowhere/sandbox/${nobody}/document`, 'shipping', 404],
  ['GET', '/lineage', 'feed', 400],
  ['GET', '/feeds', 'feed', 200],
  ['GET', '/feeds/messages', 'feed', 200],
  ['GET', '/feeds/messages/NOR:1', 'feed', 404],
  ['POST', '/feeds/articles', 'feed', 400],
  ['GET', '/feeds/lines', 'feed', 200],
  ['GET', '/feeds/lines.ndjson', 'feed', 200],
  ['GET', '/feeds/lines/NOR:1:1', 'feed', 404],
  ['POST', '/feeds/lines/NOR:1:1/edit', 'feed', 404],
  ['POST', '/feeds/lines/NOR:1:1/drop', 'feed', 415],
  ['POST', '/feeds/messages/NOR:1/drop', 'feed', 415],
  ['POST', '/feeds/messages/NOR:1/end', 'feed', 415],
  ['POST', '/feeds/lines/NOR:1:1/replay', 'feed', 415],
  ['POST', '/feeds/messages/NOR:1/replay', 'feed', 415],
  ['GET', '/activities', 'administration', 200],
  ['POST', '/activities', 'administration', 400],
  ['POST', '/activities/NOR/change', 'administration', 400],
  ['GET', '/users', 'administration', 200],
  ['POST', '/users', 'administration', 400],
  ['GET', `/users/${somebody}`, 'administration', 404],
  ['POST', `/users/${somebody}/change`, 'administration', 404],
  ['POST', `/users/${somebody}/invite`, 'administration', 415],
  ['POST', `/users/${somebody}/reset-second-factor`, 'administration', 415],
  ['POST', `/users/${somebody}/disable`, 'administration', 415],
  ['POST', `/users/${somebody}/enable`, 'administration', 415],
  ['POST', `/users/${somebody}/remove`, 'administration', 415],
  ['GET', `/users/${somebody}/sessions`, 'administration', 404],
  ['POST', `/users/${somebody}/sessions/one/end`, 'administration', 415],
  ['POST', `/users/${somebody}/programs/shop/end`, 'administration', 415],
  ['POST', `/users/${somebody}/sign-out`, 'administration', 415],
  ['GET', '/clients', 'administration', 200],
  ['POST', '/clients', 'administration', 400],
  ['GET', '/clients/shop', 'administration', 404],
  ['POST', '/clients/shop/change', 'administration', 404],
  ['POST', '/clients/shop/rotate-secret', 'administration', 404],
  ['POST', '/clients/shop/disable', 'administration', 415],
  ['POST', '/clients/shop/enable', 'administration', 415],
  ['POST', '/clients/shop/remove', 'administration', 415],
  ['GET', '/keys', 'administration', 200],
  ['POST', '/keys', 'administration', 400],
  ['POST', '/keys/0k2m9qpe3d7x/revoke', 'administration', 415],
  ['GET', '/shippings/carriers', 'administration', 200],
  ['POST', '/shippings/accounts', 'administration', 400],
  ['GET', '/shippings/accounts/nowhere/sandbox', 'administration', 404],
  ['POST', '/shippings/accounts/nowhere/sandbox/change', 'administration', 404],
  ['POST', '/shippings/accounts/nowhere/sandbox/remove', 'administration', 415],
] as const;
const keys = [
  ['outbox'],
  ['audit'],
  ['feed'],
  ['outbox', 'audit'],
  ['stock'],
  ['shipping'],
  ['operations'],
  ['administration'],
  ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations'],
] as const;

for (const engine of engines) {
  describe(`roles on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
    });
    after(() => running.close());
    const ask = (method: string, path: string, token: string) =>
      method === 'GET' ? running.get(`/platform${path}`, { token }) : running.send(`/platform${path}`, {}, { token });

    for (const roles of keys) {
      it(`${roles.join(' and ')} open what they say and nothing else`, async () => {
        const { text } = await addPlatformKey(
          running.app.store,
          { name: roles.join(), activityCodes: null, roles },
          Date.now(),
        );
        for (const [method, path, role, status] of operations) {
          const answer = await ask(method, path, text);
          const allowed = roles.some((one) => one === role);
          assert.equal(answer.status, allowed ? status : 403, `${method} ${path}: ${answer.body}`);
          if (allowed) continue;
          const { type, role: needed, detail } = answer.object();
          assert.match(String(type), /\/v1\/problems\/role-missing$/);
          assert.equal(needed, role);
          assert.match(String(detail), new RegExp(`with the role ${role}; this key has ${roles.join(', ')}\\.`));
        }
      });
    }

    it('are named by the description, for every operation that wants a key', async () => {
      const { paths } = JSON.parse((await running.get('/platform/openapi.json', { token: null })).body);
      for (const [method, path, role] of operations) {
        const template = path
          .replace(/\?.*/, '')
          .replace(`nowhere/sandbox/${nobody}`, '{context}/{carrier}/{handoverId}')
          .replace(nobody, '{documentId}')
          .replace(somebody, '{userId}')
          .replace('/activities/NOR', '/activities/{activityCode}')
          .replace('/sessions/one', '/sessions/{sessionId}')
          .replace(/(?<=clients|programs)\/shop/, '/{clientId}')
          .replace('0k2m9qpe3d7x', '{keyId}')
          .replace('nowhere/sandbox/1', '{context}/{carrier}/{id}')
          .replace('nowhere/sandbox', '{context}/{carrier}')
          .replace('/feeds/articles', '/feeds/{resource}')
          .replace('NOR:1:1', '{lineId}')
          .replace('NOR:1', '{messageId}');
        const operation = paths[template][method.toLowerCase()];
        assert.equal(operation['x-required-role'], role);
        assert.match(operation.description, new RegExp(`Needs a key or an operator with the role \`${role}\`\\.$`));
      }
      const keyed = Object.values<Record<string, { security?: readonly object[] }>>(paths)
        .flatMap((methods) => Object.values(methods))
        .filter(({ security }) => security === undefined);
      // Who asks who they are needs none.
      assert.equal(keyed.length, operations.length + 1, 'an operation wants a key, but no role');
    });

    it('of a refused acknowledgement leave an entry in the audit trail', async () => {
      const { key, text } = await addPlatformKey(
        running.app.store,
        { name: 'curious', activityCodes: ['NOR'], roles: ['audit'] },
        Date.now(),
      );
      assert.equal((await ask('POST', '/outbox/ack', text)).status, 403);
      const [entry] = await running.app.store.audit.read(
        {
          activityCodes: null,
          operationId: null,
          action: null,
          actor: key.id,
          since: null,
          until: null,
          after: null,
          newestFirst: true,
          limit: 1,
        },
        { client: 'test' },
      );
      assert.deepEqual([entry?.action, entry?.outcome], ['outbox.acknowledge', 'refused']);
      assert.match(JSON.stringify(entry?.details), /"problem":"role-missing","status":403/);
    });
  });
}
