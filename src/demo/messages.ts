// The messages of one activity's feeds: what the warehouse reports is gathered for five minutes, then sent, feed by
// feed, numbered; faults of messages happen here.
import type { LabelRequest } from '../model/shipping.ts';
import type { EventQueue } from './event-queue.ts';
import { hourMs, minuteMs } from './calendar.ts';
import type { PlainRecord } from './catalogue.ts';
import { isFaultOfMovements, spoilMovement } from './movement-faults.ts';
import type { PendingFaults } from './faults.ts';
import { type NoteText, noteText } from './notes.ts';

/** What the warehouse reports about one activity at one time. */
export type DemoMessage = DemoFeedMessage | LabelMessage | CarrierMessage;

/** A message of a feed. */
export interface DemoFeedMessage {
  readonly kind: 'feed';
  readonly activity: string;
  /** Name of the resource. */
  readonly resource: string;
  /** When it is sent, milliseconds. */
  readonly at: number;
  /** 1, 2, 3, … within its feed. */
  readonly sequence: number;
  readonly records: readonly PlainRecord[];
}

/** Labels that the warehouse got from the sandbox carrier. */
interface LabelMessage {
  readonly kind: 'labels';
  readonly activity: string;
  readonly at: number;
  readonly labels: readonly ParcelLabel[];
}

/** The sandbox carrier becomes unreachable for some time. */
interface CarrierMessage {
  readonly kind: 'carrier-down';
  readonly activity: string;
  readonly at: number;
}

/** The label of one parcel. */
export interface ParcelLabel {
  readonly number: string;
  readonly request: LabelRequest;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** Whether the records of a resource are needed; otherwise they are not even made. */
export type RecordFilter = (resource: string, at: number) => boolean;

export interface Messages {
  /**
   * Adds a record to the next message of its feed.
   * @param at when it is ready to be sent
   * @param key a later record with the same key replaces this one within the message
   */
  readonly add: (resource: string, at: number, make: () => PlainRecord, key?: string) => void;
  /** The same for many records at once, which form the whole message. @param isWanted they are made in any case */
  readonly addAll: (resource: string, at: number, isWanted: boolean, make: () => readonly PlainRecord[]) => void;
  readonly addLabel: (at: number, make: () => ParcelLabel) => void;
  readonly carrierDown: (at: number) => void;
  /** Returns what was sent since the last call, in order of time. */
  readonly taken: () => readonly DemoMessage[];
  /** Sets which records are needed from now on. */
  readonly want: (wanted: RecordFilter) => void;
}

/** Minimum interval between two messages of a feed. */
export const tickMs = 5 * minuteMs;
/** Within a tick, messages are sent after all other events. */
const sendingRank = 9;
/** A message held back is sent after this time in any case. */
const maxHeldMs = 72 * hourMs;
/** In this order: a record comes after those that it refers to. */
const feeds = ['articles', 'procurements', 'procurement-reports', 'orders', 'order-reports', 'movements', 'stock'];

/** Records by key; null: not needed, only counted. */
export type Gathered = Map<string, PlainRecord | null>;

/** Everything that is sent together. */
interface Tick {
  readonly feeds: Map<string, Gathered>;
  readonly labels: ParcelLabel[];
}

interface Held {
  readonly message: DemoFeedMessage;
  readonly keys: ReadonlySet<string>;
}

/** @param note receives each fault that happens */
export function createMessages(
  activity: string,
  events: EventQueue,
  faults: PendingFaults,
  note: (at: number, what: NoteText) => void,
): Messages {
  const ticks = new Map<number, Tick>();
  const sequences = new Map<string, number>();
  let sent: DemoMessage[] = [];
  let held: Held | null = null;
  let unkeyed = 0;
  let wanted: RecordFilter = () => true;

  const isWanted = (resource: string, at: number): boolean =>
    wanted(resource, at) ||
    (resource === 'movements' && faults.list().some(isFaultOfMovements)) ||
    (resource === 'orders' && faults.waits('out-of-order'));

  const tickOf = (at: number): Tick => {
    const end = Math.ceil(at / tickMs) * tickMs;
    const known = ticks.get(end);
    if (known !== undefined) return known;
    const opened: Tick = { feeds: new Map(), labels: [] };
    ticks.set(end, opened);
    events.plan(end, () => sendAll(end, opened), { rank: sendingRank });
    return opened;
  };

  const gathered = (resource: string, at: number): Gathered => {
    const tick = tickOf(at);
    const found: Gathered = tick.feeds.get(resource) ?? new Map();
    tick.feeds.set(resource, found);
    return found;
  };

  const sendAll = (end: number, tick: Tick): void => {
    ticks.delete(end);
    if (tick.labels.length > 0) sent.push({ kind: 'labels', activity, at: end, labels: tick.labels });
    for (const resource of feeds) {
      const records = tick.feeds.get(resource);
      if (records !== undefined) send(resource, end, records);
    }
  };

  const send = (resource: string, at: number, records: Gathered): void => {
    const sequence = (sequences.get(resource) ?? 0) + 1;
    sequences.set(resource, sequence);
    // A fault affects messages begun after it was requested.
    const begun = at - tickMs;
    if (resource === 'movements') for (const told of spoilMovement(records, faults, begun)) note(at, told);
    const message: DemoFeedMessage = {
      kind: 'feed',
      activity,
      resource,
      at,
      sequence,
      records: [...records.values()].filter((record) => record !== null),
    };
    if (resource === 'orders' && held === null && isToBeContinued(records) && faults.take('out-of-order', begun)) {
      const waiting = [...records].filter(([, record]) => record?.prepOrderGroupID === null);
      held = { message, keys: new Set(waiting.map(([key]) => key)) };
      events.plan(at + maxHeldMs, () => release(at + maxHeldMs, message), { rank: sendingRank });
      note(at, noteText('message-held-back', { sequence, resource }));
      return;
    }
    sent.push(message);
    if (resource !== 'stock' && faults.take('duplicate-message', begun)) {
      sent.push(message);
      note(at, noteText('message-twice', { sequence, resource }));
    }
    const { keys } = held ?? { keys: new Set<string>() };
    if (held !== null && resource === 'orders' && [...records.keys()].some((key) => keys.has(key)))
      release(at, held.message);
  };

  /** Whether one of these orders will be reported again: its wave is not launched yet. */
  const isToBeContinued = (records: Gathered): boolean =>
    [...records.values()].some((record) => record !== null && record.prepOrderGroupID === null);

  const release = (at: number, message: DemoFeedMessage): void => {
    if (held?.message !== message) return;
    held = null;
    sent.push({ ...message, at });
    note(at, noteText('message-late', { sequence: message.sequence, resource: message.resource }));
  };

  return {
    add: (resource, at, make, key) => {
      unkeyed += 1;
      gathered(resource, at).set(key ?? `#${unkeyed}`, isWanted(resource, at) ? make() : null);
    },
    addAll: (resource, at, isNeeded, make) => {
      const records = gathered(resource, at);
      if (!isNeeded && !isWanted(resource, at)) return;
      for (const [index, record] of make().entries()) records.set(`#${index}`, record);
    },
    addLabel: (at, make) => {
      if (wanted('labels', at)) tickOf(at).labels.push(make());
    },
    carrierDown: (at) => void sent.push({ kind: 'carrier-down', activity, at }),
    taken: () => {
      const taken = sent;
      sent = [];
      return taken;
    },
    want: (which) => {
      wanted = which;
    },
  };
}
