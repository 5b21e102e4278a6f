// Answers of other authorization servers are read whole or not at all.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AnswerTooLong, boundedFetch } from '../../src/auth/bounded-fetch.ts';
import { serve } from '../carriers/local-servers.ts';

const most = 1_048_576;

describe('an answer of another authorization server', () => {
  it('is given with its status and headers when all of it is there', async (t) => {
    const { origin } = await serve(t, (_request, response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end(`{"a":"${'x'.repeat(most - 8)}"}`),
    );
    const answer = await boundedFetch(origin, {});
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/json']);
    assert.equal((await answer.text()).length, most);
    const empty = await serve(t, (_request, response) => response.writeHead(204).end());
    assert.equal((await boundedFetch(empty.origin, {})).status, 204);
  });

  it('is refused with one byte more, by its length after decompression', async (t) => {
    const { origin } = await serve(t, (request, response) => {
      const long = Buffer.alloc(most + 1, ' ');
      if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(long));
      else response.end(long);
    });
    for (const path of ['/', '/gzip']) await assert.rejects(boundedFetch(origin + path, {}), AnswerTooLong);
  });

  it('has the time of the request for its body too', async (t) => {
    const { origin } = await serve(t, (_request, response) => void response.write('{'));
    await assert.rejects(boundedFetch(origin, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  });
});
