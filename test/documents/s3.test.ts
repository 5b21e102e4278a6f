import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createS3Storage, type S3Options } from '../../src/documents/s3.ts';
import type { S3Place } from '../../src/documents/s3-place.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { Problem } from '../../src/model/problem.ts';
import { describeStorage, kept, leftovers, namesOf, newName, type Place, streamOf } from './contract.ts';
import { skip, startSwift, type Swift, swiftKey } from './swift.ts';

describe('in an S3-compatible store', { skip, timeout: 900_000 }, () => {
  let swift: Swift;
  let buckets = 0;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift.stop());
  const newBucket = (): Promise<S3Place> => {
    buckets += 1;
    return swift.bucket(`bucket-${buckets}`);
  };

  describeStorage('in S3', async (t) => openPlace(t, await newBucket()));

  it('keeps its files below the prefix, and passes over what is not its own', async (t) => {
    const place = await newBucket();
    const { storage } = openPlace(t, place);
    const client = new S3Client({
      endpoint: swift.endpoint,
      region: place.region,
      forcePathStyle: true,
      credentials: swiftKey,
    });
    t.after(() => client.destroy());
    const put = async (key: string): Promise<unknown> =>
      client.send(new PutObjectCommand({ Bucket: place.bucket, Key: key, Body: 'of somebody else' }));
    for (const key of [
      newName(),
      `shop/${newName()}`,
      'shop/documents/readme',
      'shop/documents/ACM/2026/02/scan.pdf',
      `shop/documents-2/${newName()}`,
    ])
      await put(key);
    const name = await kept(storage, Buffer.from('ours'));
    assert.deepEqual(await namesOf(storage), [name]);
    assert.deepEqual(await sweepDocuments({ storage, known: async () => new Set(), now: Date.now() + 10_000_000 }), {
      files: 1,
      leftovers: 0,
    });
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: place.bucket }));
    assert.equal(Contents.length, 5, 'the store gives five at a time');
  });

  it('keeps files at the top of the bucket where there is no prefix', async (t) => {
    const { storage } = openPlace(t, { ...(await newBucket()), prefix: '' });
    const name = await kept(storage, Buffer.from('ours'));
    assert.deepEqual(await namesOf(storage), [name]);
    assert.equal((await buffer((await storage.open(name)).stream)).toString(), 'ours');
  });

  it('tries again when the store falters, until it does no more', async (t) => {
    const place = await newBucket();
    for (const fault of ['503', '500', '429', 'reset', 'half'] as const) {
      const proxy = await startProxy(t, swift.port, (put) => (put <= 2 ? fault : null));
      const { storage, failures } = openPlace(t, { ...place, endpoint: proxy.endpoint });
      await storage.isOurs();
      proxy.restart();
      const bytes = Buffer.alloc(300_000, fault);
      const name = await kept(storage, bytes);
      assert.equal(proxy.puts(), 3, fault);
      assert.deepEqual(await buffer((await storage.open(name)).stream), bytes);
      assert.deepEqual(failures, []);
    }
  });

  it('gives up in the end, and has kept nothing', async (t) => {
    const place = await newBucket();
    await openPlace(t, place).storage.isOurs();
    for (const fault of ['503', 'reset', 'half'] as const) {
      const proxy = await startProxy(t, swift.port, () => fault);
      const { storage, failures, ...rest } = openPlace(t, { ...place, endpoint: proxy.endpoint });
      const received = await storage.receive(streamOf(Buffer.alloc(300_000)), { size: 1_000_000 });
      await assert.rejects(received.keep(newName()), isUnavailable);
      assert.equal(proxy.puts(), 3);
      assert.equal(failures.length, 1);
      assert.deepEqual(leftovers(rest), []);
      assert.deepEqual(await namesOf(storage), []);
    }
  });

  it('keeps nothing that was changed on the way', async (t) => {
    const place = await newBucket();
    await openPlace(t, place).storage.isOurs();
    const proxy = await startProxy(t, swift.port, () => 'flip');
    const { storage, failures } = openPlace(t, { ...place, endpoint: proxy.endpoint });
    const received = await storage.receive(streamOf(Buffer.alloc(300_000)), { size: 1_000_000 });
    await assert.rejects(received.keep(newName()), isUnavailable);
    assert.equal(proxy.puts(), 1, 'a refusal is not tried again');
    assert.match(String(failures[0]), /BadDigest|XAmzContentSHA256Mismatch/);
    assert.deepEqual(await namesOf(storage), []);
  });

  it('fails a reading that breaks off, rather than end it early', async (t) => {
    const place = await newBucket();
    const name = await kept(openPlace(t, place).storage, Buffer.alloc(2_000_000));
    const server = createServer((incoming, answer) => {
      request({ host: '127.0.0.1', port: swift.port, path: incoming.url, headers: incoming.headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.once('data', (chunk: Buffer) => answer.write(chunk, () => answer.destroy()));
      }).end();
    });
    const { stream, size } = await openPlace(t, { ...place, endpoint: await listen(t, server) }).storage.open(name);
    assert.equal(size, 2_000_000);
    await assert.rejects(buffer(stream), /aborted|ECONNRESET/);
  });

  it('waits for no store for ever', async (t) => {
    const server = createTcpServer();
    const { storage, failures } = openPlace(
      t,
      { ...(await newBucket()), endpoint: await listen(t, server) },
      { timeouts: { connectMs: 200, idleMs: 200, requestMs: 200 } },
    );
    const received = await storage.receive(streamOf(Buffer.from('document')), { size: 100 });
    await assert.rejects(received.keep(newName()), isUnavailable);
    await assert.rejects(storage.open(newName()), isUnavailable);
    await assert.rejects(storage.sizeOf(newName()), isUnavailable);
    await assert.rejects(storage.remove(newName()), isUnavailable);
    await assert.rejects(namesOf(storage), /cannot be listed/);
    assert.equal(failures.length, 4);
    for (const failure of failures) assert.match(String(failure), /[Tt]imed? ?out/);
  });

  it('says that it is unavailable where nobody answers, there is no such bucket, or the key is wrong', async (t) => {
    const place = await newBucket();
    const closed = createTcpServer();
    const endpoint = await listen(t, closed);
    closed.close();
    const wrongs: readonly (readonly [place: S3Place, key: S3Options['key'], told: RegExp])[] = [
      [{ ...place, endpoint }, swiftKey, /ECONNREFUSED/],
      [{ ...place, bucket: 'nowhere' }, swiftKey, /NoSuchBucket 404/],
      [place, { ...swiftKey, secretAccessKey: 'very-secret-words' }, /SignatureDoesNotMatch 403/],
      [place, { accessKeyId: 'nobody', secretAccessKey: 'very-secret-words' }, /403/],
    ];
    for (const [wrong, key, told] of wrongs) {
      const { storage, failures, ...rest } = openPlace(t, wrong, { key });
      const received = await storage.receive(streamOf(Buffer.from('document')), { size: 100 });
      await assert.rejects(received.keep(newName()), isUnavailable);
      assert.deepEqual(leftovers(rest), []);
      assert.equal(failures.length, 1);
      const [failure] = failures;
      assert.match(String(failure), told);
      assert.doesNotMatch(
        JSON.stringify([failure, failure instanceof Error ? [failure.stack, failure.cause, { ...failure }] : null]),
        /very-secret|StringToSign|AWS4-HMAC|Signature=|Credential/,
      );
    }
  });

  it('writes nothing to the console', async (t) => {
    const written: unknown[] = [];
    for (const method of ['warn', 'error', 'log', 'info', 'debug'] as const)
      t.mock.method(console, method, (...given: unknown[]) => written.push(given));
    const proxy = await startProxy(t, swift.port, () => '503');
    const { storage } = openPlace(t, { ...(await newBucket()), endpoint: proxy.endpoint });
    await assert.rejects(kept(storage, Buffer.alloc(100_000)), isUnavailable);
    assert.deepEqual(written, []);
  });

  function openPlace(
    t: TestContext,
    place: S3Place,
    options: Partial<Pick<S3Options, 'key' | 'timeouts'>> = {},
  ): Place {
    const incomingFolder = mkdtempSync(join(tmpdir(), 'documents-'));
    t.after(() => rmSync(incomingFolder, { recursive: true, force: true }));
    const failures: unknown[] = [];
    const forDatabase = (database: string): Place['storage'] =>
      createS3Storage({
        place,
        key: swiftKey,
        incomingFolder,
        database,
        failed: (error) => failures.push(error),
        ...options,
      });
    return { incomingFolder, failures, forDatabase, storage: forDatabase('ours') };
  }
});

/** What may happen to an upload on its way. */
type Fault = '503' | '500' | '429' | 'reset' | 'half' | 'flip';

interface Proxy {
  readonly endpoint: string;
  /** Uploads since the start, or since `restart`. */
  readonly puts: () => number;
  readonly restart: () => void;
}

/** Passes requests on to a port, and does harm to uploads of documents. */
async function startProxy(t: TestContext, port: number, reasonOf: (put: number) => Fault | null): Promise<Proxy> {
  let puts = 0;
  const server = createServer((incoming, answer) => {
    if (incoming.method !== 'PUT' || !(incoming.url ?? '').includes('.pdf')) return pass(port, incoming, answer, null);
    puts += 1;
    const fault = reasonOf(puts);
    if (fault === 'reset') return incoming.socket.resetAndDestroy();
    if (fault !== null && fault !== 'half' && fault !== 'flip')
      return answer.writeHead(Number(fault), { connection: 'close' }).end();
    return pass(port, incoming, answer, fault);
  });
  return {
    endpoint: await listen(t, server),
    puts: () => puts,
    restart: () => {
      puts = 0;
    },
  };
}

function pass(port: number, incoming: IncomingMessage, answer: ServerResponse, fault: 'half' | 'flip' | null): void {
  const onward = request(
    { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers: incoming.headers },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    },
  );
  onward.on('error', () => incoming.socket.destroy());
  let passed = 0;
  incoming.on('data', (chunk: Buffer) => {
    passed += chunk.length;
    if (fault === 'half' && passed > 100_000) {
      onward.destroy();
      incoming.socket.resetAndDestroy();
      return;
    }
    if (fault === 'flip') chunk[0] = (chunk[0] ?? 0) ^ 1;
    onward.write(chunk);
  });
  incoming.on('end', () => onward.end());
}

async function listen(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<{ destroy: () => unknown }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.slug === 'unavailable' && error.headers['Retry-After'] !== undefined;
}
