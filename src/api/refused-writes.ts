// Writes the audit entries of writes that failed or were refused as a whole, so that no handler has written one.
import { actorOf } from '../http/actor.ts';
import { createBucket } from '../http/rate-bucket.ts';
import { costKeyOf } from '../http/cost-key.ts';
import type { Call, RefusedWrite } from '../http/route.ts';
import { compositeKey } from '../model/composite-key.ts';
import { formatInstant } from '../model/instant.ts';
import { problems } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';

interface RefusalOptions {
  readonly store: Pick<Store, 'audit' | 'quotas'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when the entry for several writes could not be stored. */
  readonly onLost: (error: unknown) => void;
}

/** How long a client's writes without entries of their own are accumulated. */
const windowMs = 60_000;

interface RefusalRecorder {
  /**
   * Records one write: without body and path, and with an activity only if the client has a single one. Otherwise it is
   * unknown what the request concerns, so the entry concerns no activity. Nothing is recorded for requests beyond a
   * limit (429), for dry runs, and for requests during the same running one, which records itself.
   */
  record(refused: RefusedWrite): Promise<void>;
  /** Writes what has only been counted so far. */
  close(): Promise<void>;
}

/**
 * How many refused writes, and how many failed ones, of a person or program get entries of their own per minute, in all
 * processes of a database together; further ones share an entry per process.
 */
export const maxRefusalEntries = 20;

/** One person's or program's writes without entries of their own, since the first of them. */
interface Window {
  readonly since: number;
  /** By action. */
  readonly counted: Map<string, Counted>;
  readonly timer: NodeJS.Timeout;
}

/** Writes without an entry of their own. Properties that they do not share are omitted. */
interface Counted {
  entry: NewAuditEntry;
  readonly problems: Map<string, number>;
}

/** Makes the recorder of refused writes: a client cannot flood the trail with them, and none is lost. */
export function createRefusalRecorder({ store, now, onLost }: RefusalOptions): RefusalRecorder {
  const windows = new Map<string, Window>();
  const entries = createBucket({
    kind: 'refusal-entry',
    quota: maxRefusalEntries,
    quotas: store.quotas,
    now: () => performance.now(),
  });
  const end = async (key: string): Promise<void> => {
    const window = windows.get(key);
    if (window === undefined) return;
    clearTimeout(window.timer);
    windows.delete(key);
    for (const counted of window.counted.values()) await store.audit.append(summary(counted, window.since, now()));
  };
  const begin = (key: string): Window => {
    const timer = setTimeout(() => void end(key).catch(onLost), windowMs).unref();
    const window: Window = { since: now(), counted: new Map(), timer };
    windows.set(key, window);
    return window;
  };
  return {
    record: async ({ action, call, problem: { slug } }) => {
      const { status } = problems[slug];
      if (status === 429 || slug === 'idempotency-in-progress' || isDryRun(call)) return;
      const entry = entryOf(action, call, status < 500 ? 'refused' : 'failed');
      const key = compositeKey(entry.actorKind, costKeyOf(call.principal), entry.outcome);
      if (!(await entries.count(key)).allowed) return count(windows.get(key) ?? begin(key), entry, slug);
      await store.audit.append({ ...entry, details: { problem: slug, status, requestId: call.requestId } });
    },
    close: async () => {
      for (const key of [...windows.keys()]) await end(key).catch(onLost);
    },
  };
}

function entryOf(action: string, { principal, address }: Call, outcome: 'refused' | 'failed'): NewAuditEntry {
  const { activityCodes } = principal;
  return {
    ...actorOf(principal),
    action,
    activityCodes: activityCodes.length === 1 ? activityCodes : [],
    target: null,
    operationId: null,
    outcome,
    address,
    details: null,
  };
}

function count({ counted }: Window, entry: NewAuditEntry, slug: string): void {
  const known = counted.get(entry.action) ?? { entry, problems: new Map<string, number>() };
  const { address, activityCodes } = known.entry;
  known.entry = {
    ...entry,
    address: address === entry.address ? address : null,
    activityCodes: activityCodes.join() === entry.activityCodes.join() ? activityCodes : [],
  };
  known.problems.set(slug, (known.problems.get(slug) ?? 0) + 1);
  counted.set(entry.action, known);
}

/** The shared entry: how many writes, by problem, and when they came. */
function summary({ entry, problems: counts }: Counted, since: number, until: number): NewAuditEntry {
  const further = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const span = { since: formatInstant(since), until: formatInstant(until) };
  return { ...entry, details: { further, problems: Object.fromEntries(counts), ...span } };
}

/** Read leniently, because the query itself may be faulty. */
function isDryRun({ queryText }: Call): boolean {
  return new URLSearchParams(queryText).get('dryRun') === 'true';
}
