// What ends the tokens of a grant, in every process and on every engine, and what a client may get wrong without losing
// anything.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { disableClient } from '../../src/auth/clients.ts';
import { changePassword, disableUser, enableUser } from '../../src/auth/users.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { goodPassword } from './fixture.ts';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  type Credentials,
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
import { changeRows } from '../contract/database.ts';
import { oauthClientTable } from '../../src/store/tables/access.ts';

const halfMinute = 30_000;

/** Tokens by a code, and what redeemed it. */
async function redeemed(service: Service, credentials: Credentials) {
  const request = authorizationRequest(service, credentials.client);
  const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
  const answer = await redeem(service, credentials, request, code);
  assert.equal(answer.status, 200, answer.body);
  return { request, code, tokens: answer.json() };
}

async function statusOf(service: Service, accessToken: unknown): Promise<number> {
  return (await readArticles(service, accessToken)).status;
}

/**
 * Sends half of a body with an article, at a server that listens.
 * @returns sends the rest, and gives the status
 */
async function beginArticles(
  { port }: Service,
  accessToken: unknown,
  reference: string,
): Promise<() => Promise<number>> {
  const record = { articleReference: reference, longArticleDescription: 'Long', shortArticleDescription: 'Short' };
  const body = JSON.stringify([{ activityCode: 'CCC', ...record }]);
  const headers = {
    ...{ 'content-type': 'application/json', 'content-length': body.length, authorization: `Bearer ${accessToken}` },
    expect: '100-continue',
  };
  const sent = request({ port, method: 'POST', path: '/v1/articles', headers });
  const answered = once(sent, 'response');
  // The server asks for the body once it has let the caller in.
  const letIn = once(sent, 'continue');
  sent.flushHeaders();
  await letIn;
  sent.write(body.slice(0, 20));
  return async () => {
    sent.end(body.slice(20));
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode;
  };
}

for (const engine of engines) {
  describe(`the tokens of a grant on ${engine.name}`, { skip: engine.skip }, () => {
    it('end where a code is used twice, elsewhere in half a minute; those of another consent stay', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const credentials = await registerClient(service);
      await registerUser(service);
      const { request, code, tokens } = await redeemed(service, credentials);
      const bystander = (await redeemed(service, credentials)).tokens;
      for (const one of [service, other]) assert.equal(await statusOf(one, tokens.access_token), 200);
      assert.equal((await redeem(service, credentials, request, code)).json().error, 'invalid_grant');
      const refused = await readArticles(service, tokens.access_token);
      assert.equal(refused.status, 401);
      assert.match(
        refused.headers['www-authenticate'] ?? '',
        /error="invalid_token", error_description="What this token was made under has ended/,
      );
      t.mock.timers.setTime(start + halfMinute);
      assert.equal(await statusOf(other, tokens.access_token), 401);
      for (const one of [service, other]) assert.equal(await statusOf(one, bystander.access_token), 200);
    });

    it('that end while a body comes in write nothing of it; one that has only expired meanwhile does', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const other = await service.again();
      const credentials = await registerClient(service);
      await registerUser(service);
      const ended = await connect(service, credentials);
      const { access_token } = await connect(service, await registerClient(service));
      const [refused, taken] = [
        await beginArticles(other, ended.access_token, 'LATE'),
        await beginArticles(other, access_token, 'SLOW'),
      ];
      await disableClient(service.app.store, credentials.client.id, start);
      await pause(1100);
      t.mock.timers.setTime(start + 2 * 3_600_000);
      assert.deepEqual(await Promise.all([refused(), taken()]), [401, 200]);
    });

    it('end where a refresh token is used twice: all that came of the chain', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service, { confidential: true });
      await registerUser(service);
      const first = await connect(service, credentials);
      const second = (await refresh(service, credentials, first.refresh_token)).json();
      for (const { access_token } of [first, second]) assert.equal(await statusOf(service, access_token), 200);
      await refresh(service, credentials, second.refresh_token);
      assert.equal((await refresh(service, credentials, first.refresh_token)).json().error, 'invalid_grant');
      for (const { access_token } of [first, second]) assert.equal(await statusOf(service, access_token), 401);
    });

    it('end where the client revokes the refresh token', async (t) => {
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const tokens = await connect(service, credentials);
      assert.equal(await statusOf(service, tokens.access_token), 200);
      const fields = { client_id: credentials.client.id, token: String(tokens.refresh_token) };
      assert.equal(
        (
          await send(
            service,
            'POST',
            `${service.authUrl}/connect/revocation`,
            { 'content-type': 'application/x-www-form-urlencoded' },
            new URLSearchParams(fields).toString(),
          )
        ).status,
        200,
      );
      assert.equal(await statusOf(service, tokens.access_token), 401);
    });

    it('and sessions stay ended when a user or client is disabled and enabled, also half a sign-in', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const { store } = service.app;
      const browser = openBrowser(service);
      const tokens = await connect(service, credentials, {}, browser);
      const byCommand = (
        await service.app.issueToken({
          client: credentials.client,
          user: await registerUser(service, { login: 'leo' }),
          now: Date.now(),
        })
      ).accessToken;
      // The password was right, but the browser has not gone on yet.
      const late = openBrowser(service);
      const request = authorizationRequest(service, credentials.client);
      let page = await late.get(request.address);
      const at = new URL(page.headers.location ?? '', service.authUrl).href;
      page = await late.get(at);
      const csrf = /name="csrf"[^>]*value="([^"]*)"/.exec(page.body)?.[1] ?? '';
      const signedIn = await late.post(at, { csrf, login: 'mia', password: goodPassword });
      assert.equal(signedIn.status, 303, signedIn.body);
      t.mock.timers.setTime(start + 2000);
      await disableUser(store, 'mia', Date.now());
      await enableUser(store, 'mia');
      await disableClient(store, credentials.client.id, Date.now());
      await changeRows(store, oauthClientTable, { disabledAt: null });
      t.mock.timers.setTime(start + 2000 + halfMinute);
      assert.equal(await statusOf(service, tokens.access_token), 401);
      assert.equal(await statusOf(service, byCommand), 401);
      assert.equal((await refresh(service, credentials, tokens.refresh_token)).json().error, 'invalid_grant');
      assert.deepEqual((await authorize(service, browser, authorizationRequest(service, credentials.client))).pages, [
        'sign-in',
        'consent',
      ]);
      let step = await late.get(new URL(signedIn.headers.location ?? '', service.authUrl).href);
      for (
        let turn = 0;
        turn < 4 && step.status === 303 && step.headers.location?.startsWith(service.authUrl) === true;
        turn += 1
      )
        step = await late.get(step.headers.location);
      assert.match(
        step.body,
        /name="password"/,
        `signed in without a password: ${step.status} ${step.headers.location}`,
      );
      assert.equal(await statusOf(service, (await connect(service, credentials)).access_token), 200);
    });

    it('and sessions end when the user gets another password', async (t) => {
      const start = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const credentials = await registerClient(service);
      await registerUser(service);
      const tokens = await connect(service, credentials);
      await changePassword(service.app.store, 'mia', 'short boats carry light feathers', Date.now());
      t.mock.timers.setTime(start + halfMinute);
      assert.equal(await statusOf(service, tokens.access_token), 401);
    });
  });
}

describe('a token request that is wrong uses nothing up and ends nothing', { skip: provenWithoutServer }, () => {
  const elsewhere = 'https://elsewhere.example/v1';
  /** Pairs of a form, since some parameters may be repeated. */
  type Fields = readonly (readonly [name: string, value: string])[];
  const faults: readonly (readonly [
    what: string,
    changes: (fields: Fields, service: Service) => Fields,
    headers: Record<string, string>,
    error: string,
  ])[] = [
    ['another resource', (fields) => [...fields, ['resource', elsewhere]], {}, 'invalid_target'],
    ['a resource that is no URI', (fields) => [...fields, ['resource', 'logistics']], {}, 'invalid_target'],
    [
      'the resource with a slash more',
      (fields, { baseUrl }) => [...fields, ['resource', `${baseUrl}/`]],
      {},
      'invalid_target',
    ],
    [
      'two resources, one of them another',
      (fields, { baseUrl }) => [...fields, ['resource', baseUrl], ['resource', elsewhere]],
      {},
      'invalid_target',
    ],
    [
      'the credentials of nobody',
      (fields) => fields,
      { authorization: `Basic ${Buffer.from('nobody:x').toString('base64')}` },
      'invalid_client',
    ],
    [
      'another grant type',
      (fields) => fields.map(([name, value]) => [name, name === 'grant_type' ? 'password' : value]),
      {},
      'unsupported_grant_type',
    ],
    ['a parameter twice', (fields) => [...fields, ['grant_type', 'refresh_token']], {}, 'invalid_request'],
  ];
  const ofCodes: typeof faults = [
    [
      'another verifier',
      (fields) => fields.map(([name, value]) => [name, name === 'code_verifier' ? 'x'.repeat(43) : value]),
      {},
      'invalid_grant',
    ],
    ['no verifier', (fields) => fields.filter(([name]) => name !== 'code_verifier'), {}, 'invalid_grant'],
    [
      'another redirect address',
      (fields) => fields.map(([name, value]) => [name, name === 'redirect_uri' ? 'https://shop.example/other' : value]),
      {},
      'invalid_grant',
    ],
  ];
  const ofRefreshTokens: typeof faults = [
    ['a scope that was not granted', (fields) => [...fields, ['scope', 'svc_connect openid']], {}, 'invalid_scope'],
    ['a scope of characters that no scope has', (fields) => [...fields, ['scope', 'svc"connect']], {}, 'invalid_scope'],
  ];
  const ask = (service: Service, fields: Fields, headers: Record<string, string>) =>
    send(
      service,
      'POST',
      `${service.authUrl}/connect/token`,
      { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
    );
  const basic = ({ client, secret }: Credentials): string =>
    `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;

  it('of a code', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, {
      confidential: true,
      redirectUris: ['https://shop.example/callback', 'https://shop.example/other'],
    });
    await registerUser(service);
    const request = authorizationRequest(service, credentials.client);
    const { code = '' } = callbackOf(await authorize(service, openBrowser(service), request), request);
    const fields: Fields = [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['redirect_uri', request.redirectUri],
      ['code_verifier', request.verifier],
    ];
    for (const [what, change, headers, error] of [...faults, ...ofCodes]) {
      const answer = await ask(service, change(fields, service), { authorization: basic(credentials), ...headers });
      assert.equal(answer.json().error, error, `${what}: ${answer.body}`);
    }
    const stranger = await registerClient(service, { confidential: true });
    assert.equal((await ask(service, fields, { authorization: basic(stranger) })).json().error, 'invalid_grant');
    assert.equal(
      (await ask(service, fields, { authorization: basic({ ...credentials, secret: 'wrong' }) })).json().error,
      'invalid_client',
    );
    const answer = await ask(
      service,
      [...fields, ['resource', service.baseUrl], ['resource', service.baseUrl], ['unknown', 'x']],
      { authorization: basic(credentials) },
    );
    assert.equal(answer.status, 200, answer.body);
    // A wrong request with a code that is used up is no theft either.
    for (const [what, change, headers] of ofCodes)
      assert.equal(
        (await ask(service, change(fields, service), { authorization: basic(credentials), ...headers })).status,
        400,
        what,
      );
    assert.equal(await statusOf(service, answer.json().access_token), 200);
  });

  it('of a refresh token', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, { confidential: true });
    await registerUser(service);
    const tokens = await connect(service, credentials);
    const fields: Fields = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', String(tokens.refresh_token)],
    ];
    for (const [what, change, headers, error] of [...faults, ...ofRefreshTokens]) {
      const answer = await ask(service, change(fields, service), { authorization: basic(credentials), ...headers });
      assert.equal(answer.json().error, error, `${what}: ${answer.body}`);
    }
    assert.equal(
      (await ask(service, fields, { authorization: basic({ ...credentials, secret: 'wrong' }) })).json().error,
      'invalid_client',
    );
    const answer = await token(service, credentials, {
      ...Object.fromEntries(fields),
      resource: service.baseUrl,
      unknown: 'x',
    });
    assert.equal(answer.status, 200, answer.body);
    assert.equal(await statusOf(service, answer.json().access_token), 200);
  });
});
