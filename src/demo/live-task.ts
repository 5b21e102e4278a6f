// The demonstration as a piece of background work: it goes on in real time as long as a server runs.
import type { Logger } from 'pino';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import type { Task } from '../jobs/scheduler.ts';
import type { Store } from '../store/store.ts';
import { iso } from './calendar.ts';
import { collectGarbage } from '../model/garbage.ts';
import { createDemoRunner } from './runner.ts';
import { sentenceOf } from './telling.ts';

interface LiveDemonstration {
  readonly store: Store;
  readonly turns: FeedTurns;
  readonly logger: Logger;
  readonly now: () => number;
  /** How many times faster than time. */
  readonly speed: number;
  /** Ends what is being played. */
  readonly signal: AbortSignal;
}

/** How often is asked whether something is due, or has come in. */
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
    // It takes a lease itself, and only where something is due.
    name: null,
    failure: 'the demonstration could not go on',
    everyMs,
    run: async () => {
      if (isStarted) return runner.round();
      isStarted = (await runner.start(speed)) === null;
      if (!isStarted) return;
      await runner.round();
      // The warehouse was filled, perhaps, and played from its beginning: that leaves a hundred megabytes and more.
      collectGarbage();
    },
  };
}

/** Says in the log where the demonstration of a database does not live. */
export async function tellWhetherItLives({ demonstration }: Store, logger: Logger): Promise<void> {
  if ((await demonstration.clock()) === null)
    logger.warn(
      'this demonstration was filled by an earlier version: it stands still; `demo reset` makes it anew, and it lives',
    );
}
