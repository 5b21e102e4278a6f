// One activity in the demonstration warehouse: its goods, its events, and its messages.
import { createRandom, type Random } from './random.ts';
import type { DemoActivity } from './activities.ts';
import { type EventQueue, createEventQueue } from './event-queue.ts';
import { type Assortment, createAssortment } from './assortment.ts';
import { createPendingFaults, type PendingFaults } from './faults.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Order } from './placed-orders.ts';
import type { NoteText } from './notes.ts';

/** The state on which all events of an activity work. */
export interface ActivityState {
  readonly activity: DemoActivity;
  readonly events: EventQueue;
  readonly assortment: Assortment;
  readonly ledger: Ledger;
  readonly messages: Messages;
  readonly faults: PendingFaults;
  /** For events on the floor, in the order in which they happen. */
  readonly random: Random;
  /** Orders by number: open ones, and recently closed ones. */
  readonly orders: Map<string, Order>;
  /** Serial numbers received and not shipped yet, by article. */
  readonly serials: Map<string, string[]>;
  /** Pieces that suppliers have yet to deliver, by article. */
  readonly expected: Map<string, number>;
  /** Articles created by clients of which nothing has arrived yet: customers wait for them. */
  readonly awaited: Set<string>;
  readonly count: Counters;
  /** Adds a note for display. */
  readonly note: (at: number, what: NoteText) => void;
}

/** The last numbers given. */
interface Counters {
  order: number;
  parcel: number;
  procurement: number;
  deliveryLine: number;
  serial: number;
}

export function createActivityState(activity: DemoActivity, note: ActivityState['note']): ActivityState {
  const events = createEventQueue();
  const faults = createPendingFaults();
  const messages = createMessages(activity.code, events, faults, note);
  return {
    activity,
    events,
    faults,
    messages,
    assortment: createAssortment(activity.items()),
    ledger: createLedger((at, make) => messages.add('movements', at, make)),
    random: createRandom(`${activity.code}/floor`),
    orders: new Map(),
    serials: new Map(),
    expected: new Map(),
    awaited: new Set(),
    count: { order: 0, parcel: 0, procurement: 0, deliveryLine: 0, serial: 10_000_000 },
    note,
  };
}

/** A unique serial number. */
export function nextSerial({ count }: ActivityState): string {
  count.serial += 1;
  return `SN${count.serial}`;
}

/** 1, 2, 3, … for the lines of deliveries. */
export function nextDeliveryLine({ count }: ActivityState): number {
  count.deliveryLine += 1;
  return count.deliveryLine;
}

/** Pieces to be prepared on an ordinary day, all articles together. */
export function dailyPieces({ activity: { ordersADay, business } }: ActivityState): number {
  return ordersADay * (business * 25 * 8 + (1 - business) * 3);
}
