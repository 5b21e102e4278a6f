// The command `health`: what it says of a server that serves, drains, and is not there.
import assert from 'node:assert/strict';
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
