// In charge of who is at work on a message: whoever holds it gives signs of life.
import type { FeedMessage } from './feed-contract.ts';

/** How long somebody counts as being at work on a message without a sign of life. */
export const feedLeaseMs = 15_000;

/** Nobody is at work on a message. Times that lie far ahead are those of a clock that was set back. */
export function isUnattended({ holder, touchedAt }: Pick<FeedMessage, 'holder' | 'touchedAt'>, now: number): boolean {
  return holder === null || touchedAt < now - feedLeaseMs || touchedAt > now + feedLeaseMs;
}
