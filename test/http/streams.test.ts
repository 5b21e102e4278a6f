// Answers whose body is a stream.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Answer } from '../../src/http/route.ts';
import { head, open } from './connection.ts';
import { assertProblem, listen, route, sample, token } from './sample-server.ts';

const size = 5_000_000;

function streamed(made: Readable[], bytes: () => Iterable<Buffer> | AsyncIterable<Buffer>) {
  return route(
    '/file',
    async (): Promise<Answer> => {
      const body = Readable.from(bytes(), { objectMode: false });
      made.push(body);
      return { status: 200, headers: { 'content-length': String(size) }, body, type: 'text/plain' };
    },
    { produces: ['text/plain'] },
  );
}

function* whole(): Generator<Buffer> {
  for (let n = 0; n < 50; n++) yield Buffer.alloc(size / 50, n);
}

describe('an answer that is a stream', () => {
  it('that fails before its first byte is a failure like any other', async (t) => {
    const { server, log } = sample(t, {}, [
      streamed(
        [],
        () =>
          new Readable({
            read() {
              this.destroy(new Error('disk away'));
            },
          }),
      ),
    ]);
    const port = await listen(server);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/file`, { headers: token });
    assertProblem(await answer.text(), 'internal-error');
    assert.ok(log().some(({ msg }) => msg === 'internal error'));
  });

  it('that fails half way ends the connection, so that nobody takes it for whole', async (t) => {
    const { server, log } = sample(t, {}, [
      streamed([], async function* () {
        yield Buffer.alloc(100_000);
        throw new Error('disk away');
      }),
    ]);
    const port = await listen(server);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/file`, { headers: token });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.arrayBuffer());
    assert.ok(log().some(({ msg, route }) => msg === 'an answer broke off' && route === '/v1/file'));
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  });

  it('is closed where its headers cannot be sent', async (t) => {
    const body = Readable.from(whole(), { objectMode: false });
    const { server } = sample(t, {}, [
      route('/file', async () => ({ status: 200, headers: { 'x-bad': 'line\nbreak' }, body, type: 'text/plain' })),
    ]);
    assertProblem((await server.inject({ url: '/v1/file', headers: token })).body, 'internal-error');
    assert.ok(body.destroyed);
  });

  it('is closed where the client goes away', async (t) => {
    const made: Readable[] = [];
    const { server } = sample(t, {}, [streamed(made, whole)]);
    const client = await open(t, await listen(server));
    client.socket.once('data', () => client.socket.destroy());
    await client.send(head('GET /v1/file'));
    await client.closed;
    await new Promise<void>((resolve) => {
      if (made[0]?.closed) resolve();
      else made[0]?.once('close', () => resolve());
    });
    assert.ok(made[0]?.destroyed);
  });

  it('is closed unread, with the headers of GET, for HEAD', async (t) => {
    const made: Readable[] = [];
    const { server } = sample(t, {}, [streamed(made, whole)]);
    const answer = await server.inject({ method: 'HEAD', url: '/v1/file', headers: token });
    assert.equal(answer.headers['content-length'], String(size));
    assert.equal(answer.headers['content-type'], 'text/plain');
    assert.ok(made[0]?.destroyed && made[0].readableDidRead === false);
  });

  it('arrives as it is, uncompressed, and the connection goes on', async (t) => {
    const { server } = sample(t, {}, [streamed([], whole)]);
    const port = await listen(server);
    for (let round = 0; round < 2; round++) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/file`, {
        headers: { ...token, 'accept-encoding': 'gzip, zstd' },
      });
      assert.equal(answer.headers.get('content-encoding'), null);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), Buffer.concat([...whole()]));
    }
  });
});
