// Turns for programs that request tokens: a flood of wrong secrets from one address does not delay other addresses.
import type { IncomingMessage } from 'node:http';
import { Problem } from '../model/problem.ts';
import { createAddressQueue, originOf } from './address-queue.ts';

export interface TokenQueue {
  /**
   * Waits for the turn of a request; returns at once if it has already come.
   * @throws Problem `quota-exceeded` when the queue has no place
   */
  begin(request: IncomingMessage, address: string): Promise<void>;
  /** Ends the turn; does nothing when there was none. */
  end(request: IncomingMessage): void;
}

/** Requests processed at a time, and places in the queue; programs behind one address share theirs. */
const limits = { maxRunning: 4, maxWaiting: 512, maxPerNetwork: 256, maxPerAddress: 128 } as const;

/**
 * Makes the turns of one process. Every turn that begins must be ended; a request must not begin one before it has
 * arrived completely.
 */
export function createTokenQueue(): TokenQueue {
  const queue = createAddressQueue(limits);
  const turns = new WeakMap<IncomingMessage, { readonly come: Promise<void>; readonly end: () => void }>();
  const begun = (request: IncomingMessage, address: string): Promise<void> => {
    const [come, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    turns.set(request, { come: come.promise, end: over.resolve });
    void queue
      .run(originOf(address), () => {
        come.resolve();
        return over.promise;
      })
      .then((outcome) => {
        if (outcome === 'full')
          come.reject(
            new Problem(
              'quota-exceeded',
              'Too many requests for tokens come from this network at the moment. Wait 1 s.',
              {},
              { 'retry-after': '1' },
            ),
          );
      });
    return come.promise;
  };
  return {
    begin: (request, address) => turns.get(request)?.come ?? begun(request, address),
    end: (request) => turns.get(request)?.end(),
  };
}
