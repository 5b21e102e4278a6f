// The pace of refusals for want of room: how many there are in a second, who is held until when, and who never is.
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createRefusalPace } from '../../src/http/refusal-pace.ts';

const limits = { perSecond: 10, beyondRatePerSecond: 5, maxSeconds: 10 };

/** Refusals on a clock that is moved by hand. */
function paced(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let clock = 1_000_000;
  const pace = createRefusalPace(limits, () => clock);
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      clock += Math.min(50, left);
      t.mock.timers.tick(Math.min(50, left));
      await settled();
    }
  };
  /** One request that there is no room for: what it was told and when, once it has been refused. */
  const refuse = (socket: Socket) => {
    const request = new IncomingMessage(socket);
    const refusal: { at: number | null; seconds: number } = { at: null, seconds: 0 };
    const answer = (): void => {
      refusal.seconds = pace.tell(request);
      refusal.at = clock;
    };
    const held = pace.hold(request);
    if (held === null) answer();
    else void held.then(answer);
    return refusal;
  };
  return { pace, refuse, pass, now: () => clock };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('refusals for want of room', () => {
  it('are as many in a second as they may be, on connections that ask again at once', async (t) => {
    const { refuse, pass, now } = paced(t);
    const sockets = Array.from({ length: 60 }, () => new Socket());
    const running = sockets.map((socket) => refuse(socket));
    const counts: number[] = [];
    for (let second = 0; second < 30; second += 1) {
      let count = 0;
      for (let step = 0; step < 20; step += 1) {
        for (const [index, socket] of sockets.entries()) {
          if (running[index]?.at === null) continue;
          count += 1;
          running[index] = refuse(socket);
        }
        await pass(50);
      }
      counts.push(count);
    }
    assert.ok(now() > 0);
    assert.ok(
      counts.slice(2).every((count) => count <= limits.perSecond + 1),
      counts.join(' '),
    );
    assert.ok(
      counts.slice(-10).every((count) => count >= limits.perSecond - 3),
      `every connection hears of it in time: ${counts.join(' ')}`,
    );
  });

  it('come at once to who comes back when told, however many others do not', async (t) => {
    const { refuse, pass } = paced(t);
    const rude = Array.from({ length: 50 }, () => new Socket());
    const pending = new Map(rude.map((socket) => [socket, refuse(socket)]));
    await pass(2000);
    const polite = new Socket();
    let refusal = refuse(polite);
    await pass(1000);
    for (let round = 0; round < 5; round += 1) {
      assert.notEqual(refusal.at, null, `round ${round}`);
      assert.ok(refusal.seconds >= 1 && refusal.seconds <= limits.maxSeconds);
      for (let ms = 0; ms < refusal.seconds * 1000; ms += 50) {
        for (const [socket, { at }] of pending) if (at !== null) pending.set(socket, refuse(socket));
        await pass(50);
      }
      refusal = refuse(polite);
    }
    assert.notEqual(refusal.at, null);
  });

  it('come at once to few, and tell a time that grows with their number', async (t) => {
    const { refuse } = paced(t);
    const refusals = Array.from({ length: limits.perSecond }, () => refuse(new Socket()));
    assert.ok(refusals.every(({ at }) => at !== null));
    assert.equal(refusals[0]?.seconds, 1);
    assert.equal(refusals.at(-1)?.seconds, 2);
    for (let count = 0; count < 200; count += 1) refuse(new Socket());
    assert.equal(refuse(new Socket()).at, null);
  });

  it('wait a second at most on a connection that was not refused yet', async (t) => {
    const { refuse, pass } = paced(t);
    const refusals = Array.from({ length: 100 }, () => refuse(new Socket()));
    assert.ok(refusals.some(({ at }) => at === null));
    await pass(1000);
    assert.ok(refusals.every(({ at }) => at !== null));
    assert.ok(refusals.every(({ seconds }) => seconds >= 1 && seconds <= limits.maxSeconds));
  });

  it('come one after the other where requests are sent without waiting for answers', async (t) => {
    const { refuse, pass } = paced(t);
    const socket = new Socket();
    const refusals = Array.from({ length: 5 }, () => refuse(socket));
    const done = (): number => refusals.filter(({ at }) => at !== null).length;
    assert.equal(done(), 1);
    await pass(1100);
    assert.equal(done(), 2);
    await pass(1000);
    assert.equal(done(), 3);
  });

  it('are not waited for when the client has gone, nor when the server stops', async (t) => {
    const { refuse, pass, pace } = paced(t);
    const [gone, stays] = [new Socket(), new Socket()];
    const refusals = [gone, stays].flatMap((socket) => [refuse(socket), refuse(socket)]);
    gone.destroy();
    await pass(250);
    assert.deepEqual(
      refusals.map(({ at }) => at !== null),
      [true, true, true, false],
    );
    pace.close();
    await settled();
    assert.notEqual(refusals[3]?.at, null);
    assert.notEqual(refuse(stays).at, null);
  });

  it('are forgotten where the request is served after all', async (t) => {
    const { refuse, pace } = paced(t);
    const socket = new Socket();
    refuse(socket);
    const request = new IncomingMessage(socket);
    assert.notEqual(pace.hold(request), null);
    pace.forget(request);
    assert.notEqual(refuse(socket).at, null);
  });
});

describe('refusals beyond a rate', () => {
  it('come at once as long as they are few, and then when it is their time', async (t) => {
    const { pace, pass } = paced(t);
    const socket = new Socket();
    const isHeld = (): boolean => pace.holdBeyondRate(new IncomingMessage(socket)) !== null;
    assert.deepEqual(
      Array.from({ length: limits.beyondRatePerSecond + 2 }, isHeld),
      Array.from({ length: limits.beyondRatePerSecond + 2 }, (_none, index) => index >= limits.beyondRatePerSecond + 1),
    );
    await pass(5000);
    assert.equal(isHeld(), false);
  });
});
