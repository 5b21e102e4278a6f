// Bodies in tiny pieces: what the parser is made to do for them, counted in pieces, on one connection and on many at
// once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { CoalescingRequest, pieces } from '../../src/http/coalescing-request.ts';
import { head, open } from './connection.ts';

const chunkOfOne = '1\r\n \r\n';
/** More than is read at once. */
const attack = chunkOfOne.repeat(32_000);
const begun = head('POST /', { 'Transfer-Encoding': 'chunked' });

/** Counts the pieces that the parser brings; answers with how many bytes a body had, and ends the refused. */
async function counting(t: TestContext): Promise<{ port: number; counted: { pieces: number; refused: number } }> {
  const counted = { pieces: 0, refused: 0 };
  class Counted extends CoalescingRequest {
    override push(piece: unknown, encoding?: BufferEncoding): boolean {
      if (Buffer.isBuffer(piece) && piece.length === 1) counted.pieces += 1;
      return super.push(piece, encoding);
    }
  }
  const server: Server = createServer({ IncomingMessage: Counted }, (request, response) => {
    let bytes = 0;
    request.on('clientError', () => {
      counted.refused += 1;
      request.socket.destroy();
    });
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.setHeader('content-length', String(bytes).length).end(String(bytes)));
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, counted };
}

describe('a body in pieces of a byte', () => {
  it('is not gone through beyond the piece that is one too many', async (t) => {
    const { port, counted } = await counting(t);
    const client = await open(t, port);
    await Promise.race([client.send(`${begun}${attack}0\r\n\r\n`), client.closed]);
    await client.closed;
    assert.equal(counted.refused, 1);
    // Some are earned by time.
    assert.ok(counted.pieces >= pieces.free && counted.pieces < pieces.free + 300, `${counted.pieces} pieces`);
  });

  it('is taken with a thousand at once from a program without a buffer', async (t) => {
    const { port } = await counting(t);
    const client = await open(t, port);
    await client.send(`${begun}${chunkOfOne.repeat(1000)}0\r\n\r\n`);
    assert.equal((await client.answer())?.body, '1000');
  });

  it('has fewer of them where a hundred begin at once', async (t) => {
    const { port, counted } = await counting(t);
    const clients = await Promise.all(Array.from({ length: 100 }, () => open(t, port)));
    const since = performance.now();
    for (const client of clients) void client.send(`${begun}${attack}`);
    await Promise.all(clients.map(({ closed }) => closed));
    assert.equal(counted.refused, 100);
    // What was read at once of all is 1.1 million.
    const earned = (performance.now() - since) * (pieces.sharedPerMs + 100 / pieces.msForOneMore);
    const most = 100 * pieces.freeOfEach + pieces.shared + earned;
    assert.ok(counted.pieces <= most, `${counted.pieces} pieces; ${most} are allowed`);
  });

  it('is taken where it is as slow as somebody types, also while others bring too many', async (t) => {
    const { port, counted } = await counting(t);
    const typing = await open(t, port);
    await typing.send(begun);
    const flood = (async () => {
      for (let round = 0; round < 10; round += 1) {
        const client = await open(t, port);
        await Promise.race([client.send(`${begun}${attack}`), client.closed]);
        await client.closed;
      }
    })();
    // Faster than anybody types, so that the test is short.
    for (let sent = 0; sent < 250; sent += 1) {
      await typing.send(chunkOfOne);
      await wait(12);
    }
    await flood;
    await typing.send('0\r\n\r\n');
    assert.equal((await typing.answer())?.body, '250');
    assert.equal(counted.refused, 10);
  });

  it('leaves the parser as it was to the connections that come after', async (t) => {
    const { port, counted } = await counting(t);
    for (let round = 0; round < 3; round += 1) {
      const attacker = await open(t, port);
      await Promise.race([attacker.send(`${begun}${attack}`), attacker.closed]);
      await attacker.closed;
      const client = await open(t, port);
      for (const body of ['abc', 'defgh']) {
        await client.send(`${begun}${body.length}\r\n${body}\r\n0\r\n\r\n`);
        assert.equal((await client.answer())?.body, String(body.length));
      }
    }
    assert.equal(counted.refused, 3);
  });
});
