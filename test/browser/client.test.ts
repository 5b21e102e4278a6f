// The client of `packages/client` in a real browser, compiled, from a page of another origin: pages, problems, an
// upload that tells how far it is and one that is ended.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from '../auth/flow.ts';
import { articleLike, sendOrder, tokenOf } from '../client/fixture.ts';
import { inBrowser, suiteBrowser, watch } from './chromium.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the client in Chromium', { ...inBrowser }, () => {
  const browser = suiteBrowser();

  it('reads, is told of problems, and uploads', async (t) => {
    const origin = await servePage(t);
    const service = await startService(t, { CORS_ORIGINS: origin });
    const token = await tokenOf(service);
    await sendOrder(service, 'ORDER-1');
    const page = await browser().newPage();
    t.after(() => page.close());
    const { complaints } = watch(page);
    await page.goto(origin);
    const articles = ['A1', 'A2', 'A3'].map(articleLike);
    const seen: unknown = await page.evaluate(`(async () => {
      const { createClient, ProblemError } = await import('/index.js');
      const client = createClient({ baseUrl: ${JSON.stringify(service.baseUrl)}, token: ${JSON.stringify(token)} });
      const { passed } = await client.articles.create(${JSON.stringify(articles)});
      const references = [];
      for await (const article of client.articles.records({ limit: 2 })) references.push(article.articleReference);
      const fault = await client.articles.page({ filter: 'x' }).catch((error) => error);
      const content = new Uint8Array(2000000).fill(32);
      content.set(new TextEncoder().encode('%PDF-1.7\\n'));
      content.set(new TextEncoder().encode('\\nstartxref\\n9\\n%%EOF\\n'), content.length - 19);
      const file = new File([content], 'invoice.pdf', { type: 'application/pdf' });
      let told = [];
      const attached = await client.orders.attach('ORDER-1', 'invoice', file, {
        onProgress: (sent, total) => told.push([sent, total]),
      });
      const refused = await client.orders.attach('NO-ORDER', 'invoice', file, { onProgress: () => {} })
        .catch((error) => error);
      const ending = new AbortController();
      const ended = await client.orders.attach('ORDER-1', 'other', file, {
        signal: ending.signal,
        onProgress: () => ending.abort(new Error('ended')),
      }).catch((error) => error.message);
      return {
        passed, references, ended,
        fault: fault instanceof ProblemError && fault.slug,
        refused: refused instanceof ProblemError && refused.status,
        attached: attached.status,
        whole: told.length > 0 && told.at(-1)[0] === told.at(-1)[1] && told.at(-1)[1] > 2000000,
      };
    })()`);
    assert.deepEqual(seen, {
      passed: ['BBB/A1', 'BBB/A2', 'BBB/A3'],
      references: ['A1', 'A2', 'A3'],
      ended: 'ended',
      fault: 'invalid-filter',
      refused: 404,
      attached: 200,
      whole: true,
    });
    assert.deepEqual(complaints, []);
  });
});

/** The compiled client and an empty page beside it. */
async function servePage(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'client-in-browser-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const built = spawnSync(process.execPath, ['tools/build-client.ts', '--out', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(built.status, 0, built.stdout + built.stderr);
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
    else if (/^\/[\w/-]+\.js$/.test(url))
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join(folder, url)));
    else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
