// Writes by the client of `packages/client`, on the real server: carried out once whatever happens to their answers,
// repeated as the service asks, ended by a signal; and uploads that tell how far they are.
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ConnectionError, createClient, createPlatformClient, ProblemError } from '../../packages/client/src/index.ts';
import { retryAfterMs } from '../../packages/client/src/problem.ts';
import { startService } from '../auth/flow.ts';
import { articleLike, clientOf, keyOf, losingProxy, sendFeed, sendOrder, tokenOf } from './fixture.ts';

describe('writes by the client', { timeout: 900_000 }, () => {
  it('judges articles one by one, and gives the stored answer under the same key', async (t) => {
    const client = await clientOf(await startService(t));
    const { shortArticleDescription: _left, ...incomplete } = articleLike('A2');
    const idempotencyKey = 'a "key" with \\';
    const bad = { ...incomplete, longArticleDescription: '' };
    const result = await client.articles.create(
      [articleLike('A1'), { ...bad, shortArticleDescription: '' }],
      {},
      { idempotencyKey },
    );
    assert.equal(result.status, 207);
    assert.deepEqual(result.passed, ['BBB/A1']);
    assert.equal(result.isReplayed, false);
    const again = await client.articles.create(
      [articleLike('A1'), { ...bad, shortArticleDescription: '' }],
      {},
      { idempotencyKey },
    );
    assert.equal(again.operationId, result.operationId);
    assert.equal(again.isReplayed, true);
    await assert.rejects(client.articles.create([articleLike('A9')], {}, { idempotencyKey }), (error) => {
      assert.ok(error instanceof ProblemError);
      return error.slug === 'idempotency-key-reused';
    });
  });

  it('is carried out once though answers are lost on their way', async (t) => {
    const service = await startService(t);
    const proxy = await losingProxy(t, service, 2);
    const client = createClient({
      baseUrl: `${proxy.origin}/v1`,
      token: await tokenOf(service),
      retries: { firstPauseMs: 1 },
    });
    const result = await client.articles.create([articleLike('A1')]);
    assert.equal(proxy.lost(), 2);
    assert.equal(result.isReplayed, true);
    const audit = await platformOf(service.baseUrl, await keyOf(service)).audit({});
    const writes = audit.entries.filter(({ action }: { readonly action: string }) => /article/.test(action));
    assert.equal(writes.length, 1, JSON.stringify(audit.entries));
  });

  it('gives up after so many attempts', async (t) => {
    const service = await startService(t);
    const proxy = await losingProxy(t, service, 100);
    const token = await tokenOf(service);
    const client = createClient({ baseUrl: `${proxy.origin}/v1`, token, retries: { maxAttempts: 3, firstPauseMs: 1 } });
    await assert.rejects(client.articles.page(), ConnectionError);
    assert.equal(proxy.lost(), 3);
  });

  it('is not repeated on the platform interface, where no key guards it', async (t) => {
    const service = await startService(t);
    const proxy = await losingProxy(t, service, 100);
    const platform = createPlatformClient({ platformUrl: `${proxy.origin}/platform`, token: await keyOf(service) });
    await assert.rejects(platform.dropLines('BBB:1'), ConnectionError);
    assert.equal(proxy.lost(), 1);
  });

  it('waits no longer than it may: then the refusal is the result', async (t) => {
    const service = await startService(t, { RATE_READS: '2' });
    const client = await clientOf(service, { retries: { maxPauseMs: 500 } });
    const refusal = await (async () => {
      for (let reads = 0; reads < 5; reads += 1) await client.articles.page();
    })().catch((error: unknown) => error);
    assert.ok(refusal instanceof ProblemError);
    assert.equal(refusal.slug, 'quota-exceeded');
    assert.ok(refusal.retryAfterMs !== null && refusal.retryAfterMs >= 1000);
  });

  it('waits as long as it is asked to', async (t) => {
    const asked: number[] = [];
    const server = createHttpServer((_request, response) => {
      asked.push(performance.now());
      if (asked.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'any', retries: { firstPauseMs: 0 } });
    assert.deepEqual((await client.articles.page()).records, []);
    const [first = 0, second = 0, ...more] = asked;
    assert.deepEqual(more, []);
    assert.ok(second - first >= 990, `${second - first} ms`);
  });

  it('understands both forms of Retry-After, and nothing else', () => {
    const now = Date.UTC(2026, 0, 1);
    const said = (text: string): number | null => retryAfterMs(new Headers({ 'retry-after': text }), now);
    assert.equal(said('7'), 7000);
    assert.equal(said('Thu, 01 Jan 2026 00:01:00 GMT'), 60_000);
    assert.equal(said('Wed, 31 Dec 2025 00:00:00 GMT'), 0);
    for (const text of ['', '-1', 'soon', '1.5', '99999999999']) assert.equal(said(text), null, text);
  });

  it('ends with the reason of its signal, before, between and during attempts', async (t) => {
    const service = await startService(t);
    const reason = new Error('nobody waits any more');
    const proxy = await losingProxy(t, service, 100);
    const token = await tokenOf(service);
    const client = createClient({ baseUrl: `${proxy.origin}/v1`, token, retries: { firstPauseMs: 50_000 } });
    await assert.rejects(client.articles.page({}, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(proxy.lost(), 0);
    const ending = new AbortController();
    const page = client.articles.page({}, { signal: ending.signal });
    setTimeout(() => ending.abort(reason), 200);
    await assert.rejects(page, reason);
  });

  it('attaches a document, tells how far it is, and sends what it says', async (t) => {
    const service = await startService(t);
    const client = await clientOf(service);
    await sendOrder(service, 'ORDER-1');
    const content = new Uint8Array(3_000_000).fill(32);
    content.set(new TextEncoder().encode('%PDF-1.7\n'));
    content.set(new TextEncoder().encode('\nstartxref\n9\n%%EOF\n'), content.length - 19);
    const file = new Blob([content], { type: 'application/pdf' });
    const progress: (readonly [number, number])[] = [];
    const result = await client.orders.attach('ORDER-1', 'invoice', file, {
      name: 'the "first" invoice.pdf',
      onProgress: (sent, total) => progress.push([sent, total]),
    });
    assert.equal(result.status, 200, JSON.stringify(result));
    assert.ok(progress.length > 1);
    const [sent, total] = progress.at(-1) ?? [];
    assert.equal(sent, total);
    assert.ok((total ?? 0) > content.length);
    const again = await client.orders.attach('ORDER-1', 'invoice', file, { name: 'the "first" invoice.pdf' });
    assert.deepEqual(again.passed, result.passed, 'the same content is the same document');
  });

  it('tells of a file that is refused, in the sample of the guide too', async (t) => {
    const service = await startService(t);
    const client = await clientOf(service);
    await sendOrder(service, 'ORDER-1');
    const guide = readFileSync(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
    const [, sample = ''] = /^\/\/ a file, piece by piece\n(.+?)^```$/ms.exec(guide) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'client-sample-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'sample.mjs');
    writeFileSync(file, `export default async (client, fs, console) => {\n${sample}};\n`);
    const { default: attach } = await import(pathToFileURL(file).href);
    const told: (readonly unknown[])[] = [];
    const cut = async (): Promise<Blob> => new Blob(['%PDF-1.7\nbroken off']);
    const output = { log: () => undefined, warn: (...words: readonly unknown[]) => told.push(words) };
    await attach(client, { openAsBlob: cut }, output);
    assert.equal(told.length, 1);
    assert.match(JSON.stringify(told), /"refused","[^"]+",\[\{"code":/);
  });

  it('edits and replays what a feed was refused', async (t) => {
    const service = await startService(t);
    const { shortArticleDescription: _left, activityCode: _code, ...incomplete } = articleLike('A1');
    await sendFeed(service, 'articles', [{ ...incomplete, longArticleDescription: 7 }]);
    const platform = platformOf(service.baseUrl, await keyOf(service));
    const { lines } = await platform.refusedLines({ activity: 'BBB' });
    const [line] = lines;
    assert.ok(line !== undefined && line.reasons.length > 0);
    const { activityCode: _other, ...mended } = articleLike('A1');
    const edited = await platform.editLine(line.id, mended);
    assert.deepEqual(edited.edited?.articleReference, 'A1');
    assert.equal((await platform.replayLine(line.id)).new, 1);
    assert.equal((await (await clientOf(service)).articles.page()).records.length, 1);
    assert.ok((await platform.feeds()).feeds.length > 0);
  });
});

function platformOf(baseUrl: string, token: string) {
  return createPlatformClient({ platformUrl: `${new URL(baseUrl).origin}/platform`, token });
}
