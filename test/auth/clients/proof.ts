// What each library has to show: tokens that open the interface, that other software can verify, and that can be
// refreshed.
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import type { TestContext } from 'node:test';
import { createVerifier } from 'fast-jwt';
import type { Client, NewClient } from '../../../src/auth/clients.ts';
import type { User } from '../../../src/auth/users.ts';
import {
  authorize,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from '../flow.ts';

export interface Stage {
  readonly service: Service;
  readonly client: Client;
  /** '' for a public client. */
  readonly secret: string;
  readonly user: User;
  readonly redirectUri: string;
  /**
   * What a person does at an address that a library made; gives the address at the client that the browser is sent to.
   */
  readonly signIn: (address: string) => Promise<string>;
}

/** A running service with one person and one client. */
export async function stage(t: TestContext, changes: Partial<NewClient> = {}): Promise<Stage> {
  const service = await startService(t);
  const { client, secret } = await registerClient(service, changes);
  const user = await registerUser(service);
  const [redirectUri = ''] = client.redirectUris;
  return {
    service,
    client,
    user,
    redirectUri,
    secret: secret ?? '',
    signIn: async (address) => {
      const { at, answer } = await authorize(service, openBrowser(service), {
        address,
        verifier: '',
        state: '',
        redirectUri,
      });
      assert.ok(
        at.startsWith(`${redirectUri}?`),
        `not sent back to the client: ${answer.status} ${answer.body.slice(0, 400)}`,
      );
      return at;
    },
  };
}

/** The token opens the interface, and `fast-jwt` verifies it with nothing but what the service publishes. */
export async function proveAccess(
  { service, client, user }: Stage,
  accessToken: string,
  expected: { readonly sub: string; readonly activityCodes: readonly string[] } = {
    sub: user.id,
    activityCodes: ['BBB'],
  },
): Promise<void> {
  assert.equal((await readArticles(service, accessToken)).status, 200);
  const published = (await send(service, 'GET', `${service.authUrl}/connect/jwks`)).json().keys;
  assert.ok(Array.isArray(published));
  const verify = createVerifier({
    key: async ({ header }: { header: { kid?: string } }) => {
      const jwk: unknown = published.find(
        (one: unknown) => typeof one === 'object' && one !== null && 'kid' in one && one.kid === header.kid,
      );
      assert.ok(typeof jwk === 'object' && jwk !== null);
      return createPublicKey({ key: { ...jwk }, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString();
    },
    algorithms: ['ES256'],
    checkTyp: 'at+jwt',
    allowedIss: service.authUrl,
    allowedAud: service.baseUrl,
    requiredClaims: ['exp', 'iat', 'jti'],
  });
  const { sub, client_id: clientId, scope, activityCodes } = await verify(accessToken);
  assert.deepEqual({ sub, clientId, scope, activityCodes }, { ...expected, clientId: client.id, scope: 'svc_connect' });
}

/** Tokens before and after a refresh, as a library handed them out. */
export async function proveRefresh(
  scene: Stage,
  before: { readonly access: string; readonly refresh: string },
  after: { readonly access: string; readonly refresh: string },
): Promise<void> {
  assert.notEqual(after.access, before.access);
  assert.ok(after.refresh !== '' && after.refresh !== before.refresh, 'the refresh token was not replaced');
  await proveAccess(scene, after.access);
}
