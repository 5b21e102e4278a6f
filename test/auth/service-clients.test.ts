// Clients that act for themselves: the grant `client_credentials`, what its tokens say and open, and what ends them.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { disableClient, removeClient } from '../../src/auth/clients.ts';
import { oauthClientTable } from '../../src/store/tables/access.ts';
import { auditEntryTable } from '../../src/store/tables/writes.ts';
import type { Store } from '../../src/store/store.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { allEngines, enginesAboveStorage, type EngineUnderTest, provenWithoutServer } from '../contract/engines.ts';
import {
  authorizationRequest,
  type Credentials,
  decoded,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from './flow.ts';

const asked = { grant_type: 'client_credentials', scope: 'svc_connect' };

interface Scene {
  readonly service: Service;
  readonly credentials: Credentials;
}

async function stage(t: TestContext, engine: EngineUnderTest, changes = {}): Promise<Scene> {
  const service = await startService(t, {}, engine);
  const kind = { redirectUris: [], confidential: true, service: true, ...changes };
  return { service, credentials: await registerClient(service, kind) };
}

async function accessToken({ service, credentials }: Scene): Promise<string> {
  const answer = await token(service, credentials, asked);
  assert.equal(answer.status, 200, answer.body);
  return String(answer.json().access_token);
}

function sendArticle({ service }: Scene, bearer: string) {
  const sent = {
    activityCode: 'AAA',
    articleReference: 'S-1',
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
    articlePrice1: 1,
  };
  return send(
    service,
    'POST',
    `${service.baseUrl}/articles`,
    { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    JSON.stringify([sent]),
  );
}

for (const engine of enginesAboveStorage) {
  describe(`a service client on ${engine.name}`, { skip: engine.skip }, () => {
    it('gets a token for its own activities, under its own name, and no refresh token', async (t) => {
      const scene = await stage(t, engine);
      const { service, credentials } = scene;
      const answer = await token(service, credentials, asked);
      const { access_token: bearer, ...rest } = answer.json();
      assert.deepEqual(rest, { expires_in: 3600, token_type: 'Bearer', scope: 'svc_connect' });
      assert.equal(answer.headers['cache-control'], 'no-store');
      const { header, payload } = decoded(bearer);
      assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256']);
      const { sub, client_id: id, iss, aud, scope, activityCodes } = payload;
      assert.deepEqual(
        { sub, id, iss, aud, scope, activityCodes },
        {
          sub: credentials.client.id,
          id: credentials.client.id,
          iss: service.authUrl,
          aud: service.baseUrl,
          scope: 'svc_connect',
          activityCodes: ['AAA', 'BBB'],
        },
      );
      assert.equal((await readArticles(service, bearer)).status, 200);
      assert.equal((await readArticles(await service.again(), bearer)).status, 200);
    });

    it('is named alone in the audit trail', async (t) => {
      const scene = await stage(t, engine);
      const answer = await sendArticle(scene, await accessToken(scene));
      assert.equal(answer.status, 200, answer.body);
      const trail = (await rowsIn(scene.service.app.store, auditEntryTable))
        .filter(({ action }) => action.startsWith('articles'))
        .map(({ actorKind, actor, subject, outcome }) => ({ actorKind, actor, subject, outcome }));
      const { client } = scene.credentials;
      assert.deepEqual(trail, [{ actorKind: 'client', actor: client.id, subject: null, outcome: 'accepted' }]);
    });

    it('reads only, where it is a client that reads only', async (t) => {
      const scene = await stage(t, engine, { readOnly: true });
      const bearer = await accessToken(scene);
      assert.equal((await readArticles(scene.service, bearer)).status, 200);
      const refused = await sendArticle(scene, bearer);
      assert.equal(refused.status, 403);
      assert.match(refused.body, /read-only-client/);
    });

    for (const [what, end] of [
      ['disabled', disableClient],
      ['removed', (store: Store, id: string) => removeClient(store, id)],
    ] as const) {
      it(`gets nothing once it is ${what}, and its tokens end within a minute, for good`, async (t) => {
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
        const scene = await stage(t, engine);
        const other = await scene.service.again();
        const bearer = await accessToken(scene);
        assert.equal((await readArticles(scene.service, bearer)).status, 200);
        await end(other.app.store, scene.credentials.client.id, Date.now());
        const refused = await token(scene.service, scene.credentials, asked);
        assert.deepEqual([refused.status, refused.json().error], [401, 'invalid_client']);
        t.mock.timers.tick(60_000);
        assert.equal((await readArticles(scene.service, bearer)).status, 401);
        await changeRows(other.app.store, oauthClientTable, { disabledAt: null });
        t.mock.timers.tick(60_000);
        assert.equal((await readArticles(scene.service, bearer)).status, 401);
      });
    }

    it('may sign people in too where it has a redirect address, and acts for itself without them', async (t) => {
      const scene = await stage(t, engine, { redirectUris: ['https://shop.example/callback'] });
      const { service, credentials } = scene;
      const page = await openBrowser(service).get(authorizationRequest(service, credentials.client).address);
      assert.equal(page.status, 303);
      assert.match(page.headers.location ?? '', /\/connect\/interaction\//);
      await accessToken(scene);
    });
  });
}

const [standard] = allEngines;

describe('the grant client_credentials', { skip: provenWithoutServer }, () => {
  const stageOne = (t: TestContext, changes = {}): Promise<Scene> => stage(t, standard ?? assert.fail(), changes);

  for (const scope of [undefined, '', 'openid', 'profile', 'SVC_CONNECT']) {
    it(`is refused with the scope ${JSON.stringify(scope)}`, async (t) => {
      const { service, credentials } = await stageOne(t);
      const { scope: _usual, ...fields } = asked;
      const answer = await token(service, credentials, scope === undefined ? fields : { ...fields, scope });
      assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_scope']);
      assert.match(String(answer.json().error_description), /svc_connect/);
    });
  }

  it('gives the scope of the interface alone, whatever else is asked for', async (t) => {
    const { service, credentials } = await stageOne(t);
    const answer = await token(service, credentials, { ...asked, scope: 'openid svc_connect offline_access profile' });
    const { scope, id_token: idToken, refresh_token: refreshToken } = answer.json();
    assert.deepEqual(
      { scope, idToken, refreshToken },
      { scope: 'svc_connect', idToken: undefined, refreshToken: undefined },
    );
  });

  it('is for this resource alone', async (t) => {
    const { service, credentials } = await stageOne(t);
    const other = await token(service, credentials, { ...asked, resource: 'https://other.example/v1' });
    assert.deepEqual([other.status, other.json().error], [400, 'invalid_target']);
    assert.equal((await token(service, credentials, { ...asked, resource: service.baseUrl })).status, 200);
  });

  it('needs the secret', async (t) => {
    const { service, credentials } = await stageOne(t);
    for (const secret of [null, 'wrong', `${credentials.secret}x`]) {
      const answer = await token(service, { ...credentials, secret }, asked);
      assert.deepEqual([answer.status, answer.json().error], [401, 'invalid_client']);
    }
  });

  for (const confidential of [true, false]) {
    it(`is unauthorized_client for a ${confidential ? 'confidential' : 'public'} one that is no service`, async (t) => {
      const service = await startService(t);
      const answer = await token(service, await registerClient(service, { confidential }), asked);
      assert.deepEqual([answer.status, answer.json().error], [400, 'unauthorized_client']);
    });
  }

  it('is the only one of a service without a redirect address', async (t) => {
    const { service, credentials } = await stageOne(t);
    for (const fields of [
      { grant_type: 'authorization_code', code: 'x', code_verifier: 'x'.repeat(43) },
      { grant_type: 'refresh_token', refresh_token: 'x' },
    ]) {
      const answer = await token(service, credentials, fields);
      assert.deepEqual([answer.status, answer.json().error], [400, 'unauthorized_client']);
    }
    for (const redirect_uri of [null, 'https://evil.example/callback']) {
      const request = authorizationRequest(service, credentials.client, { redirect_uri });
      const answer = await openBrowser(service).get(request.address);
      assert.deepEqual([answer.status, answer.headers.location], [400, undefined]);
    }
  });

  it('opens no activity that the client lost', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const scene = await stageOne(t);
    const bearer = await accessToken(scene);
    const lose = (activityCodes: readonly string[]) =>
      changeRows(scene.service.app.store, oauthClientTable, { activityCodes });
    await lose(['CCC']);
    t.mock.timers.tick(60_000);
    assert.equal((await readArticles(scene.service, bearer)).status, 403);
    await lose([]);
    const answer = await token(scene.service, scene.credentials, asked);
    assert.deepEqual([answer.status, answer.json().error], [400, 'invalid_grant']);
  });

  it('ends with the client being a service', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const scene = await stageOne(t, { redirectUris: ['https://shop.example/callback'] });
    const bearer = await accessToken(scene);
    await changeRows(scene.service.app.store, oauthClientTable, { service: false });
    t.mock.timers.tick(60_000);
    assert.equal((await readArticles(scene.service, bearer)).status, 401);
  });

  it('has a bound: each token is remembered until it expires', async (t) => {
    const { service, credentials } = await stageOne(t);
    const other = await registerClient(service, { redirectUris: [], confidential: true, service: true });
    let answer = await token(service, credentials, asked);
    for (let count = 1; count < 200 && answer.status === 200; count += 1)
      answer = await token(service, credentials, asked);
    assert.equal(answer.status, 429, answer.body);
    assert.ok(Number(answer.headers['retry-after']) > 0);
    assert.equal((await token(service, other, asked)).status, 200);
  });

  it('leaves users what they are: nobody gets a token with the name of a client as its subject', async (t) => {
    const { service, credentials } = await stageOne(t);
    const user = await registerUser(service);
    assert.match(user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.doesNotMatch(credentials.client.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  });
});
