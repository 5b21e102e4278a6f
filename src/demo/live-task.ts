// The demonstration as background work: it continues in real time while a server runs.
import type { Logger } from 'pino';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import type { Task } from '../jobs/scheduler.ts';
import type { Store } from '../store/store.ts';
import { iso } from './calendar.ts';
import { collectGarbage } from '../model/garbage-collection.ts';
import { createDemoRunner } from './runner.ts';
import { sentenceOf } from './notes.ts';

interface LiveDemonstration {
  readonly store: Store;
  readonly turns: FeedTurns;
  readonly logger: Logger;
  readonly now: () => number;
  /** How many times faster than real time. */
  readonly speed: number;
  /** Ends the playing in progress. */
  readonly signal: AbortSignal;
}

/** Interval between checks whether something is due or was received. */
const everyMs = 2000;

export function liveTask({ store, turns, logger, now, speed, signal }: LiveDemonstration): Task {
  const runner = createDemoRunner({
    store,
    turns,
    now,
    signal,
    onNote: (note) => logger.info({ clock: iso(note.at) }, `demonstration: ${sentenceOf(note)}`),
    onRefused: ({ activity, resource, sequence }, refused) =>
      logger.warn({ activity, resource, sequence, refused }, 'demonstration: records were refused'),
  });
  let isStarted = false;
  return {
    // It takes a lease itself, and only if something is due.
    name: null,
    failure: 'the demonstration could not go on',
    everyMs,
    run: async () => {
      if (isStarted) return runner.round();
      isStarted = (await runner.start(speed)) === null;
      if (!isStarted) return;
      await runner.round();
      // The warehouse may have been filled and played from its beginning, which leaves a hundred megabytes or more.
      collectGarbage();
    },
  };
}

/** Logs a warning if the demonstration of a database is not live. */
export async function tellWhetherItLives({ demonstration }: Store, logger: Logger): Promise<void> {
  if ((await demonstration.clock()) === null)
    logger.warn(
      'this demonstration was filled by an earlier version: it stands still; `demo reset` makes it anew, and it lives',
    );
}
