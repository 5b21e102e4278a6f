// Writes the audit entries of writes that were refused as a whole, or that failed: no handler got that far.
import { actorOf } from '../http/actor.ts';
import { createBucket } from '../http/bucket.ts';
import type { Call, RefusedWrite } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { problems } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';

interface RefusalOptions {
  readonly store: Pick<Store, 'audit' | 'quotas'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told when the entry for many could not be written. */
  readonly onLost: (error: unknown) => void;
}

/** How long those of a client that have no entries of their own are counted together. */
const windowMs = 60_000;

interface RefusalRecorder {
  /**
   * Records one: neither body nor path, and the activity only of a client that has but one. What the request of any
   * other is about is not known, so the entry concerns no activity. None is left of requests beyond a limit (429), of
   * dry runs, and of requests that come while the same one runs: that one leaves its own.
   */
  record(refused: RefusedWrite): Promise<void>;
  /** Writes what has only been counted so far. */
  close(): Promise<void>;
}

/**
 * Refused writes of a client with entries of their own in a minute, and failed ones, at all processes of a database
 * together; further ones share an entry at each process.
 */
export const maxRefusalEntries = 20;

/** Those of one client without entries of their own, since the first of them. */
interface Window {
  readonly since: number;
  /** By action. */
  readonly counted: Map<string, Counted>;
  readonly timer: NodeJS.Timeout;
}

/** Those that have no entry of their own. What they do not have in common is not said. */
interface Counted {
  entry: NewAuditEntry;
  readonly problems: Map<string, number>;
}

/** Makes what records refused writes: a client cannot fill the trail with them, and none is lost. */
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
      const key = JSON.stringify([entry.actorKind, entry.actor, entry.outcome]);
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
  const { subject, address, activityCodes } = known.entry;
  known.entry = {
    ...entry,
    subject: subject === entry.subject ? subject : null,
    address: address === entry.address ? address : null,
    activityCodes: activityCodes.join() === entry.activityCodes.join() ? activityCodes : [],
  };
  known.problems.set(slug, (known.problems.get(slug) ?? 0) + 1);
  counted.set(entry.action, known);
}

/** The entry for those that have none of their own: how many they are, by problem, and when they came. */
function summary({ entry, problems: counts }: Counted, since: number, until: number): NewAuditEntry {
  const further = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const span = { since: formatInstant(since), until: formatInstant(until) };
  return { ...entry, details: { further, problems: Object.fromEntries(counts), ...span } };
}

/** Read leniently: the query itself may be what is wrong. */
function isDryRun({ queryText }: Call): boolean {
  return new URLSearchParams(queryText).get('dryRun') === 'true';
}
