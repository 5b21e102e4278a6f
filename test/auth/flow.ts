// The whole application over HTTP, a browser without scripts, and a client that follows the code flow by hand.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createApp, type App } from '../../src/app.ts';
import { addClient, type Client, type NewClient } from '../../src/auth/clients.ts';
import type { NewUser, User } from '../../src/auth/users.ts';
import { readConfig } from '../../src/config.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, type EngineUnderTest, storeOn } from '../contract/engines.ts';
import { addPreparedKeys, addPreparedUser } from '../contract/prepared-secrets.ts';
import { clientLike, goodPassword } from './fixture.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: readonly string[];
  readonly body: string;
  /** Member of a JSON object body; undefined where there is none. */
  readonly json: () => Record<string, unknown>;
}

export interface Service {
  readonly app: App;
  readonly port: number;
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly platformUrl: string;
  readonly logged: () => string;
  /** Another process on the same database. */
  readonly again: (settings?: Record<string, string>) => Promise<Service>;
}

/** Where a server is reached, and what its addresses are said to be. */
export type Door = Pick<Service, 'port' | 'authUrl'>;

const [standard] = engines;

/**
 * Starts the application on a database of its own, with the activities AAA, BBB and CCC.
 * @param settings environment variables; addresses default to those of the port that it listens on
 * @param through what every process sees of its store
 */
export async function startService(
  t: TestContext,
  settings: Record<string, string> = {},
  engine: EngineUnderTest | undefined = standard,
  through: (store: Store) => Store = (store) => store,
): Promise<Service> {
  assert.ok(engine);
  const database = await engine.create();
  const started: App[] = [];
  const start = async (changes: Record<string, string>): Promise<Service> => {
    const lines: string[] = [];
    const log = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const config = readConfig(
      { PORT: '0', RATE_READS: '0', RATE_ANONYMOUS: '0', RATE_SIGN_INS: '0', ...settings, ...changes },
      '/tmp',
    );
    const store = await storeOn(await database.open());
    if (started.length === 0) await addPreparedKeys(store, Date.now());
    const app = await createApp(config, { store: through(store), log });
    started.push(app);
    await app.listen();
    const address = app.server.server.address() as AddressInfo;
    return {
      app,
      port: address.port,
      ...app.addresses,
      logged: () => lines.join(''),
      again: (more = {}) => start({ BASE_URL: app.addresses.baseUrl, AUTH_URL: app.addresses.authUrl, ...more }),
    };
  };
  t.after(async () => {
    // Node keeps this hook until its process ends, and must not keep the applications too.
    for (const app of started.splice(0)) await app.close();
    await database.remove();
  });
  const service = await start({});
  for (const code of ['AAA', 'BBB', 'CCC']) await service.app.store.activities.add(code, `Activity ${code}`);
  return service;
}

export async function registerClient(
  { app }: Service,
  changes: Partial<NewClient> = {},
): Promise<{ readonly client: Client; readonly secret: string | null }> {
  return addClient(app.store, clientLike(changes), Date.now());
}

export async function registerUser({ app }: Service, changes: Partial<NewUser> = {}): Promise<User> {
  return addPreparedUser(
    app.store,
    { login: 'mia', password: goodPassword, activityCodes: ['BBB', 'CCC'], operator: false, ...changes },
    Date.now(),
  );
}

/** One request to the port of a service, whatever the address says. */
export async function send(
  { port }: { readonly port: number },
  method: string,
  address: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answer> {
  const url = new URL(address);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path: url.pathname + url.search,
        headers: {
          host: url.host,
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const values = Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.join(', ') : value,
            ]),
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: values,
            cookies: response.headers['set-cookie'] ?? [],
            body: text,
            json: () => objectOf(text),
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export interface Browser {
  readonly get: (address: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly head: (address: string) => Promise<Answer>;
  /** Posts a form. */
  readonly post: (address: string, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Answer>;
  /** Posts a form as it is written, with whatever is in front of it. */
  readonly postText: (address: string, form: string) => Promise<Answer>;
  /** Value of a cookie by the end of its name. */
  readonly cookie: (name: string) => string | undefined;
  /** Loses the cookies whose name has this in it. */
  readonly forget: (name: string) => void;
  /** Takes a cookie that somebody planted. */
  readonly plant: (cookie: string) => void;
}

/**
 * A browser that keeps cookies per path and follows no redirect by itself.
 * @param others processes beside the first one; its requests go to them in turn, as behind a load balancer
 */
export function openBrowser(service: Door, ...others: readonly Door[]): Browser {
  const processes = [service, ...others];
  let asked = 0;
  const jar = new Map<string, { readonly value: string; readonly path: string }>();
  const keep = (line: string): void => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const attribute = (key: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
    const path = attribute('path') ?? '/';
    const expires = attribute('expires');
    if (expires !== undefined && Date.parse(expires) <= Date.now()) jar.delete(`${name} ${path}`);
    else jar.set(`${name} ${path}`, { value, path });
  };
  const ask = async (
    method: string,
    address: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Answer> => {
    const url = new URL(address, service.authUrl);
    const cookie = [...jar]
      .filter(
        ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`)
      .join('; ');
    const turn = processes[asked++ % processes.length] ?? service;
    const answer = await send(
      turn,
      method,
      url.href,
      { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...headers },
      body,
    );
    answer.cookies.forEach(keep);
    return answer;
  };
  const formHeaders = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: new URL(service.authUrl).origin,
  };
  return {
    get: (address, headers = {}) => ask('GET', address, headers),
    head: (address) => ask('HEAD', address, {}),
    post: (address, fields, headers = {}) =>
      ask('POST', address, { ...formHeaders, ...headers }, new URLSearchParams(fields).toString()),
    postText: (address, form) => ask('POST', address, formHeaders, form),
    cookie: (name) => [...jar].find(([key]) => key.split(' ')[0]?.endsWith(name))?.[1].value,
    forget: (name) => {
      for (const key of jar.keys()) if (key.split(' ')[0]?.includes(name)) jar.delete(key);
    },
    plant: keep,
  };
}

export interface Request {
  readonly address: string;
  readonly verifier: string;
  readonly state: string;
  readonly redirectUri: string;
}

/** An authorization request with PKCE; a parameter that is null is left out. */
export function authorizationRequest(
  { authUrl }: Pick<Door, 'authUrl'>,
  client: Pick<Client, 'id' | 'redirectUris'>,
  changes: Record<string, string | null> = {},
): Request {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(9).toString('base64url');
  const redirectUri = changes.redirect_uri ?? client.redirectUris[0] ?? '';
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    scope: 'svc_connect',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
  );
  return { address: `${authUrl}/connect/authorize?${query}`, verifier, state, redirectUri };
}

/** Where an answer sends the browser; fails when it does not. */
export function locationOf(answer: Answer): string {
  assert.equal(answer.status, 303, answer.body.slice(0, 2000));
  return answer.headers.location ?? '';
}

/** Value of a hidden or visible field of a page. */
export function fieldIn(page: Answer, name: string): string {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page.body)?.[0] ?? '';
  const value = /value="([^"]*)"/.exec(input)?.[1];
  assert.ok(value !== undefined, `no field ${name} in ${page.body.slice(0, 2000)}`);
  return value;
}

/** The page after a request: follows redirects as far as they stay here. */
export async function follow(
  service: Pick<Door, 'authUrl'>,
  browser: Browser,
  answer: Answer,
): Promise<{ readonly answer: Answer; readonly at: string }> {
  let [current, at] = [answer, ''];
  for (let steps = 0; steps < 8 && current.status >= 300 && current.status < 400; steps += 1) {
    at = new URL(current.headers.location ?? '', service.authUrl).href;
    if (!at.startsWith(`${service.authUrl}/`)) return { answer: current, at };
    current = await browser.get(at);
  }
  return { answer: current, at };
}

export interface Person {
  readonly login?: string;
  readonly password?: string;
  readonly decision?: 'allow' | 'deny';
}

/** Signs in and consents where asked, until the browser is sent back to the client or stays on another page. */
export async function authorize(
  service: Pick<Door, 'authUrl'>,
  browser: Browser,
  request: Request,
  { login = 'mia', password = goodPassword, decision = 'allow' }: Person = {},
): Promise<{ readonly at: string; readonly answer: Answer; readonly pages: readonly string[] }> {
  let step = await follow(service, browser, await browser.get(request.address));
  const pages: string[] = [];
  for (let turn = 0; turn < 4 && step.answer.status === 200; turn += 1) {
    const csrf = fieldIn(step.answer, 'csrf');
    const consent = step.answer.body.includes('name="decision"');
    pages.push(consent ? 'consent' : 'sign-in');
    step = await follow(
      service,
      browser,
      await browser.post(step.at, consent ? { csrf, decision } : { csrf, login, password }),
    );
  }
  return { ...step, pages };
}

/** The parameters with which the browser came back to the client. */
export function callbackOf({ at }: { readonly at: string }, request: Request): Record<string, string> {
  assert.ok(at.startsWith(request.redirectUri), `not sent back, but to ${at}`);
  return Object.fromEntries(new URL(at).searchParams);
}

export interface Credentials {
  readonly client: Client;
  readonly secret: string | null;
}

/** A request to the token endpoint. */
export async function token(
  service: Service,
  { client, secret }: Credentials,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const authorization: Record<string, string> =
    secret === null ? {} : { authorization: `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}` };
  const body = new URLSearchParams(secret === null ? { client_id: client.id, ...fields } : fields).toString();
  return send(
    service,
    'POST',
    `${service.authUrl}/connect/token`,
    { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...authorization, ...headers },
    body,
  );
}

export async function redeem(
  service: Service,
  credentials: Credentials,
  request: Request,
  code: string,
): Promise<Answer> {
  return token(service, credentials, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: request.redirectUri,
    code_verifier: request.verifier,
  });
}

export async function refresh(service: Service, credentials: Credentials, refreshToken: unknown): Promise<Answer> {
  return token(service, credentials, { grant_type: 'refresh_token', refresh_token: String(refreshToken) });
}

/** The whole flow in a new browser: what the token endpoint gave. */
export async function connect(
  service: Service,
  credentials: Credentials,
  changes: Record<string, string | null> = {},
  browser = openBrowser(service),
): Promise<Record<string, unknown>> {
  const request = authorizationRequest(service, credentials.client, changes);
  const { code = '' } = callbackOf(await authorize(service, browser, request), request);
  const answer = await redeem(service, credentials, request, code);
  assert.equal(answer.status, 200, answer.body);
  return answer.json();
}

export async function readArticles(service: Service, accessToken: unknown): Promise<Answer> {
  return send(service, 'GET', `${service.baseUrl}/articles`, { authorization: `Bearer ${String(accessToken)}` });
}

/** Header and payload of a JWT, unverified. */
export function decoded(jwt: unknown): {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
} {
  const [header = '', payload = ''] = String(jwt)
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return { header: objectOf(header), payload: objectOf(payload) };
}

function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), text.slice(0, 300));
  return Object.fromEntries(Object.entries(value));
}
