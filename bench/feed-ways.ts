// How part (i) brings a file to the program: over HTTP, sent by a process of its own, or dropped in a folder.
import { copyFile, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { activity, writeRecordFile } from './data.ts';
import type { Place } from './databases.ts';
import { type FeedKind, orderLinesMapping, writeOrderLines } from './feed-kinds.ts';
import { startPeer } from './peers.ts';
import { feedKey, type Program, type Settings } from './program.ts';

/** A feed that has not begun. */
export interface FeedWay {
  /** Of the program that is to take it. */
  readonly settings: Settings;
  /** Brings it all. @returns how many rows were read, and since when (milliseconds since 1970) */
  readonly bring: (program: Program) => Promise<Brought>;
  readonly close: () => Promise<void>;
}

interface Brought {
  readonly rows: number;
  readonly since: number;
  readonly until: number;
}

/**
 * Writes the file of a feed and makes ready what brings it.
 * @param count rows of the file
 */
export async function feedWay(place: Place, kind: FeedKind, count: number): Promise<FeedWay> {
  const path =
    kind.what === 'order lines'
      ? await writeOrderLines(place.folder, count)
      : await writeRecordFile(place.folder, kind.what, count);
  return kind.way === 'folder' ? dropped(place, kind, path) : sent(place, kind, path);
}

async function sent(place: Place, { what, way }: FeedKind, path: string): Promise<FeedWay> {
  // A process of its own: what it takes to send is not what the other client waits for.
  const sender = await startPeer('send-feed.ts');
  return {
    settings: { MAX_FEED_MB: '4096' },
    bring: async ({ port }) => {
      const key = await feedKey(place);
      const since = Date.now();
      const { done } = await sender.ask({ port, key, resource: what, path, isCompressed: way === 'gzip' });
      return { rows: done, since, until: Date.now() };
    },
    close: () => sender.stop(),
  };
}

const fileName = 'day-1';
/** Between two looks at whether the file was taken. */
const lookMs = 100;

async function dropped(place: Place, { what }: FeedKind, path: string): Promise<FeedWay> {
  const root = join(place.folder, 'drop');
  const feed = what === 'order lines' ? 'order-lines' : what;
  const [inbox, archive, errors] = ['inbox', 'archive', 'error'].map((name) => join(root, name, activity.code, feed));
  if (inbox === undefined || archive === undefined || errors === undefined) throw new Error('a folder is missing');
  await mkdir(inbox, { recursive: true });
  for (const name of ['mappings', 'archive', 'error']) await mkdir(join(root, name), { recursive: true });
  if (what === 'order lines') await copyFile(orderLinesMapping, join(root, 'mappings', `${feed}.json`));
  return {
    settings: { FEED_FOLDER: root, FEED_FOLDER_COMPLETE: 'rename' },
    bring: async () => {
      await rename(path, join(inbox, fileName));
      for (;;) {
        const text = await textOf(join(archive, `${fileName}.ack.json`));
        if (text !== null) return broughtBy(text, what === 'order lines');
        for (const kind of ['ack', 'reason']) {
          const said = await textOf(join(errors, `${fileName}.${kind}.json`));
          if (said !== null) throw new Error(`the file was refused: ${said}`);
        }
        await pause(lookMs);
      }
    },
    close: async () => undefined,
  };
}

/** From when the first message of the file began until the last one ended: by the acknowledgement. */
function broughtBy(text: string, isMapped: boolean): Brought {
  const { messages }: { readonly messages: readonly Acknowledged[] } = JSON.parse(text);
  return {
    // Each line is read for each resource that comes of it; it counts once.
    rows: Math.max(...messages.map(({ lines, read }) => (isMapped ? lines - 1 : read))),
    since: Math.min(...messages.map(({ receivedAt }) => Date.parse(receivedAt))),
    until: Math.max(...messages.map(({ finishedAt }) => Date.parse(finishedAt))),
  };
}

interface Acknowledged {
  readonly lines: number;
  readonly read: number;
  readonly receivedAt: string;
  readonly finishedAt: string;
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
