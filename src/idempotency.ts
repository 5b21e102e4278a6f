// Implements Idempotency-Key: a repeated request gets the answer of the first, and is not carried out twice.
import { hash } from 'node:crypto';
import { readKey } from './http/idempotency-key.ts';
import type { Answer, AuditedFailure, Call } from './http/route.ts';
import { Problem, type ProblemSlug, problems } from './model/problem.ts';
import { textBlock } from './model/text-block.ts';
import { claimLeaseMs } from './store/idempotency-records.ts';
import type { StoredLabel } from './store/labels.ts';
import type { IdempotencyRecords, RequestClaim, StoredAnswer } from './store/idempotency-contract.ts';
import type { Store, WriteUnit } from './store/store.ts';

interface RepeatableDependencies {
  readonly store: Pick<Store, 'idempotency' | 'records'>;
}

/** What identifies a request under its key. */
interface RequestIdentity {
  /** Returns a hash of the body; the query is always included. Called only when there is a key. */
  readonly fingerprint: () => string;
  /** Activity of the label that the request asks for; absent: it asks for none. */
  readonly labelOf?: string;
}

/** A request that is being processed. */
export interface RepeatableRequest {
  /** The right to process it; null without a key. */
  readonly claim: RequestClaim | null;
  /** Identifies the request in the label that it makes; null without a key. */
  readonly labelKey: string | null;
  /** The label begun by an earlier request with this key; null: none. */
  readonly label: StoredLabel | null;
  /**
   * Runs the transaction that does what the answer reports, and stores the answer in it: neither exists without the
   * other.
   * @param activities whose change numbers it locks
   * @throws Problem `idempotency-in-progress` when another request has taken over the claim: nothing is written then,
   *   unless it is `irrevocable`
   */
  readonly write: (
    activities: readonly string[],
    work: (unit: WriteUnit) => Promise<Answer | AuditedFailure>,
    options?: WriteOptions,
  ) => Promise<Answer | AuditedFailure>;
}

interface WriteOptions {
  /**
   * The answer reports something that has already happened at a carrier, so it is written whoever holds the claim now.
   */
  readonly irrevocable?: boolean;
  /** The label whose result is the body of the answer. */
  readonly label?: Pick<StoredLabel, 'activity' | 'id'>;
}

/** How often a running request renews its claim. */
const renewalIntervalMs = claimLeaseMs / 3;
/** Work that takes longer is stuck: the next request gets its turn. */
const maxWorkMs = 600_000;

/**
 * Processes a request, or returns the answer it got before (draft-ietf-httpapi-idempotency-key-header-07). Without the
 * header it is processed each time. A key belongs to the caller, and to method and path. What `write` did not store is
 * stored after the work: answers and problems below 500. 400, 401, 403, 404, 408, 429 and failures are not stored, so
 * that the next request is processed anew; neither is an answer about a label that an earlier request has begun,
 * because the label itself determines it.
 * @throws Problem `invalid-parameter` for an invalid key; `idempotency-in-progress`, `idempotency-key-reused`; those of
 *   `work`
 */
export async function repeatable(
  { store }: RepeatableDependencies,
  call: Call,
  { fingerprint, labelOf }: RequestIdentity,
  work: (request: RepeatableRequest) => Promise<Answer | AuditedFailure>,
): Promise<Answer | AuditedFailure> {
  const key = readKey(call.header('idempotency-key'));
  if (key === null)
    return work({
      claim: null,
      labelKey: null,
      label: null,
      write: (activities, transaction) => store.records.submit(activities, transaction),
    });
  const { clientId } = call.principal;
  const subject = call.principal.subject ?? '';
  const labelKey = labelOf === undefined ? null : labelKeyOf(call, key);
  const found = await store.idempotency.claim({
    scope: digest(clientId, subject, call.method, call.path),
    key,
    fingerprint: digest(call.queryText, fingerprint()),
    label: labelOf === undefined || labelKey === null ? null : { activity: labelOf, requestKey: labelKey },
  });
  switch (found.state) {
    case 'claimed':
      return carriedOut(store, { claim: found.claim, label: found.label, labelKey }, work);
    case 'answered':
      return replayed(found.answer);
    case 'running':
      throw new Problem(
        'idempotency-in-progress',
        textBlock`
          A request with this Idempotency-Key is still running, or the process that ran it has died. Send it again after
          the time in Retry-After: you will get its answer, or it is carried out then.
        `,
        {},
        { 'retry-after': String(secondsToWait(found.endsInMs)) },
      );
    case 'other-request':
      throw new Problem(
        'idempotency-key-reused',
        textBlock`
          This Idempotency-Key was used here for a request with another body or query. Take a new key for a new
          request.
        `,
      );
  }
}

/** The label of an activity that an earlier request with the key of this one has begun; null: none. */
export async function begunLabel(
  { labels }: Pick<Store, 'labels'>,
  call: Call,
  activity: string,
): Promise<StoredLabel | null> {
  const key = readKey(call.header('idempotency-key'));
  return key === null ? null : labels.ofRequest(activity, labelKeyOf(call, key));
}

function labelKeyOf({ principal: { clientId, subject }, path }: Call, key: string): string {
  return digest(clientId, subject ?? '', path, key);
}

/** The problem for a request whose claim another one has taken over. */
export function takenOver(): Problem {
  return new Problem(
    'idempotency-in-progress',
    textBlock`
      This request stood still for so long that a later one with the same Idempotency-Key has taken its place. Send it
      again to get the stored answer.
    `,
    {},
    { 'Retry-After': '1' },
  );
}

/**
 * A live process may finish at any moment. One that has not renewed its claim in time is probably dead: its claim has
 * to expire first.
 */
function secondsToWait(endsInMs: number): number {
  return endsInMs > claimLeaseMs - 1.5 * renewalIntervalMs ? 1 : Math.max(1, Math.ceil(endsInMs / 1000));
}

interface Claimed {
  readonly claim: RequestClaim;
  readonly label: StoredLabel | null;
  readonly labelKey: string | null;
}

async function carriedOut(
  store: RepeatableDependencies['store'],
  { claim, label, labelKey }: Claimed,
  work: (request: RepeatableRequest) => Promise<Answer | AuditedFailure>,
): Promise<Answer | AuditedFailure> {
  const records = store.idempotency;
  const stopRenewing = keepRenewing(records, claim);
  let isStored = false;
  const write: RepeatableRequest['write'] = (activities, transaction, options = {}) => {
    const { irrevocable = false, label: made } = options;
    const run = async (unit: WriteUnit): Promise<Answer | AuditedFailure> => {
      const answer = await transaction(unit);
      if (!isFinal(answer)) return answer;
      isStored = await unit.storeAnswer(claim, storedForm(answer), made && { activity: made.activity, id: made.id });
      if (!isStored && !irrevocable) throw takenOver();
      return answer;
    };
    return store.records.submit(activities, run);
  };
  try {
    const answer = await work({ claim, label, labelKey, write });
    if (!isStored)
      await (isFinal(answer) && label === null ? records.store(claim, storedForm(answer)) : records.release(claim));
    return answer;
  } catch (error) {
    // If even this fails, the claim expires by itself; the client should learn of the first failure.
    const isKept = isFinal({ error }) && label === null;
    await (isKept ? records.store(claim, storedForm({ error })) : records.release(claim)).catch(() => undefined);
    throw error;
  } finally {
    stopRenewing();
  }
}

/** Keeps a claim alive for as long as its holder runs. Returns a function that stops that. */
function keepRenewing(records: IdempotencyRecords, claim: RequestClaim): () => void {
  let asking = false;
  let left = maxWorkMs / renewalIntervalMs;
  const timer = setInterval(async () => {
    left -= 1;
    if (left === 0) clearInterval(timer);
    if (asking) return;
    asking = true;
    // Storage may be available again next time.
    const held = await records.renew(claim).catch(() => true);
    asking = false;
    if (!held) clearInterval(timer);
  }, renewalIntervalMs).unref();
  return () => clearInterval(timer);
}

/**
 * Whether the same request would get the same answer again. A 400 frees the key for the corrected request, because
 * nothing was done; a 404 for the time when what the request names is there; a 401 or 403, where access had ended while
 * the request waited for its turn, for the time when the caller has access again.
 */
function isFinal(answer: Answer | AuditedFailure): boolean {
  const status = 'error' in answer ? statusOf(answer.error) : answer.status;
  return status < 500 && !reopening.has(status);
}

/** Below 500, of answers that free the key. */
const reopening: ReadonlySet<number> = new Set([400, 401, 403, 404, 408, 429]);

function statusOf(error: unknown): number {
  return error instanceof Problem ? problems[error.slug].status : 500;
}

const replayedHeader = { 'Idempotency-Replayed': 'true' };

/** The first request has left its entry in the audit trail, with this answer. */
function replayed(answer: StoredAnswer): Answer | AuditedFailure {
  if (!('problem' in answer))
    return { status: answer.status, headers: { ...answer.headers, ...replayedHeader }, body: answer.body, type: null };
  const { slug, detail, extra } = answer.problem;
  if (!isKnown(slug)) throw new Error(`the stored answer is a problem that is no longer known: ${slug}`);
  return { error: new Problem(slug, detail, extra, replayedHeader) };
}

function isKnown(slug: string): slug is ProblemSlug {
  return Object.hasOwn(problems, slug);
}

function storedForm(answer: Answer | AuditedFailure): StoredAnswer {
  if ('error' in answer) {
    if (!(answer.error instanceof Problem)) throw new Error('only a problem can be stored', { cause: answer.error });
    const { slug, detail, extra } = answer.error;
    return { problem: { slug, detail, extra } };
  }
  const { status, headers, body } = answer;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { status, headers, body: body.toString() };
  if (body === null) return { status, headers, body: '' };
  throw new Error('an answer that is a stream cannot be stored');
}

/** Hash of several texts, unambiguous about where each one ends. */
function digest(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
