// A sign-in to the console without its pages, for tests of what comes after it: the same code flow, by the client
// library that the console has, and what a browser then keeps. The pages have tests of their own.
import assert from 'node:assert/strict';
import { type APIRequestContext, type APIResponse, type BrowserContextOptions, request } from 'playwright-core';
import { beginSignIn, finishSignIn } from '../../packages/client/src/index.ts';
import type { App } from '../../src/app.ts';

/** Who signs in, and to which interface. */
interface Person {
  readonly login: string;
  readonly password: string;
  readonly kind: 'client' | 'operator';
}

/** Where the console keeps the tokens of each kind. */
const tokensNames = { client: 'console-tokens', operator: 'console-operator-tokens' } as const;

/** What a new browser context begins with, so that the person is signed in: tokens, and the cookie of the service. */
export async function signedIn(
  { addresses: { authUrl, baseUrl, platformUrl } }: Pick<App, 'addresses'>,
  { login, password, kind }: Person,
): Promise<Exclude<BrowserContextOptions['storageState'], string | undefined>> {
  const { origin } = new URL(baseUrl);
  const http = await request.newContext({ extraHTTPHeaders: { accept: 'text/html' } });
  try {
    // Makes the console's client known to the service.
    const [, clientId = ''] = /data-client-id="([^"]+)"/.exec(await (await http.get(`${origin}/`)).text()) ?? [];
    const endpoint = { authUrl, clientId };
    const { address, pending } = await beginSignIn({
      ...{ ...endpoint, redirectUri: `${origin}/` },
      ...(kind === 'operator' && { platformUrl }),
    });
    const asked = await post(http, await http.get(address), { login, password });
    const returned = await post(http, asked, { decision: 'allow' });
    const tokens = await finishSignIn(endpoint, pending, returned.url());
    const { cookies } = await http.storageState();
    return {
      cookies,
      origins: [{ origin, localStorage: [{ name: tokensNames[kind], value: JSON.stringify(tokens) }] }],
    };
  } finally {
    await http.dispose();
  }
}

/** Sends the form of a page, with what protects it. */
async function post(
  http: APIRequestContext,
  page: APIResponse,
  fields: Readonly<Record<string, string>>,
): Promise<APIResponse> {
  const text = await page.text();
  const [, csrf] = /name="csrf" value="([^"]*)"/.exec(text) ?? [];
  assert.ok(csrf !== undefined, `${page.status()} ${page.url()} has no form: ${text.slice(0, 500)}`);
  return http.post(page.url(), { form: { csrf, ...fields }, headers: { origin: new URL(page.url()).origin } });
}
