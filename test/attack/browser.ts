// A browser without scripts at an address of its own, that signs in by hand against a server in another process.
import { createHash, randomBytes } from 'node:crypto';
import { addresses, password, redirectUri } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask } from './wire.ts';

export interface Browser {
  readonly get: (address: string) => Promise<Answer>;
  readonly post: (
    address: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
  /** Goes on with another process of the same service. */
  readonly at: (port: number) => Browser;
}

/** Without that of browsers that are known: each is a new one. */
const keptCookie = /session|interaction|resume|account-form/;

/** @param from address that it comes from, one of the machine's own */
export function openBrowser(
  target: Target,
  from: string,
  port = target.port,
  cookies: Map<string, string> = new Map(),
): Browser {
  const send = async (
    method: string,
    address: string,
    body?: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const { pathname, search } = new URL(address, addresses.AUTH_URL);
    const headers = {
      host: new URL(addresses.AUTH_URL).host,
      accept: 'text/html',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/x-www-form-urlencoded', origin: addresses.AUTH_URL }),
      ...more,
    };
    const answer = await ask(target, {
      method,
      path: pathname + search,
      token: null,
      headers,
      from,
      port,
      ...(body === undefined ? {} : { body }),
    });
    for (const [, name = '', value = ''] of (answer.headers['set-cookie'] ?? '').matchAll(
      /(?:^|,)\s*([\w.-]+)=([^;,]*)(?=;)/g,
    )) {
      if (keptCookie.test(name)) cookies.set(name, value);
    }
    return answer;
  };
  return {
    get: (address) => send('GET', address),
    post: (address, fields, headers) => send('POST', address, new URLSearchParams(fields).toString(), headers),
    at: (other) => openBrowser(target, from, other, cookies),
  };
}

/** The page of sign-in that a browser was sent to. */
interface SignInPage {
  readonly address: string;
  readonly csrf: string;
  readonly verifier: string;
}

/** @returns null where the server refuses to begin */
export async function beginSignIn(
  target: Target,
  browser: Browser,
  changes: Readonly<Record<string, string>> = {},
): Promise<SignInPage | null> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: target.database.clientId,
    redirect_uri: redirectUri,
    scope: 'svc_connect',
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  });
  const begun = await browser.get(`/connect/authorize?${query}`);
  const address = begun.headers.location;
  if (begun.status !== 303 || address === undefined) return null;
  const page = await browser.get(address);
  const csrf = /name="csrf"[^>]*value="([^"]*)"/.exec(page.body.toString())?.[1];
  return csrf === undefined ? null : { address, csrf, verifier };
}

/** Signs in and consents; the code that the client gets, or null where the browser is not sent back to it. */
export async function signIn(
  target: Target,
  browser: Browser,
  login: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: string; readonly verifier: string } | null> {
  const page = await beginSignIn(target, browser, changes);
  if (page === null) return null;
  let answer = await browser.post(page.address, { csrf: page.csrf, login, password });
  let at = page.address;
  for (let step = 0; step < 8; step += 1) {
    const { location } = answer.headers;
    const csrf = /name="csrf"[^>]*value="([^"]*)"/.exec(answer.body.toString())?.[1];
    if (location?.startsWith(redirectUri))
      return { code: new URL(location).searchParams.get('code') ?? '', verifier: page.verifier };
    if (location !== undefined) at = location;
    if (answer.status >= 300 && answer.status < 400 && location !== undefined) answer = await browser.get(location);
    else if (csrf !== undefined && answer.body.includes('name="decision"'))
      answer = await browser.post(at, { csrf, decision: 'allow' });
    else return null;
  }
  return null;
}

/** A request to the token endpoint. */
export function redeem(target: Target, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const body = new URLSearchParams({ client_id: target.database.clientId, ...fields }).toString();
  return ask(target, {
    method: 'POST',
    path: '/connect/token',
    token: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: new URL(addresses.AUTH_URL).host },
    body,
  });
}
