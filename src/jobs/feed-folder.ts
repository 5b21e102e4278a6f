// The background task that picks up files from the folder into which the warehouse system drops them, and its log.
import type { Logger } from 'pino';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import type { Completeness } from '../feeds/folder/inbox.ts';
import type { WatchObserver } from '../feeds/folder/watch.ts';
import { resources } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import type { Task } from './scheduler.ts';

/** The settings that concern the folder. */
export interface FeedFolderSettings {
  /** Absolute; null: none is watched. */
  readonly feedFolder: string | null;
  readonly feedFolderComplete: Completeness['sign'];
  readonly feedFolderQuietSeconds: number;
  /** Lengths of digit codes that are checked as a GTIN. */
  readonly gtinLengths: readonly number[];
}

interface FeedFolderParts {
  readonly store: Store;
  readonly turns: FeedTurns;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** Time between two looks at the folder. */
const everyMs = 3000;

/** The task, if a folder is set. */
export function feedFolderTasks(
  { feedFolder, feedFolderComplete, feedFolderQuietSeconds, gtinLengths }: FeedFolderSettings,
  { store, turns, logger, stopping }: FeedFolderParts,
): readonly Task[] {
  if (feedFolder === null) return [];
  let look: (() => Promise<void>) | null = null;
  const run = async (): Promise<void> => {
    if (look === null) {
      // The code that reads files of any layout is a good part of the program, and is loaded only for a folder.
      const { folderWatch } = await import('../feeds/folder/watch.ts');
      look = folderWatch({
        store,
        turns,
        gtinLengths,
        stopping,
        resources,
        root: feedFolder,
        completeness: { sign: feedFolderComplete, quietMs: feedFolderQuietSeconds * 1000 },
        observe: logOf(logger),
      });
    }
    await look();
  };
  return [{ name: 'feed-folder', failure: 'the feed folder could not be looked at', everyMs, run }];
}

function logOf(logger: Logger): WatchObserver {
  return {
    taken: ({ activity, name }, file, { outcome, movedTo, messages, fault }) => {
      const counts = messages.map(({ id, resource, read, refused, state, fault: why }) => {
        const ofMessage: unknown = why === null ? undefined : JSON.parse(why);
        return { message: `${activity}:${id}`, resource, state, read, refused, fault: ofMessage };
      });
      const said = { activity, folder: name, file, movedTo, messages: counts };
      if (outcome === 'taken') logger.info(said, 'a feed file is taken');
      else if (outcome === 'lines-refused') logger.warn(said, 'a feed file is taken, lines of it are refused');
      else logger.error({ ...said, ...(fault && { fault }) }, 'a feed file is refused');
    },
    postponed: ({ activity, name }, file, error) =>
      logger.error({ err: error, activity, folder: name, file }, 'a feed file could not be taken, and is tried again'),
    fault: (fault) => logger.error(fault, 'nothing is taken from a feed folder'),
  };
}
