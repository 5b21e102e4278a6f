// What all processes together have taken of the quotas: one row for each limit and cost key.
import { createHmac } from 'node:crypto';
import type { QuotaRequest, Quotas, QuotaShare, UnusedShare } from '../model/quota.ts';
import { inBatches, maxRemovedAtOnce } from './batches.ts';
import type { Engine, Row, WriteTransaction } from './engine.ts';
import { greatest, typedInteger, keysOf, least } from './sql-dialects.ts';
import { perEngine, type Sql, sql, type Statement } from './statement.ts';
import { remove, update } from './table-statements.ts';
import { quotaWindowTable } from './tables/processes.ts';

/** Requests per transaction. */
const maxAtOnce = 500;
/** Longest wait of one process for another in the database: statements end after it. */
const maxWaitMs = 30_000;
/** Requests that may wait for the next transaction; beyond this number, callers have to count by themselves. */
const maxWaiting = 5000;

/** Shared by all processes. */
export interface QuotaWindows extends Quotas {
  /** Removes windows that have ended. Returns how many. */
  removeEnded(): Promise<number>;
}

interface Waiting extends QuotaRequest {
  readonly whoHash: string;
  /** When it was requested, by a monotonic clock. */
  readonly since: number;
  readonly answer: (share: QuotaShare) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The quotas of a database. One transaction runs at a time and the next one takes all requests made meanwhile, so
 * however many clients there are, the database is asked no more often than it can answer.
 * @param pepper secret of this database, so that the table alone does not reveal whose addresses it holds
 */
export function createQuotaWindows(engine: Engine, pepper: string): QuotaWindows {
  const waiting: Waiting[] = [];
  let running = false;
  const hashOf = (kind: string, costKey: string): string =>
    createHmac('sha256', pepper).update(`${kind}\0${costKey}`).digest('base64url');

  const work = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = nextBatch(waiting);
      try {
        const shares = await engine.write((transaction) => takeShares(transaction, batch));
        for (const one of batch) answer(one, shares.get(keyOf(one.kind, one.whoHash)));
      } catch (error) {
        for (const one of batch) one.fail(error);
      }
    }
    running = false;
  };

  return {
    take: (request) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting)
          return reject(new Error(`more than ${maxWaiting} clients wait for their quota`));
        waiting.push({
          ...request,
          whoHash: hashOf(request.kind, request.costKey),
          since: performance.now(),
          answer: resolve,
          fail: reject,
        });
        if (!running) void work();
      }),
    giveBack: (unused) =>
      engine.write(async (transaction) => {
        // In a fixed order, so that no two processes deadlock.
        for (const one of unused
          .map((share) => ({ ...share, whoHash: hashOf(share.kind, share.costKey) }))
          .toSorted(byKey))
          await transaction.query(giveBack(one));
      }),
    removeEnded: () =>
      inBatches(() =>
        engine.write(async (transaction) => (await transaction.query(removal(await transaction.now()))).length),
      ),
  };
}

interface Taken {
  readonly share: Omit<QuotaShare, 'endsInMs'>;
  readonly askedAt: number;
  readonly endsIn: number;
}

/**
 * `endsInMs` counts from the request, not from the answer: otherwise a process would rely on a window that has already
 * ended for the others.
 */
function answer(one: Waiting, taken: Taken | undefined): void {
  if (taken === undefined) one.fail(new Error('a quota was asked for and not given'));
  else one.answer({ ...taken.share, endsInMs: taken.endsIn + (taken.askedAt - one.since) });
}

/** Each key once: one statement can change a row only once. */
function nextBatch(waiting: Waiting[]): readonly Waiting[] {
  const batch = new Map<string, Waiting>();
  const others: Waiting[] = [];
  for (const one of waiting.splice(0)) {
    const key = keyOf(one.kind, one.whoHash);
    if (batch.size < maxAtOnce && !batch.has(key)) batch.set(key, one);
    else others.push(one);
  }
  waiting.push(...others);
  return [...batch.values()].toSorted(byKey);
}

async function takeShares(
  transaction: WriteTransaction,
  batch: readonly Waiting[],
): Promise<ReadonlyMap<string, Taken>> {
  const askedAt = performance.now();
  const now = await transaction.now();
  const rows = await transaction.query(takeStatement(batch, now));
  return new Map(
    rows.map(([kind, whoHash, granted, used, windowEnd]: Row) => [
      keyOf(String(kind), String(whoHash)),
      {
        share: { granted: Number(granted), used: Number(used), windowEnd: Number(windowEnd) },
        askedAt,
        endsIn: Number(windowEnd) - now,
      },
    ]),
  );
}

/**
 * Begins a window, or takes from the current one what is left of it, in one statement: `granted` is what the last
 * request was given. A window that would end much later than one beginning now comes from a clock that was set back,
 * and begins anew. A little later is one that another process began while this one waited for the row: the time is read
 * before that.
 */
function takeStatement(batch: readonly Waiting[], now: number): Statement {
  const runs = sql`
    quota_window.window_end > ${typedInteger(now)} and quota_window.window_end <= excluded.window_end + ${maxWaitMs}
  `;
  const room = greatest([sql`0`, least([sql`excluded.granted`, sql`excluded.quota - quota_window.used`])]);
  const first = least([sql`wanted`, sql`quota`]);
  return sql`
    insert into quota_window (kind, who_hash, used, granted, quota, window_end)
    select kind, who_hash, ${first}, ${first}, quota, ${typedInteger(now)} + window_ms from ${askedBy(batch)} where true
    on conflict (kind, who_hash) do update set
      granted = case when ${runs} then ${room} else excluded.granted end,
      used = case when ${runs} then quota_window.used + ${room} else excluded.used end,
      window_end = case when ${runs} then quota_window.window_end else excluded.window_end end,
      quota = excluded.quota
    returning kind, who_hash, granted, used, window_end
  `;
}

/** The requests as rows. */
function askedBy(batch: readonly Waiting[]): Statement {
  const rows = batch.map(({ kind, whoHash, quota, wanted, windowMs }) => [kind, whoHash, quota, wanted, windowMs]);
  return perEngine({
    sqlite: () => sql`
      (select value ->> 0 as kind, value ->> 1 as who_hash, value ->> 2 as quota, value ->> 3 as wanted, value ->> 4 as
      window_ms from json_each(${JSON.stringify(rows)})) as asked
    `,
    postgres: () => {
      const columns = [0, 1, 2, 3, 4].map((index) => keysOf(rows.map((row) => row[index] ?? null)));
      return sql`unnest(${sql.join(columns)}) as asked (kind, who_hash, quota, wanted, window_ms)`;
    },
  });
}

function giveBack({ kind, whoHash, windowEnd, amount }: UnusedShare & { readonly whoHash: string }): Statement {
  const used = greatest([sql`0`, sql`used - ${typedInteger(amount)}`]);
  return update(quotaWindowTable, { used }, { kind, whoHash, windowEnd });
}

/** Two processes that remove at once skip the rows that the other has locked, or that have just been taken up again. */
function removal(now: number): Statement {
  const ended = (place: Sql): Statement => sql`
    select ${place} from quota_window where window_end <= ${now} order by window_end limit ${maxRemovedAtOnce}
  `;
  const isOneOfThem = perEngine({
    sqlite: () => sql`rowid in (${ended(sql`rowid`)})`,
    postgres: () => sql`ctid = any (array(${ended(sql`ctid`)} for update skip locked))`,
  });
  return remove(quotaWindowTable, isOneOfThem);
}

function keyOf(kind: string, whoHash: string): string {
  return `${kind} ${whoHash}`;
}

function byKey(
  a: { readonly kind: string; readonly whoHash: string },
  b: { readonly kind: string; readonly whoHash: string },
): number {
  return keyOf(a.kind, a.whoHash) < keyOf(b.kind, b.whoHash) ? -1 : 1;
}
