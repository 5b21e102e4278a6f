// The clock of the demonstration: it runs while a process attends it, at the requested speed, and can be set forward.
import type { StoredDemoClock } from '../store/demonstration.ts';
import { minuteMs } from './calendar.ts';

/** The process that runs the demonstration attends its clock at least this often. */
export const attendedMs = 30_000;
/** The clock stops this long after it was last attended: the demonstration is no longer being run. */
const maxUnattendedMs = 90_000;
/** Highest speed: a day in less than half a minute. */
export const maxSpeed = 3600;

/** The time of the demonstration's clock. @param now milliseconds */
export function clockAt({ anchorAt, anchorClock, playedTo, speed }: StoredDemoClock, now: number): number {
  const passed = Math.min(Math.max(0, now - anchorAt), maxUnattendedMs);
  return Math.max(playedTo, anchorClock + passed * speed);
}

/** Whether a process attends the clock. */
export function isAttended({ anchorAt }: StoredDemoClock, now: number): boolean {
  return now - anchorAt < maxUnattendedMs;
}

/**
 * Whether the machine's clock was set back since: the demonstration's would stand still until that has caught up.
 * @param anchored where this process last anchored the clock: one that another process did may be of a machine ahead
 */
export function isSetBack({ anchorAt }: StoredDemoClock, now: number, anchored: number | null): boolean {
  return anchorAt === anchored && anchorAt - now >= attendedMs;
}

/** The clock when a server starts to run it: set to real time, unless it was set forward before. */
export function startedClock(clock: StoredDemoClock, now: number, speed: number): StoredDemoClock {
  return { ...clock, anchorAt: now, anchorClock: Math.max(clock.playedTo, now), speed };
}

/**
 * The clock after it is set forward.
 * @param isRun whether a server runs it; otherwise it stands still from then on
 */
export function forwardClock(
  { speed }: StoredDemoClock,
  { now, target, isRun }: { readonly now: number; readonly target: number; readonly isRun: boolean },
): Pick<StoredDemoClock, 'anchorAt' | 'anchorClock'> {
  const passed = isRun ? 0 : maxUnattendedMs;
  return { anchorAt: now - passed, anchorClock: target - passed * speed };
}

/** @returns the factor in `60x`; null: not a speed */
export function parseSpeed(text: string): number | null {
  const speed = /^([1-9]\d{0,3})x?$/.exec(text)?.[1];
  return speed !== undefined && Number(speed) <= maxSpeed ? Number(speed) : null;
}

const units: Readonly<Record<string, number>> = { m: minuteMs, h: 60 * minuteMs, d: 1440 * minuteMs };
const maxDurationMs = 366 * 1440 * minuteMs;
/** How far the clock may be ahead of real time. */
export const maxAheadMs = maxDurationMs;

/** @returns milliseconds of `30m`, `6h` or `1d`, up to a year; null: not a duration */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const duration = Number(count) * (units[unit] ?? 0);
  return duration > 0 && duration <= maxDurationMs ? duration : null;
}
