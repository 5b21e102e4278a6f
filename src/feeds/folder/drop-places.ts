// The folders of the folder drop: where files of each activity and feed arrive, and where they go.
import { hasCode } from '../../model/error-code.ts';
import type { ReasonCode } from '../../model/reason-codes.ts';
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** A fault of a folder or file; `remedy` says what to do. */
export interface DropFault {
  readonly code: ReasonCode;
  readonly detail: string;
  readonly remedy: string;
}

/** A fault of a folder, because of which nothing in it is taken. */
export interface FolderFault extends DropFault {
  /** Relative to the configured folder: `inbox/ACM/orders`. */
  readonly place: string;
}

/** A folder into which files of one feed are dropped. */
export interface FeedPlace {
  readonly activity: string;
  readonly name: string;
  readonly inbox: string;
  readonly archive: string;
  readonly error: string;
}

interface FeedPlaces {
  readonly places: readonly FeedPlace[];
  readonly faults: readonly FolderFault[];
}

/** The folders of an installation, in the order in which an operator creates them. */
export const topFolders = ['inbox', 'mappings', 'archive', 'error'] as const;

/** Allowed names for a feed's folder; with a mapping, also the name of the feed. */
const feedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Finds the folders of feeds. Files in places where none belong are faults, and so are folders of unknown activities;
 * names that begin with a dot are ignored.
 * @param root the configured folder
 * @param activities codes of the existing activities
 */
export async function findPlaces(root: string, activities: ReadonlySet<string>): Promise<FeedPlaces> {
  const places: FeedPlace[] = [];
  const faults: FolderFault[] = [];
  const inbox = await foldersIn(root, 'inbox', faults);
  for (const activity of inbox) {
    const place = `inbox/${activity}`;
    if (!activities.has(activity)) {
      faults.push({
        place,
        code: 'unknown-activity',
        detail: `There is no activity ${JSON.stringify(activity)}.`,
        remedy: 'Add it (activity add), or rename the folder: it bears the code of an activity.',
      });
      continue;
    }
    for (const name of await foldersIn(root, place, faults)) {
      if (feedName.test(name)) {
        const below = join(activity, name);
        places.push({
          ...{ activity, name },
          inbox: join(root, 'inbox', below),
          archive: join(root, 'archive', below),
          error: join(root, 'error', below),
        });
      } else faults.push({ place: `${place}/${name}`, ...oddFeedName });
    }
  }
  return { places, faults };
}

const oddFeedName: DropFault = {
  code: 'odd-feed-name',
  detail: 'The folder has a name that no feed can have.',
  remedy: 'Rename it: letters, digits, ".", "_" and "-", 64 at most.',
};

/** True when the folder of a feed is really at that path, and no symbolic link on the way leads elsewhere. */
export async function isInPlace(root: string, { inbox, activity, name }: FeedPlace): Promise<boolean> {
  try {
    return (await realpath(inbox)) === join(await realpath(root), 'inbox', activity, name);
  } catch {
    return false;
  }
}

/** Names of the subfolders of a folder, in order. */
async function foldersIn(root: string, place: string, faults: FolderFault[]): Promise<readonly string[]> {
  const path = join(root, place);
  let entries: Dirent[];
  try {
    if (!(await lstat(path)).isDirectory()) {
      faults.push({ place, ...noFolder });
      return [];
    }
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    faults.push({ place, ...(hasCode(error, 'ENOENT') ? missing : cannotRead(error)) });
    return [];
  }
  const shown = entries.filter(({ name }) => !name.startsWith('.'));
  for (const entry of shown) {
    if (entry.isDirectory()) continue;
    faults.push({ place: `${place}/${entry.name}`, ...(entry.isSymbolicLink() ? link : misplaced) });
  }
  return shown
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

const noFolder: DropFault = {
  code: 'no-folder',
  detail: 'This is no folder.',
  remedy: 'Make a folder of this name; symbolic links are not followed.',
};

const missing: DropFault = {
  code: 'no-folder',
  detail: 'There is no such folder.',
  remedy: 'Make it, with the right for the user who runs the server to read and write there.',
};

const link: DropFault = {
  code: 'symbolic-link',
  detail: 'This is a symbolic link; they are not followed.',
  remedy: 'Put the folder itself here.',
};

const misplaced: DropFault = {
  code: 'misplaced',
  detail: 'A file lies where only folders belong.',
  remedy: 'Move it to inbox/ACTIVITY/NAME/.',
};

/** The system's error for a folder or file that cannot be read. */
export function cannotRead(error: unknown): DropFault {
  const detail = error instanceof Error ? error.message : String(error);
  return {
    code: 'unreadable',
    detail: `It cannot be read: ${detail}.`,
    remedy: 'Give the user who runs the server the right to read and write here.',
  };
}
