// A server that is about to stop: it serves on, tells load balancers, and leaves no connection that a proxy would use.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { healthRoutes } from '../../src/http/health.ts';
import { createLogger } from '../../src/http/log.ts';
import { until } from '../contract/until.ts';
import { taking } from './body-route.ts';
import { head } from './connection.ts';
import { assertProblem, json, listen, route, sample, token } from './sample-server.ts';

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that can be told to drain, with a client that keeps its connections. */
async function draining(t: TestContext) {
  const draining = new AbortController();
  const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = async () => {
    entered.resolve();
    await gate.promise;
    return json('["done"]');
  };
  const logger = createLogger('silent', { write: () => undefined });
  const health = healthRoutes(async () => {}, logger, null, draining.signal);
  const { server } = sample(t, { draining: draining.signal }, [route('/slow', slow), taking(), ...health]);
  const port = await listen(server);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const ask = (path: string): Promise<Answered> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, headers: token, agent }, (answer) => {
        let body = '';
        answer.on('data', (part) => {
          body += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      }).on('error', reject);
    });
  return { server, port, ask, gate, entered, drain: () => draining.abort() };
}

describe('a server that drains', () => {
  it('is not ready, lives, and serves on, each answer ending its connection', async (t) => {
    const { ask, drain } = await draining(t);
    const before = await ask('/v1/readyz');
    assert.deepEqual([before.status, before.headers.connection], [200, 'keep-alive']);
    drain();
    const ready = await ask('/v1/readyz');
    assertProblem(ready.body, 'unavailable');
    assert.equal(ready.headers['retry-after'], '5');
    for (const [path, status] of [
      ['/v1/healthz', 200],
      ['/v1/articles', 200],
      ['/v1/nothing', 404],
      ['/v1/bug', 500],
    ] as const) {
      const answer = await ask(path);
      assert.deepEqual([answer.status, answer.headers.connection], [status, 'close'], path);
    }
  });

  it('ends the connection of an answer that was asked for before', async (t) => {
    const { ask, drain, gate, entered } = await draining(t);
    const running = ask('/v1/slow');
    await entered.promise;
    drain();
    gate.resolve();
    const { status, headers } = await running;
    assert.deepEqual([status, headers.connection], [200, 'close']);
  });

  it('answers who connected before it closed its port, though the request comes after', async (t) => {
    const { server, port, drain } = await draining(t);
    drain();
    const connection = connect(port, '127.0.0.1');
    await once(server.server, 'connection');
    const closed = server.close();
    await until(() => !server.server.listening);
    const answer = text(connection);
    connection.write('GET /v1/healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i);
    await closed;
  });

  it('reads what is on its way behind an answer, so that the connection is not reset over it', async (t) => {
    const { port, drain } = await draining(t);
    drain();
    // One that goes on sending its body though it has been answered.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    t.after(() => socket.destroy());
    const faults: unknown[] = [];
    let received = '';
    socket
      .on('error', (error) => faults.push(error))
      .on('data', (bytes) => {
        received += String(bytes);
      });
    socket.write(head('POST /v1/bodies', { 'Content-Length': 60_000 }, null));
    await until(() => received.endsWith('}'));
    assert.match(received, /^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is);
    for (let part = 0; part < 3; part += 1) {
      await new Promise((resolve) => socket.write('x'.repeat(20_000), resolve));
      await pause(50);
    }
    assert.deepEqual(faults, []);
  });

  it('that is closed at once ends them too', async (t) => {
    const { server, ask, gate, entered } = await draining(t);
    const running = ask('/v1/slow');
    await entered.promise;
    const closed = server.close();
    await until(() => !server.server.listening);
    gate.resolve();
    assert.equal((await running).headers.connection, 'close');
    await closed;
  });
});
