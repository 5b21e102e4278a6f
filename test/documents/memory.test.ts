import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skip, startSwift } from './swift.ts';

/** Bytes. */
const mostGrowth = 100_000_000;

describe('twenty documents of 20 MiB at once', { timeout: 900_000 }, () => {
  it('take little memory on disk', (t) => measure(t, ''));

  it('take little memory in S3', { skip }, async (t) => {
    const swift = await startSwift();
    t.after(() => swift.stop());
    const { bucket, prefix, endpoint } = await swift.bucket('large');
    await measure(t, `s3://${bucket}/${prefix}?endpoint=${endpoint}`);
  });
});

async function measure(t: TestContext, url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = fileURLToPath(new URL('memory-child.ts', import.meta.url));
  // How far garbage piles up depends on what else the machine does; what is held shows every time.
  for (let attempt = 1; ; attempt += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      script,
      folder,
      url,
    ]);
    const { before, growth, count } = JSON.parse(stdout);
    t.diagnostic(`${(growth / 1e6).toFixed(0)} MB more than the ${(before / 1e6).toFixed(0)} MB before`);
    assert.equal(count, 21 * attempt);
    if (growth < mostGrowth) return;
    assert.ok(attempt < 3, `grew by ${growth} bytes, again and again`);
  }
}
