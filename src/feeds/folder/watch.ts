// Watches the folders into which files are dropped: takes what is complete, feed beside feed, in the order of names.
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import { MessageRunning } from '../receive.ts';
import { FileChanged } from './dropped-file.ts';
import { type Completeness, type ReadyFile, readyFiles, type SeenFiles } from './inbox.ts';
import { makeFolder, writeJsonFile } from './outcome-files.ts';
import { cannotRead, type FeedPlace, findPlaces, type FolderFault, isInPlace } from './drop-places.ts';
import { type TakenFile, type TakingParts, takeFile } from './take-file.ts';
import { type Ways, waysIn } from './ways.ts';

export interface WatchParts extends TakingParts {
  readonly store: TakingParts['store'] & Pick<Store, 'activities'>;
  /** Absolute; the folder of the setting. */
  readonly root: string;
  readonly completeness: Completeness;
  readonly resources: readonly Resource[];
  readonly observe: WatchObserver;
}

/** Is told what happens; the log is made of it. */
export interface WatchObserver {
  readonly taken: (place: FeedPlace, file: string, taken: TakenFile) => void;
  /** A file could not be taken now; it is tried again. Told once for each file and reason. */
  readonly postponed: (place: FeedPlace, file: string, error: unknown) => void;
  /** Nothing of a folder is taken. Told once for each folder and reason. */
  readonly fault: (fault: FolderFault) => void;
}

/** Feeds of which files are taken at once. */
const maxFeedsAtOnce = 8;
/** Files of a feed that are taken before the folders are looked at anew. */
const maxFilesAtOnce = 50;
/** From one look at the folders to the next while files are taken. */
const lookEveryMs = 1000;
/** Faults that are told at a time. */
const maxFaults = 100;
/** Before a file that could not be taken is tried again. */
const retryAfterMs = 10_000;

/**
 * Makes what looks at the folders: each round takes everything that is complete, and what becomes complete meanwhile.
 * A round ends when nothing is left to take. One process of a database does this at a time; another one that begins
 * before the first has ended does no harm.
 */
export function folderWatch(parts: WatchParts): () => Promise<void> {
  const state: WatchState = {
    parts,
    ways: waysIn(parts.root, parts.resources),
    seen: new Map(),
    postponed: new Map(),
    told: new Map(),
    busy: new Map(),
  };
  return async () => {
    for (;;) {
      const started = parts.stopping.aborted ? 0 : await look(state);
      if (state.busy.size > 0) await anyOrAfter(state.busy.values(), lookEveryMs);
      else if (started === 0) return;
    }
  };
}

/** Waits until one of these is over, or for a time. */
async function anyOrAfter(works: Iterable<Promise<void>>, timeMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([...works, pause(timeMs, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
}

interface WatchState {
  readonly parts: WatchParts;
  readonly ways: Ways;
  readonly seen: SeenFiles;
  /** Inbox folder → the file that could not be taken, and when it is tried again. */
  readonly postponed: Map<string, { readonly told: string; readonly untilMs: number }>;
  /** Folder → the fault that was told of it. */
  readonly told: Map<string, string>;
  /** Inbox folder → the taking of a file of it. */
  readonly busy: Map<string, Promise<void>>;
}

/** Starts a file of each feed that has one. @returns how many */
async function look(state: WatchState): Promise<number> {
  const { parts, ways, busy, postponed, seen } = state;
  const activities = new Map((await parts.store.activities.list()).map(({ code, name }) => [code, name]));
  const { places, faults } = await findPlaces(parts.root, new Set(activities.keys()));
  const found = [...faults];
  let started = 0;
  for (const place of places) {
    const below = `inbox/${place.activity}/${place.name}`;
    const way = await ways(place);
    if (way.kind === 'fault') {
      found.push({ place: below, ...way.fault });
      continue;
    }
    if (busy.size >= maxFeedsAtOnce || busy.has(place.inbox)) continue;
    if ((postponed.get(place.inbox)?.untilMs ?? 0) > performance.now()) continue;
    let files: readonly ReadyFile[];
    try {
      files = (await isInPlace(parts.root, place))
        ? await readyFiles(place.inbox, parts.completeness, seen, performance.now())
        : [];
    } catch (error) {
      found.push({ place: below, ...cannotRead(error) });
      continue;
    }
    if (files.length === 0) continue;
    started += 1;
    const activityName = activities.get(place.activity) ?? '';
    const work = takeAll(state, { place, activityName, way }, files).finally(() => busy.delete(place.inbox));
    busy.set(place.inbox, work);
  }
  await tellFaults(state, found, places);
  return started;
}

/** Takes files one after another, until one cannot be taken; then others have their turn. */
async function takeAll(
  state: WatchState,
  task: Omit<Parameters<typeof takeFile>[0], 'parts' | 'file'>,
  files: readonly ReadyFile[],
): Promise<void> {
  for (const file of files.slice(0, maxFilesAtOnce)) if (!(await take(state, { ...task, file }))) return;
}

/**
 * Takes one file, and never throws: what goes wrong is told, and tried again later.
 * @returns whether it was taken
 */
async function take(
  { parts, postponed }: WatchState,
  task: Omit<Parameters<typeof takeFile>[0], 'parts'>,
): Promise<boolean> {
  const { place, file } = task;
  const name = file.name.toString('utf8');
  try {
    const taken = await takeFile({ parts, ...task });
    postponed.delete(place.inbox);
    parts.observe.taken(place, name, taken);
    return !parts.stopping.aborted;
  } catch (error) {
    if (parts.stopping.aborted) return false;
    const untilMs = performance.now() + retryAfterMs;
    const told = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    const before = postponed.get(place.inbox)?.told;
    postponed.set(place.inbox, { told, untilMs });
    // Both are the way of things: somebody else is at it, or still writes.
    const cause = error instanceof Error ? error.cause : null;
    if (error instanceof MessageRunning || error instanceof FileChanged || cause instanceof FileChanged) return false;
    if (before !== told) parts.observe.postponed(place, name, error);
    return false;
  }
}

/** Tells of faults that are new, in the log and by a file among the errors; takes away those that are mended. */
async function tellFaults(
  { parts, told }: WatchState,
  faults: readonly FolderFault[],
  places: readonly FeedPlace[],
): Promise<void> {
  const now = new Map(faults.slice(0, maxFaults).map((fault) => [fault.place, fault]));
  const sound = places.flatMap(({ activity, name }) => [`inbox/${activity}`, `inbox/${activity}/${name}`]);
  for (const place of ['inbox', ...sound, ...told.keys()]) {
    if (now.has(place) || told.get(place) === '') continue;
    await rm(reasonFile(parts.root, place), { force: true }).catch(() => undefined);
    told.set(place, '');
  }
  for (const [place, fault] of now) {
    const said = `${fault.code} ${fault.detail}`;
    if (told.get(place) === said) continue;
    told.set(place, said);
    parts.observe.fault(fault);
    const path = reasonFile(parts.root, place);
    // Where nothing can be written, the log alone says it.
    await makeFolder(dirname(path))
      .then(() => writeJsonFile(path, fault))
      .catch(() => undefined);
  }
}

/** `inbox/ACM/orders` → `error/ACM/orders.reason.json` */
function reasonFile(root: string, place: string): string {
  return join(root, 'error', `${place === 'inbox' ? place : place.slice('inbox/'.length)}.reason.json`);
}
