// Part (i): rows per second of a feed, by kind and channel, the duration of another client's pages meanwhile, and
// memory.
import { setTimeout as pause } from 'node:timers/promises';
import { importMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type FeedKind, feedKinds } from './feed-kinds.ts';
import { feedWay } from './feed-ways.ts';
import { type Effort, median } from './measure.ts';
import { memoryOf } from './peers.ts';
import { type Program, startProgram } from './program.ts';
import type { Figure } from './report.ts';

/** Movements that exist beforehand, so that pages have something to read. */
const before = 20_000;
/** How long the quiet state is observed, before and after. */
const quietMs = { quick: 3000, full: 5000 };
/** Hundredths of a feed at which its memory is told. */
const memoryAt = [10, 30, 50, 70, 90];
/** Pause between two pages of the other client, which must not load the server by itself. */
const betweenPagesMs = 50;

export async function measureFeeds(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    for (const kind of feedKinds)
      figures.push(
        ...(await withPlaces([engine], async ([place]) => (place === undefined ? [] : feedInto(place, kind, effort)))),
      );
  return figures;
}

async function feedInto(place: Place, kind: FeedKind, effort: Effort): Promise<readonly Figure[]> {
  await importMovements(place, before);
  // The existing movements are in the file too.
  const count = (kind.what === 'movements' ? before : 0) + (effort.quick ? kind.quick : kind.full);
  const way = await feedWay(place, kind, count);
  const program = await startProgram(place, way.settings);
  const lookMs = effort.quick ? quietMs.quick : quietMs.full;
  try {
    const before = await pagesDuring(program, pause(lookMs));
    const feed = way.bring(program);
    const seen = await pagesDuring(program, feed);
    const { rows, since, until } = await feed;
    await pause(1000);
    const after = await pagesDuring(program, pause(lookMs));
    // A file waits in its folder for the next look at it: pages during that time do not belong to the feed.
    const during = seen.filter(({ at }) => at >= since && at <= until);
    if (rows !== count) throw new Error(`${rows} of ${count} rows were read`);
    return figuresOf(place.engine, kind, effort, {
      rows,
      seconds: (until - since) / 1000,
      quiet: [...before, ...after],
      during,
    });
  } finally {
    await Promise.all([program.stop(), way.close()]);
  }
}

interface Seen {
  readonly rows: number;
  readonly seconds: number;
  readonly quiet: readonly PageSeen[];
  readonly during: readonly PageSeen[];
}

function figuresOf(
  engine: EngineName,
  kind: FeedKind,
  { quick }: Effort,
  { rows, seconds, quiet, during }: Seen,
): readonly Figure[] {
  const [middle, end] = [memoryAround(during, 0.5), memoryAround(during, 1)];
  const onTheWay = memoryAt.map((part) => memoryAround(during, part / 100).toFixed(0));
  const [still, busy] = [share(quiet, 0.5), share(during, 0.5)];
  const about = { part: 'i', engine, cpuRatio: null, limit: null, ratio: null, note: '' } as const;
  return [
    {
      ...about,
      what: `${kind.what} of a feed of ${rows}, ${kind.way}${'form' in kind ? `, ${kind.form}` : ''}`,
      reached: rows / seconds,
      unit: 'rows/s',
      aim: '',
      met: null,
    },
    {
      ...about,
      what: "another client's page meanwhile, median",
      reached: busy,
      unit: 'ms',
      limit: { name: 'quiet', value: still },
      ratio: still / busy,
      aim: '≤ 2 times quiet',
      met: busy <= 2 * still,
      note: [
        `95 of 100 within ${share(during, 0.95).toFixed(1)} ms`,
        `quiet ${share(quiet, 0.95).toFixed(1)}`,
        `${during.length} pages`,
      ].join('; '),
    },
    {
      ...about,
      what: 'memory at the end of the feed',
      reached: end,
      unit: 'MB',
      limit: { name: 'its middle', value: middle },
      aim: '≤ middle + 30 MB',
      // A short feed ends before the program has warmed up.
      met: quick ? null : end <= middle + 30,
      note: `at ${memoryAt.join(', ')} hundredths: ${onTheWay.join(', ')} MB`,
    },
  ];
}

/** A page that a client has read. */
export interface PageSeen {
  /** When it was requested, milliseconds since 1970. */
  readonly at: number;
  /** How long it took. */
  readonly tookMs: number;
  /** Memory of the server at that time. */
  readonly megabytes: number;
}

/** Pages that a client reads, one after the other, until something is over. */
export async function pagesDuring(
  { pid, port, authorization }: Program,
  work: Promise<unknown>,
): Promise<readonly PageSeen[]> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  const pages: PageSeen[] = [];
  for (let index = 0; !isOver; index += 1) {
    // Always a different page: none comes from memory.
    const since = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const [at, started] = [Date.now(), performance.now()];
    const answer = await fetch(`http://127.0.0.1:${port}/v1/articles/movements?updatedSince=${since}`, {
      headers: { authorization },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a page is answered ${answer.status}`);
    pages.push({ at, tookMs: performance.now() - started, megabytes: memoryOf(pid).own });
    await pause(betweenPagesMs);
  }
  return pages;
}

/** Memory around a fraction of the time, or before its end, as the median of a tenth: it constantly fluctuates. */
function memoryAround(pages: readonly PageSeen[], part: number): number {
  const end = Math.ceil(pages.length * Math.min(1, part + 0.05));
  return median(pages.slice(Math.max(0, end - Math.ceil(pages.length / 10)), end).map(({ megabytes }) => megabytes));
}

export function share(pages: readonly Pick<PageSeen, 'tookMs'>[], part: number): number {
  const times = pages.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return times[Math.floor(times.length * part)] ?? 0;
}
