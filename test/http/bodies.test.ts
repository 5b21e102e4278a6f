// Request bodies that reach their handler, at once, slowly, or after a word of the server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { defaultLimits } from '../../src/http/server.ts';
import { asJson, frame, post, rule, served, taking } from './body-route.ts';
import { chunk, head, open } from './connection.ts';
import { assertProblem, json, listen, sample, token } from './sample-server.ts';

describe('a body that comes slowly', () => {
  const patient = {
    limits: { ...defaultLimits, requestTimeoutMs: 250, minBodyBytesPerSecond: 1000, stopTimeoutMs: 1000 },
  };
  const drip = async (client: Awaited<ReturnType<typeof open>>, bytes: number, times: number) => {
    for (let n = 0; n < times; n++) {
      await client.send(' '.repeat(bytes));
      await new Promise((done) => {
        setTimeout(done, 40);
      });
    }
  };

  it('and stands still: 408, and the connection ends', async (t) => {
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Content-Length': 1000 }, ' '.repeat(900)));
    const answer = await client.answer();
    assertProblem(answer?.body ?? '', 'request-timeout');
    assert.equal(answer?.headers.connection, 'close');
    await client.closed;
  });

  it('and too slowly for what is bearable: 408', async (t) => {
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Content-Length': 1000 }));
    await drip(client, 1, 25);
    assertProblem((await client.answer())?.body ?? '', 'request-timeout');
  });

  it('but keeps moving is served, though it takes longer than other requests may', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let clock = 5000;
    t.mock.method(performance, 'now', () => clock);
    const { port } = await served(t, [taking()], patient);
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Content-Length': 1000 }));
    for (let piece = 0; piece < 20; piece += 1) {
      await client.send(' '.repeat(50));
      // Until it has been taken in, and longer in all than other requests may take.
      for (let turn = 0; turn < 5; turn += 1) await pause(6);
      clock += 40;
      t.mock.timers.tick(40);
    }
    assert.equal((await client.answer())?.status, 200);
  });

  it('because its handler takes it slowly is not refused', async (t) => {
    const { port } = await served(
      t,
      [
        taking({}, async (call) => {
          let length = 0;
          for await (const piece of call.bodyStream()) {
            length += piece.length;
            await new Promise((done) => {
              setTimeout(done, 300);
            });
          }
          return json(String(length));
        }),
      ],
      patient,
    );
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Content-Length': 1000 }, ' '.repeat(400)));
    await client.send(' '.repeat(600));
    assert.equal((await client.answer())?.body, '1000');
  });
});

describe('Expect: 100-continue', () => {
  const expecting = { ...asJson, 'Content-Length': 2, Expect: '100-continue' };

  it('gets the refusal, and no 100, where the body is not wanted', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(post(expecting, '', null));
    const answer = await client.answer();
    assert.equal(answer?.status, 401);
    assert.equal(answer?.headers.connection, 'close');
    assert.equal(await client.answer(), null);
  });

  it('gets no 100 from a handler that answers without reading', async (t) => {
    const { port } = await served(t, [taking({}, async () => json('[]'))]);
    const client = await open(t, port);
    await client.send(post(expecting));
    assert.equal((await client.answer())?.status, 200);
  });

  it('gets 100 when the body is going to be read, and then the answer; the connection goes on', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (let round = 0; round < 2; round++) {
      await client.send(post(expecting));
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
    [
      'compressed by gzip in two members',
      { 'content-encoding': 'gzip' },
      Buffer.concat([gzipSync('["é"'), gzipSync(',1]')]),
    ],
    ['compressed by zstd', { 'content-encoding': 'zstd' }, zstdCompressSync(text)],
    ['compressed by zstd with the widest window', { 'content-encoding': 'zstd' }, frame(23, '["é",1]')],
    ['explicitly uncompressed', { 'content-encoding': 'identity' }, text],
  ];
  for (const [name, headers, payload] of rows) {
    it(`${name} reaches the handler`, async (t) => {
      const { server } = sample(t, {}, [taking()]);
      const answer = await server.inject({
        method: 'POST',
        url: '/v1/bodies',
        headers: { ...token, 'content-type': 'application/json', ...headers },
        payload,
      });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(Buffer.from(JSON.parse(answer.body), 'latin1').toString(), text);
    });
  }

  it('as long as its route allows, to the byte', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (const headers of [{ 'Content-Length': 1000 }, { 'Transfer-Encoding': 'chunked' }]) {
      const body =
        'Content-Length' in headers
          ? ' '.repeat(1000)
          : Buffer.concat([chunk(' '.repeat(400)), chunk(' '.repeat(600)), chunk('')]).toString();
      await client.send(post({ ...asJson, ...headers }, body));
      assert.equal((await client.answer())?.body.length, 1002);
    }
  });

  it('is empty where none was sent', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    for (const headers of [
      {},
      { 'Content-Length': 0 },
      asJson,
      { ...asJson, 'Content-Encoding': 'gzip', 'Content-Length': 0 },
      { ...asJson, 'Transfer-Encoding': 'chunked' },
    ]) {
      await client.send(post(headers, 'Transfer-Encoding' in headers ? '0\r\n\r\n' : ''));
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
    const { port } = await served(t, [
      taking({}, async (call) => {
        call.bodyStream();
        return json('1');
      }),
    ]);
    const client = await open(t, port);
    for (let round = 0; round < 3; round++) {
      await client.send(post({ ...asJson, 'Content-Length': 800 }, ' '.repeat(800)));
      assert.equal((await client.answer())?.body, '1');
    }
  });

  it('of two requests at once reaches both handlers in order', async (t) => {
    const { port } = await served(t);
    const client = await open(t, port);
    await client.send(['[1]', '[2]', '[3]'].map((body) => post({ ...asJson, 'Content-Length': 3 }, body)).join(''));
    for (const expected of ['"[1]"', '"[2]"', '"[3]"']) assert.equal((await client.answer())?.body, expected);
  });

  it('of 20 MB streams through without being held', async (t) => {
    const limit = 20_000_000;
    const { port } = await served(t, [
      taking({ body: { ...rule, limit } }, async (call) => {
        let length = 0;
        for await (const piece of call.bodyStream()) length += piece.length;
        return json(JSON.stringify({ length, address: call.address }));
      }),
    ]);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/bodies`, {
      method: 'POST',
      headers: { ...token, 'content-type': 'application/json' },
      body: Buffer.alloc(limit),
    });
    assert.deepEqual(await answer.json(), { length: limit, address: '127.0.0.1' });
  });
});
