// A company with an identity provider of its own, a real server of another project on loopback, and the way of its
// people through it.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import {
  type Answer,
  authorizationRequest,
  type Browser,
  callbackOf,
  type Credentials,
  fieldIn,
  follow,
  openBrowser,
  redeem,
  registerClient,
  type Service,
  startService,
} from './flow.ts';

export interface Company {
  readonly service: Service;
  readonly shop: Credentials;
  readonly server: OAuth2Server;
  readonly issuer: string;
  /** Claims of the ID tokens from now on. */
  readonly says: (claims: Record<string, unknown>) => void;
}

export const groups = {
  'lc-acm': { activities: ['AAA'] },
  'lc-blu': { activities: ['BBB'] },
  'lc-ops': { roles: ['feed'] },
};

export async function openCompany(
  t: TestContext,
  settings: Record<string, string> = {},
  provider: Record<string, unknown> = {},
): Promise<Company> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256', { kid: 'one' });
  await server.start(0, '127.0.0.1');
  t.after(async () => {
    if (server.listening) await server.stop();
  });
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.issuer.url = issuer;
  let claims: Record<string, unknown> = {};
  server.service.on('beforeTokenSigning', ({ payload }: { readonly payload: Record<string, unknown> }) => {
    Object.assign(payload, claims);
  });
  const company = {
    name: 'acme',
    title: 'Acme',
    issuer,
    clientId: 'logistics',
    clientSecret: 'secret of acme',
    groups,
    ...provider,
  };
  const service = await startService(t, { IDENTITY_PROVIDERS: JSON.stringify([company]), ...settings });
  const shop = await registerClient(service, { platform: true });
  const says = (more: Record<string, unknown>): void => {
    claims = { sub: 'mia-at-acme', preferred_username: 'mia', groups: ['lc-acm'], ...more };
  };
  says({});
  return { service, shop, server, issuer, says };
}

/** The provider's answer to where the browser was sent: where it sends it back to. */
export async function atProvider(answer: Answer): Promise<string> {
  assert.equal(answer.status, 303, answer.body.slice(0, 500));
  const response = await fetch(answer.headers.location ?? '', { redirect: 'manual' });
  assert.equal(response.status, 302);
  return response.headers.get('location') ?? '';
}

interface Begun {
  readonly request: ReturnType<typeof authorizationRequest>;
  readonly page: string;
  /** The answer that leads to the provider. */
  readonly led: Answer;
}

export async function begin(
  { service, shop }: Pick<Company, 'service' | 'shop'>,
  browser: Browser,
  changes: Record<string, string> = {},
): Promise<Begun> {
  const request = authorizationRequest(service, shop.client, changes);
  const { answer, at } = await follow(service, browser, await browser.get(request.address));
  assert.match(answer.body, /Sign in with <bdi>Acme<\/bdi>/);
  return { request, page: at, led: await browser.get(`${at}/with/acme`) };
}

/** From the provider's answer to the client, or to the page that says why not. */
export async function comeBack({ service }: Pick<Company, 'service'>, browser: Browser, address: string) {
  let step = await follow(service, browser, await browser.get(address));
  if (step.answer.body.includes('name="decision"')) {
    const csrf = fieldIn(step.answer, 'csrf');
    step = await follow(service, browser, await browser.post(step.at, { csrf, decision: 'allow' }));
  }
  return step;
}

/** The whole sign-in: tokens, or the page that was shown instead. */
export async function signInAt(
  company: Company,
  browser = openBrowser(company.service),
  changes: Record<string, string> = {},
) {
  const { request, led } = await begin(company, browser, changes);
  const step = await comeBack(company, browser, await atProvider(led));
  if (step.answer.status === 200 || step.answer.status >= 400) return { page: step.answer, tokens: null };
  const back = callbackOf(step, request);
  if (back.code === undefined) return { page: step.answer, tokens: null };
  const answer = await redeem(company.service, company.shop, request, back.code);
  assert.equal(answer.status, 200, answer.body);
  return { page: null, tokens: answer.json() };
}
