// The samples of the pages for developers, each run as it is shown against a real server: a token, pages, a copy that
// is kept up to date, and begun anew after 410, another try after what Retry-After says, a label that is made once.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/http/port-check.ts';
import { createChecker } from '../../src/model/check.ts';
import { order } from '../../src/resources/index.ts';
import {
  authorize,
  openBrowser,
  readArticles,
  registerClient,
  registerUser,
  type Service,
  startService,
} from '../auth/flow.ts';

const folder = fileURLToPath(new URL('../../packages/console/samples/', import.meta.url));

/** What runs samples of one language. */
interface Runtime {
  /** Of the names of the samples. */
  readonly ending: string;
  /** Programs that the machine must have. */
  readonly needs: readonly string[];
  /** Program and parameters before the name of the sample. */
  readonly command: readonly string[];
}

const mono = [
  'out=$(mktemp)',
  'mcs -codepage:utf8 -langversion:7 -r:System.Net.Http -r:System.Runtime.Serialization -out:"$out" "$1"',
  'mono "$out"',
].join(' && ');

const runtimes: readonly Runtime[] = [
  { ending: 'sh', needs: ['curl'], command: ['sh'] },
  { ending: 'ts', needs: [], command: [process.execPath, '--disable-warning=ExperimentalWarning'] },
  { ending: 'py', needs: ['python3'], command: ['python3'] },
  { ending: 'cs', needs: ['mcs', 'mono'], command: ['sh', '-c', mono, 'mono'] },
  // Where it is there: .NET 10 runs a file as it is.
  { ending: 'cs', needs: ['dotnet'], command: ['dotnet', 'run'] },
];

/** Orders in the list that is walked: more than a page. */
const orders = 130;

for (const { ending, needs, command } of runtimes) {
  const why = await lackOf(needs);
  describe(`samples in .${ending} by ${needs.at(-1) ?? 'node'}`, { skip: why, timeout: 900_000 }, () => {
    it('get a token, read all pages, and go on where they ended', async (t) => {
      const world = await start(t, command);
      const token = world.token(await world.run(`token.${ending}`));
      assert.equal(world.named(await world.run(`page.${ending}`, { TOKEN: token })), orders);
      assert.equal(world.named(await world.run(`sync.${ending}`, { TOKEN: token })), orders);
      assert.notEqual(readFileSync(join(world.folder, 'cursor.txt'), 'utf8').trim(), '');
      await world.load(2);
      assert.equal(world.named(await world.run(`sync.${ending}`, { TOKEN: token })), 2);
    });

    it('drop the copy and begin anew where the service answers 410', async (t) => {
      const world = await start(t, command);
      const token = world.token(await world.run(`token.${ending}`));
      assert.equal(world.named(await world.run(`sync.${ending}`, { TOKEN: token })), orders);
      // As after a restore from a backup: a server that was started after it.
      await world.service.app.store.beginHistory();
      const port = String(await freePort('127.0.0.1', 0));
      const { service } = world;
      const elsewhere = (address: string): string => address.replace(String(service.port), port);
      const addresses = { BASE_URL: elsewhere(service.baseUrl), AUTH_URL: elsewhere(service.authUrl) };
      await service.again({ PORT: port, ...addresses });
      const restored = { ...addresses, TOKEN: world.token(await world.run(`token.${ending}`, addresses)) };
      assert.equal(world.named(await world.run(`sync.${ending}`, restored)), orders);
      assert.equal(world.named(await world.run(`sync.${ending}`, restored)), 0);
    });

    it('wait as Retry-After says after 429 and 503', async (t) => {
      const world = await start(t, command);
      const token = world.token(await world.run(`token.${ending}`));
      const door = await startDoor(t, world.service, [429, 503]);
      assert.match(await world.run(`retry.${ending}`, { TOKEN: token, BASE_URL: door.address }), /\[/);
      const [first = 0, second = 0, third = 0, ...more] = door.askedAt;
      assert.deepEqual(more, []);
      // A timer may end some milliseconds early.
      for (const waited of [second - first, third - second])
        assert.ok(waited > retryAfter * 1000 - 50, `waited ${waited} ms`);
    });

    it('try again, and tell of what cannot be had', async (t) => {
      const world = await start(t, command);
      const token = world.token(await world.run(`token.${ending}`));
      assert.match(await world.run(`retry.${ending}`, { TOKEN: token }), /\[/);
      await assert.rejects(world.run(`retry.${ending}`, { TOKEN: 'none' }));
      await assert.rejects(world.run(`page.${ending}`, { TOKEN: 'none' }));
    });

    it('make one label under one key', async (t) => {
      const world = await start(t, command);
      const token = world.token(await world.run(`token.${ending}`));
      const shipped = { TOKEN: token, CONTEXT: 'aaa', CARRIER: 'sandbox', LABEL_KEY: 'order-1' };
      const first = await world.run(`ship.${ending}`, shipped);
      assert.match(first, /\/shippings\/files\//);
      assert.equal(await world.run(`ship.${ending}`, shipped), first);
      const query = { activity: null, context: null, unknown: false, limit: 10 };
      assert.equal((await world.service.app.store.labels.list(query)).length, 1);
    });
  });
}

/** Languages in which a person's own program is shown too. */
for (const { ending, needs, command } of runtimes.filter((each) => ['ts', 'py'].includes(each.ending)))
  describe(`the sign-in of a person in .${ending}`, { skip: await lackOf(needs), timeout: 300_000 }, () => {
    it('refuses an answer to another sign-in', async (t) => {
      const { printed, address, redirectUri } = await beginSignIn(t, ending, command);
      const asked = new URL(address).searchParams;
      assert.equal(asked.get('code_challenge_method'), 'S256');
      const other = new URL(redirectUri);
      other.search = new URLSearchParams({ code: 'stolen', state: 'another' }).toString();
      await (await fetch(other)).text();
      await assert.rejects(printed, /not begun here/);
    });

    it('gets a token by the code flow with PKCE', async (t) => {
      const { service, printed, address, redirectUri } = await beginSignIn(t, ending, command);
      const request = { address, verifier: '', state: '', redirectUri };
      const { at } = await authorize(service, openBrowser(service), request);
      assert.ok(at.startsWith(`${redirectUri}?`), at);
      // Browsers ask for more than the page.
      assert.equal((await fetch(new URL('/favicon.ico', redirectUri))).status, 404);
      assert.match(await (await fetch(at)).text(), /close this window/);
      assert.equal((await readArticles(service, tokenIn(await printed))).status, 200);
    });
  });

/** Starts the sample, until it says which address a person should open. */
async function beginSignIn(t: TestContext, ending: string, [program = '', ...parameters]: readonly string[]) {
  const service = await startService(t);
  await registerUser(service);
  const redirectUri = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/callback`;
  const { client } = await registerClient(service, { redirectUris: [redirectUri] });
  const child = spawn(program, [...parameters, join(folder, `sign-in.${ending}`)], {
    env: { PATH: process.env.PATH, AUTH_URL: service.authUrl, CLIENT_ID: client.id, REDIRECT_URI: redirectUri },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const output: string[] = [];
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const address = Promise.withResolvers<string>();
  const printed = new Promise<string>((resolve, reject) => {
    child.on('close', (code) => {
      const told = new Error(errors.join(''));
      address.reject(told);
      if (code === 0) resolve(output.join('\n'));
      else reject(told);
    });
  });
  // Whoever waits for the address alone is told of the end by it.
  printed.catch(() => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    const [, opened] = /^Open in a browser: (.*)$/.exec(line) ?? [];
    if (opened !== undefined) address.resolve(opened);
  });
  return { service, redirectUri, printed, address: await address.promise };
}

function tokenIn(output: string): string {
  const found = /"access_token": ?"([^"]+)"/.exec(output)?.[1];
  assert.ok(found !== undefined, 'the sample gave a token');
  return found;
}

/** Seconds: more than the samples wait after their first two attempts where nothing is said. */
const retryAfter = 5;

/** What stands before a service, and refuses the first requests. */
async function startDoor(
  t: TestContext,
  { baseUrl }: Service,
  refusals: readonly number[],
): Promise<{ readonly address: string; readonly askedAt: readonly number[] }> {
  const askedAt: number[] = [];
  const server = createServer((request, response) => {
    const refusal = refusals[askedAt.length];
    askedAt.push(performance.now());
    if (refusal !== undefined) {
      response.writeHead(refusal, { 'content-type': 'application/problem+json', 'retry-after': String(retryAfter) });
      response.end(JSON.stringify({ title: 'Not now', status: refusal }));
      return;
    }
    const { authorization = '' } = request.headers;
    const passed = fetch(`${new URL(baseUrl).origin}${request.url ?? ''}`, { headers: { authorization } });
    passed.then(
      async (answer) => response.writeHead(answer.status).end(await answer.text()),
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { address: `http://127.0.0.1:${address.port}${new URL(baseUrl).pathname}`, askedAt };
}

async function lackOf(needs: readonly string[]): Promise<false | string> {
  for (const program of needs) {
    const isThere = await promisify(execFile)(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (!isThere) return `${program} is not on this machine${program === 'mcs' ? ': .ci/install-mono' : ''}`;
  }
  return false;
}

interface Warehouse {
  readonly service: Service;
  readonly folder: string;
  readonly run: (sample: string, environment?: Readonly<Record<string, string>>) => Promise<string>;
  readonly token: (output: string) => string;
  /** How many orders an output names. */
  readonly named: (output: string) => number;
  readonly load: (count: number) => Promise<void>;
}

async function start(t: TestContext, [program = '', ...parameters]: readonly string[]): Promise<Warehouse> {
  const service = await startService(t);
  const { store } = service.app;
  const { client, secret } = await registerClient(service, {
    ...{ service: true, confidential: true, redirectUris: [], activityCodes: ['AAA'] },
  });
  const account = { activity: 'AAA', context: 'aaa', carrier: 'sandbox', settings: {}, secrets: null, sender: {} };
  await store.carrierAccounts.put({ ...account, dailyLimit: null }, Date.now());
  const check = createChecker(order);
  let loaded = 0;
  const load = async (count: number): Promise<void> => {
    const records = Array.from({ length: count }, (_, index) => ({
      ...order.example,
      activityCode: 'AAA',
      activityName: 'Activity AAA',
      orderUniqueID: `SAMPLE-${loaded + index}-`,
    }));
    loaded += count;
    const checked = records.map((record) => {
      const result = check(record, { activity: 'AAA', activityName: 'Activity AAA' });
      assert.ok(result.ok);
      return result.record;
    });
    await store.records.write(order, 'AAA', checked);
  };
  await load(orders);
  const own = mkdtempSync(join(tmpdir(), 'logistics-connect-sample-'));
  t.after(() => rmSync(own, { recursive: true, force: true }));
  return {
    service,
    folder: own,
    load,
    run: async (sample, environment = {}) => {
      copyFileSync(join(folder, sample), join(own, sample));
      const { stdout } = await promisify(execFile)(program, [...parameters, sample], {
        cwd: own,
        maxBuffer: 64 << 20,
        env: {
          PATH: process.env.PATH,
          HOME: own,
          TMPDIR: own,
          ...{ AUTH_URL: service.authUrl, BASE_URL: service.baseUrl },
          ...{ CLIENT_ID: client.id, CLIENT_SECRET: secret ?? '', ...environment },
        },
      });
      return stdout;
    },
    token: tokenIn,
    named: (output) => new Set(output.match(/SAMPLE-\d+-/g)).size,
  };
}
