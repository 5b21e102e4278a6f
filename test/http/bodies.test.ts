// Request bodies: what is refused before they are read, what goes wrong while they are, and what reaches a handler.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { BodyRule, Call, Route } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import type { problems } from '../../src/model/problem.ts';
import { chunk, head, open } from './connection.ts';
import { assertProblem, json, listen, route, sample, token } from './sample-server.ts';

const rule: BodyRule = { types: ['application/json', 'application/*+json'], limit: 1000, encodings: ['gzip', 'zstd'], schema: {}, example: [] };
const whole = async (call: Call) => json(JSON.stringify((await call.body()).toString('latin1')));

function taking(change: Partial<Route> = {}, handle: Route['handle'] = whole): Route {
  return { ...route('/bodies', handle), method: 'POST', rate: 'write', body: rule, ...change };
}

async function served(t: TestContext, routes: readonly Route[] = [taking()], change: Partial<ServerOptions> = {}) {
  const { server, log } = sample(t, change, routes);
  return { server, log, port: await listen(server) };
}

const asJson = { 'Content-Type': 'application/json' };

describe('a body that is refused before it is read', () => {
  it('is refused for one thing at a time: token, right to write, rate, Accept, type, coding, length', async (t) => {
    const readOnly: ServerOptions['authenticate'] = () => ({ kind: 'client', clientId: 'c', subject: 's', activityCodes: ['ABC'], readOnly: true });
    const wrong = { accept: 'image/png', 'content-type': 'text/csv', 'content-encoding': 'br' };
    const rates = { read: 0, write: 1, label: 0, platform: 0, failure: 0 };
    const post = async (headers: Record<string, string>, change: Partial<ServerOptions> = {}, after = 0) => {
      const { server } = sample(t, change, [taking()]);
      const ask = async () => (await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...wrong, ...headers }, payload: 'x'.repeat(2000) }));
      for (let n = 0; n < after; n++) await ask();
      return (await ask()).body;
    };
    assertProblem(await post({}), 'missing-token');
    assertProblem(await post(token, { authenticate: readOnly }), 'read-only-client');
    assertProblem(await post(token, { rates }, 1), 'quota-exceeded');
    assertProblem(await post(token), 'not-acceptable');
    assertProblem(await post({ ...token, accept: '*/*' }), 'unsupported-media-type');
    assertProblem(await post({ ...token, accept: '*/*', 'content-type': 'application/json' }), 'unsupported-media-type');
    assertProblem(await post({ ...token, accept: '*/*', 'content-type': 'application/json', 'content-encoding': 'gzip' }), 'payload-too-large');
  });

  it('asks for a token even where Content-Type is malformed', async (t) => {
    const { server } = sample(t, {}, [taking()]);
    assertProblem((await server.inject({ method: 'POST', url: '/v1/bodies', headers: { 'content-type': 'json' }, payload: '{}' })).body, 'missing-token');
  });

  for (const [name, headers, answered] of [
    ['no type', {}, { accept: 'application/json, application/*+json' }],
    ['an empty type', { 'content-type': '' }, { accept: 'application/json, application/*+json' }],
    ['a malformed type', { 'content-type': 'json' }, { accept: 'application/json, application/*+json' }],
    ['a malformed parameter', { 'content-type': 'application/json; charset' }, {}],
    ['a charset twice', { 'content-type': 'application/json; charset=utf-8; charset=utf-16' }, {}],
    ['another type', { 'content-type': 'application/xml' }, {}],
    ['a type that only begins alike', { 'content-type': 'application/jsonl' }, {}],
    ['a suffix without a name', { 'content-type': 'application/+json' }, {}],
    ['a suffix of another type', { 'content-type': 'text/vnd.x+json' }, {}],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }, {}],
    ['a coding that nobody undoes', { 'content-type': 'application/json', 'content-encoding': 'br' }, { 'accept-encoding': 'gzip, zstd' }],
    ['two codings', { 'content-type': 'application/json', 'content-encoding': 'gzip, zstd' }, { 'accept-encoding': 'gzip, zstd' }],
  ] as const) {
    it(`${name}: 415`, async (t) => {
      const { server } = sample(t, {}, [taking()]);
      const answer = await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...token, ...headers }, payload: '[]' });
      assert.equal(answer.statusCode, 415);
      assertProblem(answer.body, 'unsupported-media-type');
      for (const [header, value] of Object.entries(answered)) assert.equal(answer.headers[header], value);
    });
  }

  it('names identity where no coding is undone', async (t) => {
    const { server } = sample(t, {}, [taking({ body: { ...rule, encodings: [] } })]);
    const answer = await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...token, ...asJson, 'content-encoding': 'gzip' }, payload: gzipSync('[]') });
    assert.equal(answer.headers['accept-encoding'], 'identity');
  });

  it('leaves the connection usable where it is short', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 500 }, null) + ' '.repeat(300));
    const refusal = await client.answer();
    assert.equal(refusal?.status, 401);
    assert.notEqual(refusal?.headers.connection, 'close');
    await client.send(' '.repeat(200) + head('POST /v1/bodies', { ...asJson, 'Content-Length': 2 }) + '[]');
    assert.equal((await client.answer())?.body, '"[]"');
  });

  for (const [name, line, headers, status] of [
    ['without a token', 'POST /v1/bodies', { ...asJson, 'Content-Length': 1e12 }, 401],
    ['of a path that is not there', 'POST /v1/nothing', { 'Content-Length': 1e12 }, 404],
    ['of a method that is not there', 'PUT /v1/bodies', { 'Content-Length': 1e12 }, 405],
    ['of a route that takes none', 'POST /v1/orders', { 'Content-Length': 1e12 }, 415],
    ['that is too long', 'POST /v1/bodies', { ...asJson, 'Content-Length': 1e12 }, 413],
    ['that is too long, which shows later', 'POST /v1/bodies', { ...asJson, 'Transfer-Encoding': 'chunked' }, 413],
    ['on GET, which is served', 'GET /v1/orders', { 'Content-Length': 1e12 }, 200],
  ] as const) {
    it(`an endless one ${name}: the answer arrives, and little more is read`, async (t) => {
      const { server, port } = await served(t);
      const own = new Promise<{ readonly bytesRead: number }>((resolve) => { server.server.once('connection', resolve); });
      const client = await open(t, port);
      await client.send(head(line, headers, status === 401 ? null : 'Bearer shop'));
      const piece = 'Transfer-Encoding' in headers ? chunk(' '.repeat(65_536)) : Buffer.alloc(65_536, ' ');
      let gone = false;
      client.closed.then(() => { gone = true; });
      const sending = (async () => { for (let sent = 0; sent < 400 && !gone; sent++) await Promise.race([client.send(piece), client.closed]); })();
      const answer = await client.answer();
      assert.equal(answer?.status, status);
      assert.equal(answer?.headers.connection, 'close');
      await client.closed;
      await sending;
      assert.ok((await own).bytesRead < 4_000_000);
    });
  }
});

describe('a body that goes wrong while it is read', () => {
  const big = gzipSync(Buffer.alloc(100_000));
  const broken: readonly [name: string, headers: Readonly<Record<string, string>>, payload: Buffer, slug: keyof typeof problems][] = [
    ['gzip that is none', { 'Content-Encoding': 'gzip' }, Buffer.from('[]'), 'invalid-request'],
    ['gzip that was cut', { 'Content-Encoding': 'gzip' }, gzipSync('[1,2,3]').subarray(0, -3), 'invalid-request'],
    ['gzip with a wrong checksum', { 'Content-Encoding': 'gzip' }, Buffer.concat([gzipSync('[1,2,3]').subarray(0, -8), Buffer.alloc(8, 1)]), 'invalid-request'],
    ['gzip with zeros behind it', { 'Content-Encoding': 'gzip' }, Buffer.concat([gzipSync('[]'), Buffer.alloc(20), gzipSync(',1]')]), 'invalid-request'],
    ['gzip with something behind it', { 'Content-Encoding': 'gzip' }, Buffer.concat([gzipSync('[]'), Buffer.from('<script>')]), 'invalid-request'],
    ['gzip that inflates to more than allowed', { 'Content-Encoding': 'gzip' }, big, 'payload-too-large'],
    ['zstd that is none', { 'Content-Encoding': 'zstd' }, Buffer.from('[]'), 'invalid-request'],
    ['zstd that was cut', { 'Content-Encoding': 'zstd' }, zstdCompressSync('[1,2,3]').subarray(0, -3), 'invalid-request'],
    ['zstd in two frames, of which one could be lost', { 'Content-Encoding': 'zstd' }, Buffer.concat([zstdCompressSync('[1'), zstdCompressSync(',2]')]), 'invalid-request'],
    ['zstd with something behind it', { 'Content-Encoding': 'zstd' }, Buffer.concat([zstdCompressSync('[]'), Buffer.from('<script>')]), 'invalid-request'],
    ['zstd that inflates to more than allowed', { 'Content-Encoding': 'zstd' }, zstdCompressSync(Buffer.alloc(100_000)), 'payload-too-large'],
    ['zstd that wants a window of 128 MiB', { 'Content-Encoding': 'zstd' }, frame(27, '[]'), 'invalid-request'],
  ];
  for (const [name, headers, payload, slug] of broken) {
    it(`${name}: ${slug}`, async (t) => {
      const { port } = await served(t);
      const client = await open(t, port);
      await client.send(Buffer.concat([Buffer.from(head('POST /v1/bodies', { ...asJson, ...headers, 'Content-Length': payload.length })), payload]));
      assertProblem((await client.answer())?.body ?? '', slug);
    });
  }

  it('a bomb is refused while it is still arriving', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' }));
    await client.send(chunk(bomb.subarray(0, 900)));
    assertProblem((await client.answer())?.body ?? '', 'payload-too-large');
  });

  for (const [name, bytes] of [
    ['a length that is not kept', head('POST /v1/bodies', { ...asJson, 'Content-Length': 100 }) + '[1'],
    ['chunks without an end', head('POST /v1/bodies', { ...asJson, 'Transfer-Encoding': 'chunked' }) + '2\r\n[1\r\n'],
  ] as const) {
    it(`${name}, and then the client sends no more: 400`, async (t) => {
      const { port } = await served(t);
      const client = await open(t, port);
      client.socket.end(bytes);
      const answer = await client.answer();
      assert.match(String(assertProblem(answer?.body ?? '', 'invalid-request').detail), /ended before/);
      assert.equal(answer?.headers.connection, 'close');
      await client.closed;
    });
  }

  it('chunks that are none: 400', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Transfer-Encoding': 'chunked' }) + '2\r\n[1\r\nzz\r\n');
    assert.match(String(assertProblem((await client.answer())?.body ?? '', 'invalid-request').detail), /chunks/);
    await client.closed;
  });

  it('chunks that are none without a token: 401', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Transfer-Encoding': 'chunked' }, null) + 'zz\r\n');
    assertProblem((await client.answer())?.body ?? '', 'missing-token');
  });

  for (const when of ['before it is asked for', 'while it is read'] as const) {
    it(`a client that goes away ${when} leaves nothing behind`, async (t) => {
      const reached = Promise.withResolvers<void>();
      const outcome = Promise.withResolvers<unknown>();
      const handle = async (call: Call) => {
        if (when === 'while it is read') setImmediate(reached.resolve);
        else {
          reached.resolve();
          await new Promise((done) => { setTimeout(done, 50); });
        }
        return whole(call).catch((error: unknown) => { outcome.resolve(error); throw error; });
      };
      const { log, port } = await served(t, [taking({}, handle)]);
      const client = await open(t, port);
      await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 100 }) + '[1');
      await reached.promise;
      client.socket.destroy();
      assert.equal(Object(await outcome.promise).slug, 'invalid-request');
      while (log().length === 0) await new Promise((done) => { setTimeout(done, 5); });
      // 400 where the handler notices before the connection does.
      assert.ok([400, 499].includes(Number(log()[0]?.status)));
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    });
  }

  it('does not take the process with it where nobody listens to its stream', async (t) => {
    const { port } = await served(t, [taking({}, async (call) => {
      const stream = call.bodyStream();
      stream.resume();
      await new Promise((done) => { stream.once('close', done); });
      return json('[]');
    })]);
    const client = await open(t, port);
    client.socket.end(head('POST /v1/bodies', { ...asJson, 'Content-Length': 100 }) + '[1');
    assert.equal((await client.answer())?.status, 200);
  });

  it('asked for twice, or where the route takes none, is a bug', async (t) => {
    const { server } = sample(t, {}, [
      taking({}, async (call) => { await call.body(); return whole(call); }),
      route('/none', whole),
    ]);
    assertProblem((await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...token, ...asJson }, payload: '[]' })).body, 'internal-error');
    assertProblem((await server.inject({ url: '/v1/none', headers: token })).body, 'internal-error');
  });
});

describe('a body that comes slowly', () => {
  const patient = { limits: { url: 8192, headers: 16384, body: 65536, requestTimeout: 250, slowestBody: 1000, stopTimeout: 1000 } };
  const drip = async (client: Awaited<ReturnType<typeof open>>, bytes: number, times: number) => {
    for (let n = 0; n < times; n++) {
      await client.send(' '.repeat(bytes));
      await new Promise((done) => { setTimeout(done, 40); });
    }
  };

  it('and stands still: 408, and the connection ends', async (t) => {
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 1000 }) + ' '.repeat(900));
    const answer = await client.answer();
    assertProblem(answer?.body ?? '', 'request-timeout');
    assert.equal(answer?.headers.connection, 'close');
    await client.closed;
  });

  it('and too slowly for what is bearable: 408', async (t) => {
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 1000 }));
    await drip(client, 1, 25);
    assertProblem((await client.answer())?.body ?? '', 'request-timeout');
  });

  it('but keeps moving is served, though it takes longer than other requests may', async (t) => {
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 1000 }));
    await drip(client, 50, 20);
    assert.equal((await client.answer())?.status, 200);
  });

  it('because its handler takes it slowly is not refused', async (t) => {
    const { port } = await served(t, [taking({}, async (call) => {
      let length = 0;
      for await (const piece of call.bodyStream()) {
        length += piece.length;
        await new Promise((done) => { setTimeout(done, 300); });
      }
      return json(String(length));
    })], patient);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 1000 }) + ' '.repeat(400));
    await client.send(' '.repeat(600));
    assert.equal((await client.answer())?.body, '1000');
  });
});

describe('Expect: 100-continue', () => {
  const expecting = { ...asJson, 'Content-Length': 2, Expect: '100-continue' };

  it('gets the refusal, and no 100, where the body is not wanted', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', expecting, null));
    const answer = await client.answer();
    assert.equal(answer?.status, 401);
    assert.equal(answer?.headers.connection, 'close');
    assert.equal(await client.answer(), null);
  });

  it('gets no 100 from a handler that answers without reading', async (t) => {
    const { port } = await served(t, [taking({}, async () => json('[]'))]);
    const client = await open(t, port);
    await client.send(head('POST /v1/bodies', expecting));
    assert.equal((await client.answer())?.status, 200);
  });

  it('gets 100 when the body is going to be read, and then the answer; the connection goes on', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (let round = 0; round < 2; round++) {
      await client.send(head('POST /v1/bodies', expecting));
      assert.equal((await client.answer())?.status, 100);
      await client.send('[]');
      const answer = await client.answer();
      assert.equal(answer?.body, '"[]"');
      assert.notEqual(answer?.headers.connection, 'close');
    }
  });

  it('gets 100 at once from what a plugin mounts', async (t) => {
    const { server } = sample(t);
    server.register(async (scope) => {
      scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
      scope.post('/plugin', async ({ body }) => String(body));
    });
    const client = await open(t, await listen(server));
    await client.send(head('POST /plugin', expecting));
    assert.equal((await client.answer())?.status, 100);
    await client.send('[]');
    assert.equal((await client.answer())?.body, '[]');
  });
});

describe('a body that arrives', () => {
  const text = '["é",1]';
  const rows: readonly [name: string, headers: Readonly<Record<string, string>>, payload: string | Buffer][] = [
    ['as it is', {}, text],
    ['with a charset', { 'content-type': 'application/json; charset="UTF-8"' }, text],
    ['with a suffix for a type', { 'content-type': 'application/vnd.shop.v2+json' }, text],
    ['in another case', { 'content-type': 'APPLICATION/JSON' }, text],
    ['compressed by gzip', { 'content-encoding': 'gzip' }, gzipSync(text)],
    ['compressed by gzip under its old name', { 'content-encoding': 'X-GZIP' }, gzipSync(text)],
    ['compressed by gzip in two members', { 'content-encoding': 'gzip' }, Buffer.concat([gzipSync('["é"'), gzipSync(',1]')])],
    ['compressed by zstd', { 'content-encoding': 'zstd' }, zstdCompressSync(text)],
    ['compressed by zstd with the widest window', { 'content-encoding': 'zstd' }, frame(23, '["é",1]')],
    ['explicitly uncompressed', { 'content-encoding': 'identity' }, text],
  ];
  for (const [name, headers, payload] of rows) {
    it(`${name} reaches the handler`, async (t) => {
      const { server } = sample(t, {}, [taking()]);
      const answer = await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...token, 'content-type': 'application/json', ...headers }, payload });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(Buffer.from(JSON.parse(answer.body), 'latin1').toString(), text);
    });
  }

  it('as long as its route allows, to the byte', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (const headers of [{ 'Content-Length': 1000 }, { 'Transfer-Encoding': 'chunked' }]) {
      const body = 'Content-Length' in headers ? ' '.repeat(1000) : Buffer.concat([chunk(' '.repeat(400)), chunk(' '.repeat(600)), chunk('')]).toString();
      await client.send(head('POST /v1/bodies', { ...asJson, ...headers }) + body);
      assert.equal((await client.answer())?.body.length, 1002);
    }
  });

  it('is empty where none was sent', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (const headers of [{}, { 'Content-Length': 0 }, asJson, { ...asJson, 'Content-Encoding': 'gzip', 'Content-Length': 0 }, { ...asJson, 'Transfer-Encoding': 'chunked' }]) {
      await client.send(head('POST /v1/bodies', headers) + ('Transfer-Encoding' in headers ? '0\r\n\r\n' : ''));
      assert.equal((await client.answer())?.body, '""');
    }
  });

  it('on GET is dropped, and the connection goes on', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (let round = 0; round < 2; round++) {
      await client.send(head('GET /v1/orders', { 'Content-Length': 60_000 }) + 'x'.repeat(60_000));
      assert.equal((await client.answer())?.body, '[]');
    }
  });

  it('may be left unread by its handler, and the connection goes on', async (t) => {
    const { port } = await served(t, [taking({}, async (call) => { call.bodyStream(); return json('1'); })]);
    const client = await open(t, port);
    for (let round = 0; round < 3; round++) {
      await client.send(head('POST /v1/bodies', { ...asJson, 'Content-Length': 800 }) + ' '.repeat(800));
      assert.equal((await client.answer())?.body, '1');
    }
  });

  it('of two requests at once reaches both handlers in order', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(['[1]', '[2]', '[3]'].map((body) => head('POST /v1/bodies', { ...asJson, 'Content-Length': 3 }) + body).join(''));
    for (const expected of ['"[1]"', '"[2]"', '"[3]"']) assert.equal((await client.answer())?.body, expected);
  });

  it('of 20 MB streams through without being held', async (t) => {
    const limit = 20_000_000;
    const { port } = await served(t, [taking({ body: { ...rule, limit } }, async (call) => {
      let length = 0;
      for await (const piece of call.bodyStream()) length += piece.length;
      return json(JSON.stringify({ length, address: call.address }));
    })]);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/bodies`, { method: 'POST', headers: { ...token, 'content-type': 'application/json' }, body: Buffer.alloc(limit) });
    assert.deepEqual(await answer.json(), { length: limit, address: '127.0.0.1' });
  });
});

/** A frame that asks for a window of so many bytes, as a power of two (RFC 8878, section 3.1.1.1.2), and holds a short text as it is. */
function frame(window: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3, (bytes.length << 3) | 1, 0, 0]), bytes]);
}
