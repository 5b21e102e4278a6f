// A real identity provider of another project for tests: Glewlwyd, on a free port of loopback, with a database of its
// own and one person, Mia; and her way through it, by the requests that its pages make.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../../src/http/port-check.ts';
import { until } from '../contract/until.ts';

const place = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'logistics-connect', 'glewlwyd');
const program = join(place, 'usr/bin/glewlwyd');
const loginPage = join(place, 'usr/share/glewlwyd/webapp/login.html');

/** False, or why tests cannot run here. */
export const skip: false | string =
  !(existsSync(program) && existsSync(loginPage)) && 'Glewlwyd is not there: run .ci/install-glewlwyd';

/** Of Mia. */
export const password = 'quiet harbours';
const administrator = { username: 'admin', password: 'password' };
/** What the service registers with: letters alone, which every way of sending a secret leaves as they are. */
export const registered = { clientId: 'logistics', clientSecret: 'aSecretOfLettersAlone' } as const;

export interface Glewlwyd {
  readonly issuer: string;
  /** Registers the service. */
  readonly register: (redirectUri: string, signedOutUri: string) => Promise<void>;
  /** What Mia is a member of from now on. */
  readonly joins: (groups: readonly string[]) => Promise<void>;
  /** Signs ID tokens with another key from now on. */
  readonly changeKey: () => Promise<void>;
  /** Off the network, and back with all that it knew. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly browser: () => ProviderBrowser;
}

/** Mia's browser, as far as Glewlwyd sees it. */
interface ProviderBrowser {
  /** Signs in and lets the service know her; gives where the browser is sent back to. */
  readonly signIn: (address: string) => Promise<string>;
  /** Where the browser is sent at once, without anything that she does. */
  readonly visit: (address: string) => Promise<URL>;
  /** Agrees on the page to which signing out leads. */
  readonly confirmSignOut: (page: URL, idToken: string) => Promise<void>;
}

/** Starts it for one test. */
export async function startGlewlwyd(t: TestContext): Promise<Glewlwyd> {
  const folder = mkdtempSync(join(tmpdir(), 'glewlwyd-'));
  const port = await freePort('127.0.0.1', 0);
  const origin = `http://127.0.0.1:${port}`;
  prepare(folder, origin, port);
  let child: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    child = null;
  };
  const start = async (): Promise<void> => {
    child = spawn(program, [`--config-file=${join(folder, 'glewlwyd.conf')}`], { stdio: 'ignore' });
    await until(() =>
      fetch(`${origin}/config`).then(
        () => true,
        () => false,
      ),
    );
  };
  t.after(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });
  await start();
  const asAdministrator = async (): Promise<Ask> => {
    const ask = asking(origin);
    await ask('POST', '/auth/', administrator);
    return ask;
  };
  await populate(await asAdministrator(), `${origin}/api/oidc`);
  return {
    issuer: `${origin}/api/oidc`,
    register: async (redirectUri, signedOutUri) =>
      void (await (
        await asAdministrator()
      )('POST', '/client/?source=database', client(redirectUri, signedOutUri))),
    joins: async (groups) => void (await (await asAdministrator())('PUT', '/user/mia?source=database', mia(groups))),
    changeKey: async () => {
      const ask = await asAdministrator();
      await ask('PUT', '/mod/plugin/oidc', plugin(`${origin}/api/oidc`));
      await ask('PUT', '/mod/plugin/oidc/reset/');
    },
    stop,
    start,
    browser: () => providerBrowser(origin),
  };
}

/** Its database as its package has it, and its settings. */
function prepare(folder: string, origin: string, port: number): void {
  const pages = join(place, 'usr/share/glewlwyd');
  // Some of the styles that its pages load are packages that are not there.
  cpSync(join(pages, 'webapp'), join(folder, 'webapp'), { recursive: true, dereference: true, filter: existsSync });
  copyFileSync(join(pages, 'templates/config.json'), join(folder, 'webapp/config.json'));
  const database = join(folder, 'glewlwyd.db');
  const statements = gunzipSync(readFileSync(join(place, 'usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz')));
  const opened = new DatabaseSync(database);
  opened.exec(`begin; ${statements.toString()}; commit`);
  opened.close();
  const modules = join(place, 'usr/lib/glewlwyd');
  const settings: Readonly<Record<string, string | number | boolean>> = {
    ...{ port, bind_address: '127.0.0.1', external_url: origin, api_prefix: 'api', login_url: 'login.html' },
    ...{ cookie_domain: '127.0.0.1', cookie_secure: false, session_key: 'GLEWLWYD2_SESSION_ID' },
    ...{ static_files_path: join(folder, 'webapp'), log_mode: 'console', log_level: 'ERROR', session_expiration: 3600 },
    ...{ admin_scope: 'g_admin', profile_scope: 'g_profile', hash_algorithm: 'SHA512' },
    ...{ admin_session_authentication: 'cookie', profile_session_authentication: 'cookie', login_api_enabled: true },
    ...{ user_module_path: `${modules}/user`, client_module_path: `${modules}/client` },
    ...{ user_auth_scheme_module_path: `${modules}/scheme`, plugin_module_path: `${modules}/plugin` },
    ...{ user_middleware_module_path: `${modules}/user_middleware`, use_secure_connection: false },
    // Asked for although nothing is encrypted.
    ...{ secure_connection_key_file: '', secure_connection_pem_file: '', secure_connection_ca_file: '' },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  lines.push(`database = { type = "sqlite3"; path = ${JSON.stringify(database)}; };`);
  // A browser saves what has no type.
  const types = { html: 'text/html', css: 'text/css', js: 'application/javascript', json: 'application/json' };
  const named = Object.entries(types).map(([name, type]) => `{ extension = ".${name}"; mime_type = "${type}"; }`);
  lines.push(`static_files_mime_types = ( ${named.join(', ')} );`);
  writeFileSync(join(folder, 'glewlwyd.conf'), `${lines.join('\n')}\n`);
}

async function populate(ask: Ask, issuer: string): Promise<void> {
  const backend: unknown = JSON.parse((await ask('GET', '/mod/user/database')).text);
  assert.ok(typeof backend === 'object' && backend !== null);
  const groups = { ...{ multiple: true, read: true, write: true }, 'profile-read': true, 'profile-write': false };
  const parameters = { 'use-glewlwyd-connection': true, 'data-format': { groups } };
  await ask('PUT', '/mod/user/database', { ...backend, parameters });
  await ask('PUT', '/mod/user/database/reset/');
  for (const name of ['profile', 'email'])
    await ask('POST', '/scope/', { name, display_name: name, password_required: false });
  await ask('POST', '/user/?source=database', { ...mia(['lc-acm', 'everybody']), password });
  await ask('POST', '/mod/plugin/', plugin(issuer));
}

function mia(groups: readonly string[]) {
  return {
    ...{ username: 'mia', name: 'Mia', email: 'mia@acme.example', enabled: true, groups },
    scope: ['openid', 'profile', 'email'],
  };
}

function client(redirectUri: string, signedOutUri: string) {
  const { clientId, clientSecret } = registered;
  return {
    ...{ client_id: clientId, name: 'Logistics', enabled: true, confidential: true, scope: [] },
    ...{ client_secret: clientSecret, password: clientSecret, redirect_uri: [redirectUri] },
    ...{ authorization_type: ['code'], token_endpoint_auth_method: ['client_secret_post'] },
    post_logout_redirect_uri: signedOutUri,
  };
}

/** OpenID Connect as it is set up there, with a new key. */
function plugin(issuer: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claim = (name: string, property: string) => ({
    ...{ name, 'user-property': property, type: 'string', mandatory: true, 'on-demand': false, scope: [] },
  });
  const isOn = ['auth-type-code-enabled', 'auth-type-id-token-enabled', 'auth-type-refresh-enabled', 'pkce-allowed'];
  const isOff = ['auth-type-token-enabled', 'auth-type-none-enabled', 'auth-type-password-enabled'];
  const switches = [...isOn, 'jwks-show', 'session-management-allowed'].map((name) => [name, true] as const);
  const parameters = {
    ...Object.fromEntries([...switches, ...isOff.map((name) => [name, false] as const)]),
    ...{ iss: issuer, 'jwt-type': 'rsa', 'jwt-key-size': '256' },
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    ...{ 'access-token-duration': 3600, 'refresh-token-duration': 3600, 'code-duration': 600 },
    ...{ 'refresh-token-rolling': false, 'allow-non-oidc': false, 'auth-type-client-enabled': false },
    ...{ 'auth-type-device-enabled': false, scope: [], 'additional-parameters': [] },
    claims: [claim('groups', 'groups'), claim('preferred_username', 'username')],
    ...{ 'name-claim': 'mandatory', 'email-claim': 'mandatory', 'subject-type': 'public' },
    ...{ 'session-cookie-name': 'GLEWLWYD_SID', 'session-cookie-expiration': 3600 },
    ...{ 'request-parameter-allow': false, 'front-channel-logout-allowed': false },
    ...{ 'back-channel-logout-allowed': false, 'introspection-revocation-allowed': false },
    'register-client-allowed': false,
  };
  return { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', enabled: true, parameters };
}

type Ask = (method: string, path: string, body?: object) => Promise<{ readonly response: Response; text: string }>;

/** Asks its interface with the cookies that it gave; fails where it refuses. */
function asking(origin: string): Ask {
  const cookies = new Map<string, string>();
  return async (method, path, body) => {
    const response = await fetch(path.startsWith('http') ? path : `${origin}/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    assert.ok(response.status < 400, `${method} ${path}: ${response.status} ${text}`);
    return { response, text };
  };
}

function providerBrowser(origin: string): ProviderBrowser {
  const ask = asking(origin);
  const visit = async (address: string): Promise<URL> => {
    const { response, text } = await ask('GET', address);
    const location = response.headers.get('location');
    assert.ok(location !== null, text);
    return new URL(location);
  };
  return {
    visit,
    signIn: async (address) => {
      const page = await visit(address);
      assert.equal(page.origin + page.pathname, `${origin}/login.html`);
      await ask('POST', '/auth/', { username: 'mia', password });
      await ask('PUT', `/auth/grant/${registered.clientId}`, { scope: page.searchParams.get('scope') });
      // What its page adds once everything has been asked.
      return (await visit(`${page.searchParams.get('callback_url')}&g_continue`)).href;
    },
    confirmSignOut: async (page, idToken) => {
      assert.equal(page.origin + page.pathname, `${origin}/login.html`);
      const claims: unknown = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
      assert.ok(typeof claims === 'object' && claims !== null && 'sid' in claims);
      await ask('DELETE', `/oidc/session/${String(claims.sid)}`);
      await ask('DELETE', '/auth/');
    },
  };
}
