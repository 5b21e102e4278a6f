// Storage that goes away in the middle of a sign-in: whatever was being read or written, programs and people are told
// to come back.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Problem } from '../../src/model/problem.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, type EngineUnderTest, provenWithoutServer } from '../contract/engines.ts';
import { stridesOf } from '../contract/rounds.ts';
import {
  type Answer,
  authorizationRequest,
  callbackOf,
  type Credentials,
  fieldIn,
  follow,
  openBrowser,
  redeem,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from './flow.ts';
import { goodPassword } from './fixture.ts';
import { watchedStore } from './watched-store.ts';
import { sql } from '../../src/store/statement.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');

/** Counts what is asked of storage; from a certain operation on it is away. */
interface Outage {
  asked: number;
  from: number;
  until: number;
}

function failing(outage: Outage): (store: Store) => Store {
  return (store) =>
    watchedStore(store, () => {
      outage.asked += 1;
      if (outage.asked > outage.from && outage.asked <= outage.until)
        throw new Problem('unavailable', 'Storage cannot be reached at the moment.', {}, { 'Retry-After': '5' });
    });
}

interface Step {
  readonly name: string;
  readonly answer: Answer;
}

/**
 * A sign-in, two rounds of tokens, revocations and a sign-out, request by request; ends with the first that is not
 * answered as it should be.
 */
async function* wholeSignIn(service: Service, credentials: Credentials): AsyncGenerator<Step> {
  const browser = openBrowser(service);
  const request = authorizationRequest(service, credentials.client);
  const basic = {
    authorization: `Basic ${Buffer.from(`${credentials.client.id}:${credentials.secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const post = (path: string, fields: Record<string, string>): Promise<Answer> =>
    send(service, 'POST', `${service.authUrl}/connect/${path}`, basic, new URLSearchParams(fields).toString());
  let answer = await browser.get(request.address);
  for (const fields of [{ login: 'mia', password: goodPassword }, { decision: 'allow' }]) {
    yield { name: 'authorize', answer };
    const at = answer.headers.location ?? '';
    const page = await browser.get(at);
    yield { name: 'page', answer: page };
    answer = await browser.post(at, { csrf: fieldIn(page, 'csrf'), ...fields });
    yield { name: 'form', answer };
    answer = await browser.get(answer.headers.location ?? '');
  }
  yield { name: 'authorize', answer };
  const { code = '' } = callbackOf({ at: answer.headers.location ?? '' }, request);
  const tokens = await post('token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: request.verifier,
    redirect_uri: request.redirectUri,
  });
  yield { name: 'token', answer: tokens };
  const again = await post('token', {
    grant_type: 'refresh_token',
    refresh_token: String(tokens.json().refresh_token),
  });
  yield { name: 'token', answer: again };
  for (const which of ['access_token', 'refresh_token'])
    yield { name: 'revocation', answer: await post('revocation', { token: String(again.json()[which]) }) };
  const page = await browser.get(`${service.authUrl}/connect/signout`);
  yield { name: 'page', answer: page };
  yield {
    name: 'form',
    answer: await browser.post(`${service.authUrl}/connect/signout`, { csrf: fieldIn(page, 'csrf') }),
  };
}

function isRefused({ status, headers }: Answer): boolean {
  return status >= 400 || new URL(headers.location ?? '/', 'https://none.example').searchParams.has('error');
}

function assertAway(
  { name, answer }: Step,
  {
    client: {
      redirectUris: [redirectUri = ''],
    },
  }: Credentials,
): void {
  const { status, headers, body } = answer;
  if (status === 303) {
    const { origin, pathname, searchParams } = new URL(headers.location ?? '');
    assert.deepEqual(
      [name, origin + pathname, searchParams.get('error')],
      ['authorize', redirectUri, 'temporarily_unavailable'],
    );
    assert.ok(searchParams.has('state') && searchParams.has('iss'));
    return;
  }
  assert.deepEqual([status, headers['retry-after']], [503, '5'], `${name}: ${body.slice(0, 800)}`);
  if (name === 'token' || name === 'revocation') assert.equal(answer.json().error, 'temporarily_unavailable');
  else assert.match(body, /interrupted for a moment/);
}

async function prepared(
  t: TestContext,
): Promise<{ readonly service: Service; readonly outage: Outage; readonly credentials: Credentials }> {
  const outage: Outage = { asked: 0, from: Number.MAX_SAFE_INTEGER, until: 0 };
  const service = await startService(t, {}, undefined, failing(outage));
  await registerUser(service);
  return { service, outage, credentials: await registerClient(service, { confidential: true }) };
}

/** Operations that fail: the first one, counted from 1, and from one to the next. */
const { first, stride } = stridesOf(0, 3);

describe('storage that is away', { skip: provenWithoutServer }, () => {
  for (const [what, length] of [
    ['for one operation', 1],
    ['from one operation on', Number.MAX_SAFE_INTEGER / 2],
  ] as const) {
    it(`${what} of a sign-in: 503 with Retry-After, or temporarily_unavailable at the client`, async (t) => {
      const { service, outage, credentials } = await prepared(t);
      outage.asked = 0;
      for await (const { answer } of wholeSignIn(service, credentials))
        assert.ok(!isRefused(answer), answer.body.slice(0, 800));
      const operations = outage.asked;
      assert.ok(operations > 30, String(operations));
      const met = new Set<string>();
      for (let number = first - 1; number < operations; number += stride) {
        Object.assign(outage, { asked: 0, from: number, until: number + length });
        for await (const step of wholeSignIn(service, credentials)) {
          if (!isRefused(step.answer)) continue;
          assertAway(step, credentials);
          met.add(step.name);
          break;
        }
      }
      assert.deepEqual([...met].toSorted(), ['authorize', 'form', 'page', 'revocation', 'token']);
      assert.doesNotMatch(service.logged(), /authorization server failed/);
      Object.assign(outage, { from: Number.MAX_SAFE_INTEGER });
      for await (const { answer } of wholeSignIn(service, credentials))
        assert.ok(!isRefused(answer), answer.body.slice(0, 800));
    });
  }

  it('sends nobody to an address that is not registered', async (t) => {
    const { service, outage, credentials } = await prepared(t);
    const { address } = authorizationRequest(service, credentials.client, {
      redirect_uri: 'https://evil.example/callback',
    });
    for (const from of [0, 1]) {
      for (const length of [1, 2, 9]) {
        Object.assign(outage, { asked: 0, from, until: from + length });
        const answer = await openBrowser(service).get(address);
        assert.ok(answer.status === 503 || answer.status === 400, String(answer.status));
        assert.equal(answer.headers.location, undefined);
      }
    }
  });

  it('when the keys are due to be read again: so it is told at every path', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { service, outage, credentials } = await prepared(t);
    t.mock.timers.tick(61_000);
    Object.assign(outage, { asked: 0, from: 0, until: Number.MAX_SAFE_INTEGER });
    const browser = openBrowser(service);
    const { address } = authorizationRequest(service, credentials.client);
    for (const at of [
      address,
      `${service.authUrl}/connect/authorize/any`,
      `${service.authUrl}/connect/interaction/any`,
      `${service.authUrl}/connect/signout`,
    ])
      assertAway({ name: 'page', answer: await browser.get(at) }, credentials);
    assertAway(
      {
        name: 'token',
        answer: await token(service, credentials, { grant_type: 'refresh_token', refresh_token: 'any' }),
      },
      credentials,
    );
    for (const path of ['/connect/jwks', '/.well-known/openid-configuration'])
      assertAway({ name: 'token', answer: await send(service, 'GET', service.authUrl + path) }, credentials);
    outage.from = Number.MAX_SAFE_INTEGER;
    assert.equal((await browser.get(address)).status, 303);
  });
});

describe('a PostgreSQL server that cannot be reached', { skip: server?.skip }, () => {
  it('while somebody signs in is told as 503, and the sign-in goes on when it is back', async (t) => {
    assert.ok(server);
    const line = await openLine(t);
    const service = await startService(t, {}, behind(server, line));
    const credentials = await registerClient(service);
    await registerUser(service);
    const browser = openBrowser(service);
    const request = authorizationRequest(service, credentials.client);
    const { at, answer } = await follow(service, browser, await browser.get(request.address));
    const form = { csrf: fieldIn(answer, 'csrf'), login: 'mia', password: goodPassword };
    line.cut();
    for (const [name, asked] of [
      ['authorize', () => browser.get(request.address)],
      ['page', () => browser.get(at)],
      ['form', () => browser.post(at, form)],
      ['token', () => token(service, credentials, { grant_type: 'refresh_token', refresh_token: 'any' })],
    ] as const)
      assertAway({ name, answer: await asked() }, credentials);
    line.mend();
    const consent = await follow(service, browser, await browser.post(at, form));
    const done = await follow(
      service,
      browser,
      await browser.post(consent.at, { csrf: fieldIn(consent.answer, 'csrf'), decision: 'allow' }),
    );
    assert.equal((await redeem(service, credentials, request, callbackOf(done, request).code ?? '')).status, 200);
  });
});

/** A line to a server, which the test cuts and mends. */
interface ServerLine {
  readonly port: number;
  to: number;
  readonly cut: () => void;
  readonly mend: () => void;
}

async function openLine(t: TestContext): Promise<ServerLine> {
  const ends = new Set<Socket>();
  let whole = true;
  const listener = createServer((near) => {
    if (!whole) return near.resetAndDestroy();
    const far = createConnection(line.to, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end
        .on('error', () => undefined)
        .on('close', () => {
          ends.delete(end);
          other.destroy();
        })
        .pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  assert.ok(typeof address === 'object' && address !== null);
  const cut = (): void => {
    whole = false;
    for (const end of ends) end.resetAndDestroy();
  };
  const line: ServerLine = {
    port: address.port,
    to: 0,
    cut,
    mend: () => {
      whole = true;
    },
  };
  t.after(() => {
    cut();
    listener.close();
  });
  return line;
}

/** The same engine at the far end of the line. */
function behind(engine: EngineUnderTest, line: ServerLine): EngineUnderTest {
  return {
    ...engine,
    create: async () => {
      const database = await engine.create();
      const direct = await database.open();
      const [[name] = []] = await direct.read(sql`select current_database()`);
      await direct.close();
      const url = new URL(process.env.TEST_DATABASE_URL ?? '');
      line.to = Number(url.port);
      Object.assign(url, { pathname: `/${String(name)}`, host: `127.0.0.1:${line.port}` });
      return { url: url.href, dataDir: null, open: () => openPostgres(url.href), remove: () => database.remove() };
    },
  };
}
