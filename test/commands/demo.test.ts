// The commands `demo …`, as processes: without a server, beside a running one, and on a database that is none of
// theirs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { demoMark } from '../../src/demo/demo-client.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { json, type Place, run, start, succeed, temporaryFolder } from './fixture.ts';

interface Status {
  readonly clock: string;
  readonly running: boolean;
  readonly speed: number;
  readonly deliveredTo: string;
  readonly waiting: readonly string[];
  readonly happened: readonly { readonly text: string }[];
  readonly next: readonly { readonly text: string }[];
}

describe('demo', () => {
  let place: Place & { folder: string };
  const status = (): Promise<Status> => json<Status>(place, 'demo', 'status');
  /** What is said once the server has noticed. */
  const until = async (isSo: (status: Status) => boolean): Promise<Status> => {
    for (let tries = 0; tries < 60; tries += 1) {
      const said = await status();
      if (isSo(said)) return said;
      await pause(500);
    }
    return assert.fail('the server does not notice');
  };
  before(async () => {
    place = { folder: mkdtempSync(join(tmpdir(), 'commands-demo-')), variables: { PORT: '0' } };
  });
  after(() => rmSync(place.folder, { recursive: true, force: true }));

  it('is for databases that hold a demonstration, and touches no other', async (t) => {
    const own = { folder: temporaryFolder(t), variables: { PORT: '0' } };
    await succeed(own, 'activity', 'add', 'ACM', 'Acme');
    for (const words of [['status'], ['advance', '1d'], ['fault', 'late-image'], ['reset', '--yes']]) {
      const { code, stderr } = await run(own, 'demo', ...words);
      assert.equal(code, 1);
      assert.match(stderr, /This database holds no demonstration\./);
    }
  });

  it('says of one that is still being filled that it is not filled yet', async (t) => {
    const own = { folder: temporaryFolder(t), variables: { PORT: '0' } };
    const store = await openStore({ dataDir: join(own.folder, 'data'), databaseUrl: null }, definitions);
    await store.secrets.obtain(demoMark, () => String(Date.now()));
    await store.close();
    for (const words of [['status'], ['advance', '1d'], ['fault', 'late-image']]) {
      const { code, stderr } = await run(own, 'demo', ...words);
      assert.equal(code, 1);
      assert.match(stderr, /This demonstration is not filled yet\. A server fills it within a minute: ask again\./);
    }
  });

  it('works beside a running server, which notices within seconds', async (t) => {
    const child = start(t, place, 'serve', '--demo', '--clock', '2x');
    await child.seen('valid for an hour');
    await until(({ running, speed }) => running && speed === 2);
    await succeed(place, 'demo', 'fault', 'carrier-down', '--activity', 'BEL');
    await child.seen('carrier-down was asked for, of BEL');
    const { clock } = await until(({ happened, waiting }) => happened.length > 0 && waiting.length === 0);
    const { clock: later } = await json<{ clock: string }>(place, 'demo', 'advance', '1d');
    assert.ok(Date.parse(later) - Date.parse(clock) >= 86_400_000);
    assert.ok((await status()).next.length > 0);
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 0);
  });

  it('works without a server', async () => {
    const before = await status();
    const { clock } = await json<{ clock: string }>(place, 'demo', 'advance', '12h');
    assert.ok(Date.parse(clock) >= Date.parse(before.deliveredTo) + 43_200_000);
    await succeed(place, 'demo', 'fault', 'short-pick');
    assert.deepEqual((await status()).waiting, ['short-pick of ACM, not yet taken']);
    await succeed(place, 'demo', 'advance', '3d');
    const { happened, waiting } = await status();
    assert.deepEqual(waiting, []);
    assert.ok(happened.some(({ text }) => /is not found for order ACM-/.test(text)));
  });

  it('says what is wrong', async () => {
    for (const [words, said] of [
      [['advance', 'soon'], /"soon" is no duration/],
      [['fault', 'earthquake'], /There is no fault "earthquake"; there are late-image,/],
      [['fault', 'late-image', '--activity', 'XYZ'], /The demonstration has no activity XYZ\./],
      [['reset'], /Nobody confirmed the reset\./],
    ] as const) {
      const { code, stderr } = await run(place, 'demo', ...words);
      assert.notEqual(code, 0);
      assert.match(stderr, said);
    }
    for (const speed of ['fast', '0x', '3601x']) {
      const { code, stderr } = await run(place, 'serve', '--demo', '--clock', speed);
      assert.equal(code, 2);
      assert.match(stderr, /--clock takes a speed from 1x to 3600x/);
    }
    assert.equal((await run(place, 'serve', '--clock', '60x')).code, 2);
  });

  it('is made anew by a reset', async () => {
    await succeed(place, 'demo', 'reset', '--yes');
    const { happened, next, clock } = await status();
    assert.deepEqual(happened, []);
    assert.ok(next.length > 0);
    assert.ok(Math.abs(Date.parse(clock) - Date.now()) < 600_000);
    assert.equal((await json<unknown[]>(place, 'activity', 'list')).length, 2);
  });
});
