// `login` gets a token as a program of an integrator does, takes none that is not meant for it, and always comes to an
// end.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { runCommandLine } from '../../src/commands/program.ts';
import {
  authorize,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  type Person,
  type Service,
  startService,
} from '../auth/flow.ts';
import { type Run, temporaryFolder } from './fixture.ts';
import { joined } from '../contract/joined.ts';

interface Running {
  /** The address that the person is asked to open. */
  readonly address: Promise<URL>;
  readonly ended: Promise<Run>;
  readonly interrupt: () => void;
}

/** Runs `login` in this process, with what it writes to standard error readable at once. */
function startLogin(variables: Readonly<Record<string, string>>, ...args: readonly string[]): Running {
  const [stdout, stderr, shown] = [new PassThrough(), new PassThrough(), Promise.withResolvers<URL>()];
  const [output, stop] = [text(stdout), new AbortController()];
  let told = '';
  stderr.setEncoding('utf8').on('data', (part: string) => {
    told += part;
    const address = /^https?:\S+$/m.exec(told)?.[0];
    if (address !== undefined) shown.resolve(new URL(address));
  });
  const ended = runCommandLine(['login', ...args], {
    variables,
    folder: '/tmp',
    stdin: Readable.from([]),
    stdout,
    stderr,
    now: Date.now,
    user: 'olga',
    nodeVersion: process.versions.node,
    interruption: () => stop.signal,
  }).then(async (code): Promise<Run> => {
    stdout.end();
    shown.reject(new Error(`no address was shown: ${told}`));
    return { code, stdout: await output, stderr: told };
  });
  shown.promise.catch(() => undefined);
  return { address: shown.promise, ended, interrupt: () => stop.abort() };
}

async function demonstration(
  t: TestContext,
): Promise<{ readonly service: Service; readonly clientId: string; readonly variables: Record<string, string> }> {
  const service = await startService(t);
  const { client } = await registerClient(service, { redirectUris: ['http://127.0.0.1/callback'] });
  await registerUser(service);
  return { service, clientId: client.id, variables: { AUTH_URL: service.authUrl, BASE_URL: service.baseUrl } };
}

/** What a person does in the browser; gives the address on loopback that the browser is sent to. */
async function signInAt(service: Service, address: URL, person: Person = {}): Promise<string> {
  const { at } = await authorize(
    service,
    openBrowser(service),
    { address: address.href, verifier: '', state: '', redirectUri: '' },
    person,
  );
  assert.equal(`${new URL(at).origin}/callback`, address.searchParams.get('redirect_uri'));
  return at;
}

const visit = async (
  address: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly body: string }> => {
  const answer = await fetch(address, init);
  return { status: answer.status, body: await answer.text() };
};

describe('login', () => {
  it('prints the token alone, which opens the interface, and tells the person to go back', async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    const running = startLogin(variables, '--client', clientId, '--no-browser');
    const address = await running.address;
    assert.equal(address.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(address.searchParams.get('scope'), 'svc_connect');
    const page = await visit(await signInAt(service, address), { headers: { 'accept-language': 'fr' } });
    assert.deepEqual([page.status, /Vous pouvez fermer cette fenêtre/.test(page.body)], [200, true]);
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.equal((await readArticles(service, stdout.trim())).status, 200);
    assert.ok(!stderr.includes(stdout.trim()));
    await assert.rejects(fetch(address.searchParams.get('redirect_uri') ?? ''), 'the listener is gone');
  });

  it('writes JSON, and the refresh token only when it is asked for', async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    for (const flags of [['--json'], ['--json', '--refresh-token']]) {
      const running = startLogin(variables, '--client', clientId, '--no-browser', ...flags);
      await visit(await signInAt(service, await running.address));
      const { code, stdout, stderr } = await running.ended;
      assert.equal(code, 0, stderr);
      const written = JSON.parse(stdout);
      assert.deepEqual(Object.keys(written), [
        'accessToken',
        'tokenType',
        'expiresAt',
        'scope',
        'baseUrl',
        ...flags.slice(1).map(() => 'refreshToken'),
      ]);
      assert.ok(Math.abs(Date.parse(written.expiresAt) - Date.now() - 3_600_000) < 60_000);
      assert.equal(written.scope, 'svc_connect');
    }
    const { code, stderr } = await startLogin(variables, '--client', clientId, '--refresh-token').ended;
    assert.deepEqual(
      [code, stderr],
      [
        2,
        'logistics-connect: --refresh-token needs --json: standard output has room for one token. See: ' +
          './logistics-connect login --help\n',
      ],
    );
  });

  it('is not disturbed by others that call its listener, and takes no answer of theirs', async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    const running = startLogin(variables, '--client', clientId, '--no-browser');
    const address = await running.address;
    const listener = address.searchParams.get('redirect_uri') ?? '';
    const state = address.searchParams.get('state') ?? '';
    assert.equal((await visit(`${listener}?code=stolen&state=guess`)).status, 400);
    assert.equal((await visit(`${listener}?error=access_denied`)).status, 400);
    assert.equal((await visit(listener.replace('/callback', '/'))).status, 404);
    assert.equal((await visit(`${listener.replace('127.0.0.1', 'localhost')}?code=x&state=${state}`)).status, 404);
    assert.equal((await visit(`${listener}?code=x&state=${state}`, { method: 'POST' })).status, 400);
    assert.equal((await visit(await signInAt(service, address))).status, 200);
    assert.equal((await running.ended).code, 0);
  });

  it('refuses an answer that another server gave (RFC 9207)', async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    for (const change of [
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      (url: URL) => url.searchParams.delete('iss'),
    ]) {
      const running = startLogin(variables, '--client', clientId, '--no-browser');
      const back = new URL(await signInAt(service, await running.address));
      change(back);
      assert.equal((await visit(back.href)).status, 400);
      const { code, stdout, stderr } = await running.ended;
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /not to be trusted, so no token was taken/);
    }
  });

  it('says so when the person denies, cancels, or the code is worth nothing', async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    const denied = startLogin(variables, '--client', clientId, '--no-browser');
    const page = await visit(await signInAt(service, await denied.address, { decision: 'deny' }));
    assert.deepEqual([page.status, /The sign-in did not succeed/.test(page.body)], [400, true]);
    assert.match(
      (await denied.ended).stderr,
      /logistics-connect: The access was not allowed\. Run the command again and choose "Allow"\.\n$/,
    );
    const stale = startLogin(variables, '--client', clientId, '--no-browser');
    const back = new URL(await signInAt(service, await stale.address));
    back.searchParams.set('code', 'x'.repeat(43));
    await visit(back.href);
    const { code, stderr } = await stale.ended;
    assert.equal(code, 1);
    assert.match(stderr, /gave no token: invalid_grant/);
  });

  it('says what is wrong with the client when it cannot sign in', async (t) => {
    const { service, variables } = await demonstration(t);
    const { client: confidential } = await registerClient(service, {
      redirectUris: ['http://127.0.0.1/callback'],
      confidential: true,
    });
    const running = startLogin(variables, '--client', confidential.id, '--no-browser');
    await visit(await signInAt(service, await running.address));
    const { code, stderr } = await running.ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      joined(
        /may not get tokens this way\. Use a public client that is not disabled and has the redirect address /,
        /http:\/\/127\.0\.0\.1\/callback/,
      ),
    );
  });

  it('gives up after the time, and at once on Ctrl-C', async (t) => {
    const { clientId, variables } = await demonstration(t);
    const late = await startLogin(variables, '--client', clientId, '--no-browser', '--timeout', '1').ended;
    assert.equal(late.code, 1);
    assert.match(late.stderr, /Nobody signed in within 1 s;/);
    const stopped = startLogin(variables, '--client', clientId, '--no-browser');
    await stopped.address;
    stopped.interrupt();
    assert.deepEqual([(await stopped.ended).code, (await stopped.ended).stdout], [130, '']);
    for (const timeout of ['0', '-1', 'x', '4000'])
      assert.equal((await startLogin(variables, '--client', clientId, '--timeout', timeout).ended).code, 2);
  });

  it('says so when no authorization server is there, and sends nothing over the network in the clear', async (t) => {
    const serve = async (answer: RequestListener): Promise<string> => {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      t.after(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const foreign = await serve((_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: 'https://evil.example' })),
    );
    for (const address of ['http://127.0.0.1:1', foreign, await serve((_request, response) => response.end('hello'))]) {
      const { code, stderr } = await startLogin(
        { AUTH_URL: address, BASE_URL: `${address}/v1` },
        '--client',
        'demo',
        '--no-browser',
      ).ended;
      assert.equal(code, 1);
      assert.match(stderr, /does not answer as one\. Start it with `\.\/logistics-connect serve`, or set AUTH_URL/);
    }
    const { code, stderr } = await startLogin({ AUTH_URL: 'http://auth.example' }, '--client', 'demo').ended;
    assert.equal(code, 1);
    assert.match(stderr, /over plain http to another machine/);
  });

  it('opens the browser of the system with the address as one argument, and goes on without one', {
    skip: process.platform === 'win32' ? 'needs a script as a program' : false,
  }, async (t) => {
    const { service, clientId, variables } = await demonstration(t);
    const folder = temporaryFolder(t);
    const [program, opened] = [join(folder, 'browser'), join(folder, 'opened')];
    writeFileSync(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    );
    chmodSync(program, 0o755);
    const running = startLogin({ ...variables, BROWSER: program }, '--client', clientId);
    const address = await running.address;
    while (!existsSync(opened)) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(readFileSync(opened, 'utf8'), `1\n${address.href}\n`);
    await visit(await signInAt(service, address));
    assert.match((await running.ended).stderr, /^Sign in in the browser that opens now/);
    const without = startLogin({ ...variables, BROWSER: join(folder, 'missing') }, '--client', clientId);
    await visit(await signInAt(service, await without.address));
    const { code, stderr } = await without.ended;
    assert.equal(code, 0);
    assert.match(stderr, /^To sign in, open this address in a browser on this machine/);
  });
});
