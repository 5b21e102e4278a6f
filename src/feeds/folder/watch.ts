// Watches the folders into which files are dropped: takes complete files, in parallel by feed, in order of name.
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import { type Completeness, type ReadyFile, readyFiles, type SeenFiles } from './inbox.ts';
import { makeFolder, writeJsonFile } from './outcome-files.ts';
import { cannotRead, type FeedPlace, findPlaces, type FolderFault, isInPlace } from './drop-places.ts';
import { dueFiles, keyOf, postpone, type PostponedFiles } from './postponed.ts';
import { type TakenFile, type TakingParts, takeFile } from './take-file.ts';
import { type FileFormats, fileFormatsIn } from './file-formats.ts';

export interface WatchParts extends TakingParts {
  readonly store: TakingParts['store'] & Pick<Store, 'activities'>;
  /** Absolute path of the configured folder. */
  readonly root: string;
  readonly completeness: Completeness;
  readonly resources: readonly Resource[];
  readonly observe: WatchObserver;
}

/** Called with events, from which the log is made. */
export interface WatchObserver {
  readonly taken: (place: FeedPlace, file: string, taken: TakenFile) => void;
  /** A file could not be taken now and will be tried again. Called once for each file and reason. */
  readonly postponed: (place: FeedPlace, file: string, error: unknown) => void;
  /** Nothing of a folder is taken. Called once for each folder and reason. */
  readonly fault: (fault: FolderFault) => void;
}

/** The number of feeds whose files are taken at the same time. */
const maxFeedsAtOnce = 8;
/** The most files of a feed that are taken before the folders are examined again. */
const maxFilesAtOnce = 50;
/** Interval between looks at the folders while files are taken. */
const lookEveryMs = 1000;
/** The most faults reported at a time. */
const maxFaults = 100;

/**
 * Makes the function that processes the folders: each round takes everything that is complete, or becomes complete
 * meanwhile, and ends when nothing is left. One process of a database does this at a time; a second one that begins
 * before the first has ended does no harm.
 */
export function folderWatch(parts: WatchParts): () => Promise<void> {
  const state: WatchState = {
    parts,
    formats: fileFormatsIn(parts.root, parts.resources),
    seen: new Map(),
    postponed: new Map(),
    ofInboxes: new Map(),
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

/** Waits until one of these ends, or for a time. */
async function anyOrAfter(works: Iterable<Promise<void>>, timeMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([...works, pause(timeMs, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
}

interface WatchState {
  readonly parts: WatchParts;
  readonly formats: FileFormats;
  readonly seen: SeenFiles;
  /** Inbox folder → its files that could not be taken. */
  readonly postponed: Map<string, PostponedFiles>;
  /** Inbox folder → its faults at the last look. */
  ofInboxes: ReadonlyMap<string, readonly FolderFault[]>;
  /** Folder → its fault that was reported. */
  readonly told: Map<string, string>;
  /** Inbox folder → the taking of one of its files. */
  readonly busy: Map<string, Promise<void>>;
}

/** Starts a file for each feed that has one. @returns how many */
async function look(state: WatchState): Promise<number> {
  const { parts, formats, busy } = state;
  const activities = new Map((await parts.store.activities.list()).map(({ code, name }) => [code, name]));
  const { places, faults } = await findPlaces(parts.root, new Set(activities.keys()));
  const found = [...faults];
  const ofInboxes = new Map<string, readonly FolderFault[]>();
  let started = 0;
  for (const place of places) {
    const format = await formats(place);
    if (format.kind === 'fault') {
      found.push({ place: placeOf(place), ...format.fault });
      continue;
    }
    const isFree = busy.size < maxFeedsAtOnce && !busy.has(place.inbox);
    const { files, wrong } = isFree
      ? await lookInto(state, place)
      : { files: [], wrong: state.ofInboxes.get(place.inbox) ?? [] };
    ofInboxes.set(place.inbox, wrong);
    if (files.length === 0) continue;
    started += 1;
    const activityName = activities.get(place.activity) ?? '';
    const work = takeAll(state, { place, activityName, format }, files).finally(() => busy.delete(place.inbox));
    busy.set(place.inbox, work);
  }
  state.ofInboxes = ofInboxes;
  await tellFaults(state, [...found, ...[...ofInboxes.values()].flat()], places);
  return started;
}

/** @returns the files of an inbox that can be taken now, and its faults */
async function lookInto(
  { parts, seen, postponed }: WatchState,
  place: FeedPlace,
): Promise<{ readonly files: readonly ReadyFile[]; readonly wrong: readonly FolderFault[] }> {
  try {
    if (!(await isInPlace(parts.root, place))) return { files: [], wrong: [] };
    const { ready, faults } = await readyFiles(place.inbox, parts.completeness, seen, performance.now());
    return {
      files: dueFiles(postponedOf(postponed, place), ready, performance.now()),
      wrong: [...faults].map(([name, fault]) => ({ place: `${placeOf(place)}/${name}`, ...fault })),
    };
  } catch (error) {
    return { files: [], wrong: [{ place: placeOf(place), ...cannotRead(error) }] };
  }
}

/** Relative to the configured folder. */
function placeOf({ activity, name }: FeedPlace): string {
  return `inbox/${activity}/${name}`;
}

function postponedOf(all: Map<string, PostponedFiles>, { inbox }: FeedPlace): PostponedFiles {
  const found = all.get(inbox) ?? new Map();
  all.set(inbox, found);
  return found;
}

/** Takes files one after another, until one must be waited for; then others have their turn. */
async function takeAll(
  state: WatchState,
  task: Omit<Parameters<typeof takeFile>[0], 'parts' | 'file'>,
  files: readonly ReadyFile[],
): Promise<void> {
  for (const file of files.slice(0, maxFilesAtOnce)) if (!(await take(state, { ...task, file }))) return;
}

/**
 * Takes one file, and never throws: failures are reported, and retried later.
 * @returns whether the next one may be taken
 */
async function take(
  { parts, postponed }: WatchState,
  task: Omit<Parameters<typeof takeFile>[0], 'parts'>,
): Promise<boolean> {
  const { place, file } = task;
  const name = file.name.toString('utf8');
  try {
    const taken = await takeFile({ parts, ...task });
    postponedOf(postponed, place).delete(keyOf(file));
    parts.observe.taken(place, name, taken);
    return !parts.stopping.aborted;
  } catch (error) {
    if (parts.stopping.aborted) return false;
    const { isNew, holdsFeed } = postpone(postponedOf(postponed, place), file, error, performance.now());
    if (isNew) parts.observe.postponed(place, name, error);
    return !holdsFeed;
  }
}

/** Reports new faults, in the log and by a file among the errors; removes those that have been resolved. */
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
    // If nothing can be written, only the log says it.
    await makeFolder(dirname(path))
      .then(() => writeJsonFile(path, fault))
      .catch(() => undefined);
  }
}

/**
 * `inbox/ACM/orders` → `error/ACM/orders.reason.json`. For something in an inbox, the name differs from that for a file
 * of the same name.
 */
function reasonFile(root: string, place: string): string {
  const below = place === 'inbox' ? place : place.slice('inbox/'.length);
  return join(root, 'error', `${below}${below.split('/').length > 2 ? '.entry' : ''}.reason.json`);
}
