// The inputs of the demonstration warehouse from outside: what clients wrote, read from the outbox, and requested
// faults.
import { isObject } from '../model/scalar.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';
import type { Store } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { isDemoFault } from './faults.ts';
import type { DemoInput } from './warehouse.ts';

const codes = demoActivities.map(({ code }) => code);

/** The position reached in the outbox: change numbers by activity. */
export type OutboxPosition = Readonly<Record<string, number>>;

/** Entries read at once. */
const maxEntries = 500;

export async function outboxEnds({ outbox }: Pick<Store, 'outbox'>): Promise<OutboxPosition> {
  return outbox.ends(codes);
}

/** What clients wrote after a position. `next`: the position reached now. */
export async function readOutboxOf(
  { outbox }: Pick<Store, 'outbox'>,
  after: OutboxPosition,
): Promise<{ readonly inputs: readonly DemoInput[]; readonly next: OutboxPosition }> {
  const { entries, next } = await outbox.read(codes, after, maxEntries);
  return { inputs: entries.flatMap((entry) => inputOf(entry) ?? []), next };
}

function inputOf({ activity, kind, body }: OutboxEntry): DemoInput | null {
  const content: unknown = JSON.parse(body);
  if (!isObject(content)) return null;
  if (kind === 'article') return { kind, activity, article: content };
  const { orderUniqueID, docSlug } = content;
  return typeof orderUniqueID === 'string' && typeof docSlug === 'string'
    ? { kind, activity, order: orderUniqueID, slug: docSlug }
    : null;
}

/** @throws Error for a text that is not a stored input */
export function parseInput(text: string): DemoInput {
  const value: unknown = JSON.parse(text);
  if (isObject(value) && typeof value.activity === 'string') {
    const { activity, kind } = value;
    if (kind === 'fault' && typeof value.fault === 'string' && isDemoFault(value.fault))
      return { kind, activity, fault: value.fault };
    if (kind === 'article' && isObject(value.article)) return { kind, activity, article: value.article };
    if (kind === 'document' && typeof value.order === 'string' && typeof value.slug === 'string')
      return { kind, activity, order: value.order, slug: value.slug };
  }
  throw new Error('an input of the demonstration is none that is known');
}
