// What happens on the socket itself: malformed HTTP, limits, timeouts, and the graceful stop.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { problems } from '../../src/model/problem.ts';
import { defaultLimits } from '../../src/http/server.ts';
import { rule } from './body-route.ts';
import { open } from './connection.ts';
import { assertProblem, json, listen, raw, route, sample, token } from './sample-server.ts';

const end = 'Host: x\r\nConnection: close\r\n\r\n';

describe('malformed and oversized requests', () => {
  for (const [name, bytes, slug] of [
    ['a space in the URL', `GET /v1/query?filter=a == 1 HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['no HTTP at all', 'hello\r\n\r\n', 'invalid-request'],
    ['an unknown method', `FETCH / HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 'invalid-request'],
    ['a header without a colon', `GET / HTTP/1.1\r\nNonsense\r\n${end}`, 'invalid-request'],
    ['two lengths', `POST /v1/orders HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${end}`, 'invalid-request'],
    [
      'a length and chunks',
      `POST /v1/orders HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n${end}0\r\n\r\n`,
      'invalid-request',
    ],
    ['a URL of 9 kB', `GET /${'a'.repeat(9000)} HTTP/1.1\r\n${end}`, 'uri-too-long'],
    ['a URL of 90 kB', `GET /${'a'.repeat(90_000)} HTTP/1.1\r\n${end}`, 'uri-too-long'],
    ['headers of 90 kB', `GET / HTTP/1.1\r\nX-Long: ${'a'.repeat(90_000)}\r\n${end}`, 'headers-too-large'],
    ['many headers', `GET / HTTP/1.1\r\n${'X-Many: 0123456789\r\n'.repeat(2000)}${end}`, 'headers-too-large'],
    ['a broken percent sign in the path', `GET /v1/%zz HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['a fragment', `GET /v1/query?a=%31#b HTTP/1.1\r\nAuthorization: Bearer shop\r\n${end}`, 'invalid-request'],
    ['a fragment behind the path', `GET /metrics#x HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['two hosts', `GET /healthz HTTP/1.1\r\nHost: y\r\n${end}`, 'invalid-request'],
    ['the same host twice', `GET /healthz HTTP/1.1\r\nhost: x\r\n${end}`, 'invalid-request'],
    ['two hosts in HTTP/1.0', `GET /healthz HTTP/1.0\r\nHost: y\r\n${end}`, 'invalid-request'],
    ['a host that is none', 'GET /healthz HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n', 'invalid-request'],
    ['a backslash', `GET /v1\\metrics HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['a way back', `GET /v1/../metrics HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['a way back as a value', `GET /v1/articles/%2E./movements HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['a way that leads nowhere', `GET /./metrics HTTP/1.1\r\n${end}`, 'invalid-request'],
    ['a path without a slash', `GET articles HTTP/1.1\r\n${end}`, 'invalid-request'],
  ] satisfies [string, string, keyof typeof problems][]) {
    it(`${name}: ${slug}`, async (t) => {
      const { server, log } = sample(t);
      const answer = await raw(await listen(server), bytes);
      const problem = assertProblem(answer.body, slug);
      assert.equal(answer.status, problem.status);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
      assert.equal(answer.headers.connection, 'close');
      assert.ok(answer.headers['x-request-id']);
      assert.equal(log().filter(({ msg }) => msg === 'request').length, 1);
    });
  }

  it('tells a client that takes it for a proxy', async (t) => {
    const { server, log } = sample(t);
    const answer = await raw(
      await listen(server),
      'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n',
    );
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
    assert.match(String(assertProblem(answer.body, 'method-not-allowed').detail), /no proxy/);
    assert.equal(log().filter(({ msg, method }) => msg === 'request' && method === 'CONNECT').length, 1);
  });

  for (const method of ['FETCH', 'get', 'GETS'])
    it(`names the method ${method} as what is wrong`, async (t) => {
      const answer = await raw(await listen(sample(t).server), `${method} /v1/query HTTP/1.1\r\n${end}`);
      assert.match(String(assertProblem(answer.body, 'invalid-request').detail), /does not begin with a method/);
    });

  for (const [path, instance] of [
    ['/v1/%ZZ', '/v1/%25ZZ'],
    ['/v1/50%', '/v1/50%25'],
    ['/v1/a|b"<>^`{}[]', '/v1/a%7Cb%22%3C%3E%5E%60%7B%7D%5B%5D'],
    ["/v1/%c3%A9-._~!$&'()*+,;=:@", "/v1/%c3%A9-._~!$&'()*+,;=:@"],
    ['//other.example/v1', '/.//other.example/v1'],
  ] as const) {
    it(`names ${path} as a URI reference`, async (t) => {
      const { server } = sample(t);
      const { body } = await raw(await listen(server), `GET ${path} HTTP/1.1\r\n${end}`);
      assert.equal(JSON.parse(body).instance, instance);
    });
  }

  for (const coding of ['gzip', 'identity', 'chunked;q=1', 'chunked, gzip']) {
    it(`a body in the coding ${coding}, whose end nobody knows: 400`, async (t) => {
      const { server } = sample(t);
      const answer = await raw(
        await listen(server),
        `POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      );
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.connection, 'close');
      assertProblem(answer.body, 'invalid-request');
    });
  }

  for (const [line, status] of [
    ['QUERY /v1/orders', 405],
    ['QUERY /v1/nothing', 404],
    ['POST /healthz', 405],
    ['POST /v1/nothing', 404],
  ] as const) {
    it(`${line} is ${status}, whether it has a Content-Type or not`, async (t) => {
      const port = await listen(sample(t).server);
      for (const type of ['', 'Content-Type: \r\n', 'Content-Type: text/plain\r\n'])
        assert.equal((await raw(port, `${line} HTTP/1.1\r\n${type}${end}`)).status, status);
    });
  }

  it('a request that does not arrive whole in time: 408', async (t) => {
    const { server } = sample(t, { limits: { ...defaultLimits, requestTimeoutMs: 200 } });
    const answer = await raw(await listen(server), 'GET /v1/articles HTTP/1.1\r\nHost: x\r\n');
    assert.equal(answer.status, 408);
    assertProblem(answer.body, 'request-timeout');
  });

  it('does not repeat a path whose reference is longer than an instance may be', async (t) => {
    const { server } = sample(t);
    const { body } = await raw(await listen(server), `GET /v1/${'|'.repeat(700)} HTTP/1.1\r\n${end}`);
    assert.equal(assertProblem(body, 'not-found').instance, null);
  });

  it('does not repeat a path of 9 kB in its answer', async (t) => {
    const { server } = sample(t);
    const answer = await raw(await listen(server), `GET /${'a'.repeat(9000)} HTTP/1.1\r\n${end}`);
    assert.equal(assertProblem(answer.body, 'uri-too-long').instance, null);
  });

  it('goes on serving other connections', async (t) => {
    const { server } = sample(t);
    const port = await listen(server);
    await raw(port, 'hello\r\n\r\n');
    assert.equal((await raw(port, `GET /healthz HTTP/1.1\r\n${end}`)).status, 200);
  });

  it('does not write a refusal into an answer that has begun', async (t) => {
    const { server } = sample(t, {}, [
      route(
        '/slow',
        async () => {
          await new Promise((done) => setTimeout(done, 100));
          return json('[]');
        },
        { access: 'public' },
      ),
    ]);
    const answer = await raw(await listen(server), `GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n`);
    assert.ok(!answer.body.includes('problems/'));
  });

  it('refuses no CONNECT in place of the answer to an earlier request', async (t) => {
    const slow = route(
      '/slow',
      async () => {
        await new Promise((done) => setTimeout(done, 50));
        return json('[1]');
      },
      { access: 'public' },
    );
    const port = await listen(sample(t, {}, [slow]).server);
    const connection = await open(t, port);
    await connection.send('GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal(await connection.answer(), null);
    await connection.closed;
  });

  it('answers each request that came before nonsense, then ends the connection', async (t) => {
    const slow = (path: string, text: string) =>
      route(
        path,
        async () => {
          await new Promise((done) => setTimeout(done, 50));
          return json(text);
        },
        { access: 'public' },
      );
    const { server } = sample(t, {}, [slow('/first', '[1]'), slow('/second', '[2]')]);
    const connection = await open(t, await listen(server));
    for (const line of ['GET /v1/first HTTP/1.1\r\nHost: x', 'GET /v1/second HTTP/1.1\r\nHost: x', 'nonsense'])
      await connection.send(`${line}\r\n\r\n`);
    assert.equal((await connection.answer())?.body, '[1]');
    assert.equal((await connection.answer())?.body, '[2]');
    await connection.closed;
  });

  it('tells what became of a request whose Content-Length is too short', async (t) => {
    const slow = route(
      '/write',
      async (call) => {
        const text = (await call.body()).toString();
        await new Promise((done) => setTimeout(done, 50));
        return json(text);
      },
      { access: 'public', method: 'POST', body: rule },
    );
    const { server } = sample(t, {}, [slow]);
    const connection = await open(t, await listen(server));
    await connection.send(
      'POST /v1/write HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]\u0000 more',
    );
    await connection.send('and more');
    assert.equal((await connection.answer())?.body, '[]');
    await connection.closed;
  });
});

describe('unusual but valid requests', () => {
  for (const [name, bytes, status] of [
    [
      'a target in absolute form',
      `GET http://other.example/v1/caller?x=1 HTTP/1.1\r\nAuthorization: Bearer shop\r\n${end}`,
      200,
    ],
    ['an expectation that nobody knows', `GET /healthz HTTP/1.1\r\nExpect: miracles\r\n${end}`, 200],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${end}`, 204],
    [
      'an upgrade that is not offered',
      `GET /healthz HTTP/1.1\r\nUpgrade: h2c\r\nHost: x\r\nConnection: close, Upgrade\r\n\r\n`,
      200,
    ],
    ['a body on GET', `GET /healthz HTTP/1.1\r\nContent-Length: 2\r\n${end}{}`, 200],
    ['HTTP/1.0 without Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['a method of WebDAV', `PROPFIND /v1/articles HTTP/1.1\r\n${end}`, 405],
  ] as const) {
    it(`${name}: ${status}`, async (t) => {
      const { server } = sample(t);
      assert.equal((await raw(await listen(server), bytes)).status, status);
    });
  }

  it('never uses the Host header', async (t) => {
    const { server } = sample(t);
    const answer = await raw(
      await listen(server),
      `GET /v1/nope HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(!JSON.stringify(answer).includes('evil'));
  });
});

describe('the graceful stop', () => {
  /** A server with one route that ends when it is told to. */
  async function slow(t: Parameters<typeof sample>[0], stopTimeoutMs: number) {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const handle = async () => {
      entered.resolve();
      await gate.promise;
      return json('["done"]');
    };
    const { server } = sample(t, { limits: { ...defaultLimits, stopTimeoutMs } }, [route('/slow', handle)]);
    return { server, port: await listen(server), gate, entered };
  }

  it('lets a running request end, refuses new connections, and closes what is idle', async (t) => {
    const { server, port, gate, entered } = await slow(t, 5000);
    const agent = new Agent({ keepAlive: true });
    const idle = connect(port, '127.0.0.1');
    const idleClosed = new Promise((done) => {
      idle.on('close', done);
    });
    await new Promise<void>((done) => {
      idle.once('data', () => done());
      idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    const running = new Promise<{ body: string; connection: unknown }>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/v1/slow', headers: token, agent }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ body, connection: response.headers.connection }));
      }).on('error', reject);
    });
    await entered.promise;
    const closed = server.close();
    await idleClosed;
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    gate.resolve();
    assert.deepEqual(await running, { body: '["done"]', connection: 'close' });
    await closed;
    agent.destroy();
  });

  it('answers 503 to a request that had only half arrived', async (t) => {
    const { server, port } = await slow(t, 5000);
    const socket = connect(port, '127.0.0.1');
    const text = new Promise<string>((resolve) => {
      let all = '';
      socket.on('data', (chunk) => {
        all += chunk;
      });
      socket.on('close', () => resolve(all));
    });
    const taken = new Promise((done) => {
      server.server.once('connection', (own) => {
        own.once('data', done);
      });
    });
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    await taken;
    const closed = server.close();
    await new Promise((done) => {
      setTimeout(done, 50);
    });
    socket.write('\r\n');
    const [head = '', body = ''] = (await text).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 503/);
    assert.match(head, /^retry-after: 5$/im);
    assert.match(head, /^connection: close$/im);
    assertProblem(body, 'unavailable');
    await closed;
  });

  it('cuts off what has not ended when the time is up', async (t) => {
    const { server, port, entered } = await slow(t, 100);
    const running = fetch(`http://127.0.0.1:${port}/v1/slow`, { headers: token });
    await entered.promise;
    await Promise.all([assert.rejects(running), server.close()]);
  });

  it('does not wait for connections that a plugin leaves open', { timeout: 20_000 }, async (t) => {
    const { server } = sample(t, { limits: { ...defaultLimits, stopTimeoutMs: 60_000 } });
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    server.get('/plugin', async (_request, reply) => {
      reply.hijack();
      entered.resolve();
      await gate.promise;
      reply.raw.end('own');
    });
    const port = await listen(server);
    const running = fetch(`http://127.0.0.1:${port}/plugin`);
    await entered.promise;
    const closed = server.close();
    gate.resolve();
    assert.equal(await (await running).text(), 'own');
    await closed;
  });

  it('ends at once when nothing runs', async (t) => {
    const { server, port } = await slow(t, 60_000);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    await server.close();
  });
});
