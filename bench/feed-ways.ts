// How part (i) delivers a file to the program: over HTTP, sent by a separate process, or dropped in a folder.
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { activity, writeRecordFile } from './data.ts';
import type { Place } from './databases.ts';
import type { FeedKind } from './feed-kinds.ts';
import { writeOrderLines, writeOrderLinesMapping } from './order-lines.ts';
import { startPeer } from './peers.ts';
import { feedKey, type Program, type Settings } from './program.ts';

/** A feed that has not begun. */
interface FeedWay {
  /** For the program that receives it. */
  readonly settings: Settings;
  /** Delivers all of it. @returns how many rows were read, and since when (milliseconds since 1970) */
  readonly bring: (program: Program) => Promise<Brought>;
  readonly close: () => Promise<void>;
}

interface Brought {
  readonly rows: number;
  readonly since: number;
  readonly until: number;
}

/**
 * Writes the file of a feed and prepares its delivery.
 * @param count rows of the file
 */
export async function feedWay(place: Place, kind: FeedKind, count: number): Promise<FeedWay> {
  const path =
    kind.what === 'order lines'
      ? await writeOrderLines(place.folder, kind.form, count)
      : await writeRecordFile(place.folder, kind.what, count);
  return kind.way === 'folder' ? dropped(place, kind, path) : sent(place, kind, path);
}

async function sent(place: Place, { what, way }: FeedKind, path: string): Promise<FeedWay> {
  // A separate process, so that the cost of sending does not delay the other client.
  const sender = await startPeer('send-feed.ts');
  return {
    settings: { MAX_FEED_MB: '4096' },
    bring: async ({ port }) => {
      const key = await feedKey(place);
      const since = Date.now();
      const { done } = await sender.ask({ port, key, resource: what, path, coding: way });
      return { rows: done, since, until: Date.now() };
    },
    close: () => sender.stop(),
  };
}

const fileName = 'day-1';
/** Interval between checks whether the file was taken. */
const lookMs = 100;

async function dropped(place: Place, kind: FeedKind, path: string): Promise<FeedWay> {
  const root = join(place.folder, 'drop');
  const isMapped = kind.what === 'order lines';
  const feed = isMapped ? 'order-lines' : kind.what;
  const [inbox, archive, errors] = ['inbox', 'archive', 'error'].map((name) => join(root, name, activity.code, feed));
  if (inbox === undefined || archive === undefined || errors === undefined) throw new Error('a folder is missing');
  await mkdir(inbox, { recursive: true });
  for (const name of ['mappings', 'archive', 'error']) await mkdir(join(root, name), { recursive: true });
  if (isMapped) await writeOrderLinesMapping(join(root, 'mappings', `${feed}.json`), kind.form);
  return {
    settings: { FEED_FOLDER: root, FEED_FOLDER_COMPLETE: 'rename' },
    bring: async () => {
      await rename(path, join(inbox, fileName));
      for (;;) {
        const text = await textOf(join(archive, `${fileName}.ack.json`));
        if (text !== null) return broughtBy(text, isMapped);
        for (const end of ['ack', 'reason']) {
          const said = await textOf(join(errors, `${fileName}.${end}.json`));
          if (said !== null) throw new Error(`the file was refused: ${said}`);
        }
        await pause(lookMs);
      }
    },
    close: async () => undefined,
  };
}

/** From the beginning of the file's first message to the end of the last one, according to the acknowledgement. */
function broughtBy(text: string, isMapped: boolean): Brought {
  const { messages }: { readonly messages: readonly Acknowledged[] } = JSON.parse(text);
  return {
    // Each line is read for each resource in it; it counts once.
    rows: Math.max(...messages.map(({ lines, structure, read }) => (isMapped ? lines - (structure ?? 0) : read))),
    since: Math.min(...messages.map(({ receivedAt }) => Date.parse(receivedAt))),
    until: Math.max(...messages.map(({ finishedAt }) => Date.parse(finishedAt))),
  };
}

interface Acknowledged {
  readonly lines: number;
  /** Of a file with a mapping: those that are no rows. */
  readonly structure?: number;
  readonly read: number;
  readonly receivedAt: string;
  readonly finishedAt: string;
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
