// How much the memory of the real server grows while twenty clients each send it a document of 20 MiB at the same time.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { maxDocumentBytes } from '../../src/api/upload-document.ts';
import { formBoundary, partHead } from '../contract/form.ts';
import { filesIn } from './uploads.ts';
import { prepare, startServer } from './server-process.ts';

/** Bytes (issue: under 100 MB of extra memory). */
const mostGrowth = 100_000_000;
const clients = 20;
const skip = existsSync('/proc/self/status') ? false : 'there is no /proc that tells how much memory a process has';

describe('twenty uploads of 20 MiB at once', { skip, timeout: 900_000 }, () => {
  it('take little memory of the server', async (t) => {
    const prepared = await prepare(t);
    const { child, origin } = await startServer(t, prepared);
    const url = `${origin}${prepared.uploads}`;
    const folder = `${prepared.dataDir}/documents`;
    let sent = 0;
    const upload = (half: () => Promise<void>): Promise<void> => {
      sent += 1;
      return send(url, prepared.token, sent, half);
    };
    await upload(async () => undefined);
    // How far garbage piles up depends on what else the machine does; what is held shows every time.
    for (let attempt = 1; ; attempt += 1) {
      const before = memoryOf(child.pid);
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, memoryOf(child.pid));
      }, 5);
      const half = barrier(clients);
      await Promise.all(Array.from({ length: clients }, () => upload(half)));
      clearInterval(watch);
      t.diagnostic(`${((most - before) / 1e6).toFixed(0)} MB more than the ${(before / 1e6).toFixed(0)} MB before`);
      assert.equal(filesIn(folder).length, 1 + clients * attempt);
      if (most - before < mostGrowth) return;
      assert.ok(attempt < 3, `grew by ${most - before} bytes, again and again`);
    }
  });
});

/** Sends a document that was never sent before, waits when half of it is on its way, and asserts that it was kept. */
async function send(url: string, token: string, number: number, half: () => Promise<void>): Promise<void> {
  const [head, tail] = [Buffer.from(`%PDF-1.7\n% ${number}\n`), Buffer.from('\nstartxref\n0\n%%EOF\n')];
  const [before, after] = [
    Buffer.concat([partHead({}), head]),
    Buffer.concat([tail, Buffer.from(`\r\n--${formBoundary}--\r\n`)]),
  ];
  const filling = maxDocumentBytes - head.length - tail.length;
  const sending = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${formBoundary}`,
      'content-length': before.length + filling + after.length,
    },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sending.once('error', reject);
    sending.once('response', (answer) => text(answer).then(resolve, reject));
  });
  await write(sending, before);
  for (let left = filling, waited = false; left > 0; ) {
    if (!waited && left < filling / 2) {
      await half();
      waited = true;
    }
    await write(sending, filler.subarray(0, left));
    left -= Math.min(left, filler.length);
  }
  sending.end(after);
  assert.equal(JSON.parse(await answered).status, 200);
}

const filler = Buffer.alloc(65_536, 'x');

function write(sending: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    sending.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Makes a function that waits until it was called so many times. */
function barrier(count: number): () => Promise<void> {
  let waiting = count;
  return async () => {
    waiting -= 1;
    while (waiting > 0) await pause(5);
  };
}

/** Resident memory of a process, bytes. */
function memoryOf(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
