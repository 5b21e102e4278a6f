// A server of several workers: one start, one log, one set of limits and metrics; who ends is replaced.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { text } from 'node:stream/consumers';
import { startServer } from '../api/server-process.ts';
import { goodPassword, launcher, runProgram, start, succeed, temporaryFolder } from '../commands/fixture.ts';
import { provenWithoutServer } from '../contract/engines.ts';
import { newDatabase } from '../contract/new-database.ts';
import { leftToGate } from '../contract/rounds.ts';
import { turns, until } from '../contract/until.ts';
import { logOf, servingWorkers, startWorkers, type WorkerServer } from './worker-server.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const timeLimit = { timeout: 900_000 };
const noPrlimit = spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit is not here';
/** Of what waits, or starts a server many times. */
const long = { ...timeLimit, skip: leftToGate };

/** Asks over a connection of its own, so that each request may meet another worker. */
async function ask(
  { origin }: Pick<WorkerServer, 'origin'>,
  path: string,
  bearer: string | null = null,
): Promise<{ readonly status: number; readonly body: string }> {
  const headers = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  const request = get(origin + path, { agent: new Agent({ keepAlive: false }), headers });
  const [answer] = await once(request, 'response');
  return { status: answer.statusCode, body: await text(answer) };
}

/** The value of one series. */
function series(metrics: string, name: string): number {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** All answers that were counted. */
function answered(metrics: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('http_request_duration_seconds_count'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function failure(t: TestContext, variables: Readonly<Record<string, string>>): Promise<unknown> {
  const { code, stdout, stderr } = await runProgram(t, { folder: temporaryFolder(t), variables }, 'serve');
  return { code, stdout, stderr };
}

describe('a server of several workers', { skip: provenWithoutServer }, () => {
  it('fails to start once, with the message and the exit code of one process', long, async (t) => {
    for (const wrong of [
      { SECRET_KEY: 'short' },
      { DATA_DIR: '/dev/null/data' },
      { DATABASE_URL: 'postgres://lc:s3cret@127.0.0.1:9/lc' },
      { HOST: '203.0.113.7' },
    ]) {
      const variables = { PORT: '0', ...wrong };
      assert.deepEqual(
        await failure(t, { ...variables, WORKERS: '2' }),
        await failure(t, { ...variables, WORKERS: '1' }),
      );
    }
  });

  it('prints its addresses once, on a port that it finds, and ends with 0', timeLimit, async (t) => {
    const place = { folder: temporaryFolder(t), program: launcher, variables: { PORT: '0', WORKERS: '2' } };
    const child = start(t, place, 'serve', '--json');
    await servingWorkers(child, 2);
    const lines = (await child.seen('')).split('\n').filter((line) => line.startsWith('{"baseUrl"'));
    assert.equal(lines.length, 1);
    const { authUrl } = JSON.parse(lines[0] ?? '');
    assert.equal((await fetch(`${authUrl}/healthz`)).status, 200);
    child.signal('SIGINT');
    const { code, stdout } = await child.ended;
    assert.deepEqual([code, stdout], [0, `${lines[0]}\n`]);
  });

  it('tells in each line of its log which worker wrote it, and in its metrics of all of them', timeLimit, async (t) => {
    const server = await startWorkers(t);
    for (let count = 0; count < 30; count += 1)
      assert.equal((await ask(server, '/v1/articles', server.prepared.token)).status, 200);
    await until(async () => (await logOf(server.child)).filter(({ msg }) => msg === 'request').length >= 30);
    const byWorker = Map.groupBy(
      (await logOf(server.child)).filter(({ msg }) => msg === 'request'),
      ({ worker }) => worker,
    );
    assert.deepEqual([...byWorker.keys()].toSorted(), [1, 2, 3]);
    // Made anew after a while: whoever is asked tells of what all of them were asked before.
    for (let count = 0; count < 6; count += 1) {
      const { body } = await ask(server, '/metrics');
      assert.equal(series(body, 'logistics_workers'), 3);
      assert.ok(answered(body) >= 30, body);
      assert.ok(series(body, 'process_start_time_seconds') > 1_700_000_000);
    }
  });

  it('replaces workers that die, and counts go on', timeLimit, async (t) => {
    const server = await startWorkers(t);
    const { pids } = await servingWorkers(server.child, 3);
    for (let count = 0; count < 12; count += 1) await ask(server, '/v1/articles', server.prepared.token);
    const before = answered((await ask(server, '/metrics')).body);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await servingWorkers(server.child, 3, pids);
    const { body } = await ask(server, '/metrics');
    assert.ok(answered(body) >= before && before >= 12, `${answered(body)} after ${before}`);
    const ended = (await logOf(server.child)).filter(({ signal }) => signal === 'SIGKILL');
    assert.deepEqual(ended.map(({ worker }) => worker).toSorted(), [1, 2, 3]);
    server.child.signal('SIGTERM');
    assert.equal((await server.child.ended).code, 0);
  });

  it('goes on where the system starts no process in place of one that died, and tries again', {
    ...timeLimit,
    skip: leftToGate || noPrlimit,
  }, async (t) => {
    const server = await startWorkers(t, {}, 2);
    const { pids } = await servingWorkers(server.child, 2);
    const mayOpen = (files: number): void =>
      void execFileSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${files}:`]);
    mayOpen(12);
    const killed = pids[1] ?? assert.fail('there is no second worker');
    process.kill(killed, 'SIGKILL');
    await until(async () => (await logOf(server.child)).some(({ msg }) => /could not be started/.test(String(msg))));
    assert.equal(isThere(pids[0] ?? 0), true);
    mayOpen(4096);
    await servingWorkers(server.child, 2, [killed]);
    assert.equal((await ask(server, '/readyz')).status, 200);
  });

  it('ends connections that were on their way to workers that are killed', long, async (t) => {
    const server = await startWorkers(t);
    const { pids } = await servingWorkers(server.child, 3);
    const stopped = pids.slice(1);
    const before = openSockets(server.child.pid);
    // Stopped, they take nothing in: each is handed one connection, the other worker all the rest.
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    const outcomes: string[] = [];
    const asked = Array.from({ length: 6 }, async () => {
      const outcome = await ask(server, '/healthz').then(
        ({ status }) => String(status),
        () => 'ended',
      );
      outcomes.push(outcome);
    });
    await until(() => outcomes.length === 4 && openSockets(server.child.pid) === before + 2);
    assert.deepEqual(outcomes, ['200', '200', '200', '200']);
    for (const pid of stopped) process.kill(pid, 'SIGKILL');
    await Promise.all(asked);
    assert.deepEqual(outcomes.slice(4), ['ended', 'ended']);
    await servingWorkers(server.child, 3, stopped);
    await until(() => openSockets(server.child.pid) === before);
  });

  it('ends with an error where workers end before they serve', long, async (t) => {
    const server = await startWorkers(t, { WORKERS: '3' });
    const killing = setInterval(() => {
      for (const pid of childrenOf(server.child.pid)) kill(pid);
    }, 20);
    const { code, stderr } = await server.child.ended.finally(() => clearInterval(killing));
    assert.equal(code, 1);
    assert.match(stderr, /Workers ended before they served, 5 times, and none serves\./);
  });

  it('ends all workers when the supervisor is killed', timeLimit, async (t) => {
    const server = await startWorkers(t);
    const { pids } = await servingWorkers(server.child, 3);
    server.child.signal('SIGKILL');
    await until(() => pids.every((pid) => !isThere(pid)));
  });

  it('lets all running requests end when it is stopped', long, async (t) => {
    const server = await startWorkers(t);
    const waiting = Array.from({ length: 12 }, (_, index) =>
      ask(server, `/platform/outbox?consumer=c${index}&wait=20`, server.prepared.key),
    );
    // Until each of them waits.
    await turns(100);
    // A terminal signals all processes of a server.
    for (const pid of (await servingWorkers(server.child, 3)).pids) process.kill(pid, 'SIGINT');
    server.child.signal('SIGINT');
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      Array.from({ length: 12 }, () => 200),
    );
    const { code, stderr } = await server.child.ended;
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /did not stop in time|a worker ended/);
  });

  it('counts pages that do not exist for all workers together', timeLimit, async (t) => {
    const server = await startWorkers(t, { RATE_READS: '60' });
    const began = performance.now();
    const statuses = [];
    for (let count = 0; count < 120; count += 1) statuses.push((await ask(server, '/v1/nothing')).status);
    const windows = 1 + Math.floor((performance.now() - began) / 60_000);
    const found = statuses.filter((status) => status === 404).length;
    assert.ok(found <= 60 * windows && found >= 54, `${found} of 60`);
  });
});

for (const [name, skip, settings] of [
  ['SQLite', provenWithoutServer, async () => ({})],
  [
    'PostgreSQL',
    serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
    async (t: TestContext) => ({ DATABASE_URL: await newDatabase(t, serverUrl ?? '') }),
  ],
] as const) {
  describe(`workers of one server on ${name}`, { skip: skip || leftToGate }, () => {
    it('let each person at a client have the quota once, together with another server', timeLimit, async (t) => {
      const server = await startWorkers(t, { ...(await settings(t)), RATE_READS: '120' });
      const other = await startServer(t, server.prepared);
      const { place, clientId } = server.prepared;
      const askAsPerson = async (token: string, times: number): Promise<readonly number[]> => {
        const statuses: number[] = [];
        for (let count = 0; count < times; count += 1)
          statuses.push((await ask(count % 2 === 0 ? server : other, '/v1/articles', token)).status);
        return statuses;
      };
      const tokenOf = async (login: string): Promise<string> => {
        await succeed({ ...place, stdin: goodPassword }, 'user', 'add', login, '--activity', 'NOR');
        return (await succeed(place, 'token', '--client', clientId, '--user', login)).trim();
      };
      const leo = await tokenOf('leo');
      // A process that gets no answer of the database for a second counts by itself. That may happen if the machine
      // stands still, but not to one person after the other.
      for (let attempt = 1; ; attempt += 1) {
        const token = attempt === 1 ? server.prepared.token : await tokenOf(`person${attempt}`);
        const began = performance.now();
        const statuses = await askAsPerson(token, 200);
        const windows = 1 + Math.floor((performance.now() - began) / 60_000);
        const accepted = statuses.filter((status) => status === 200).length;
        assert.equal(statuses.filter((status) => status === 429).length, statuses.length - accepted);
        // Six processes hold a share each, a twentieth, and none gives back before three seconds.
        if (accepted <= 120 * windows && accepted >= 60) break;
        assert.ok(attempt < 5, `${accepted} of 120 were accepted`);
      }
      // What one person has used up is not another's.
      assert.deepEqual(await askAsPerson(leo, 10), Array<number>(10).fill(200));
    });

    it('all refuse a client that was disabled within 30 seconds', timeLimit, async (t) => {
      const file = join(temporaryFolder(t), 'ahead');
      const preloaded = new URL('clock-ahead.ts', import.meta.url).href;
      const clock = { CLOCK_AHEAD_FILE: file, NODE_OPTIONS: `--import=${preloaded}` };
      const server = await startWorkers(t, { ...(await settings(t)), ...clock });
      const { place, token, clientId } = server.prepared;
      for (let count = 0; count < 9; count += 1) assert.equal((await ask(server, '/v1/articles', token)).status, 200);
      await succeed(place, 'client', 'disable', clientId);
      // Thirty seconds pass, in far less.
      writeFileSync(file, '');
      let refused = 0;
      await until(async () => {
        refused = (await ask(server, '/v1/articles', token)).status === 401 ? refused + 1 : 0;
        return refused >= 9;
      }, 15);
    });
  });
}

/** Sockets that a process has open, connections and what it listens on. */
function openSockets(pid: number): number {
  const descriptors = `/proc/${pid}/fd`;
  return readdirSync(descriptors).filter((name) => readLink(join(descriptors, name)).startsWith('socket:')).length;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return '';
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
