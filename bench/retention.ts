// Part (k): the duration of another client's pages and a client's writes while old records are removed from a large
// table, and the speed of the removal.
import { setTimeout as pause } from 'node:timers/promises';
import { updatedField } from '../src/store/access-path.ts';
import { articleStockMovement } from '../src/resources/index.ts';
import { quotedName } from '../src/store/engine.ts';
import { openEngine } from '../src/store/open.ts';
import { dayMs } from '../src/model/instant.ts';
import { plain } from '../test/contract/database.ts';
import { activity, makeMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type PageSeen, pagesDuring, share } from './feeds.ts';
import type { Effort } from './measure.ts';
import { type Program, startProgram } from './program.ts';
import type { Figure } from './report.ts';

/** Records of each table, four in five of which have exceeded their retention. */
const counts = { quick: 100_000, full: 1_250_000 } as const;
const oldPart = 0.8;
/** Milliseconds from the start of the program to its first round of retention, with a margin. */
const firstRoundMs = 60_000;
/** How much of the time before counts as quiet: the program has warmed up by then. */
const quietMs = 30_000;
/** Pause between two writes of the other client. */
const betweenWritesMs = 250;

export async function measureRetention(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], async ([place]) => (place === undefined ? [] : retentionIn(place, effort)))),
    );
  return figures;
}

async function retentionIn(place: Place, { quick }: Effort): Promise<readonly Figure[]> {
  const count = quick ? counts.quick : counts.full;
  const old = count * oldPart;
  process.stderr.write(`${place.engine}: making ${count.toLocaleString('en-GB')} rows …\n`);
  await makeMovements(place, count);
  await age(place, old);
  const started = Date.now();
  const program = await startProgram(place, { MOVEMENT_RETENTION_DAYS: '30', RATE_WRITES: '0' });
  try {
    const round = removedBy(program, old);
    const [pages, writes] = await Promise.all([pagesDuring(program, round), writesDuring(program, round)]);
    const until = await round;
    const since = started + firstRoundMs;
    const isQuiet = ({ at }: Seen): boolean => at < since - 2000 && at > since - quietMs;
    const isBusy = ({ at }: Seen): boolean => at > since + 2000 && at < until;
    return figuresOf(place.engine, {
      ...{ old, seconds: (until - since) / 1000 },
      pages: { quiet: pages.filter(isQuiet), busy: pages.filter(isBusy) },
      writes: { quiet: writes.filter(isQuiet), busy: writes.filter(isBusy) },
    });
  } finally {
    await program.stop();
  }
}

/** Makes the first movements old, in steps that use little memory. */
async function age({ storage }: Place, count: number): Promise<void> {
  const engine = await openEngine(storage);
  const [table, written] = [articleStockMovement.table, updatedField(articleStockMovement)].map(quotedName);
  try {
    for (let from = 0; from < count; from += 100_000)
      await engine.write((transaction) =>
        transaction.query(
          plain(
            `update ${table} set ${written} = ${written} - ${100 * dayMs} where owner = '${activity.code}' and ` +
              `change_number > ${from} and change_number <= ${Math.min(count, from + 100_000)}`,
          ),
        ),
      );
    await engine.optimize();
  } finally {
    await engine.close();
  }
}

/** Waits until this many records have been removed. @returns when that was seen, milliseconds since 1970 */
async function removedBy({ port }: Program, count: number): Promise<number> {
  for (;;) {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const removed = Number(/^logistics_retention_removed_total\{[^}]*movements[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
    if (removed > count) throw new Error(`${removed} movements are gone, and ${count} were old`);
    if (removed === count) return Date.now();
    await pause(500);
  }
}

type Seen = Pick<PageSeen, 'at' | 'tookMs'>;

/** Articles that a client of the same activity creates, one after the other: each waits for the running step. */
async function writesDuring({ port, authorization }: Program, work: Promise<unknown>): Promise<readonly Seen[]> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  const writes: Seen[] = [];
  for (let index = 0; !isOver; index += 1) {
    const [at, started] = [Date.now(), performance.now()];
    const name = `KEPT-${index}`;
    const article = { activityCode: activity.code, articleReference: name, longArticleDescription: name };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/articles`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify([{ ...article, shortArticleDescription: name }]),
    });
    if (answer.status !== 200) throw new Error(`a write is answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
    writes.push({ at, tookMs: performance.now() - started });
    await pause(betweenWritesMs);
  }
  return writes;
}

interface Measured {
  /** Number of removed records. */
  readonly old: number;
  readonly seconds: number;
  readonly pages: QuietAndBusy;
  readonly writes: QuietAndBusy;
}

interface QuietAndBusy {
  readonly quiet: readonly Seen[];
  readonly busy: readonly Seen[];
}

function figuresOf(engine: EngineName, { old, seconds, pages, writes }: Measured): readonly Figure[] {
  const about = { part: 'k', engine, cpuRatio: null } as const;
  const beside = (what: string, { quiet, busy }: QuietAndBusy): Figure => {
    const [still, during] = [share(quiet, 0.5), share(busy, 0.5)];
    return {
      ...about,
      what,
      reached: during,
      unit: 'ms',
      limit: { name: 'quiet', value: still },
      ratio: still / during,
      aim: '≤ 2 times quiet',
      met: during <= 2 * still,
      note: [
        `95 of 100 within ${share(busy, 0.95).toFixed(1)} ms`,
        `quiet ${share(quiet, 0.95).toFixed(1)}`,
        `longest ${share(busy, 0.9999).toFixed(0)}`,
        `${busy.length} of them`,
      ].join('; '),
    };
  };
  return [
    {
      ...about,
      ...{ what: `removing ${old} old movements`, reached: old / seconds, unit: 'rows/s' },
      ...{ limit: null, ratio: null, aim: '', met: null, note: `${seconds.toFixed(0)} s` },
    },
    beside("another client's page meanwhile, median", pages),
    beside('an article that a client creates meanwhile, median', writes),
  ];
}
