// Processes of the program behind a proxy are replaced one after another while clients read, poll and write: no request
// fails, and what was acknowledged is there.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/http/port-check.ts';
import { type Prepared, prepare } from '../api/server-process.ts';
import { type Child, json, run, start, succeed } from '../commands/fixture.ts';
import { newDatabase } from '../contract/new-database.ts';
import { onOtherEngine } from '../contract/rounds.ts';
import { httpsClient } from './https-client.ts';
import { type RunningProxy, proxies } from './proxy.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
/** As the samples say. */
const drainSeconds = 5;

describe('processes behind a proxy, one replaced after another', { skip: onOtherEngine(), timeout: 900_000 }, () => {
  for (const { name, skip, start: startProxy } of proxies)
    it(`no request fails behind ${name}`, { skip }, async (t) => {
      const database = serverUrl === undefined ? {} : { DATABASE_URL: await newDatabase(t, serverUrl) };
      const prepared = await prepare(t, {
        ...database,
        TRUST_PROXY: '127.0.0.1',
        DRAIN_SECONDS: String(drainSeconds),
        SECRET_KEY: 'tall ships carry heavy crates to far harbours',
      });
      const ports = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)];
      const servers: Child[] = [];
      for (const port of ports) servers.push(await startServer(t, prepared, port));
      const proxy = await startProxy(t, ports);
      // Nothing is written in it, so that its outbox is waited for.
      await succeed(prepared.place, 'activity', 'add', 'IDL', 'Idle');
      const { key } = await json<{ key: string }>(prepared.place, 'key', 'add', 'waits', '--activity', 'IDL');
      const load = createLoad(proxy, { token: prepared.token, key });
      await load.reaches(20);
      for (const [index, port] of ports.entries()) {
        const before = load.answered();
        servers[index]?.signal('SIGTERM');
        assert.equal((await servers[index]?.ended)?.code, 0);
        assert.ok(load.answered() - before > 20, 'requests are answered all the while');
        servers[index] = await startServer(t, prepared, port);
        // Until the proxy has seen that it is back.
        await pause(3000);
      }
      await load.stop();
      assert.deepEqual(load.failures(), []);
      assert.ok(load.polls() > 0);
      assert.deepEqual(await load.lost(), []);
    });
});

/** As `systemctl restart` does with the unit of deploy/systemd: it goes on when the server can serve. */
async function startServer(t: TestContext, { place }: Prepared, port: number): Promise<Child> {
  const variables = { ...place.variables, PORT: String(port) };
  const child = start(t, { ...place, variables }, 'serve', '--json');
  const { code, stderr } = await run({ ...place, variables }, 'health', '--wait', '60');
  assert.equal(code, 0, stderr);
  return child;
}

/** Clients that read, poll and write until they are stopped. */
function createLoad(proxy: RunningProxy, { token, key }: Pick<Prepared, 'token' | 'key'>) {
  const client = httpsClient(proxy);
  const failures: string[] = [];
  const written: string[] = [];
  let [answered, polls, going] = [0, 0, true];
  const bearer = { authorization: `Bearer ${token}` };

  const ask = async (what: string, ...asked: Parameters<typeof client.ask>): Promise<string> => {
    try {
      const { status, body } = await client.ask(...asked);
      if (status === 200) answered += 1;
      else failures.push(`${what}: ${status} ${body.slice(0, 300)}`);
      return status === 200 ? body : '';
    } catch (error) {
      failures.push(`${what}: ${String(error)}`);
      return '';
    }
  };
  const read = async (): Promise<void> => {
    await ask('read', '/v1/articles?limit=10', { headers: bearer });
  };
  const poll = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${key}` };
    const body = await ask('poll', '/platform/outbox?consumer=idle&wait=4', { headers });
    if (body !== '') polls += 1;
  };
  const write = async (writer: number, number: number): Promise<void> => {
    const articleReference = `W${writer}-${number}`;
    const article = {
      activityCode: 'NOR',
      articleReference,
      longArticleDescription: 'L',
      shortArticleDescription: 'S',
    };
    const headers = { ...bearer, 'content-type': 'application/json', 'idempotency-key': `"${articleReference}"` };
    const asked = { method: 'POST', headers, body: JSON.stringify([article]) };
    if ((await ask('write', '/v1/articles', asked)) !== '') written.push(articleReference);
  };
  const loop = async (work: (number: number) => Promise<void>): Promise<void> => {
    for (let number = 0; going; number++) {
      await work(number);
      await pause(20);
    }
  };
  const loops = [
    ...[1, 2, 3].map(() => loop(read)),
    ...[1, 2, 3].map((writer) => loop((number) => write(writer, number))),
    loop(poll),
  ];
  return {
    answered: () => answered,
    polls: () => polls,
    failures: () => failures,
    reaches: async (wanted: number): Promise<void> => {
      while (answered < wanted && failures.length === 0) await pause(20);
    },
    stop: async (): Promise<void> => {
      going = false;
      await Promise.all(loops);
    },
    /** What was acknowledged and cannot be read. */
    lost: async (): Promise<readonly string[]> => {
      const found = new Set<string>();
      for (let next: string | undefined = '/v1/articles?limit=100'; next !== undefined; ) {
        const page = await client.ask(next, { headers: bearer });
        for (const { articleReference } of JSON.parse(page.body)) found.add(articleReference);
        next = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
      }
      client.close();
      return written.filter((reference) => !found.has(reference));
    },
  };
}
