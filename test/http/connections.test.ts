// How many connections one address, one site and everybody may have.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnectionCount } from '../../src/http/connections.ts';
import { defaultLimits } from '../../src/http/server.ts';
import { turns } from '../contract/until.ts';
import { served } from './body-route.ts';
import { head } from './connection.ts';
import { json, route } from './sample-server.ts';

const limits = { maxConnections: 100, maxAddressConnections: 5 };

describe('the count of connections', () => {
  it('leaves room beside one IPv6 site, however many of its networks connect', () => {
    const count = createConnectionCount(limits, false);
    const ofSite = Array.from({ length: 100 }, (_none, index) => count.open(`2001:db8:1:${index.toString(16)}::1`));
    const [open, refused] = [ofSite.filter((each) => typeof each === 'function'), ofSite.slice(20)];
    assert.equal(open.length, 20);
    assert.deepEqual([...new Set(refused)], ['address-connection']);
    assert.equal(typeof count.open('2001:db8:2::1'), 'function', 'another site');
    assert.equal(typeof count.open('192.0.2.1'), 'function', 'another address');
    open[0]?.();
    assert.equal(typeof count.open('2001:db8:1:ffff::1'), 'function', 'one that has ended is free');
    assert.equal(count.open('2001:db8:1:ffff::1'), 'address-connection');
  });

  it('counts IPv4 by address alone, also where a socket reports it as IPv6', () => {
    const count = createConnectionCount(limits, false);
    for (let host = 0; host < 20; host += 1)
      for (let times = 0; times < 5; times += 1)
        assert.equal(typeof count.open(`${times % 2 === 0 ? '' : '::ffff:'}192.0.2.${host}`), 'function');
    assert.equal(count.open('198.51.100.1'), 'connection', 'everybody together');
  });

  it('counts proxies that are trusted only among all', () => {
    const count = createConnectionCount(limits, ['2001:db8::/32']);
    for (let times = 0; times < 100; times += 1) assert.equal(typeof count.open('2001:db8:1::1'), 'function');
    assert.equal(count.open('2001:db8:1::1'), 'connection');
  });

  it('has room made for a newcomer with far fewer, while few more than the limit are there for it', () => {
    let made = 0;
    let isRoom = true;
    const count = createConnectionCount({ maxConnections: 12, maxAddressConnections: 8 }, ['10.0.0.0/8']);
    const open = (address: string) =>
      count.open(address, () => {
        made += 1;
        return isRoom;
      });
    const crowd = Array.from({ length: 8 }, () => open('2001:db8:1::1'));
    for (let times = 0; times < 4; times += 1) open('192.0.2.1');
    assert.equal(open('192.0.2.1'), 'connection', 'four of twelve are not far fewer than eight');
    assert.equal(open('2001:db8:1:1::1'), 'connection', 'nor has another network of the same site any');
    assert.equal(made, 0);
    isRoom = false;
    assert.equal(open('192.0.2.2'), 'connection', 'no room can be made');
    isRoom = true;
    assert.equal(typeof open('192.0.2.2'), 'function');
    assert.equal(open('192.0.2.3'), 'connection', 'one more than twelve is waited for');
    const [first] = crowd;
    if (typeof first === 'function') first();
    assert.equal(typeof open('10.0.0.1'), 'function', 'a proxy');
    assert.equal(made, 3);
  });
});

describe('connections that nothing happens on', () => {
  /** One more from an address of this machine; null where it is closed at once. */
  const connectFrom = async (t: TestContext, port: number, localAddress: string): Promise<Socket | null> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    t.after(() => socket.destroy());
    socket.write(head('GET /healthz'));
    const answered = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
    return answered === null ? null : socket;
  };

  it('of the address with most are closed for others, the oldest first; those with one are not', async (t) => {
    const done = Promise.withResolvers<void>();
    const limits = { ...defaultLimits, connections: { maxConnections: 6, maxAddressConnections: 6 } };
    const slow = route('/slow', async () => {
      await done.promise;
      return json('[]');
    });
    const { port } = await served(t, [slow], { limits });
    const crowd: Socket[] = [];
    for (let times = 0; times < 6; times += 1) {
      const socket = await connectFrom(t, port, '127.0.0.2');
      assert.ok(socket !== null);
      crowd.push(socket);
    }
    const [busy, partly, ...idle] = crowd;
    assert.ok(busy !== undefined && partly !== undefined);
    busy.write(head('GET /v1/slow'));
    // The head of a request that has not arrived yet is none: it may never do so.
    partly.write('GET /healthz HTTP/1.1\r\n');
    await pause(50);
    assert.equal(await connectFrom(t, port, '127.0.0.2'), null);
    for (const newcomer of ['127.0.0.3', '127.0.0.4', '127.0.0.5'])
      assert.ok((await connectFrom(t, port, newcomer)) !== null, newcomer);
    await turns(10);
    assert.deepEqual(
      [partly, ...idle].map(({ destroyed }) => destroyed),
      [true, true, true, false, false],
    );
    assert.equal(await connectFrom(t, port, '127.0.0.6'), null, 'three are few');
    done.resolve();
    const [answer] = await once(busy, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200/);
  });

  it('are closed only of who has far more than the newcomer, though these are all busy', async (t) => {
    const done = Promise.withResolvers<void>();
    t.after(() => done.resolve());
    const limits = { ...defaultLimits, connections: { maxConnections: 13, maxAddressConnections: 13 } };
    const slow = route('/slow', async () => {
      await done.promise;
      return json('[]');
    });
    const { port } = await served(t, [slow], { limits });
    const connected = async (count: number, address: string): Promise<readonly Socket[]> => {
      const sockets: Socket[] = [];
      for (let times = 0; times < count; times += 1)
        sockets.push((await connectFrom(t, port, address)) ?? assert.fail(`${address} is refused`));
      return sockets;
    };
    for (const busy of await connected(8, '127.0.0.2')) busy.write(head('GET /v1/slow'));
    const idle = await connected(5, '127.0.0.3');
    await pause(50);
    assert.ok((await connectFrom(t, port, '127.0.0.4')) !== null, 'five are far more than none');
    assert.equal(await connectFrom(t, port, '127.0.0.4'), null, 'four are not far more than one');
    await turns(10);
    assert.deepEqual(
      idle.map(({ destroyed }) => destroyed),
      [true, false, false, false, false],
    );
  });

  it('because their answers are not read give way where none is idle', async (t) => {
    const limits = { ...defaultLimits, connections: { maxConnections: 4, maxAddressConnections: 4 } };
    // More than the system takes for a client that reads nothing.
    const long = route('/long', async () => json(Buffer.alloc(14_000_000, ' ')));
    const { port } = await served(t, [long], { limits });
    const crowd: Socket[] = [];
    for (let times = 0; times < 4; times += 1) {
      const socket = await connectFrom(t, port, '127.0.0.2');
      assert.ok(socket !== null);
      crowd.push(socket.pause());
      socket.write(head('GET /v1/long'));
    }
    await pause(200);
    const newcomer = await connectFrom(t, port, '127.0.0.3');
    assert.ok(newcomer !== null);
    // However long the machine takes: what the system still holds of the answer arrives before the end does.
    const [first = newcomer] = crowd;
    const ended = once(first, 'close', { signal: AbortSignal.timeout(60_000) });
    for (const socket of crowd) socket.resume();
    await ended;
    await pause(500);
    assert.deepEqual(
      crowd.map((socket) => socket.destroyed),
      [true, false, false, false],
    );
  });
});
