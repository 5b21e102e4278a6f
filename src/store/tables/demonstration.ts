// The tables of the demonstration warehouse: how far it has been played, and what came in from outside.
import { instant, integer, oneOf, optional, table, text } from '../table.ts';

/** The clock of the demonstration: one row, in databases that hold one. */
export const demoClockTable = table('demo_clock', {
  columns: {
    /** `demo`. */
    name: text,
    /** Version of the rules by which it is played. */
    version: integer,
    /** The end of its history. */
    filledAt: instant,
    /** The instant of its own clock up to which all its records have been written. */
    playedTo: instant,
    /** When the clock was last set or checked, and its time then. */
    anchorAt: instant,
    anchorClock: instant,
    /** How many times faster than real time it runs. */
    speed: integer,
    /** JSON text: the change number in each activity up to which it has read the outbox. */
    outbox: text,
    /** JSON text: which faults wait, what happened last and what comes next; null: not played since. */
    summary: optional(text),
  },
  key: ['name'],
});

/** What the demonstration warehouse received from outside, in order. */
export const demoInputTable = table('demo_input', {
  columns: {
    number: integer,
    /** When it was received, by the demonstration's clock; null: it is waiting. */
    takenAt: optional(instant),
    askedAt: instant,
    /** JSON text. */
    body: text,
  },
  key: ['number'],
});

/** Requested advances of the clock, in order, and the outcome of the last ones. */
export const demoAdvanceTable = table('demo_advance', {
  columns: {
    number: integer,
    state: oneOf('waiting', 'running', 'done', 'failed'),
    /** Milliseconds of the demonstration's clock. */
    durationMs: integer,
    askedAt: instant,
    /** For display: the login of the operator, the name of the key, or who ran the command. */
    askedBy: text,
    /** The clock when work on it began, and at its end; null: it waits. */
    fromClock: optional(instant),
    toClock: optional(instant),
    /** In real time. */
    endedAt: optional(instant),
    /** Why it failed, for display. */
    failure: optional(text),
  },
  key: ['number'],
});
