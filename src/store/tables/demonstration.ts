// The tables of the demonstration warehouse: how far it has been played, and what came in from outside.
import { instant, integer, oneOf, optional, table, text } from '../table.ts';

/** The clock of the demonstration: one row, in databases that hold one. */
export const demoClockTable = table('demo_clock', {
  columns: {
    /** `demo`. */
    name: text,
    /** Version of the rules that it is played by. */
    version: integer,
    /** What its history ends with. */
    filledAt: instant,
    /** Up to where, by its own clock, everything that it tells has been written. */
    playedTo: instant,
    /** When somebody last saw to the clock, and what it said then. */
    anchorAt: instant,
    anchorClock: instant,
    /** How many times faster than time it runs. */
    speed: integer,
    /** JSON text: up to which change number of each activity it knows the outbox. */
    outbox: text,
    /** JSON text: which faults wait, what happened last and what comes next; null: nobody has played it since. */
    summary: optional(text),
  },
  key: ['name'],
});

/** What came into the demonstration warehouse from outside, in order. */
export const demoInputTable = table('demo_input', {
  columns: {
    number: integer,
    /** When, by the clock of the demonstration, it came in; null: it is waiting. */
    takenAt: optional(instant),
    askedAt: instant,
    /** JSON text. */
    body: text,
  },
  key: ['number'],
});

/** Advances of the clock that were asked for, in order, and what became of the last ones. */
export const demoAdvanceTable = table('demo_advance', {
  columns: {
    number: integer,
    state: oneOf('waiting', 'running', 'done', 'failed'),
    /** Milliseconds of the demonstration's clock. */
    durationMs: integer,
    askedAt: instant,
    /** For people: the login of the operator, the name of the key, or who ran the command. */
    askedBy: text,
    /** What the clock said when the work on it began, and what it says at the end; null: it waits. */
    fromClock: optional(instant),
    toClock: optional(instant),
    /** By the time of day. */
    endedAt: optional(instant),
    /** Why it failed, for people. */
    failure: optional(text),
  },
  key: ['number'],
});
