// Documents as the warehouse takes them, over the whole HTTP path, on every engine: their metadata, their bytes, and
// who may have them.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { order } from '../../src/resources/index.ts';
import { filesIn, pdfOfLength } from '../api/uploads.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import type { FormFile } from '../contract/form.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf, samples } from '../documents/samples.ts';
import { head, open } from '../http/connection.ts';
import { listen } from '../http/sample-server.ts';
import { rowIn } from '../contract/database.ts';
import { orderDocumentTable } from '../../src/store/tables/writes.ts';
import { leftToGate } from '../contract/rounds.ts';

for (const engine of engines) {
  describe(`documents for the warehouse on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
      for (const [code, name] of [
        ['NOR', 'North Trading'],
        ['SOU', 'South Trading'],
      ] as const)
        await running.load(order, code, [
          { ...order.example, activityCode: code, activityName: name, orderUniqueID: 'O-1' },
        ]);
    });
    after(() => running.close());
    documentTests(() => running);
  });
}

function documentTests(running: () => RunningApp): void {
  const upload = (file: FormFile, side: 'north' | 'south' = 'north'): Promise<string> =>
    uploaded(running(), file, side);
  const get = (path: string, options?: Parameters<RunningApp['get']>[1]): Promise<Answered> =>
    running().get(`/platform/documents/${path}`, options);

  for (const [name, { bytes, mediaType }] of Object.entries(samples)) {
    it(`have the very bytes that were uploaded, and say what they are: ${name}`, async () => {
      const id = await upload({ content: bytes, type: mediaType });
      const answer = await get(`${id}/content`);
      assert.deepEqual(answer.bytes, bytes);
      assert.deepEqual(
        [answer.headers['content-type'], answer.headers['content-length']],
        [mediaType, String(bytes.length)],
      );
      assert.equal(answer.headers['repr-digest'], `sha-256=:${hash('sha256', bytes, 'base64')}:`);
      assert.equal((await get(id)).object().sha256, hash('sha256', bytes));
    });
  }

  it('come as they are where they could be compressed, and are not to be shown inside of a page', async () => {
    const content = pdf('compressible '.repeat(5000));
    const { bytes, headers } = await get(`${await upload({ content })}/content`, {
      headers: { 'accept-encoding': 'gzip, zstd, br' },
    });
    assert.deepEqual(bytes, content);
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(headers['content-disposition'] ?? '', /^attachment; /);
    assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/);
    assert.equal(headers['cache-control'], 'no-store');
  });

  const names = ["it's *all* (fine).pdf", 'Rechnung "M\u00fcller" \u{1f4e6}; a=b.pdf', '100%.pdf', 'a,b.pdf'];
  for (const name of names) {
    it(`are offered under the name that the client gave them: ${name}`, async () => {
      const { headers } = await get(`${await upload({ content: pdf(name), name })}/content`);
      const [, encoded = ''] =
        /^attachment; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(headers['content-disposition'] ?? '') ?? [];
      assert.equal(decodeURIComponent(encoded), name);
    });
  }

  it('are offered under a long name too', async () => {
    const name = `${'\u5009'.repeat(200)}.pdf`;
    const { headers } = await get(`${await upload({ content: pdf('long name'), name })}/content`);
    assert.ok(headers['content-disposition']?.endsWith(encodeURIComponent(name)));
  });

  it('are offered under their id where the client gave no name', async () => {
    const id = await upload({ content: pdf('no name'), name: '..' });
    assert.equal((await get(`${id}/content`)).headers['content-disposition'], `attachment; filename*=UTF-8''${id}`);
  });

  it('tell HEAD what they would tell GET', async () => {
    const id = await upload({ content: pdf('asked for by HEAD') });
    for (const path of [id, `${id}/content`]) {
      const [whole, only] = [await get(path), await get(path, { method: 'HEAD' })];
      const told = ({ headers: { date: _date, 'x-request-id': _id, ...headers } }: Answered) => headers;
      assert.deepEqual([only.status, only.body, told(only)], [200, '', told(whole)]);
    }
  });

  it('know no other method, and refuse what they cannot be', async () => {
    const id = await upload({ content: pdf('methods') });
    for (const path of [id, `${id}/content`]) {
      assert.equal((await get(path, { method: 'DELETE' })).headers.allow, 'GET, HEAD, OPTIONS');
      assert.equal((await get(path, { method: 'OPTIONS', token: null })).status, 204);
      assert.equal((await get(path, { headers: { accept: 'text/html' } })).status, 406);
      const { status, detail } = (await get(`${path}?download=1`)).object();
      assert.deepEqual([status, detail], [400, "Unknown parameter 'download'. This endpoint takes none."]);
    }
  });

  it('of another activity look like those that do not exist', async () => {
    const foreign = await upload({ content: pdf('of the south') }, 'south');
    assert.equal((await get(foreign, { token: running().keys.south })).status, 200);
    assert.equal((await get(foreign, { token: running().keys.both })).status, 200);
    const own = await upload({ content: pdf('of the north') });
    const strip = ({ status, body }: Answered, id: string): string =>
      `${status} ${body.replaceAll(id, 'ID').replace(/"traceId":"[^"]+"/, '')}`;
    for (const end of ['', '/content']) {
      const unknown = crypto.randomUUID();
      const expected = strip(await get(unknown + end), unknown);
      assert.match(expected, /^404 /);
      for (const id of [foreign, own.toUpperCase(), `${own}0`, own.slice(1), 'nonsense', '..%2F..%2Fsecret', '%00'])
        assert.equal(strip(await get(id + end), id), expected, id);
    }
  });

  it('whose file is lost are a fault of the service, told to the operator and not to the caller', async () => {
    const id = await upload({ content: pdf('lost') });
    const { storedAs: name } = await rowIn(running().app.store, orderDocumentTable, { id });
    rmSync(join(running().documentsFolder, name));
    const answer = await get(`${id}/content`);
    assert.equal(answer.status, 500);
    assert.ok(!answer.body.includes(name) && running().logged().includes(name));
    assert.equal((await get(id)).status, 200);
  });
}

describe('large documents for the warehouse', { skip: provenWithoutServer }, () => {
  let running: RunningApp;
  let port: number;
  before(async () => {
    const [engine] = engines;
    assert.ok(engine !== undefined);
    running = await startApp(engine);
    port = await listen(running.app.server);
    await running.load(order, 'NOR', [
      { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'O-1' },
    ]);
  });
  after(() => running.close());

  it('come whole over a real connection, many at once', { skip: leftToGate }, async () => {
    const content = pdfOfLength(20 * 1_048_576);
    const id = await uploaded(running, { content });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        fetch(`http://127.0.0.1:${port}/platform/documents/${id}/content`, {
          headers: { authorization: `Bearer ${running.keys.north}` },
        }),
      ),
    );
    for (const answer of answers)
      assert.equal(hash('sha256', Buffer.from(await answer.arrayBuffer())), hash('sha256', content));
  });

  it('close their file where the warehouse goes away half way, or asks for the head alone', {
    skip: process.platform === 'linux' ? false : 'only Linux tells which files are open',
  }, async (t) => {
    const id = await uploaded(running, { content: pdfOfLength(20 * 1_048_576 - 1) });
    const [name = ''] = filesIn(running.documentsFolder);
    const folder = name.slice(0, name.lastIndexOf('/'));
    for (const method of ['GET', 'HEAD']) {
      for (let count = 0; count < 5; count += 1) {
        const client = await open(t, port);
        await client.send(head(`${method} /platform/documents/${id}/content`, {}, `Bearer ${running.keys.north}`));
        await new Promise((resolve) => client.socket.once('data', resolve));
        client.socket.destroy();
      }
    }
    while (openFiles().some((path) => path.includes(folder))) await pause(20);
  });
});

async function uploaded(running: RunningApp, file: FormFile, side: 'north' | 'south' = 'north'): Promise<string> {
  const answer = await running.upload('/v1/orders/O-1/docs/other', file, { token: running.tokens[side] });
  const { passed } = answer.object();
  assert.ok(Array.isArray(passed) && passed.length === 1, answer.body);
  return String(passed[0]);
}

function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}
