// Administration over HTTP: every operation does what the command line does, tells secrets once, and leaves its entry.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { authenticate } from '../../src/auth/users.ts';
import { clientSecretMatches } from '../../src/auth/oidc-client.ts';
import { update } from '../../src/store/table-statements.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { engines } from '../contract/engines.ts';
import {
  connect,
  fieldIn,
  openBrowser,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from '../auth/flow.ts';

interface Desk {
  readonly service: Service;
  readonly keyId: string;
  readonly get: (path: string) => Promise<Told>;
  readonly post: (path: string, body?: object) => Promise<Told>;
}

interface Told {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

type TestOf = Parameters<typeof startService>[0];

async function openDesk(t: TestOf, engine = engines[0]): Promise<Desk> {
  const service = await startService(t, {}, engine);
  const wanted = { name: 'admin', activityCodes: null, roles: ['administration'] };
  const { key, text } = await addPlatformKey(service.app.store, wanted, Date.now());
  const ask = async (method: string, path: string, body?: object): Promise<Told> => {
    const headers = { authorization: `Bearer ${text}`, ...(body && { 'content-type': 'application/json' }) };
    const address = `${service.platformUrl}${path}`;
    const answer = await send(service, method, address, headers, body && JSON.stringify(body));
    return { status: answer.status, body: answer.json() };
  };
  return { service, keyId: key.id, get: (path) => ask('GET', path), post: (path, body) => ask('POST', path, body) };
}

async function actionsOf({ service, keyId }: Desk): Promise<readonly string[]> {
  const entries = await service.app.store.audit.read({
    ...{ activityCodes: null, operationId: null, action: null, actor: keyId, since: null, until: null },
    ...{ after: null, newestFirst: false, limit: 100 },
  });
  return entries.filter(({ outcome }) => outcome === 'accepted').map(({ action }) => action);
}

const good = 'small boats carry light parcels';

for (const engine of engines) {
  describe(`administration on ${engine.name}`, { skip: engine.skip }, () => {
    it('adds activities, once, and gives them other names', async (t) => {
      const desk = await openDesk(t, engine);
      for (let times = 0; times < 2; times += 1) {
        const { status, body } = await desk.post('/activities', { code: 'NEW', name: 'New' });
        assert.deepEqual([status, body.code, body.name, body.lastWriteAt], [200, 'NEW', 'New', null]);
      }
      assert.equal((await desk.post('/activities', { code: 'NEW', name: 'Other' })).status, 400);
      assert.equal((await desk.post('/activities', { code: 'long', name: 'x' })).status, 400);
      assert.equal((await desk.post('/activities/NEW/change', { name: 'Newer' })).body.name, 'Newer');
      assert.equal((await desk.post('/activities/XXX/change', { name: 'x' })).status, 404);
      for (const name of ['a\nb', 'a\u0007', 'a\u202eb', 'a\u2028b', 'a\u200bb', '\ud800', `e${'\u0301'.repeat(31)}`])
        for (const path of ['/activities', '/activities/NEW/change']) {
          const { status, body } = await desk.post(path, { ...(path === '/activities' && { code: 'INV' }), name });
          assert.deepEqual([status, /validation-failed$/.test(String(body.type))], [400, true], JSON.stringify(name));
        }
      for (const name of ['Caf\u00e9', 'Cafe\u0301', 'Cafe\u0301'])
        assert.equal((await desk.post('/activities/NEW/change', { name })).body.name, 'Caf\u00e9');
      assert.equal((await desk.post('/activities', { code: 'NEW', name: 'Cafe\u0301' })).body.name, 'Caf\u00e9');
      assert.deepEqual(
        (await desk.service.app.store.activities.named(['NEW', 'INV'])).map(({ name }) => name),
        ['Caf\u00e9'],
      );
      // A name that an earlier version stored may be given again.
      const storage = desk.service.app.store.engine;
      for (const name of ['Cafe\u0301', 'New\u200b']) {
        await storage.write(({ query }) => query(update(activityTable, { name }, { code: 'NEW' })));
        for (const path of ['/activities', '/activities/NEW/change']) {
          const { status, body } = await desk.post(path, { ...(path === '/activities' && { code: 'NEW' }), name });
          assert.deepEqual([status, body.name], [200, name], path);
        }
      }
      const { body } = await desk.get('/activities?limit=3');
      assert.deepEqual([JSON.stringify(body.activities).match(/"code":"..."/g)?.length, body.after], [3, 'CCC']);
      assert.deepEqual(await actionsOf(desk), ['activity.add', 'activity.change', 'activity.change']);
    });

    it('lists users, clients and keys page by page, users of one activity too', async (t) => {
      const desk = await openDesk(t, engine);
      const logins = ['ada', 'bea', 'cy_d', 'cy-d', 'dan+1', 'eve'];
      for (const [index, login] of logins.entries())
        await registerUser(desk.service, { login, activityCodes: index % 2 === 0 ? ['AAA'] : ['AAA', 'BBB'] });
      for (let count = 0; count < 3; count += 1) await registerClient(desk.service);
      const walk = async (path: string, what: string, keyOf: string): Promise<readonly string[]> => {
        const found: string[] = [];
        for (let after: unknown = null, pages = 0; pages < 10; pages += 1) {
          const from = after === null ? '' : `&after=${encodeURIComponent(String(after))}`;
          const { status, body } = await desk.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${from}`);
          assert.equal(status, 200);
          const items: readonly Record<string, unknown>[] = Object(body[what]);
          assert.ok(items.length <= 2);
          found.push(...items.map((item) => String(item[keyOf])));
          after = body.after;
          if (after === null) return found;
        }
        throw new Error('the list came to no end');
      };
      assert.deepEqual(await walk('/users', 'users', 'login'), logins.toSorted());
      const ofBbb = ['bea', 'cy-d', 'eve'];
      assert.deepEqual(await walk('/users?activity=BBB', 'users', 'login'), ofBbb);
      for (const none of ['B', 'ZZZ', '%25', '', '%00', 'AAA%22,%22BBB'])
        assert.deepEqual(await walk(`/users?activity=${none}`, 'users', 'login'), []);
      for (const [path, what] of [
        ['/clients', 'clients'],
        ['/keys', 'keys'],
      ] as const) {
        const all = Object((await desk.get(path)).body[what]).map(({ id }: { id: string }) => id);
        assert.deepEqual(await walk(path, what, 'id'), all);
        assert.deepEqual(all, all.toSorted());
      }
      assert.deepEqual(await walk('/activities', 'activities', 'code'), ['AAA', 'BBB', 'CCC']);
      for (const wrong of ['%00', '%C3%A9', 'x'.repeat(201)])
        assert.equal((await desk.get(`/users?after=${wrong}`)).status, 400);
    });

    it('adds a user who gets in by the invitation alone, once', async (t) => {
      const desk = await openDesk(t, engine);
      const { service } = desk;
      const added = await desk.post('/users', { login: 'Noa@shop.example', activityCodes: ['AAA'], invite: true });
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const { address } = Object(added.body.invitation);
      assert.equal(Object((await desk.get('/users?activity=AAA')).body.users).length, 1);
      assert.ok(!JSON.stringify((await desk.get(`/users/${String(added.body.id)}`)).body).includes('token='));
      const browser = openBrowser(service);
      const page = await browser.get(address);
      const fields = { csrf: fieldIn(page, 'csrf'), token: fieldIn(page, 'token'), password: good, again: good };
      const target = `${service.authUrl}/account/invitation`;
      for (const [wrong, why] of [
        [{ ...fields, again: `${good}x` }, /not twice the same/],
        [{ ...fields, password: 'short', again: 'short' }, /at least 15 characters/],
        [{ ...fields, csrf: 'x' }, /open for too long/],
      ] as const) {
        const answer = await browser.post(target, wrong);
        assert.equal(answer.status, 400);
        assert.match(answer.body, why);
      }
      const both = await Promise.all([browser.post(target, fields), browser.post(target, fields)]);
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 410], 'of two at once one wins');
      assert.equal((await browser.get(address)).status, 410);
      assert.equal((await authenticate(service.app.store, 'noa@shop.example', good))?.id, added.body.id);
      assert.deepEqual(await actionsOf(desk), ['user.add', 'user.invite']);
    });

    it('makes the links of before, and those of who is disabled, good no more', async (t) => {
      const desk = await openDesk(t, engine);
      const browser = openBrowser(desk.service);
      const { id } = await registerUser(desk.service);
      const invited = async (): Promise<string> =>
        Object((await desk.post(`/users/${id}/invite`)).body.invitation).address;
      const [first, second] = [await invited(), await invited()];
      assert.equal((await browser.get(first)).status, 410);
      assert.equal((await browser.get(second)).status, 200);
      await desk.post(`/users/${id}/disable`);
      assert.equal((await browser.get(second)).status, 410);
      assert.equal((await desk.post(`/users/${id}/invite`)).status, 400);
      await desk.post(`/users/${id}/enable`);
      assert.equal((await browser.get(second)).status, 410);
    });

    it('changes users, by what is given alone', async (t) => {
      const desk = await openDesk(t, engine);
      const { id } = await registerUser(desk.service);
      const { body } = await desk.post(`/users/${id}/change`, {
        activityCodes: ['AAA'],
        operator: true,
        roles: ['feed'],
      });
      assert.deepEqual([body.activityCodes, body.operator, body.roles, body.login], [['AAA'], true, ['feed'], 'mia']);
      assert.deepEqual((await desk.post(`/users/${id}/change`, { operator: false })).body.roles, []);
      for (const wrong of [
        { roles: ['king'] },
        { activityCodes: ['XXX'] },
        { login: ' ' },
        { roles: 'feed' },
        { odd: 1 },
      ])
        assert.equal((await desk.post(`/users/${id}/change`, wrong)).status, 400, JSON.stringify(wrong));
      assert.equal((await desk.post(`/users/${id}/change`, {})).status, 200);
      for (const unknown of ['nobody', '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01'])
        assert.equal((await desk.get(`/users/${unknown}`)).status, 404);
      assert.deepEqual(await actionsOf(desk), ['user.change', 'user.change']);
    });

    it('lists what a user is signed in to, and ends it piece by piece', async (t) => {
      const desk = await openDesk(t, engine);
      const { service } = desk;
      const { id } = await registerUser(service);
      const other = await registerUser(service, { login: 'other' });
      const shop = await registerClient(service);
      await connect(service, shop);
      const { body } = await desk.get(`/users/${id}/sessions`);
      const [session] = Object(body).sessions;
      assert.equal(session.secondFactor, false);
      assert.deepEqual(
        Object(body).programs.map(({ clientId }: { readonly clientId: string }) => clientId),
        [shop.client.id],
      );
      assert.equal((await desk.post(`/users/${other.id}/sessions/${session.id}/end`)).status, 404, 'of somebody else');
      assert.equal((await desk.post(`/users/${id}/sessions/${session.id}/end`)).status, 200);
      assert.equal((await desk.post(`/users/${id}/sessions/${session.id}/end`)).status, 404);
      assert.equal((await desk.post(`/users/${id}/programs/${shop.client.id}/end`)).status, 200);
      assert.equal((await desk.post(`/users/${id}/sign-out`)).status, 200);
      assert.deepEqual((await desk.get(`/users/${id}/sessions`)).body, { sessions: [], programs: [] });
      assert.deepEqual(await actionsOf(desk), ['user.session.end', 'user.program.end', 'user.sign-out']);
      assert.equal((await desk.post(`/users/${id}/remove`)).status, 200);
      assert.equal((await desk.get(`/users/${id}`)).status, 404);
    });

    it('registers clients, tells their secrets once, and changes and ends them', async (t) => {
      const desk = await openDesk(t, engine);
      const { store } = desk.service.app;
      const wanted = {
        name: 'Shop',
        redirectUris: ['https://shop.example/cb'],
        activityCodes: ['AAA'],
        confidential: true,
      };
      const { body: made } = await desk.post('/clients', wanted);
      const id = String(made.id);
      const stored = async () => (await store.clients.byId(id))?.secretHash ?? undefined;
      assert.ok(clientSecretMatches(String(made.secret), await stored()));
      assert.equal((await desk.get(`/clients/${id}`)).body.secret, undefined);
      const { body: rotated } = await desk.post(`/clients/${id}/rotate-secret`, { keepOldHours: 2 });
      assert.ok(clientSecretMatches(String(rotated.secret), await stored()));
      assert.equal((await desk.post(`/clients/${id}/rotate-secret`, { keepOldHours: 0 })).status, 400);
      const { body } = await desk.post(`/clients/${id}/change`, { activityCodes: ['BBB'], readOnly: true });
      assert.deepEqual([body.activityCodes, body.readOnly, body.name], [['BBB'], true, 'Shop']);
      assert.equal((await desk.post('/clients', { name: 'Nothing' })).status, 400);
      for (const step of ['disable', 'enable', 'remove'])
        assert.equal((await desk.post(`/clients/${id}/${step}`)).status, 200);
      assert.equal((await desk.get(`/clients/${id}`)).status, 404);
      const steps = ['add', 'rotate-secret', 'change', 'disable', 'enable', 'remove'];
      assert.deepEqual(
        await actionsOf(desk),
        steps.map((step) => `client.${step}`),
      );
    });

    it('makes keys, told once, and revokes them; none for administration of a few activities', async (t) => {
      const desk = await openDesk(t, engine);
      const { body } = await desk.post('/keys', { name: 'WMS', activityCodes: ['AAA'] });
      assert.match(String(body.key), /^lck_/);
      assert.deepEqual(body.roles, ['outbox']);
      const bounded = await desk.post('/keys', { name: 'x', activityCodes: ['AAA'], roles: ['administration'] });
      assert.deepEqual([bounded.status, /every activity/.test(String(bounded.body.detail))], [400, true]);
      for (const wrong of [{ name: 'x' }, { name: 'x', activityCodes: ['AAA'], everyActivity: true }])
        assert.equal((await desk.post('/keys', wrong)).status, 400);
      for (let times = 0; times < 2; times += 1)
        assert.equal(typeof (await desk.post(`/keys/${String(body.id)}/revoke`)).body.revokedAt, 'string');
      assert.ok(!JSON.stringify((await desk.get('/keys')).body).includes('secretHash'));
      assert.deepEqual(await actionsOf(desk), ['key.add', 'key.revoke']);
    });
  });
}
