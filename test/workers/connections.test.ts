// Connections of a server of several workers: bounded for all of them together, and given back by a worker that ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { provenWithoutServer } from '../contract/engines.ts';
import { until } from '../contract/until.ts';
import { servingWorkers, startWorkers } from './worker-server.ts';

const timeLimit = { timeout: 900_000 };

/** Connections of one address to a server. */
interface Visitor {
  /** One more that the server has answered on; null where it closed it. */
  readonly open: () => Promise<Socket | null>;
}

/** @param address of this machine that connections come from */
function visitorFrom(t: TestContext, origin: string, address: string): Visitor {
  const port = Number(new URL(origin).port);
  return {
    open: async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address });
      t.after(() => socket.destroy());
      socket.write('GET /healthz HTTP/1.1\r\nHost: logistics.example\r\n\r\n');
      // A connection that is closed at once may be reset as well.
      socket.on('error', () => undefined);
      return new Promise((resolve) => {
        socket.once('data', () => resolve(socket));
        socket.once('close', () => resolve(null));
      });
    },
  };
}

/** Opens connections until one is closed at once. */
async function fill({ open }: Visitor): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let socket = await open(); socket !== null; socket = await open()) sockets.push(socket);
  return sockets;
}

/** How many connections were closed for a reason, as a connection of another address is told. */
async function refusedFor(origin: string, reason: string, from: string): Promise<number> {
  const [answer] = await once(get(`${origin}/metrics`, { agent: new Agent(), localAddress: from }), 'response');
  const line = new RegExp(`^http_shed_total\\{reason="${reason}"[^}]*\\} (\\d+)$`, 'm').exec(await text(answer));
  return Number(line?.[1] ?? 0);
}

describe('connections to two workers', { skip: provenWithoutServer }, () => {
  it(
    'of one address are as many as the setting says, and those of a worker that died are free',
    timeLimit,
    async (t) => {
      const server = await startWorkers(t, { MAX_ADDRESS_CONNECTIONS: '7' }, 2);
      const [visitor, other] = ['127.0.0.1', '127.0.0.2'].map((from) => visitorFrom(t, server.origin, from));
      assert.ok(visitor && other);
      const first = await fill(visitor);
      assert.equal(first.length, 7);
      assert.ok(await other.open(), 'another address is let in');
      await until(async () => (await refusedFor(server.origin, 'address-connection', '127.0.0.3')) > 0);
      first[0]?.destroy();
      await until(async () => (await visitor.open()) !== null);
      assert.equal(await visitor.open(), null);

      const { pids } = await servingWorkers(server.child, 2);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await servingWorkers(server.child, 2, pids);
      assert.equal((await fill(visitor)).length, 7);
    },
  );

  it('are as many altogether as the setting says, whichever worker they meet', timeLimit, async (t) => {
    const server = await startWorkers(t, { MAX_CONNECTIONS: '5' }, 2);
    const visitors = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((from) => visitorFrom(t, server.origin, from));
    const [first, second, third] = visitors;
    assert.ok(first && second && third);
    const open = [await first.open(), await second.open(), await third.open(), ...(await fill(first))];
    assert.equal(open.length, 5);
    assert.equal(await third.open(), null);
    open[1]?.destroy();
    await until(async () => (await third.open()) !== null);
    assert.equal(await second.open(), null);
  });

  it('of the address with most give way to one with far fewer, whichever worker has them', timeLimit, async (t) => {
    const server = await startWorkers(t, { MAX_CONNECTIONS: '40' }, 2);
    const [crowd, ...others] = [2, 3, 4, 5].map((part) => visitorFrom(t, server.origin, `127.0.0.${part}`));
    assert.ok(crowd !== undefined);
    assert.equal((await fill(crowd)).length, 40);
    for (const other of others) {
      assert.ok(await other.open());
      await fill(crowd);
    }
    await until(async () => (await refusedFor(server.origin, 'connection', '127.0.0.6')) > others.length);
  });
});
