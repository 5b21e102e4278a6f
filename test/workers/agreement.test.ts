// What workers of one server must agree on: each of them is asked, over a connection that stays with it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { sql } from '../../src/store/statement.ts';
import { startServer } from '../api/server-process.ts';
import { json, succeed } from '../commands/fixture.ts';
import { forgetLeases } from '../contract/database.ts';
import { provenWithoutServer } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';
import { turns, until } from '../contract/until.ts';
import { logOf, servingWorkers, startWorkers, type WorkerServer } from './worker-server.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const provenByPostgres = serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false;
const timeLimit = { timeout: 900_000 };
const count = 3;

interface Answered {
  readonly status: number;
  readonly body: string;
}

interface Asked {
  readonly bearer?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Ask = (path: string, asked?: Asked) => Promise<Answered>;

/** A client with one connection, which it keeps. */
function connectionTo(t: TestContext, origin: string): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return async (path, { bearer, method = 'GET', headers = {}, body } = {}) => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const sent = request(origin + path, { agent, method, headers: { ...headers, ...authorization } });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    return { status: answer.statusCode, body: await text(answer) };
  };
}

/** One connection to each worker, as the log of the server says. */
async function connectionsToEach(t: TestContext, server: WorkerServer): Promise<readonly Ask[]> {
  const byWorker = new Map<number, Ask>();
  for (let number = 0; byWorker.size < count; number += 1) {
    assert.ok(number < 100, 'new connections go to all workers');
    const ask = connectionTo(t, server.origin);
    const id = `${t.name.replaceAll(/\W/g, '')}-${number}`;
    await ask('/v1/nothing', { headers: { 'x-request-id': id } });
    await until(async () => (await logOf(server.child)).some(({ requestId }) => requestId === id));
    const { worker } = (await logOf(server.child)).find(({ requestId }) => requestId === id) ?? {};
    if (!byWorker.has(Number(worker))) byWorker.set(Number(worker), ask);
  }
  return [...byWorker.values()];
}

function statuses(answers: readonly Answered[]): readonly number[] {
  return answers.map(({ status }) => status);
}

const all = (status: number): readonly number[] => Array.from({ length: count }, () => status);

function article(articleReference: string): Asked {
  const names = { longArticleDescription: articleReference, shortArticleDescription: articleReference };
  const headers = { 'content-type': 'application/json', 'idempotency-key': `"${articleReference}"` };
  return { method: 'POST', headers, body: JSON.stringify([{ activityCode: 'NOR', articleReference, ...names }]) };
}

for (const [name, skip, settings] of [
  ['SQLite', provenWithoutServer, async () => ({})],
  ['PostgreSQL', provenByPostgres, async (t: TestContext) => ({ DATABASE_URL: await newDatabase(t, serverUrl ?? '') })],
] as const) {
  describe(`all workers of a server on ${name}`, { skip }, () => {
    it('refuse a token from the moment in which its revocation is answered', timeLimit, async (t) => {
      const server = await startWorkers(t, await settings(t));
      const { place } = server.prepared;
      const kind = ['--service', '--activity', 'NOR'];
      const { id, secret } = await json<{ id: string; secret: string }>(place, 'client', 'add', 'Nightly', ...kind);
      const each = await connectionsToEach(t, server);
      const form = (fields: Readonly<Record<string, string>>): Asked => ({
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ client_id: id, client_secret: secret, ...fields }).toString(),
      });
      for (let round = 0; round < 12; round += 1) {
        // Whichever it is asked of.
        const ask = each[round % count] ?? assert.fail('there is no such worker');
        const given = await ask('/connect/token', form({ grant_type: 'client_credentials', scope: 'svc_connect' }));
        assert.equal(given.status, 200, given.body);
        const bearer = String(JSON.parse(given.body).access_token);
        const read = (one: Ask): Promise<Answered> => one('/v1/articles?limit=1', { bearer });
        assert.deepEqual(statuses(await Promise.all(each.map(read))), all(200));
        assert.equal((await ask('/connect/revocation', form({ token: bearer }))).status, 200);
        assert.deepEqual(statuses(await Promise.all(each.map(read))), all(401), `round ${round}`);
      }
    });

    it('show what any of them, or another server, has just written', timeLimit, async (t) => {
      const server = await startWorkers(t, await settings(t));
      const { token: bearer } = server.prepared;
      const other = connectionTo(t, (await startServer(t, server.prepared)).origin);
      const each = await connectionsToEach(t, server);
      const list = async (ask: Ask): Promise<string> => {
        const { status, body } = await ask('/v1/articles?limit=100', { bearer });
        assert.equal(status, 200, body);
        return JSON.stringify(JSON.parse(body).map((one: { articleReference: string }) => one.articleReference));
      };
      const written: string[] = [];
      for (const [index, writer] of [...each, other, ...each, other].entries()) {
        written.push(`A-${index}`);
        const { status, body } = await writer('/v1/articles', { ...article(`A-${index}`), bearer });
        assert.equal(status, 200, body);
        // Twice: the second time from memory.
        for (let time = 0; time < 2; time += 1)
          for (const shown of await Promise.all([...each, other].map(list)))
            assert.equal(shown, JSON.stringify(written));
      }
    });

    it('wake who waits when another server writes, and refuse a revoked key', timeLimit, async (t) => {
      const server = await startWorkers(t, await settings(t));
      const { token: bearer, key } = server.prepared;
      const other = connectionTo(t, (await startServer(t, server.prepared)).origin);
      const each = await connectionsToEach(t, server);
      const began = performance.now();
      const waiting = each.map((ask, at) => ask(`/platform/outbox?consumer=c${at}&wait=25`, { bearer: key }));
      // Nothing is there yet, so that each of them waits.
      await turns(100);
      assert.equal((await other('/v1/articles', { ...article('W-1'), bearer })).status, 200);
      for (const { status, body } of await Promise.all(waiting)) {
        assert.equal(status, 200, body);
        assert.match(body, /W-1/);
      }
      assert.ok(performance.now() - began < 20_000, 'nobody waited to the end');
      const entries = (one: Ask): Promise<Answered> => one('/platform/outbox?consumer=c0', { bearer: key });
      const everywhere = [...each, other];
      assert.deepEqual(statuses(await Promise.all(everywhere.map(entries))), [...all(200), 200]);
      await succeed(server.prepared.place, 'key', 'revoke', key.split('_')[1] ?? '');
      assert.deepEqual(statuses(await Promise.all(everywhere.map(entries))), [...all(401), 401]);
    });

    it('have another one in charge of background work where the first is killed', timeLimit, async (t) => {
      const folder = { FEED_FOLDER: 'feeds', FEED_FOLDER_COMPLETE: 'rename' };
      const server = await startWorkers(t, { ...(await settings(t)), ...folder });
      const inbox = join(server.prepared.place.folder, 'feeds/inbox/NOR/articles');
      mkdirSync(inbox, { recursive: true });
      const drop = async (reference: string): Promise<void> => {
        const names = { longArticleDescription: reference, shortArticleDescription: reference };
        writeFileSync(join(inbox, `${reference}.json`), JSON.stringify([{ articleReference: reference, ...names }]));
        const ask = connectionTo(t, server.origin);
        await until(async () => {
          const { body } = await ask('/v1/articles?limit=100', { bearer: server.prepared.token });
          return body.includes(reference);
        }, 120);
      };
      await drop('F-1');
      const { pids } = await servingWorkers(server.child, count);
      const { place, dataDir } = server.prepared;
      const store = await openStore({ dataDir, databaseUrl: place.variables?.DATABASE_URL ?? null }, definitions);
      t.after(() => store.close());
      process.kill(pids[0] ?? 0, 'SIGKILL');
      // Before whoever is in charge now asks for it, and is told for how long to wait.
      await forgetLeases(store);
      await drop('F-2');
    });
  });
}

describe('a feed that one worker takes in', { skip: provenByPostgres }, () => {
  it('goes to PostgreSQL in short pieces while somebody reads at another worker', timeLimit, async (t) => {
    const url = await newDatabase(t, serverUrl ?? '');
    const server = await startWorkers(t, { DATABASE_URL: url });
    const roles = ['--activity', 'NOR', '--role', 'feed'];
    const { key } = await json<{ key: string }>(server.prepared.place, 'key', 'add', 'WMS', ...roles);
    const [feeding = assert.fail('no worker'), reading = assert.fail('no other')] = await connectionsToEach(t, server);
    const engine = await openPostgres(url);
    t.after(() => engine.close());
    /** In how many statements 500 articles of a feed came. */
    const statementsFor = async (prefix: string): Promise<number> => {
      const records = Array.from({ length: 500 }, (_none, index) => ({
        ...{ activityCode: 'NOR', articleReference: `${prefix}${index}` },
        ...{ longArticleDescription: 'long', shortArticleDescription: 'short' },
      }));
      const headers = { 'content-type': 'application/x-ndjson' };
      const body = records.map((record) => JSON.stringify(record)).join('\n');
      const answer = await feeding('/platform/feeds/articles', { method: 'POST', bearer: key, headers, body });
      assert.equal(answer.status, 200, answer.body);
      const [[count, statements] = []] = await engine.read(
        sql`select count(*), count(distinct cmin::text) from article where natural_key like ${`["${prefix}%`}`,
      );
      assert.equal(count, 500);
      return Number(statements);
    };
    // Nobody has read for long enough that no worker counts it any more.
    await pause(2500);
    const unread = await statementsFor('U');
    let isOver = false;
    const reader = (async () => {
      while (!isOver) assert.equal((await reading('/platform/feeds', { bearer: key })).status, 200);
    })();
    await pause(2500);
    const read = await statementsFor('R');
    isOver = true;
    await reader;
    assert.ok(read > 2 * unread, `${read} statements while somebody read, ${unread} before`);
  });
});
