// The clock of the demonstration: it runs as long as somebody sees to it, as fast as was asked for, and can be set
// forward.
import type { StoredDemoClock } from '../store/demonstration.ts';
import { minuteMs } from './calendar.ts';

/** How often whoever runs the demonstration sees to its clock at least. */
export const attendedMs = 30_000;
/** So long after it was last seen to, the clock stands still: nobody runs the demonstration any more. */
const maxUnattendedMs = 90_000;
/** Highest speed: a day in less than half a minute. */
export const maxSpeed = 3600;

/** What the clock of the demonstration says. @param now milliseconds */
export function clockAt({ anchorAt, anchorClock, playedTo, speed }: StoredDemoClock, now: number): number {
  const passed = Math.min(Math.max(0, now - anchorAt), maxUnattendedMs);
  return Math.max(playedTo, anchorClock + passed * speed);
}

/** Whether somebody sees to the clock. */
export function isAttended({ anchorAt }: StoredDemoClock, now: number): boolean {
  return now - anchorAt < maxUnattendedMs;
}

/**
 * What the clock is set to when a server begins to run it: the time of day, unless it was set forward before.
 */
export function startedClock(clock: StoredDemoClock, now: number, speed: number): StoredDemoClock {
  return { ...clock, anchorAt: now, anchorClock: Math.max(clock.playedTo, now), speed };
}

/**
 * What the clock is set to when it is set forward.
 * @param isRun whether a server runs it; without one it stands still from then on
 */
export function forwardClock(
  { speed }: StoredDemoClock,
  { now, target, isRun }: { readonly now: number; readonly target: number; readonly isRun: boolean },
): Pick<StoredDemoClock, 'anchorAt' | 'anchorClock'> {
  const passed = isRun ? 0 : maxUnattendedMs;
  return { anchorAt: now - passed, anchorClock: target - passed * speed };
}

/** @returns how many times faster `60x` is; null: it is no speed */
export function parseSpeed(text: string): number | null {
  const speed = /^([1-9]\d{0,3})x?$/.exec(text)?.[1];
  return speed !== undefined && Number(speed) <= maxSpeed ? Number(speed) : null;
}

const units: Readonly<Record<string, number>> = { m: minuteMs, h: 60 * minuteMs, d: 1440 * minuteMs };
const maxDurationMs = 366 * 1440 * minuteMs;
/** So far the clock may be set ahead of the time of day. */
export const maxAheadMs = maxDurationMs;

/** @returns milliseconds of `30m`, `6h` or `1d`, up to a year; null: it is no duration */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const duration = Number(count) * (units[unit] ?? 0);
  return duration > 0 && duration <= maxDurationMs ? duration : null;
}
