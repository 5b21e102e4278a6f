// Other spellings of a path, connections beyond the limits, and requests that do not wait for answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { maxPipelined, pipelineLimit } from '../../src/http/connections.ts';
import { defaultLimits } from '../../src/http/server.ts';
import { served } from './body-route.ts';
import { turns } from '../contract/until.ts';
import { head, open } from './connection.ts';
import { json, listen, raw, route, sample, token } from './sample-server.ts';

describe('another spelling of a path', () => {
  for (const path of [
    '/%6detrics',
    '/metric%73',
    '/%6D%65trics?x=1',
    '//metrics',
    '/metrics/',
    '/metrics;x=1',
    '/METRICS',
    '/v1%2Forders',
    '/v1/%6frders',
    '/v1/articles/A1/%6dovements',
    '/%76%31/articles/A1/movements',
    'http://other.example/%6detrics',
  ]) {
    it(`${path}: 404`, async (t) => {
      const { server } = sample(t);
      const answer = await raw(
        await listen(server),
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer.status, 404);
    });
  }

  it('is no matter for the values in it', async (t) => {
    const { server } = sample(t);
    for (const [written, value] of [
      ['A%7E1', 'A~1'],
      ['%41', 'A'],
      ['a%2Fb', 'a/b'],
      ['a%5Cb', 'a\\b'],
      ['a..b', 'a..b'],
      ['...', '...'],
      ['a;b', 'a;b'],
      ['%23', '#'],
    ]) {
      const answer = await server.inject({ url: `/v1/articles/${written}/movements`, headers: token });
      assert.deepEqual(answer.json(), { articleReference: value });
    }
  });
});

describe('connections', () => {
  it('beyond the limit of an address or the process are closed at once; there is room when others end', async (t) => {
    for (const [connections, reason] of [
      [{ maxConnections: 0, maxAddressConnections: 3 }, 'address-connection'],
      [{ maxConnections: 3, maxAddressConnections: 0 }, 'connection'],
    ] as const) {
      const { port } = await served(t, [], { limits: { ...defaultLimits, connections } });
      const clients = await Promise.all([1, 2, 3].map(() => open(t, port)));
      for (const client of clients) {
        await client.send(head('GET /healthz'));
        assert.equal((await client.answer())?.status, 200);
      }
      await (await open(t, port)).closed;
      await clients[0]?.send(head('GET /metrics', { 'Accept-Encoding': 'identity' }));
      assert.match((await clients[0]?.answer())?.body ?? '', new RegExp(`http_shed_total\\{reason="${reason}"\\} 1`));
      clients[1]?.socket.destroy();
      // Until the server has heard of it.
      await turns(10);
      const again = await open(t, port);
      await again.send(head('GET /healthz'));
      assert.equal((await again.answer())?.status, 200);
    }
  });

  it('of a proxy that is trusted have no limit of their own', async (t) => {
    for (const trustProxy of [['127.0.0.1'], ['127.0.0.0/8'], ['loopback']]) {
      const { port } = await served(t, [], {
        trustProxy,
        limits: { ...defaultLimits, connections: { maxConnections: 0, maxAddressConnections: 1 } },
      });
      for (const client of await Promise.all([1, 2, 3].map(() => open(t, port)))) {
        await client.send(head('GET /healthz'));
        assert.equal((await client.answer())?.status, 200);
      }
    }
  });

  it('carry so many requests at a time without waiting for answers; then they end', async (t) => {
    let calls = 0;
    const { port } = await served(t, [
      route('/slow', async () => {
        calls += 1;
        await pause(50);
        return json('[]');
      }),
    ]);
    const client = await open(t, port);
    await client.send(head('GET /v1/slow').repeat(200));
    const statuses: number[] = [];
    for (let answer = await client.answer(); answer !== null; answer = await client.answer())
      statuses.push(answer.status);
    assert.deepEqual(
      statuses,
      Array.from({ length: maxPipelined + 1 }, () => 200),
    );
    assert.equal(calls, maxPipelined + 1);
    await client.closed;
  });

  it('are not gone through to the end of what was read at once', async (t) => {
    let made = 0;
    const isBeyond = pipelineLimit(() => {});
    const server = createServer((request, response) => {
      made += 1;
      if (!isBeyond(request.socket, response)) setTimeout(() => response.end(), 50);
    }).listen(0, '127.0.0.1');
    t.after(() => server.close().closeAllConnections());
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const client = await open(t, address.port);
    // 64 kB are read at once, which is two thousand of these.
    await client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000));
    await client.closed;
    assert.ok(made <= maxPipelined + 2, `${made} requests were made`);
  });

  it('answer bad tokens with 401 alone, however many were sent without waiting', async (t) => {
    const { port } = await served(t, [route('/slow', async () => json('[]'))]);
    const client = await open(t, port);
    await client.send(head('GET /v1/slow', {}, 'Bearer bad').repeat(500));
    const statuses = new Set<number>();
    for (let answer = await client.answer(); answer !== null; answer = await client.answer())
      statuses.add(answer.status);
    assert.deepEqual([...statuses], [401]);
    await client.closed;
  });

  it('are not read any more beyond that, however much is sent', async (t) => {
    let calls = 0;
    const held = Promise.withResolvers<void>();
    t.after(() => held.resolve());
    const { port } = await served(t, [
      route('/slow', async () => {
        calls += 1;
        await held.promise;
        return json('[]');
      }),
    ]);
    const client = await open(t, port);
    const batch = head('GET /v1/slow').repeat(1000);
    for (let count = 0; count < 500; count += 1) void client.send(batch);
    // Until nothing has been read in so many turns.
    let unread = Number.POSITIVE_INFINITY;
    while (client.socket.writableLength < unread) {
      unread = client.socket.writableLength;
      await turns(50);
    }
    assert.ok(unread > 0, 'it goes on reading');
    held.resolve();
    let answers = 0;
    while ((await client.answer()) !== null) answers += 1;
    assert.ok(Math.max(calls, answers) <= maxPipelined + 1, `${calls} calls, ${answers} answers`);
    await client.closed;
  });
});
