// Logs requests that were refused at once for lack of room: one line per second for all of them, because a line for
// each would cost as much as the refusal.
import type { Logger } from 'pino';
import type { ShedReason } from './load-shedding.ts';

interface ShedLog {
  readonly count: (clientId: string, reason: ShedReason) => void;
  /** Writes what has not been written yet. */
  readonly flush: () => void;
}

const everyMs = 1000;
/** The most clients that a line names: those with the most refusals. */
const maxNamed = 5;

export function createShedLog(logger: Logger): ShedLog {
  let reasons = new Map<string, number>();
  let clients = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const refused = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    logger.warn(
      { refused, reasons: Object.fromEntries(reasons), clients: Object.fromEntries(most(clients)) },
      'requests were refused for want of room',
    );
    [reasons, clients] = [new Map(), new Map()];
  };
  return {
    count: (clientId, reason) => {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      clients.set(clientId, (clients.get(clientId) ?? 0) + 1);
      timer ??= setTimeout(flush, everyMs).unref();
    },
    flush,
  };
}

function most(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([, one], [, other]) => other - one).slice(0, maxNamed);
}
