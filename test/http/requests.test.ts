// What reaches a handler, and how its answer reaches the client.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { validate, version } from 'uuid';
import { json, listen, page, route, sample, token } from './sample-server.ts';

describe('path parameters', () => {
  for (const [sent, received] of [
    ['A1', 'A1'],
    ['A%2F1', 'A/1'],
    ['A%2f1', 'A/1'],
    ['a%252Fb', 'a%2Fb'],
    ['50%25', '50%'],
    ['%C3%A9', 'é'],
    ['a+b', 'a+b'],
    ['a%20b', 'a b'],
    ['a:b', 'a:b'],
    ['a;b', 'a;b'],
    ['%3Fq', '?q'],
    ['a%23b', 'a#b'],
    ['..%2F..', '../..'],
    ['__proto__', '__proto__'],
    ['x'.repeat(300), 'x'.repeat(300)],
  ] as const) {
    it(`${sent.slice(0, 20)} arrives as ${received.slice(0, 20)}`, async (t) => {
      const { server } = sample(t);
      const { body } = await server.inject({ url: `/v1/articles/${sent}/movements?a=b`, headers: token });
      assert.deepEqual(JSON.parse(body), { articleReference: received });
    });
  }
});

describe('query', () => {
  for (const [sent, received] of [
    ['', []],
    ['?', []],
    [
      '?a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['?a', [['a', '']]],
    ['?a=', [['a', '']]],
    ['?=1', [['', '1']]],
    ['?&&a=1&', [['a', '1']]],
    ['?a=b=c', [['a', 'b=c']]],
    ['?filter=a==1;b==2', [['filter', 'a==1;b==2']]],
    ['?a=1+2%2B3', [['a', '1 2+3']]],
    [
      '?a%5Bb%5D=1&a[b]=2',
      [
        ['a[b]', '1'],
        ['a[b]', '2'],
      ],
    ],
    ['?a=%C3%A9%F0%9F%93%A6', [['a', 'é📦']]],
    ['?a=1?b=2', [['a', '1?b=2']]],
    [
      '?__proto__=1&constructor=2',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
    ['?a=1#fragment=2', [['a', '1']]],
  ] as const) {
    it(`${sent || '(none)'} arrives decoded and in order`, async (t) => {
      const { server } = sample(t);
      const { body } = await server.inject({ url: `/v1/query${sent}`, headers: token });
      assert.deepEqual(JSON.parse(body), received);
    });
  }

  it('agrees with URLSearchParams on well-formed queries', async (t) => {
    const { server, calls } = sample(t);
    const text = 'filter=a%3D%3D1%3Bb%21%3D%22x%26y%22&sort=-a%2Cb&limit=10&a=%25&a=+&a=%E2%82%AC&q=a%20b';
    await server.inject({ url: `/v1/query?${text}`, headers: token });
    assert.deepEqual(calls[0]?.query, [...new URLSearchParams(text)]);
    assert.equal(calls[0]?.queryText, text);
    assert.equal(calls[0]?.path, '/v1/query');
  });
});

describe('a call', () => {
  it('has the caller, headers by lower-case name, and the method', async (t) => {
    const { server, calls } = sample(t);
    await server.inject({ url: '/v1/caller', headers: { ...token, 'If-None-Match': '"1"', 'X-Request-Id': 'abc' } });
    assert.equal(calls[0]?.principal.clientId, 'shop');
    assert.equal(calls[0]?.header('if-none-match'), '"1"');
    assert.equal(calls[0]?.header('if-match'), undefined);
    assert.equal(calls[0]?.requestId, 'abc');
    assert.equal(calls[0]?.method, 'GET');
  });

  it('reaches the handler of the method that was used', async (t) => {
    const { server } = sample(t);
    assert.equal((await server.inject({ url: '/v1/orders', headers: token })).body, '[]');
    assert.equal((await server.inject({ method: 'POST', url: '/v1/orders', headers: token })).body, '{}');
  });

  it('has the decoded path of a target in absolute form', async (t) => {
    const { server, calls } = sample(t);
    await server.inject({ url: '/v1/query?a=1', headers: { ...token, host: 'evil.example' } });
    assert.equal(calls[0]?.path, '/v1/query');
  });
});

describe('X-Request-Id', () => {
  for (const id of [
    'abc',
    'Root=1-67891233-abcdef012345678912345678',
    'a'.repeat(64),
    '0af7651916cd43dd8448eb211c80319c',
  ]) {
    it(`echoes ${id.slice(0, 12)} and logs it`, async (t) => {
      const { server, log } = sample(t);
      const answer = await server.inject({ url: '/v1/orders', headers: { ...token, 'x-request-id': id } });
      assert.equal(answer.headers['x-request-id'], id);
      assert.equal(log()[0]?.requestId, id);
    });
  }

  for (const id of ['', 'a'.repeat(65), 'a b', 'a"b', '<script>', 'é', 'a,b']) {
    it(`gives a new UUIDv7 for ${id.slice(0, 12) || 'an empty one'}`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject({ url: '/v1/orders', headers: { ...token, 'x-request-id': id } });
      assert.match(
        String(answer.headers['x-request-id']),
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    });
  }

  it('never gives the same id twice', async (t) => {
    const { server } = sample(t);
    const ids = new Set<unknown>();
    for (let n = 0; n < 600; n++) ids.add((await server.inject('/healthz')).headers['x-request-id']);
    assert.equal(ids.size, 600);
    for (const id of ids) assert.ok(validate(id) && version(String(id)) === 7);
  });
});

describe('media types', () => {
  for (const [accept, type] of [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/json', 'text/json'],
    ['text/*', 'text/json'],
    ['TEXT/PLAIN', 'text/plain'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['application/json;q=0.5, text/plain;q=0.9', 'text/plain'],
    ['application/json;q=0, */*', 'text/json'],
    ['application/json;charset=utf-8', 'application/json'],
    ['application/json; charset="UTF-8"; q=0.5, text/plain; q=0.1', 'application/json'],
    ['application/problem+json, application/json;q=0.1', 'application/json'],
  ] as const) {
    it(`Accept: ${accept ?? '(none)'} gives ${type}, and the same bytes`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject({
        url: '/v1/articles',
        headers: { ...token, ...(accept !== undefined && { accept }) },
      });
      assert.equal(answer.headers['content-type'], `${type}; charset=utf-8`);
      assert.deepEqual(answer.rawPayload, page);
      assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
    });
  }

  it('sends the type of an answer that has one', async (t) => {
    const { server } = sample(t);
    assert.equal((await server.inject({ url: '/v1/image', headers: token })).headers['content-type'], 'image/png');
  });
});

describe('HEAD and 304', () => {
  for (const coding of ['identity', 'gzip', 'zstd']) {
    it(`HEAD has the headers of GET, Content-Length too, with ${coding}`, async (t) => {
      const { server } = sample(t);
      const headers = { ...token, 'x-request-id': 'same', 'accept-encoding': coding };
      const get = await server.inject({ url: '/v1/articles', headers });
      const head = await server.inject({ method: 'HEAD', url: '/v1/articles', headers });
      assert.equal(head.rawPayload.length, 0);
      assert.deepEqual({ ...head.headers, date: '' }, { ...get.headers, date: '' });
      assert.equal(head.headers['content-length'], String(get.rawPayload.length));
    });
  }

  it('304 has its ETag and Vary, but no body, type or length', async (t) => {
    const { server } = sample(t);
    const answer = await server.inject({ url: '/v1/unchanged', headers: { ...token, 'accept-encoding': 'zstd' } });
    assert.equal(answer.statusCode, 304);
    assert.equal(answer.headers.etag, 'W/"7"');
    assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
    for (const absent of ['content-type', 'content-length', 'content-encoding'])
      assert.equal(answer.headers[absent], undefined);
  });

  it('leaves a connection usable after HEAD and 304', async (t) => {
    const { server } = sample(t);
    const port = await listen(server);
    for (const [path, method] of [
      ['/v1/unchanged', 'GET'],
      ['/v1/articles', 'HEAD'],
      ['/v1/orders', 'GET'],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: token });
      assert.equal(await answer.text(), path === '/v1/orders' ? '[]' : '');
    }
  });
});

describe('compression', () => {
  const plain = {
    identity: (bytes: Buffer) => bytes,
    zstd: zstdDecompressSync,
    br: brotliDecompressSync,
    gzip: gunzipSync,
  } as const;
  for (const [accepted, coding] of [
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['deflate', 'identity'],
    ['gzip;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['*;q=0', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['zstd;q=0.5, br;q=0.4, gzip;q=0.9', 'gzip'],
    ['*', 'zstd'],
    ['zstd;q=0, *', 'br'],
    ['zstd;q=0, br;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0.1, identity;q=0', 'gzip'],
  ] as const) {
    it(`Accept-Encoding: ${accepted ?? '(none)'} gives ${coding}`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject({
        url: '/v1/articles',
        headers: { ...token, ...(accepted !== undefined && { 'accept-encoding': accepted }) },
      });
      assert.equal(answer.headers['content-encoding'], coding === 'identity' ? undefined : coding);
      assert.deepEqual(plain[coding](answer.rawPayload), page);
      assert.equal(answer.headers['content-length'], String(answer.rawPayload.length));
      assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
      assert.equal(answer.headers.etag, coding === 'identity' ? '"1-2"' : 'W/"1-2"');
      if (coding !== 'identity') assert.ok(answer.rawPayload.length < page.length / 4);
    });
  }

  for (const [name, bytes, type] of [
    ['1023 bytes of JSON', 1023, null],
    ['a large image', 5000, 'image/png'],
  ] as const) {
    it(`leaves ${name} as it is`, async (t) => {
      const { server } = sample(t, {}, [
        route('/x', async () => ({ status: 200, headers: {}, body: Buffer.alloc(bytes, ' '), type })),
      ]);
      const answer = await server.inject({ url: '/v1/x', headers: { ...token, 'accept-encoding': 'gzip' } });
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(answer.rawPayload.length, bytes);
    });
  }

  it('leaves what is compressed already', async (t) => {
    const { server } = sample(t, {}, [route('/x', async () => json('z'.repeat(2000), { 'content-encoding': 'br' }))]);
    assert.equal(
      (await server.inject({ url: '/v1/x', headers: { ...token, 'accept-encoding': 'gzip' } })).body.length,
      2000,
    );
  });

  it('compresses text bodies too', async (t) => {
    const { server } = sample(t, {}, [route('/x', async () => json(JSON.stringify('é'.repeat(2000))))]);
    const answer = await server.inject({ url: '/v1/x', headers: { ...token, 'accept-encoding': 'br' } });
    assert.equal(JSON.parse(String(brotliDecompressSync(answer.rawPayload))), 'é'.repeat(2000));
  });

  it('is undone by an ordinary client', async (t) => {
    const { server } = sample(t);
    const port = await listen(server);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/articles`, {
      headers: { ...token, 'accept-encoding': 'br, gzip' },
    });
    assert.equal(answer.headers.get('content-encoding'), 'br');
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), page);
  });
});

describe('OPTIONS', () => {
  for (const [url, allow] of [
    ['/v1/articles', 'GET, HEAD, OPTIONS'],
    ['/v1/orders?x=1', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/articles/A%2F1/movements', 'GET, HEAD, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
  ]) {
    it(`${url} answers 204 with Allow, without a token`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject({ method: 'OPTIONS', url: String(url) });
      assert.equal(answer.statusCode, 204);
      assert.equal(answer.headers.allow, allow);
      assert.equal(answer.rawPayload.length, 0);
      assert.equal(answer.headers['content-length'], undefined);
    });
  }
});
