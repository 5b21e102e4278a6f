// Refresh tokens: rotated at every use, thirty days each, a year together; reuse ends what came from the same consent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connect, decoded, openBrowser, refresh, registerClient, registerUser, startService, token } from './flow.ts';
import { rowsIn } from '../contract/database.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';

const day = 86_400_000;

for (const confidential of [false, true]) {
  describe(`a refresh token of a ${confidential ? 'confidential' : 'public'} client`, () => {
    it('is good for one use; the second one ends the chain, also for whoever holds the newest', async (t) => {
      const service = await startService(t);
      const credentials = await registerClient(service, { confidential });
      await registerUser(service);
      const first = (await connect(service, credentials)).refresh_token;
      const second = (await refresh(service, credentials, first)).json().refresh_token;
      const third = (await refresh(service, credentials, second)).json().refresh_token;
      assert.equal(new Set([first, second, third]).size, 3);
      assert.equal((await refresh(service, credentials, first)).json().error, 'invalid_grant');
      for (const one of [third, second, first])
        assert.equal((await refresh(service, credentials, one)).json().error, 'invalid_grant');
      assert.deepEqual(
        await rowsIn(service.app.store, oidcPayloadTable, { model: ['Grant', 'RefreshToken', 'AuthorizationCode'] }),
        [],
      );
    });

    it('lives for thirty days from its own making', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t);
      const credentials = await registerClient(service, { confidential });
      await registerUser(service);
      const [kept, used] = [await connect(service, credentials), await connect(service, credentials)];
      t.mock.timers.setTime(start + 29 * day);
      const next = await refresh(service, credentials, used.refresh_token);
      assert.equal(next.status, 200);
      t.mock.timers.setTime(start + 30 * day);
      assert.equal((await refresh(service, credentials, kept.refresh_token)).json().error, 'invalid_grant');
      assert.equal((await refresh(service, credentials, next.json().refresh_token)).status, 200);
    });
  });
}

describe('a refresh token', () => {
  it('is of no use to another client, and survives its attempt', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    const stranger = await registerClient(service, { name: 'Stranger' });
    await registerUser(service);
    const { refresh_token: refreshToken } = await connect(service, credentials);
    assert.equal((await refresh(service, stranger, refreshToken)).json().error, 'invalid_grant');
    assert.equal((await refresh(service, credentials, refreshToken)).status, 200);
  });

  it('gives no more than was granted', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    const { refresh_token: refreshToken } = await connect(service, credentials);
    const fields = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
    assert.equal(
      (await token(service, credentials, { ...fields, scope: 'svc_connect openid' })).json().error,
      'invalid_scope',
    );
    for (const scope of ['openid', 'x'])
      assert.equal((await token(service, credentials, { ...fields, scope })).json().error, 'invalid_scope', scope);
    const answer = await token(service, credentials, { ...fields, scope: 'svc_connect', resource: service.baseUrl });
    assert.deepEqual([answer.status, answer.json().scope], [200, 'svc_connect'], answer.body);
  });

  it('of one consent is not ended by the theft of another', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, { redirectUris: ['http://127.0.0.1/callback'] });
    await registerUser(service);
    const browser = openBrowser(service);
    const [desk, laptop] = [
      await connect(service, credentials, {}, browser),
      await connect(service, credentials, {}, browser),
    ];
    const next = (await refresh(service, credentials, desk.refresh_token)).json();
    await refresh(service, credentials, next.refresh_token);
    assert.equal((await refresh(service, credentials, desk.refresh_token)).json().error, 'invalid_grant');
    const answer = await refresh(service, credentials, laptop.refresh_token);
    assert.equal(answer.status, 200);
    assert.deepEqual(decoded(answer.json().access_token).payload.activityCodes, ['BBB']);
  });
});
