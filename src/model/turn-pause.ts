// The pause after a turn of long work, which leaves time to short requests that others send.
import { areShortWritesExpected, isAnybodyWaiting } from './cooperative-yield.ts';

/** The longest pause: work that took longer probably waited for something else. */
const maxPauseMs = 500;

/** Whether others are served who gain by a pause: somebody asked for something short a moment ago. */
export function areOthersServed(): boolean {
  return isAnybodyWaiting() || areShortWritesExpected();
}

/**
 * Ends a turn after a pause: whoever sends a short request usually finds nothing at work then. The timer keeps the
 * process alive, because somebody may be waiting for nothing but the turn.
 * @param endTurn gives the turn back
 * @param since when the work of the turn began, by `performance.now()`
 * @param pausePerTurn how many times as long the pause is as the turn was
 */
export function endAfterPause(endTurn: () => void, since: number, pausePerTurn: number): void {
  setTimeout(endTurn, Math.min(maxPauseMs, pausePerTurn * (performance.now() - since)));
}
