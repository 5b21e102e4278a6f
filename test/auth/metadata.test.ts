// How clients find the service: the metadata of the authorization server and of the interface, and their keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  connect,
  openBrowser,
  authorizationRequest,
  follow,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  startService,
} from './flow.ts';

describe('metadata', () => {
  it('is the same at both addresses and offers what there is, and nothing else', async (t) => {
    const service = await startService(t);
    const [oauth, openid] = await Promise.all(
      ['oauth-authorization-server', 'openid-configuration'].map((name) =>
        send(service, 'GET', `${service.authUrl}/.well-known/${name}`, { origin: 'https://anywhere.example' }),
      ),
    );
    assert.ok(oauth && openid);
    assert.equal(oauth.headers['access-control-allow-origin'], 'https://anywhere.example');
    assert.deepEqual(oauth.json(), openid.json());
    const { authUrl, baseUrl } = service;
    const { id_token_signing_alg_values_supported: algorithms, ...metadata } = oauth.json();
    assert.ok(Array.isArray(algorithms));
    assert.deepEqual(algorithms.toSorted(), ['ES256', 'RS256']);
    assert.deepEqual(metadata, {
      issuer: authUrl,
      authorization_endpoint: `${authUrl}/connect/authorize`,
      token_endpoint: `${authUrl}/connect/token`,
      jwks_uri: `${authUrl}/connect/jwks`,
      revocation_endpoint: `${authUrl}/connect/revocation`,
      protected_resources: [baseUrl, service.platformUrl],
      scopes_supported: ['svc_connect', 'svc_platform', 'openid', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      subject_types_supported: ['public'],
      claim_types_supported: ['normal'],
      claims_supported: ['sub', 'sid', 'auth_time', 'iss'],
      ui_locales_supported: ['en', 'fr'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
  });

  it('of the interface is where a refused request points, and names the authorization server', async (t) => {
    const service = await startService(t);
    const refused = await send(service, 'GET', `${service.baseUrl}/articles`);
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1] ?? '';
    assert.equal(address, `${new URL(service.baseUrl).origin}/.well-known/oauth-protected-resource/v1`);
    const answer = await send(service, 'GET', address);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    const { headers } = await send(service, 'HEAD', address);
    assert.equal(headers['content-type'], answer.headers['content-type'], 'as of GET');
    const {
      resource,
      authorization_servers: servers,
      scopes_supported: scopes,
      bearer_methods_supported: methods,
    } = answer.json();
    assert.deepEqual(
      { resource, servers, scopes, methods },
      { resource: service.baseUrl, servers: [service.authUrl], scopes: ['svc_connect'], methods: ['header'] },
    );
  });
});

describe('an issuer with a path', () => {
  it('has everything below it, and its metadata where both standards look for it', async (t) => {
    const service = await startService(t, {
      AUTH_URL: 'https://one.example/logistics/login',
      BASE_URL: 'https://one.example/logistics/v1',
    });
    for (const path of [
      '/.well-known/oauth-authorization-server/logistics/login',
      '/logistics/login/.well-known/openid-configuration',
      '/logistics/login/.well-known/oauth-authorization-server',
    ]) {
      const metadata = (await send(service, 'GET', `https://one.example${path}`)).json();
      assert.deepEqual(
        [metadata.issuer, metadata.token_endpoint],
        [service.authUrl, `${service.authUrl}/connect/token`],
        path,
      );
    }
    assert.equal((await send(service, 'GET', 'https://one.example/connect/jwks')).status, 404);
    assert.equal(
      (await send(service, 'GET', 'https://one.example/.well-known/oauth-protected-resource/logistics/v1')).status,
      200,
    );
    const credentials = await registerClient(service);
    await registerUser(service);
    const tokens = await connect(service, credentials);
    assert.equal((await readArticles(service, tokens.access_token)).status, 200);
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
    const browser = openBrowser(service);
    const { at } = await follow(
      service,
      browser,
      await browser.get(authorizationRequest(service, credentials.client).address),
    );
    assert.match(at, /^https:\/\/one\.example\/logistics\/login\/connect\/interaction\//);
    assert.match((await browser.get(`${service.authUrl}/connect/signout`)).body, /You are signed out/);
  });
});
