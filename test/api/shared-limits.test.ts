// Limits of one database: two servers, each a process of its own, hold them together.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { parseList } from 'structured-headers';
import { authorizationRequest, type Door, fieldIn, follow, openBrowser } from '../auth/flow.ts';
import { goodPassword } from '../commands/fixture.ts';
import { provenWithoutServer } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';
import { type Prepared, prepare, type ServerProcess, startServer } from './server-process.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const quota = 120;
/** How many windows a test has seen on a machine that is busy; the first begins with its first request. */
const windowsSince = (began: number): number => 1 + Math.floor((performance.now() - began) / 60_000);

for (const [name, skip, settings] of [
  ['SQLite', provenWithoutServer, async () => ({})],
  [
    'PostgreSQL',
    serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
    async (t: TestContext) => ({ DATABASE_URL: await newDatabase(t, serverUrl ?? '') }),
  ],
] as const) {
  describe(`two processes of one database on ${name}`, { skip, timeout: 900_000 }, () => {
    it('let a client have its quota once, whichever it asks, and tell it what is left', async (t) => {
      const { prepared, servers } = await twoServers(t, await settings(t));
      const began = performance.now();
      const answers = await Promise.all(
        servers.flatMap((server) => Array.from({ length: 6 }, () => readMany(server, prepared.token, 15))),
      );
      const statuses = answers.flat().map(({ status }) => status);
      const accepted = statuses.filter((status) => status === 200).length;
      assert.ok(
        accepted <= quota * windowsSince(began) && accepted >= quota * 0.9,
        `${accepted} of ${quota} were accepted`,
      );
      assert.equal(statuses.filter((status) => status === 429).length, statuses.length - accepted);
      for (const { left } of answers.flat()) assert.ok(left >= 0 && left < quota);
    });

    it('let nine tenths of it through one of them, when the other has served a single request', async (t) => {
      const {
        prepared,
        servers: [one, other],
      } = await twoServers(t, await settings(t));
      const began = performance.now();
      const [first] = await readMany(one, prepared.token, 1);
      assert.deepEqual([first?.status, first?.left], [200, quota - 1]);
      const rest = await readMany(other, prepared.token, quota + 20);
      const accepted = 1 + rest.filter(({ status }) => status === 200).length;
      assert.ok(
        accepted <= quota * windowsSince(began) && accepted >= quota * 0.9,
        `${accepted} of ${quota} were accepted`,
      );
    });

    it('shut out at the other who has tried ten passwords at one, and begin no more sign-ins than one', async (t) => {
      const { prepared, servers } = await twoServers(t, { ...(await settings(t)), RATE_SIGN_INS: '20' });
      const [one, other] = servers.map(
        ({ origin }): Door => ({ port: Number(new URL(origin).port), authUrl: 'https://login.logistics.example' }),
      );
      assert.ok(one && other);
      const began = performance.now();
      const request = (): string =>
        authorizationRequest(one, { id: prepared.clientId, redirectUris: ['https://shop.example/cb'] }).address;
      const guessing = openBrowser(one);
      let page = await follow(one, guessing, await guessing.get(request()));
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const answer = await guessing.post(page.at, {
          csrf: fieldIn(page.answer, 'csrf'),
          login: 'mia',
          password: 'a wrong one',
        });
        assert.equal(answer.status, 400);
        page = { ...page, answer };
      }
      const right = openBrowser(other);
      page = await follow(other, right, await right.get(request()));
      const refused = await right.post(page.at, {
        csrf: fieldIn(page.answer, 'csrf'),
        login: 'mia',
        password: goodPassword,
      });
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 600);
      const begun = [];
      for (let index = 0; index < 40; index += 1)
        begun.push((await openBrowser(index % 2 === 0 ? one : other).get(request())).status);
      const count = 2 + begun.filter((status) => status === 303).length;
      assert.ok(count <= 20 * windowsSince(began) && count >= 18, `${count} of 20 were begun`);
    });
  });
}

/** Two servers on one new database, with limits. */
async function twoServers(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly prepared: Prepared; readonly servers: readonly [ServerProcess, ServerProcess] }> {
  const prepared = await prepare(t, { RATE_READS: String(quota), RATE_SIGN_INS: '60', ...settings });
  return { prepared, servers: [await startServer(t, prepared), await startServer(t, prepared)] };
}

/** Reads one after another over one connection: the status of each answer, and what it says is left. */
async function readMany(
  { origin }: ServerProcess,
  token: string,
  count: number,
): Promise<readonly { readonly status: number; readonly left: number }[]> {
  const answers: { readonly status: number; readonly left: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    const answer = await fetch(`${origin}/v1/articles?limit=1`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    const [[, parameters] = []] = parseList(answer.headers.get('ratelimit') ?? '');
    answers.push({ status: answer.status, left: parameters instanceof Map ? Number(parameters.get('r')) : Number.NaN });
  }
  return answers;
}
