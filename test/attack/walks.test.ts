// Walks through lists that another process rewrites meanwhile: nothing that was there all the time is missing, and
// nothing comes twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sustainedMs, underAttack } from './attack.ts';
import { counts, rewritten } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, together } from './wire.ts';

type Row = Readonly<Record<string, unknown>>;

/** A walk to its end; `gone`: it was told with 410 that it cannot go on. */
interface Walk {
  readonly rows: readonly Row[];
  readonly pages: number;
  readonly gone: boolean;
  readonly cursor: string;
}

const walksOfEach = 6;

underAttack('walks', {}, (attack) => {
  attack(
    'walks in change order miss nothing while records are rewritten',
    async (target) => {
      const before = await walk(target, '/v1/articles?limit=100');
      return whileWriting(target, 'articles', async () => {
        const missing: number[] = [];
        const miss = async (path: string, expected: number): Promise<void> => {
          const { rows } = await walk(target, path);
          missing.push(expected - new Set(rows.map(({ articleReference }) => articleReference)).size);
        };
        const news = `/v1/articles?limit=10&cursor=${encodeURIComponent(before.cursor)}`;
        while ((await walk(target, news)).rows.length < rewritten);
        // At once, and pages that are full, because what happens between two statements of one walk takes longer where
        // others ask too. It is the end of a walk that goes wrong: most begin where the records are that change.
        await together(6, async () => {
          await miss('/v1/articles?limit=10', counts.orders);
          for (let count = 0; count < walksOfEach * 6; count += 1) await miss(news, rewritten);
        });
        return missing.filter((count) => count > 0);
      });
    },
    (_measured, missing) =>
      assert.deepEqual(missing, [], 'so many records that were there all the time were missing, in so many walks'),
  );

  attack(
    'sorted walks give every record once, though all have one value',
    async (target) => {
      // Those of other attacks too.
      const { rows: all } = await walk(target, '/v1/articles?limit=25');
      return whileWriting(target, 'articles', async () => {
        const faults: string[] = [];
        for (const sort of ['shortArticleDescription', '-brandCode', 'articleFamily,supplierCode']) {
          for (let count = 0; count < walksOfEach / 3; count += 1) {
            const { rows } = await walk(target, `/v1/articles?limit=25&sort=${sort}`);
            const different = new Set(rows.map(({ articleReference }) => articleReference)).size;
            if (different !== all.length || rows.length !== all.length)
              faults.push(`${sort}: ${rows.length} records, ${different} different, of ${all.length}`);
          }
        }
        return faults;
      });
    },
    (_measured, faults) => assert.deepEqual(faults, []),
  );

  attack(
    'walks through stock give one image, whole, or say that it is gone',
    (target) =>
      whileWriting(target, 'stock', async () => {
        const faults: string[] = [];
        for (const path of [
          '/v1/articles/stock?limit=30',
          '/v1/articles/stock?limit=30&sort=articleReference',
          '/v1/articles/stock?limit=30&sort=-totalStockQuantity',
        ]) {
          for (let count = 0; count < walksOfEach / 3; count += 1) {
            const { rows, gone } = await walk(target, path);
            const images = new Set(rows.map(({ stockImageExtractionDate }) => stockImageExtractionDate));
            const different = new Set(rows.map(({ articleReference }) => articleReference)).size;
            if (images.size > 1) faults.push(`${path}: rows of ${images.size} images`);
            else if (!gone && (different !== rows.length || ![300, counts.stock].includes(rows.length)))
              faults.push(`${path}: ${rows.length} rows, ${different} different`);
          }
        }
        return faults;
      }),
    (_measured, faults) => assert.deepEqual(faults, []),
  );

  attack(
    'walks through stock at two servers, while retention elsewhere removes the image under them',
    async (target) => {
      const other = await target.beside();
      const first = await stockPage(target, '/v1/articles/stock?limit=30');
      const early = dateOf(JSON.parse(first.body.toString())[0]);
      const found = await whileWriting(target, 'retention', async () => ({
        link: await untilGone(target, nextOf(first)),
        walks: await walksUntil(target, [target.port, other.port]),
      }));
      return { ...found, early, last: await walk(target, '/v1/articles/stock?limit=30', [other.port, target.port]) };
    },
    (_measured, { early, link, walks, last }) => {
      // A link from before, asked again and again until it was gone.
      assert.deepEqual(link, { images: [early], lengths: [30], end: 'cursor-expired' });
      assert.deepEqual(walks.flatMap(faultOf), []);
      const gone = walks.filter((each) => each.gone && each.rows.length > 0).length;
      assert.ok(
        gone > 0 && gone < walks.length,
        `${gone} of ${walks.length} walks were told that the image is gone: nothing is tried`,
      );
      assert.deepEqual([faultOf(last), last.gone, last.rows.length], [[], false, 300]);
      const newest =
        walks
          .flatMap(({ rows }) => rows.map(dateOf))
          .toSorted()
          .at(-1) ?? '';
      assert.ok(dateOf(last.rows[0] ?? {}) >= newest, 'the walk afterwards gives an older image');
    },
  );
});

const dateOf = ({ stockImageExtractionDate }: Row): string => String(stockImageExtractionDate);

/** Why a walk is neither a whole image nor the beginning of one that is gone; nothing for one that is. */
function faultOf({ rows, gone, pages }: Walk): readonly string[] {
  const images = [...new Set(rows.map(dateOf))];
  const whole = images[0] === '2026-01-01T00:00:00.000Z' ? counts.stock : 300;
  const different = new Set(rows.map(({ articleReference }) => articleReference)).size;
  if (images.length <= 1 && different === rows.length && (gone || rows.length === whole)) return [];
  return [
    `${rows.length} rows on ${pages} pages, ${different} different, of ` +
      `${images.join(' and ')}${gone ? ', then gone' : ''}`,
  ];
}

/** Walks through a list of stock, in the order of change and sorted, at one server, the other, and both by turns. */
async function walksUntil(target: Target, [one, other]: readonly [number, number]): Promise<readonly Walk[]> {
  const walks: Walk[] = [];
  const until = performance.now() + sustainedMs;
  // On a busy machine it takes longer until one walk is told that the image is gone, and another comes to its end.
  const tried = (): boolean =>
    walks.some(({ gone, rows }) => gone && rows.length > 0) && walks.some(({ gone }) => !gone);
  const work = [
    ['', [one]],
    ['', [other]],
    ['', [one, other]],
    ['&sort=-totalStockQuantity', [other, one]],
  ] as const;
  await Promise.all(
    work.map(async ([sort, ports]) => {
      while (performance.now() < until || (!tried() && performance.now() < until + 12_000))
        walks.push(await walk(target, `/v1/articles/stock?limit=10${sort}`, ports));
    }),
  );
  return walks;
}

/** Asks for one page again and again until it is no longer given. */
async function untilGone(
  target: Target,
  path: string,
): Promise<{ readonly images: readonly string[]; readonly lengths: readonly number[]; readonly end: unknown }> {
  const [images, lengths] = [new Set<string>(), new Set<number>()];
  const until = performance.now() + 10_000;
  for (;;) {
    const answer = await stockPage(target, path);
    const body = JSON.parse(answer.body.toString());
    if (answer.status !== 200 || performance.now() > until)
      return {
        images: [...images],
        lengths: [...lengths],
        end: answer.status === 410 ? body.type.split('/').at(-1) : answer.status,
      };
    for (const row of body) images.add(dateOf(row));
    lengths.add(body.length);
  }
}

function stockPage(target: Target, path: string): Promise<Answer> {
  return ask(target, { path, token: target.database.tokens.victim });
}

function nextOf({ headers }: Answer): string {
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  if (next === undefined) return '';
  const { pathname, search } = new URL(next);
  return pathname + search;
}

/** @param ports of the servers that give the pages by turns */
async function walk(target: Target, from: string, ports: readonly number[] = [target.port]): Promise<Walk> {
  const rows: Row[] = [];
  let [path, cursor, pages] = [from, '', 0];
  for (; pages < 400; pages += 1) {
    const answer = await ask(target, {
      path,
      token: target.database.tokens.victim,
      port: ports[pages % ports.length] ?? target.port,
    });
    if (answer.status === 410) return { rows, pages, gone: true, cursor };
    assert.equal(answer.status, 200, answer.body.toString().slice(0, 300));
    rows.push(...JSON.parse(answer.body.toString()));
    cursor = answer.headers['sync-cursor'] ?? cursor;
    path = nextOf(answer);
    if (path === '') return { rows, pages: pages + 1, gone: false, cursor };
  }
  throw new Error('the walk came to no end');
}

/** Does something while another process writes. */
async function whileWriting<Result>(
  { database }: Target,
  what: 'articles' | 'stock' | 'retention',
  work: () => Promise<Result>,
): Promise<Result> {
  const env = { PATH: process.env.PATH, HOME: database.folder, ...database.variables };
  const writer = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('./writer.ts', import.meta.url)), what],
    { env, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(writer, 'exit');
  try {
    await once(writer.stdout, 'data');
    const result = await work();
    assert.equal(writer.exitCode, null, 'nothing was written: the writer ended early');
    return result;
  } finally {
    writer.stdin.end();
    const [code] = await ended;
    assert.equal(code, 0, 'the writer failed');
  }
}
