// What becomes of tokens and sign-ins when an operator changes a client or gives it another secret.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeClient } from '../../src/auth/client-changes.ts';
import { addClient, disableClient, enableClient, findClient, rotateSecret } from '../../src/auth/clients.ts';
import { changeUser } from '../../src/auth/user-changes.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { engines } from '../contract/engines.ts';
import { clientLike, openDatabase } from './fixture.ts';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  openBrowser,
  readArticles,
  redeem,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from './flow.ts';

const halfMinute = 30_000;
const hour = 3_600_000;
const refused = (pattern: RegExp) => (error: unknown) => error instanceof OperatorError && pattern.test(error.message);

async function submit({ baseUrl, port }: Service, accessToken: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${String(accessToken)}`, 'content-type': 'application/json' };
  return (await send({ port }, 'POST', `${baseUrl}/articles`, headers, '[]')).status;
}

for (const engine of engines) {
  describe(`a client that is changed, on ${engine.name}`, { skip: engine.skip }, () => {
    it('loses what is withdrawn with tokens in hand: activities, writing, acting for itself', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const credentials = await registerClient(service, { activityCodes: ['BBB', 'CCC'] });
      await registerUser(service);
      const tokens = await connect(service, credentials);
      const robot = await registerClient(service, { confidential: true, service: true, redirectUris: [] });
      const asRobot = () => token(service, robot, { grant_type: 'client_credentials', scope: 'svc_connect' });
      const robotToken = (await asRobot()).json().access_token;
      for (const one of [tokens.access_token, robotToken]) assert.equal((await readArticles(service, one)).status, 200);
      assert.notEqual(await submit(service, tokens.access_token), 403);
      await changeClient(store, credentials.client.id, { removedActivities: ['BBB', 'CCC'], addedActivities: ['AAA'] });
      await changeClient(store, robot.client.id, {
        service: false,
        addedRedirects: ['https://shop.example/callback'],
      });
      t.mock.timers.setTime(start + halfMinute);
      assert.equal((await readArticles(service, tokens.access_token)).status, 403);
      assert.equal((await readArticles(service, robotToken)).status, 401);
      assert.equal((await asRobot()).json().error, 'unauthorized_client');
      await changeClient(store, credentials.client.id, { addedActivities: ['BBB'], readOnly: true });
      t.mock.timers.setTime(start + 2 * halfMinute);
      assert.equal((await readArticles(service, tokens.access_token)).status, 200);
      assert.equal(await submit(service, tokens.access_token), 403);
    });

    it('opens what is granted with its next token, in a process that has just seen it refused', async (t) => {
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const { store } = service.app;
      const kind = { confidential: true, service: true, redirectUris: [] };
      const robot = await registerClient(service, { ...kind, activityCodes: ['AAA'] });
      const asRobot = async (): Promise<unknown> =>
        (await token(service, robot, { grant_type: 'client_credentials', scope: 'svc_connect' })).json().access_token;
      const person = await registerClient(service, { activityCodes: ['AAA', 'BBB'] });
      const { login } = await registerUser(service, { activityCodes: ['AAA'] });
      const asPerson = async (): Promise<unknown> => (await connect(service, person)).access_token;
      const reads = async (bearer: unknown, code: string): Promise<number> =>
        (
          await send(other, 'GET', `${other.baseUrl}/articles?ownerActivity=${code}`, {
            authorization: `Bearer ${String(bearer)}`,
          })
        ).status;
      for (const before of [await asRobot(), await asPerson()])
        assert.deepEqual([await reads(before, 'AAA'), await reads(before, 'BBB')], [200, 400]);
      await changeClient(store, robot.client.id, { addedActivities: ['BBB'] });
      await changeUser(store, login, { addedActivities: ['BBB'] });
      for (const after of [await asRobot(), await asPerson()]) {
        const both = [reads(after, 'BBB'), reads(after, 'BBB'), reads(after, 'AAA')];
        assert.deepEqual(await Promise.all(both), [200, 200, 200]);
      }
    });

    it('is sent back to its new redirect address and no longer to the old one, under its new name', async (t) => {
      const service = await startService(t, {}, engine);
      const { client, secret } = await registerClient(service);
      await registerUser(service);
      const { after } = await changeClient(service.app.store, client.id, {
        name: ' Our shop ',
        addedRedirects: ['https://shop.example/new'],
        removedRedirects: [...client.redirectUris],
      });
      assert.deepEqual([after.name, after.redirectUris], ['Our shop', ['https://shop.example/new']]);
      const old = authorizationRequest(service, client);
      const browser = openBrowser(service);
      const page = await authorize(service, browser, old).catch((error: unknown) => error);
      assert.ok(!String(JSON.stringify(page)).includes('code='));
      assert.equal((await connect(service, { client: after, secret })).token_type, 'Bearer');
    });

    it('may be enabled again; what it held before stays ended', async (t) => {
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const credentials = await registerClient(service);
      await registerUser(service);
      const tokens = await connect(service, credentials);
      await disableClient(store, credentials.client.id, Date.now());
      assert.equal((await enableClient(store, credentials.client.id)).disabledAt, null);
      assert.deepEqual(await enableClient(store, credentials.client.id), credentials.client);
      assert.equal((await readArticles(service, tokens.access_token)).status, 401);
      assert.equal((await refresh(service, credentials, tokens.refresh_token)).json().error, 'invalid_grant');
      assert.equal((await readArticles(service, (await connect(service, credentials)).access_token)).status, 200);
      await assert.rejects(enableClient(store, 'nobody'), refused(/There is no client "nobody"/));
    });

    it('may use an old secret as long as it was allowed, also if it is to be changed again meanwhile', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const { client, secret: first } = await registerClient(service, {
        confidential: true,
        service: true,
        redirectUris: [],
      });
      const opens = async (secret: string | null): Promise<boolean> =>
        (await token(service, { client, secret }, { grant_type: 'client_credentials', scope: 'svc_connect' }))
          .status === 200;
      const second = (await rotateSecret(store, client.id, { until: start + hour, now: start })).secret;
      assert.deepEqual([await opens(first), await opens(second)], [true, true]);
      for (const guess of [`${first} ${second}`, '', ' ', 'x']) assert.equal(await opens(guess), false);
      await assert.rejects(
        rotateSecret(store, client.id, { until: start + 2 * hour, now: start + hour - 1 }),
        /stays good until/,
      );
      assert.deepEqual([await opens(first), await opens(second)], [true, true]);
      t.mock.timers.setTime(start + hour);
      assert.deepEqual([await opens(first), await opens(second)], [false, true]);
      const next = { until: start + 2 * hour, now: start + hour };
      const rotated = await Promise.allSettled([1, 2].map(() => rotateSecret(store, client.id, next)));
      assert.deepEqual(rotated.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      assert.equal(await opens(second), true, 'also of two changes at once');
      const fourth = (await rotateSecret(store, client.id)).secret;
      assert.deepEqual([await opens(second), await opens(fourth)], [false, true]);
    });

    it('gets both of two activities that are granted at once', async (t) => {
      const service = await startService(t, {}, engine);
      const { client } = await registerClient(service, { activityCodes: ['AAA'] });
      const { store } = service.app;
      await Promise.all(['BBB', 'CCC'].map((code) => changeClient(store, client.id, { addedActivities: [code] })));
      assert.deepEqual((await findClient(store, client.id))?.activityCodes, ['AAA', 'BBB', 'CCC']);
    });
  });
}

describe('a change of a client', () => {
  const faults = [
    ['an empty name', { name: ' ' }, /A client needs a name/],
    ['an activity that does not exist', { addedActivities: ['ZZZ'] }, /There is no activity "ZZZ"/],
    ['its last activity', { removedActivities: ['AAA'] }, /needs at least one activity/],
    ['an address that it does not have', { removedRedirects: ['https://shop.example/'] }, /does not have the redirect/],
    ['its last address', { removedRedirects: ['https://shop.example/callback'] }, /at least one redirect address/],
    ['an address that is none', { addedRedirects: ['http://shop.example/'] }, /is plain http/],
    ['an address both ways', { addedRedirects: ['x'], removedRedirects: ['x'] }, /added and taken away at once/],
    ['what a public client cannot be', { service: true }, /a public client cannot be one/],
    ['what a public client cannot do without', { pkceRequired: false }, /PKCE is all that protects/],
  ] as const;
  for (const [name, wanted, said] of faults) {
    it(`is refused for ${name}, and changes nothing`, async (t) => {
      const { store } = await openDatabase(t);
      const redirectUris = ['https://shop.example/callback'];
      const { client } = await addClient(store, clientLike({ activityCodes: ['AAA'], redirectUris }), 1);
      await assert.rejects(changeClient(store, client.id, wanted), refused(said));
      assert.deepEqual(await findClient(store, client.id), client);
    });
  }

  it('is refused for a client that is not there', async (t) => {
    const { store } = await openDatabase(t);
    await assert.rejects(changeClient(store, 'nobody', { name: 'x' }), refused(/There is no client "nobody"/));
  });

  it('keeps the codes that were given for an address that is still there', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const request = authorizationRequest(service, credentials.client);
    const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
    await changeClient(service.app.store, credentials.client.id, { addedRedirects: ['https://shop.example/new'] });
    assert.equal((await redeem(service, credentials, request, code)).status, 200);
  });
});
