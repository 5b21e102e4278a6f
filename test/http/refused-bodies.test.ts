// Request bodies that are refused: before they are read, and because of what happens while they are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Call } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import type { problems } from '../../src/model/problem.ts';
import { asJson, frame, post, rule, served, taking, whole } from './body-route.ts';
import { chunk, head, open } from './connection.ts';
import { assertProblem, json, route, sample, token } from './sample-server.ts';

describe('a body that is refused before it is read', () => {
  it('is refused for one thing at a time: token, right to write, rate, Accept, type, coding, length', async (t) => {
    const readOnly: ServerOptions['authenticate'] = () => ({
      kind: 'client',
      clientId: 'c',
      subject: 's',
      activityCodes: ['ABC'],
      readOnly: true,
    });
    const wrong = { accept: 'image/png', 'content-type': 'text/csv', 'content-encoding': 'br' };
    const rates = { read: 0, write: 1, label: 0, platform: 0 };
    const refusal = async (headers: Record<string, string>, change: Partial<ServerOptions> = {}, after = 0) => {
      const { server } = sample(t, change, [taking()]);
      const ask = async () =>
        await server.inject({
          method: 'POST',
          url: '/v1/bodies',
          headers: { ...wrong, ...headers },
          payload: 'x'.repeat(2000),
        });
      for (let n = 0; n < after; n++) await ask();
      return (await ask()).body;
    };
    assertProblem(await refusal({}), 'missing-token');
    assertProblem(await refusal(token, { authenticate: readOnly }), 'read-only-client');
    assertProblem(await refusal(token, { rates }, 1), 'quota-exceeded');
    assertProblem(await refusal(token), 'not-acceptable');
    assertProblem(await refusal({ ...token, accept: '*/*' }), 'unsupported-media-type');
    assertProblem(
      await refusal({ ...token, accept: '*/*', 'content-type': 'application/json' }),
      'unsupported-media-type',
    );
    assertProblem(
      await refusal({ ...token, accept: '*/*', 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      'payload-too-large',
    );
  });

  it('asks for a token even where Content-Type is malformed', async (t) => {
    const { server } = sample(t, {}, [taking()]);
    assertProblem(
      (await server.inject({ method: 'POST', url: '/v1/bodies', headers: { 'content-type': 'json' }, payload: '{}' }))
        .body,
      'missing-token',
    );
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
    [
      'a coding that nobody undoes',
      { 'content-type': 'application/json', 'content-encoding': 'br' },
      { 'accept-encoding': 'gzip, zstd' },
    ],
    [
      'two codings',
      { 'content-type': 'application/json', 'content-encoding': 'gzip, zstd' },
      { 'accept-encoding': 'gzip, zstd' },
    ],
  ] as const) {
    it(`${name}: 415`, async (t) => {
      const { server } = sample(t, {}, [taking()]);
      const answer = await server.inject({
        method: 'POST',
        url: '/v1/bodies',
        headers: { ...token, ...headers },
        payload: '[]',
      });
      assert.equal(answer.statusCode, 415);
      assertProblem(answer.body, 'unsupported-media-type');
      for (const [header, value] of Object.entries(answered)) assert.equal(answer.headers[header], value);
    });
  }

  it('names identity where no coding is undone', async (t) => {
    const { server } = sample(t, {}, [taking({ body: { ...rule, encodings: [] } })]);
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/bodies',
      headers: { ...token, ...asJson, 'content-encoding': 'gzip' },
      payload: gzipSync('[]'),
    });
    assert.equal(answer.headers['accept-encoding'], 'identity');
  });

  it('leaves the connection usable where it is short', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Content-Length': 500 }, ' '.repeat(300), null));
    const refusal = await client.answer();
    assert.equal(refusal?.status, 401);
    assert.notEqual(refusal?.headers.connection, 'close');
    await client.send(' '.repeat(200));
    await client.send(post({ ...asJson, 'Content-Length': 2 }, '[]'));
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
      const own = new Promise<{ readonly bytesRead: number }>((resolve) => {
        server.server.once('connection', resolve);
      });
      const client = await open(t, port);
      await client.send(head(line, headers, status === 401 ? null : 'Bearer shop'));
      const piece = 'Transfer-Encoding' in headers ? chunk(' '.repeat(65_536)) : Buffer.alloc(65_536, ' ');
      let gone = false;
      client.closed.then(() => {
        gone = true;
      });
      const sending = (async () => {
        for (let sent = 0; sent < 400 && !gone; sent++) await Promise.race([client.send(piece), client.closed]);
      })();
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
  const broken: readonly [
    name: string,
    headers: Readonly<Record<string, string>>,
    payload: Buffer,
    slug: keyof typeof problems,
  ][] = [
    ['gzip that is none', { 'Content-Encoding': 'gzip' }, Buffer.from('[]'), 'invalid-request'],
    ['gzip that was cut', { 'Content-Encoding': 'gzip' }, gzipSync('[1,2,3]').subarray(0, -3), 'invalid-request'],
    [
      'gzip with a wrong checksum',
      { 'Content-Encoding': 'gzip' },
      Buffer.concat([gzipSync('[1,2,3]').subarray(0, -8), Buffer.alloc(8, 1)]),
      'invalid-request',
    ],
    [
      'gzip with zeros behind it',
      { 'Content-Encoding': 'gzip' },
      Buffer.concat([gzipSync('[]'), Buffer.alloc(20), gzipSync(',1]')]),
      'invalid-request',
    ],
    [
      'gzip with something behind it',
      { 'Content-Encoding': 'gzip' },
      Buffer.concat([gzipSync('[]'), Buffer.from('<script>')]),
      'invalid-request',
    ],
    ['gzip that inflates to more than allowed', { 'Content-Encoding': 'gzip' }, big, 'payload-too-large'],
    ['zstd that is none', { 'Content-Encoding': 'zstd' }, Buffer.from('[]'), 'invalid-request'],
    [
      'zstd that was cut',
      { 'Content-Encoding': 'zstd' },
      zstdCompressSync('[1,2,3]').subarray(0, -3),
      'invalid-request',
    ],
    [
      'zstd in two frames, of which one could be lost',
      { 'Content-Encoding': 'zstd' },
      Buffer.concat([zstdCompressSync('[1'), zstdCompressSync(',2]')]),
      'invalid-request',
    ],
    [
      'zstd with something behind it',
      { 'Content-Encoding': 'zstd' },
      Buffer.concat([zstdCompressSync('[]'), Buffer.from('<script>')]),
      'invalid-request',
    ],
    [
      'zstd that inflates to more than allowed',
      { 'Content-Encoding': 'zstd' },
      zstdCompressSync(Buffer.alloc(100_000)),
      'payload-too-large',
    ],
    ['zstd that wants a window of 128 MiB', { 'Content-Encoding': 'zstd' }, frame(27, '[]'), 'invalid-request'],
  ];
  for (const [name, headers, payload, slug] of broken) {
    it(`${name}: ${slug}`, async (t) => {
      const { port } = await served(t);
      const client = await open(t, port);
      await client.send(
        Buffer.concat([Buffer.from(post({ ...asJson, ...headers, 'Content-Length': payload.length })), payload]),
      );
      assertProblem((await client.answer())?.body ?? '', slug);
    });
  }

  it('a bomb is refused while it is still arriving', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    await client.send(post({ ...asJson, 'Content-Encoding': 'gzip', 'Transfer-Encoding': 'chunked' }));
    await client.send(chunk(bomb.subarray(0, 900)));
    assertProblem((await client.answer())?.body ?? '', 'payload-too-large');
  });

  for (const [name, bytes] of [
    ['a length that is not kept', post({ ...asJson, 'Content-Length': 100 }, '[1')],
    ['chunks without an end', post({ ...asJson, 'Transfer-Encoding': 'chunked' }, '2\r\n[1\r\n')],
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
    await client.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }, '2\r\n[1\r\nzz\r\n'));
    assert.match(String(assertProblem((await client.answer())?.body ?? '', 'invalid-request').detail), /chunks/);
    await client.closed;
  });

  it('chunks that are none without a token: 401', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }, 'zz\r\n', null));
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
          await new Promise((done) => {
            setTimeout(done, 50);
          });
        }
        return whole(call).catch((error: unknown) => {
          outcome.resolve(error);
          throw error;
        });
      };
      const { log, port } = await served(t, [taking({}, handle)]);
      const client = await open(t, port);
      await client.send(post({ ...asJson, 'Content-Length': 100 }, '[1'));
      await reached.promise;
      client.socket.destroy();
      assert.equal(Object(await outcome.promise).slug, 'invalid-request');
      while (log().length === 0)
        await new Promise((done) => {
          setTimeout(done, 5);
        });
      // 400 where the handler notices before the connection does.
      assert.ok([400, 499].includes(Number(log()[0]?.status)));
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    });
  }

  it('does not take the process with it where nobody listens to its stream', async (t) => {
    const { port } = await served(t, [
      taking({}, async (call) => {
        const stream = call.bodyStream();
        stream.resume();
        await new Promise((done) => {
          stream.once('close', done);
        });
        return json('[]');
      }),
    ]);
    const client = await open(t, port);
    client.socket.end(post({ ...asJson, 'Content-Length': 100 }, '[1'));
    assert.equal((await client.answer())?.status, 200);
  });

  it('asked for twice, or where the route takes none, is a bug', async (t) => {
    const { server } = sample(t, {}, [
      taking({}, async (call) => {
        await call.body();
        return whole(call);
      }),
      route('/none', whole),
    ]);
    assertProblem(
      (await server.inject({ method: 'POST', url: '/v1/bodies', headers: { ...token, ...asJson }, payload: '[]' }))
        .body,
      'internal-error',
    );
    assertProblem((await server.inject({ url: '/v1/none', headers: token })).body, 'internal-error');
  });
});
