// Walks through lists that another process rewrites meanwhile: nothing that was there all the time is missing, and nothing comes twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { underAttack } from './attack.ts';
import { counts } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, together } from './wire.ts';

type Row = Readonly<Record<string, unknown>>;

/** A walk to its end; `gone`: it was told with 410 that it cannot go on. */
interface Walk { readonly rows: readonly Row[]; readonly pages: number; readonly gone: boolean; readonly cursor: string }

const walksOfEach = 6;

underAttack('walks', {}, (attack) => {
  attack('walks in change order miss nothing while records are rewritten', (target) => whileWriting(target, 'articles', async () => {
    const missing: number[] = [];
    // At once, and pages that are full, because what happens between two statements of one walk takes longer where others ask too.
    await together(3, async () => {
      for (let count = 0; count < walksOfEach; count += 1) {
        const { rows } = await walk(target, '/v1/articles?limit=10');
        missing.push(counts.orders - new Set(rows.map(({ articleReference }) => articleReference)).size);
      }
    });
    return missing.filter((count) => count > 0);
  }), (_measured, missing) => assert.deepEqual(missing, [], 'so many records that were there all the time were missing, in so many walks'));

  attack('sorted walks give every record once, though all have one value', (target) => whileWriting(target, 'articles', async () => {
    const faults: string[] = [];
    for (const sort of ['shortArticleDescription', '-brandCode', 'articleFamily,supplierCode']) {
      for (let count = 0; count < walksOfEach / 3; count += 1) {
        const { rows } = await walk(target, `/v1/articles?limit=25&sort=${sort}`);
        const different = new Set(rows.map(({ articleReference }) => articleReference)).size;
        if (different !== counts.orders || rows.length !== counts.orders) faults.push(`${sort}: ${rows.length} records, ${different} different, of ${counts.orders}`);
      }
    }
    return faults;
  }), (_measured, faults) => assert.deepEqual(faults, []));

  attack('walks through stock give one image, whole, or say that it is gone', (target) => whileWriting(target, 'stock', async () => {
    const faults: string[] = [];
    for (const path of ['/v1/articles/stock?limit=30', '/v1/articles/stock?limit=30&sort=articleReference', '/v1/articles/stock?limit=30&sort=-totalStockQuantity']) {
      for (let count = 0; count < walksOfEach / 3; count += 1) {
        const { rows, gone } = await walk(target, path);
        const images = new Set(rows.map(({ stockImageExtractionDate }) => stockImageExtractionDate));
        const different = new Set(rows.map(({ articleReference }) => articleReference)).size;
        if (images.size > 1) faults.push(`${path}: rows of ${images.size} images`);
        else if (!gone && (different !== rows.length || ![300, counts.stock].includes(rows.length))) faults.push(`${path}: ${rows.length} rows, ${different} different`);
      }
    }
    return faults;
  }), (_measured, faults) => assert.deepEqual(faults, []));
});

async function walk(target: Target, from: string): Promise<Walk> {
  const rows: Row[] = [];
  let [path, cursor, pages] = [from, '', 0];
  for (; pages < 400; pages += 1) {
    const answer: Answer = await ask(target, { path, token: target.database.tokens.victim });
    if (answer.status === 410) return { rows, pages, gone: true, cursor };
    assert.equal(answer.status, 200, answer.body.toString().slice(0, 300));
    rows.push(...JSON.parse(answer.body.toString()));
    cursor = answer.headers['sync-cursor'] ?? cursor;
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '')?.[1];
    if (next === undefined) return { rows, pages: pages + 1, gone: false, cursor };
    const { pathname, search } = new URL(next);
    path = pathname + search;
  }
  throw new Error('the walk came to no end');
}

/** Does something while another process writes. */
async function whileWriting<Result>({ database }: Target, what: 'articles' | 'stock', work: () => Promise<Result>): Promise<Result> {
  const env = { PATH: process.env.PATH, HOME: database.folder, ...database.variables };
  const writer = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('./writer.ts', import.meta.url)), what], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(writer, 'exit');
  try {
    await once(writer.stdout, 'data');
    return await work();
  } finally {
    writer.stdin.end();
    await ended;
  }
}
