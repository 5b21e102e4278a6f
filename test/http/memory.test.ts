// What bodies and answers on their way hold in memory, of a server in a process of its own: pieces of a byte, bodies
// that do not end, answers that nobody reads.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asJson, post, served, taking } from './body-route.ts';
import { head, open, type RawAnswer } from './connection.ts';
import { type OwnProcess, ownProcess } from './own-process.ts';
import { assertProblem } from './sample-server.ts';
import { disposition, form, formType, uploadRoute } from './upload-route.ts';
import { until } from '../contract/until.ts';

const MB = 1_000_000;
const chunkOfOne = '1\r\n[\r\n';

/** Sends one body in chunks of a byte until all is sent or the connection is gone, and gives the answer. */
async function tiny(t: TestContext, port: number, count: number) {
  const client = await open(t, port);
  await client.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }));
  const blockLength = Math.min(count, 10_000);
  const block = chunkOfOne.repeat(blockLength);
  const answer = client.answer();
  let isOver = false;
  client.closed.then(() => {
    isOver = true;
  });
  for (let sent = 0; sent < count && !isOver; sent += blockLength)
    await Promise.race([client.send(block), client.closed]);
  if (!isOver) await client.send('0\r\n\r\n');
  return answer;
}

describe('a body in pieces of a byte', () => {
  it('of ten million is refused after some thousands, and costs next to nothing', async (t) => {
    const server = await ownProcess(t);
    const before = await server.usage();
    const answer = await tiny(t, server.port, 10_000_000);
    assert.match(String(assertProblem(answer?.body ?? '', 'invalid-request').detail), /too many small pieces/);
    assert.equal(answer?.headers.connection, 'close');
    const after = await server.usage();
    assert.ok(after.peak - before.rss < 100 * MB, `${(after.peak - before.rss) / MB} MB`);
    assert.ok(after.cpuMs - before.cpuMs < 1000, `${after.cpuMs - before.cpuMs} ms`);
  });

  it('of a thousand is taken, also more that come slowly, and a large one of chunks of 300 bytes', async (t) => {
    const { port } = await served(t, [
      taking(
        { body: { types: ['application/json'], limit: 30 * MB, encodings: [], schema: {}, example: [] } },
        async (call) => ({ status: 200, headers: {}, body: String((await call.body()).length), type: null }),
      ),
    ]);
    assert.equal((await tiny(t, port, 1000))?.body, '1000');
    assertProblem((await tiny(t, port, 10_000))?.body ?? '', 'invalid-request');
    const slow = await open(t, port);
    await slow.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }));
    await slow.send(chunkOfOne.repeat(1000));
    await pause(4000);
    await slow.send(`${chunkOfOne.repeat(300)}0\r\n\r\n`);
    assert.equal((await slow.answer())?.body, '1300');
    const client = await open(t, port);
    await client.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }));
    for (let block = 0; block < 100; block++) await client.send(`12c\r\n${'x'.repeat(300)}\r\n`.repeat(1000));
    await client.send('0\r\n\r\n');
    assert.equal((await client.answer())?.body, String(30 * MB));
  });

  it('keeps its order and every byte, whatever the pieces', async (t) => {
    const { port } = await served(t, [
      taking(
        { body: { types: ['application/json'], limit: MB, encodings: [], schema: {}, example: [] } },
        async (call) => ({ status: 200, headers: {}, body: await call.body(), type: null }),
      ),
    ]);
    const lengths = [1, 1023, 1024, 2, 5000, 1, 1, 4096, 100_000, 3, 1022, 70_000, 7];
    const bytes = lengths.map((length, index) => String.fromCharCode(97 + index).repeat(length));
    for (const between of [0, 1]) {
      const client = await open(t, port);
      await client.send(post({ ...asJson, 'Transfer-Encoding': 'chunked' }));
      for (const piece of bytes) {
        await client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
        if (between > 0) await pause(between);
      }
      await client.send('0\r\n\r\n');
      assert.equal((await client.answer())?.body, bytes.join(''));
    }
  });

  it('that nobody reads ends with its connection', async (t) => {
    const server = await ownProcess(t);
    const before = await server.usage();
    for (const line of ['GET /v1/wait?ms=1500', 'POST /v1/nothing']) {
      const clients = await Promise.all(Array.from({ length: 10 }, () => open(t, server.port)));
      await Promise.all(
        clients.map(async (client) => {
          await client.send(head(line, { 'Transfer-Encoding': 'chunked' }));
          for (let sent = 0; sent < 100; sent++)
            await Promise.race([client.send(chunkOfOne.repeat(10_000)), client.closed, pause(2000)]);
          await client.closed;
        }),
      );
    }
    const after = await server.usage();
    assert.ok(after.peak - before.rss < 100 * MB, `${(after.peak - before.rss) / MB} MB`);
  });

  it('costs an upload no more than another one does', async (t) => {
    const { port } = await served(t, [uploadRoute()]);
    const body = form([[disposition, 'Content-Type: application/pdf'], 'x'.repeat(700)]);
    const client = await open(t, port);
    await client.send(head('POST /v1/upload', { 'Content-Type': formType, 'Transfer-Encoding': 'chunked' }));
    await client.send([...body.toString('latin1')].map((byte) => `1\r\n${byte}\r\n`).join(''));
    await client.send('0\r\n\r\n');
    assert.equal(JSON.parse((await client.answer())?.body ?? '').length, 700);
  });
});

describe('bodies that do not end', () => {
  /**
   * Compressed bodies of ten megabytes whose last bytes are withheld, all at once; the answers, once there are so many.
   */
  async function withheld(
    t: TestContext,
    { port }: OwnProcess,
    count: number,
    expected: number,
    clientOf: (index: number) => string,
  ) {
    const body = gzipSync(Buffer.alloc(10_485_760, ' '));
    const answers: RawAnswer[] = [];
    const enough = Promise.withResolvers<void>();
    const clients = await Promise.all(Array.from({ length: count }, () => open(t, port)));
    for (const [index, client] of clients.entries()) {
      await client.send(
        post({ ...asJson, 'Content-Encoding': 'gzip', 'Content-Length': body.length }, '', `Bearer ${clientOf(index)}`),
      );
      await client.send(body.subarray(0, -9));
      client.answer().then((answer) => {
        if (answer !== null) answers.push(answer);
        if (answers.length >= expected) enough.resolve();
      });
    }
    await Promise.race([enough.promise, pause(60_000, undefined, { ref: false })]);
    assert.ok(answers.length >= expected, `${answers.length} answers`);
    return answers;
  }

  it('hold no more than a client may: 429 beyond that, and others are served', async (t) => {
    const server = await ownProcess(t);
    const before = await server.usage();
    for (const answer of await withheld(t, server, 119, 100, () => 'greedy')) {
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers['retry-after']) >= 1);
      assert.deepEqual(assertProblem(answer.body, 'quota-exceeded')['violated-policies'], ['client-bytes']);
    }
    const after = await server.usage();
    assert.ok(after.peak - before.rss < 300 * MB, `${(after.peak - before.rss) / MB} MB`);
    const other = await open(t, server.port);
    await other.send(post({ ...asJson, 'Content-Length': 2 }, '[]'));
    assert.equal((await other.answer())?.body, '2');
  });

  it('of many clients hold no more than the process may: 503', async (t) => {
    const server = await ownProcess(t, { inFlight: { client: 64 * MB, process: 64 * MB } });
    const before = await server.usage();
    for (const answer of await withheld(t, server, 40, 30, (index) => `one-of-many-${index}`)) {
      assert.equal(answer.status, 503);
      assertProblem(answer.body, 'unavailable');
      assert.ok(Number(answer.headers['retry-after']) >= 1);
    }
    const after = await server.usage();
    assert.ok(after.peak - before.rss < 300 * MB, `${(after.peak - before.rss) / MB} MB`);
  });

  it('count twice once they are whole, because they are copied into one piece', async (t) => {
    const server = await ownProcess(t, { inFlight: { client: 5 * MB, process: 5 * MB } });
    const ask = async (bytes: number) => {
      const client = await open(t, server.port);
      await client.send(post({ ...asJson, 'Content-Length': bytes }, ' '.repeat(bytes)));
      return (await client.answer())?.status;
    };
    assert.equal(await ask(2_300_000), 200);
    assert.equal(await ask(2_800_000), 429);
    assert.equal(await ask(2_300_000), 200);
  });

  it('give their memory back when their connections end', async (t) => {
    const server = await ownProcess(t, { inFlight: { client: 5 * MB, process: 5 * MB } });
    const held = async () => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
      return Number(/^http_bytes_in_flight (\d+)$/m.exec(await answer.text())?.[1]);
    };
    // The server takes in what arrives, and hears of a connection's end, when it comes to it. Only then may the next
    // body be sent: one that comes beside the first would be let in, and the first refused.
    const becomes = async (isSo: (bytes: number) => boolean) => {
      for (let tries = 0; !isSo(await held()); tries++) {
        assert.ok(tries < 200, `${await held()} bytes`);
        await pause(50);
      }
    };
    const cut = await open(t, server.port);
    await cut.send(post({ ...asJson, 'Content-Length': 2_500_000 }) + ' '.repeat(2_400_000));
    await becomes((bytes) => bytes > 2_400_000);
    const body = ' '.repeat(2_000_000);
    const ask = async () => {
      const client = await open(t, server.port);
      await client.send(post({ ...asJson, 'Content-Length': body.length }, body));
      return (await client.answer())?.status;
    };
    assert.equal(await ask(), 429);
    cut.socket.destroy();
    await becomes((bytes) => bytes === 0);
    for (let round = 0; round < 5; round++) assert.equal(await ask(), 200);
  });
});

describe('answers that nobody reads', () => {
  it('count as memory of the client: no work is begun for it beyond that, until it reads', async (t) => {
    const server = await ownProcess(t, { inFlight: { client: 8 * MB, process: 100 * MB } });
    const before = await server.usage();
    const clients = await Promise.all(Array.from({ length: 25 }, () => open(t, server.port)));
    for (const client of clients) {
      client.socket.pause();
      await client.send(head('GET /v1/page?mb=25'));
      await pause(5);
    }
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ').at(-1));
    };
    await until(async () => (await metric('http_shed_total{reason="client-bytes"}')) >= 20);
    const statuses = clients.map(async (client) => {
      client.socket.resume();
      return (await client.answer())?.status;
    });
    const refused = (await Promise.all(statuses)).filter((status) => status === 429);
    assert.ok(refused.length >= 20, String(refused.length));
    const after = await server.usage();
    assert.ok(after.peak - before.rss < 200 * MB, `${(after.peak - before.rss) / MB} MB`);
    await until(async () => (await metric('http_bytes_in_flight')) === 0);
    const again = await open(t, server.port);
    await again.send(head('GET /v1/page'));
    assert.equal((await again.answer())?.status, 200);
  });

  for (const [name, sips] of [
    ['not at all', false],
    ['a sip now and then', true],
  ] as const) {
    it(`${name}: their connection ends when the time is up`, async (t) => {
      const server = await ownProcess(t, { requestTimeoutMs: 300, minBodyBytesPerSecond: 2_000_000 });
      const client = await open(t, server.port);
      client.socket.pause();
      // More than the system takes off the server's hands.
      await client.send(Array.from({ length: 16 }, () => head('GET /v1/page')).join(''));
      const sip = setInterval(() => {
        if (sips) client.socket.read(1000);
      }, 50);
      t.after(() => clearInterval(sip));
      const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      for (let tries = 0; !/http_shed_total\{reason="unread-answer"\} [1-9]/.test(await metrics()); tries++) {
        assert.ok(tries < 100, 'the connection is still there');
        await pause(100);
      }
    });
  }

  it('but slowly are not touched', async (t) => {
    const server = await ownProcess(t, { requestTimeoutMs: 2000, minBodyBytesPerSecond: 500_000 });
    const client = await open(t, server.port);
    client.socket.pause();
    await client.send(Array.from({ length: 8 }, () => head('GET /v1/page')).join(''));
    const sip = setInterval(() => {
      client.socket.resume();
      setTimeout(() => client.socket.pause(), 5);
    }, 100);
    t.after(() => clearInterval(sip));
    for (let count = 0; count < 8; count++) assert.equal((await client.answer())?.status, 200);
  });
});
