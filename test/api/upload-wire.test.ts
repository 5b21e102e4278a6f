// Uploads on real sockets: clients that go away, files that do not end, storage that does not work, and the memory that
// it takes.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { changeClient } from '../../src/auth/client-changes.ts';
import { order } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { formBoundary, formOf, partHead } from '../contract/form.ts';
import { type RunningApp, startApp, tokenFor } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { chunk, head, open } from '../http/connection.ts';
import { listen } from '../http/sample-server.ts';
import { prepare, startServer } from './server-process.ts';
import { filesIn, pdfOfLength, temporaryIn } from './uploads.ts';

const longest = 20 * 1_048_576;
const path = '/v1/orders/N-1/docs/invoice';
const formType = `multipart/form-data; boundary=${formBoundary}`;

describe('a document on its way', () => {
  let running: RunningApp;
  let port: number;
  /** How far the clock of the server is ahead, milliseconds. */
  let ahead = 0;
  before(async () => {
    const [engine] = engines;
    assert.ok(engine !== undefined);
    running = await startApp(engine, {}, () => Date.now() + ahead);
    await running.load(order, 'NOR', [
      { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'N-1' },
    ]);
    port = await listen(running.app.server);
  });
  after(() => running.close());
  const headOf = (headers: Readonly<Record<string, string | number>>, to = path): string =>
    head(`POST ${to}`, { 'Content-Type': formType, ...headers }, `Bearer ${running.tokens.north}`);
  /** Waits until no request holds a temporary file; the test's own time is the limit. */
  const nothingTemporary = async (): Promise<void> => {
    while (temporaryIn(running.documentsFolder).length > 0) await pause(5);
  };

  it('leaves nothing where the client goes away, early, half way or late', async (t) => {
    const body = formOf([{ content: pdfOfLength(5_000_000) }]);
    for (const part of [0.001, 0.5, 0.9999]) {
      const client = await open(t, port);
      await client.send(headOf({ 'Content-Length': body.length }));
      await client.send(body.subarray(0, Math.floor(body.length * part)));
      while (temporaryIn(running.documentsFolder).length === 0) await pause(5);
      client.socket.destroy();
      await nothingTemporary();
    }
    assert.deepEqual(filesIn(running.documentsFolder), []);
    assert.deepEqual(await running.app.store.outbox.ends(['NOR']), { NOR: 0 });
    assert.equal((await running.upload(path, { content: pdf() })).object().status, 200);
  });

  it('is kept once where the client goes away before the answer, and asks again with the same key', async (t) => {
    const file = { content: pdf('sent twice') };
    const body = formOf([file]);
    const ends = await running.app.store.outbox.ends(['NOR']);
    const client = await open(t, port);
    await client.send(headOf({ 'Content-Length': body.length, 'Idempotency-Key': 'gone-away' }));
    await client.send(body);
    client.socket.destroy();
    let again = await running.upload(path, file, { headers: { 'idempotency-key': 'gone-away' } });
    while (again.status === 409)
      again = await running.upload(path, file, { headers: { 'idempotency-key': 'gone-away' } });
    assert.equal(again.object().status, 200);
    assert.deepEqual(await running.app.store.outbox.ends(['NOR']), { NOR: (ends.NOR ?? 0) + 1 });
  });

  it('is not kept where access ends before all of it is there, and the fault of its form is not noted', async (t) => {
    const { store } = running.app;
    const [before, ends] = [filesIn(running.documentsFolder), await store.outbox.ends(['NOR'])];
    const token = await tokenFor(running.app, ['SOU', 'NOR']);
    const own = (await store.clients.list()).find(({ name }) => name === 'sou-nor');
    const uploads = [];
    for (const files of [[pdf('too late')], [pdf('too late'), pdf('too many')]]) {
      const body = formOf(files.map((content) => ({ content })));
      const client = await open(t, port);
      const headers = { 'Content-Type': formType, 'Content-Length': body.length };
      await client.send(head(`POST ${path}`, headers, `Bearer ${token}`));
      await client.send(body.subarray(0, 300));
      uploads.push({ client, rest: body.subarray(300) });
      while (temporaryIn(running.documentsFolder).length < uploads.length) await pause(5);
    }
    await changeClient(store, own?.id ?? '', { removedActivities: ['NOR'] });
    // What is known of a client is read anew every half minute, and of this request after a second.
    ahead += 30_000;
    await pause(1100);
    for (const { client, rest } of uploads) {
      await client.send(rest);
      assert.equal((await client.answer())?.status, 403);
    }
    await nothingTemporary();
    assert.deepEqual(filesIn(running.documentsFolder), before);
    assert.deepEqual(await store.outbox.ends(['NOR']), ends);
  });

  it('is not asked for where there is no such order', async (t) => {
    const client = await open(t, port);
    await client.send(headOf({ 'Content-Length': longest, Expect: '100-continue' }, '/v1/orders/N-9/docs/invoice'));
    assert.equal((await client.answer())?.status, 404);
  });

  it('is refused at the limit, not when all of it has arrived', async (t) => {
    const client = await open(t, port);
    await client.send(headOf({ 'Transfer-Encoding': 'chunked' }));
    await client.send(chunk(partHead({})));
    let gone = false;
    client.closed.then(() => {
      gone = true;
    });
    const piece = chunk(Buffer.alloc(1_048_576));
    const sending = (async () => {
      for (let sent = 0; sent < 100 && !gone; sent += 1) await Promise.race([client.send(piece), client.closed]);
    })();
    assert.equal((await client.answer())?.status, 413);
    await sending;
    assert.ok(client.socket.bytesWritten < 2 * longest);
    await nothingTemporary();
  });

  it('is refused for now where the storage does not work, and kept when the same request comes again', async () => {
    const { documentsFolder } = running;
    const [headers, file] = [{ 'idempotency-key': 'storage-away' }, { content: pdf('storage away') }];
    const untouched = { ends: await running.app.store.outbox.ends(['NOR']), files: filesIn(documentsFolder) };
    // Where files arrive, and where they are kept.
    for (const inTheWay of [join(documentsFolder, '.incoming'), join(documentsFolder, 'NOR')]) {
      const aside = join(dirname(documentsFolder), 'aside');
      renameSync(inTheWay, aside);
      writeFileSync(inTheWay, 'in the way');
      const answer = await running.upload(path, file, { headers });
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '30'], answer.body);
      assert.doesNotMatch(answer.body, /ENOTDIR|EEXIST|logistics-connect-/);
      rmSync(inTheWay);
      renameSync(aside, inTheWay);
      assert.deepEqual(
        { ends: await running.app.store.outbox.ends(['NOR']), files: filesIn(documentsFolder) },
        untouched,
      );
      assert.deepEqual(temporaryIn(documentsFolder), []);
    }
    assert.match(running.logged(), /the document storage does not work/);
    const answer = await running.upload(path, file, { headers });
    assert.deepEqual([answer.object().status, answer.headers['idempotency-replayed']], [200, undefined]);
  });
});

describe('twenty documents of 20 MiB at once', {
  skip: existsSync('/proc/self/clear_refs') ? false : 'only Linux tells the most memory that a process had',
}, () => {
  it('take less than 100 MB of memory beside what the server had', { timeout: 900_000 }, async (t) => {
    const prepared = await prepare(t);
    const server = await startServer(t, prepared);
    const send = async (content: Buffer): Promise<number> => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(content)], { type: 'application/pdf' }), 'invoice.pdf');
      const answer = await fetch(server.origin + prepared.uploads, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${prepared.token}` },
      });
      const { status } = Object(await answer.json());
      return Number(status);
    };
    assert.equal(await send(pdfOfLength(longest)), 200);
    writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
    const before = kilobytes(server.child.pid, 'VmRSS');
    const contents = Array.from({ length: 20 }, (_, index) => pdfOfLength(longest - 1 - index));
    assert.deepEqual(
      await Promise.all(contents.map(send)),
      contents.map(() => 200),
    );
    const most = kilobytes(server.child.pid, 'VmHWM');
    t.diagnostic(`${Math.round((most - before) / 1000)} MB more than the ${Math.round(before / 1000)} MB before`);
    assert.ok(most - before < 100_000, `grew by ${most - before} kB`);
    assert.equal(filesIn(join(prepared.dataDir, 'documents')).length, 21);
  });
});

function kilobytes(pid: number, name: string): number {
  const [, found] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  assert.ok(found !== undefined, name);
  return Number(found);
}
