// The command `health`: what it says of a server that serves, drains, and is not there.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { freePort } from '../../src/http/port-check.ts';
import { json, run, start, temporaryFolder } from './fixture.ts';

describe('health', () => {
  it('is good of a server that serves, not of one that drains, and a second signal ends that at once', async (t) => {
    const PORT = String(await freePort('127.0.0.1', 0));
    const place = { folder: temporaryFolder(t), variables: { PORT, DRAIN_SECONDS: '300' } };
    const asked = run(place, 'health', '--wait', '60');
    const child = start(t, place, 'serve');
    assert.deepEqual(await asked, { code: 0, stdout: 'ok\n', stderr: '' });
    await child.seen('Platform URL:');
    assert.equal((await run(place, 'health')).code, 0);
    const { url } = await json<{ url: string }>(place, 'health', '--live');
    assert.equal(url, `http://127.0.0.1:${PORT}/healthz`);
    child.signal('SIGTERM');
    // The signal reaches the server a moment later.
    let told = await run(place, 'health');
    for (let tries = 0; told.code === 0 && tries < 100; tries++) told = await run(place, 'health');
    assert.equal(told.code, 1);
    assert.match(told.stderr, /^logistics-connect: http:\/\/127\.0\.0\.1:\d+\/readyz answers 503\. .*log/);
    assert.equal((await run(place, 'health', '--live')).stdout, 'ok\n');
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 143);
    assert.match((await run(place, 'health', '--live')).stderr, /healthz does not answer: /);
  });

  it('needs a port that is known, and a time that is one', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { PORT: '0' } };
    assert.match((await run(place, 'health')).stderr, /PORT is 0/);
    for (const wait of ['0', '601', 'x', '']) assert.equal((await run(place, 'health', '--wait', wait)).code, 2, wait);
    for (const pid of ['0', '-1', 'x', ''])
      assert.equal((await run(place, 'health', '--wait', '1', '--while', pid)).code, 2, pid);
    assert.match((await run(place, 'health', '--while', '1')).stderr, /--while goes with --wait/);
  });

  it('waits no longer than the process runs that it is about, and does not take another program for it', async (t) => {
    const PORT = String(await freePort('127.0.0.1', 0));
    const place = { folder: temporaryFolder(t), variables: { PORT } };
    const failing = { ...place, variables: { PORT, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' } };
    const child = start(t, failing, 'serve');
    const began = performance.now();
    const pid = String(child.pid);
    const { code, stdout, stderr } = await run(place, 'health', '--wait', '600', '--while', pid);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      new RegExp(`^logistics-connect: The process ${pid} has ended; http://.*/readyz does not answer`),
    );
    assert.match(stderr, /The log of the server says why/);
    assert.ok(performance.now() - began < 60_000);
    assert.equal((await child.ended).code, 1);

    const server = createServer((_request, response) => response.end()).listen(Number(PORT), '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const own = await run(place, 'health', '--wait', '5', '--while', String(process.pid));
    assert.equal(own.stdout, 'ok\n');
    const other = await run(place, 'health', '--wait', '5', '--while', pid);
    assert.match(other.stderr, new RegExp(`The process ${pid} has ended\\.`));
  });

  it('asks at every port that the server can have, also where no browser would', async (t) => {
    const server = createServer((_request, response) => response.end());
    t.after(() => server.close());
    for (const port of [10_080, 6566, 6697, 6669]) {
      server.listen(port, '127.0.0.1');
      const isFree = await once(server, 'listening').then(
        () => true,
        () => false,
      );
      if (!isFree) continue;
      const place = { folder: temporaryFolder(t), variables: { PORT: String(port) } };
      assert.deepEqual(await run(place, 'health'), { code: 0, stdout: 'ok\n', stderr: '' });
      return;
    }
    t.skip('all of these ports are taken');
  });

  it('asks at an address that can be reached where the server listens on all', async (t) => {
    for (const [HOST, told] of [
      ['0.0.0.0', 'http://127.0.0.1:9/'],
      ['::', 'http://[::1]:9/'],
      ['::1', 'http://[::1]:9/'],
    ] as const) {
      const { stderr } = await run({ folder: temporaryFolder(t), variables: { HOST, PORT: '9' } }, 'health');
      assert.ok(stderr.includes(told), stderr);
    }
  });
});
