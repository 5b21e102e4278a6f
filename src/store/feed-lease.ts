// Who is working on a message: the holder gives signs of life.
import type { FeedMessage } from './feed-contract.ts';

/** How long a process counts as working on a message without a sign of life. */
export const feedLeaseMs = 15_000;

/** No process is working on the message. Times far in the future come from a clock that was set back. */
export function isUnattended({ holder, touchedAt }: Pick<FeedMessage, 'holder' | 'touchedAt'>, now: number): boolean {
  return holder === null || touchedAt < now - feedLeaseMs || touchedAt > now + feedLeaseMs;
}
