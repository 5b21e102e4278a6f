// Part (i): records per second that a feed brings over HTTP, by kind, what another client's pages take meanwhile, and
// memory.
import { setTimeout as pause } from 'node:timers/promises';
import { importMovements, type Multiplied, writeRecordFile } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import type { Effort } from './measure.ts';
import { memoryOf, startPeer } from './peers.ts';
import { feedKey, type Program, startProgram } from './program.ts';
import type { Figure } from './report.ts';

/** Movements that are there before, so that pages have something to read. */
const before = 20_000;
/** How long the quiet state is looked at, before and after. */
const quietMs = 5000;
/** Between two pages of the other client: it must not load the server by itself. */
const betweenPagesMs = 50;

/** What is fed, how it is sent, and how many records of it. */
interface FeedKind {
  readonly resource: Multiplied;
  readonly isCompressed: boolean;
  readonly quick: number;
  readonly full: number;
}

const kinds: readonly FeedKind[] = [
  { resource: 'movements', isCompressed: false, quick: 40_000, full: 1_000_000 },
  { resource: 'movements', isCompressed: true, quick: 20_000, full: 1_000_000 },
  { resource: 'orders', isCompressed: false, quick: 3_000, full: 200_000 },
  { resource: 'articles', isCompressed: false, quick: 3_000, full: 200_000 },
];

export async function measureFeeds(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    for (const kind of kinds)
      figures.push(
        ...(await withPlaces([engine], async ([place]) => (place === undefined ? [] : feedInto(place, kind, effort)))),
      );
  return figures;
}

async function feedInto(place: Place, kind: FeedKind, effort: Effort): Promise<readonly Figure[]> {
  const { resource, isCompressed } = kind;
  // The movements that are there are in the file too.
  const count = (resource === 'movements' ? before : 0) + (effort.quick ? kind.quick : kind.full);
  await importMovements(place, before);
  const path = await writeRecordFile(place.folder, resource, count);
  // A process of its own: what it takes to send is not what the other client waits for.
  const sender = await startPeer('send-feed.ts');
  const program = await startProgram(place, { MAX_FEED_MB: '4096' });
  try {
    const key = await feedKey(place);
    const quiet = await pagesDuring(program, pause(quietMs));
    const started = performance.now();
    const memory: number[] = [];
    const feed = sender.ask({ port: program.port, key, resource, path, isCompressed });
    const during = await pagesDuring(program, feed, () => memory.push(memoryOf(program.pid).own));
    const seconds = (performance.now() - started) / 1000;
    await pause(1000);
    const after = await pagesDuring(program, pause(quietMs));
    const { done: read } = await feed;
    const [middle = 0, end = 0] = [memory[Math.floor(memory.length / 2)], memory.at(-1)];
    const [still, busy] = [median([...quiet, ...after]), median(during)];
    const about = { part: 'i', engine: place.engine, cpuRatio: null, limit: null, ratio: null, note: '' } as const;
    return [
      {
        ...about,
        what: `${resource} of a feed of ${read}${isCompressed ? ', gzip' : ''}`,
        reached: read / seconds,
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
        note: `95 of 100 within ${share(during, 0.95).toFixed(1)} ms; quiet ${share(quiet, 0.95).toFixed(1)}`,
      },
      {
        ...about,
        what: 'memory at the end of the feed',
        reached: end,
        unit: 'MB',
        limit: { name: 'its middle', value: middle },
        aim: '≤ middle + 30 MB',
        // A short feed ends before the program has got warm.
        met: effort.quick ? null : end <= middle + 30,
      },
    ];
  } finally {
    await Promise.all([program.stop(), sender.stop()]);
  }
}

/** Milliseconds of each page that a client reads, one after the other, until something is over. */
async function pagesDuring(program: Program, work: Promise<unknown>, each: () => void = () => undefined) {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  const times: number[] = [];
  for (let index = 0; !isOver; index += 1) {
    // Each page another one: none comes from memory.
    const since = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const started = performance.now();
    const answer = await fetch(`http://127.0.0.1:${program.port}/v1/articles/movements?updatedSince=${since}`, {
      headers: { authorization: program.authorization },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a page is answered ${answer.status}`);
    times.push(performance.now() - started);
    each();
    await pause(betweenPagesMs);
  }
  return times;
}

function median(times: readonly number[]): number {
  return share(times, 0.5);
}

function share(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
}
