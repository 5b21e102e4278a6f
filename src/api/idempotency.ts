// The one place for Idempotency-Key: a request that comes again gets the answer of the first, and is not carried out
// twice.
import { textBlock } from '../model/text-block.ts';
import { hash } from 'node:crypto';
import type { Answer, Call } from '../http/route.ts';
import { invalidParameter } from '../model/parameters.ts';
import { Problem, type ProblemSlug, problems } from '../model/problem.ts';
import type { RequestClaim, StoredAnswer, Store, IdempotencyRecords, WriteUnit } from '../store/store.ts';
import { claimLeaseMs } from '../store/idempotency-records.ts';

export interface RepeatableDependencies {
  readonly store: Pick<Store, 'idempotency'>;
}

/** Stores the answer in the transaction that does the work, so that neither is there without the other. */
export type StoreAnswer = (unit: WriteUnit, answer: Answer) => Promise<void>;

export type Work = (storeAnswer: StoreAnswer, claim: RequestClaim | null) => Promise<Answer>;

/** How often a request that is carried out says that it lives. */
const renewalIntervalMs = claimLeaseMs / 3;
/** What takes longer than this hangs: the next request shall have its turn. */
const maxWorkMs = 600_000;

/**
 * Carries out a request, or answers what it was answered before (draft-ietf-httpapi-idempotency-key-header-07). Without
 * the header it is carried out each time. A key belongs to whoever calls, and to method and path. What was not stored in
 * a transaction is stored after the work: answers and problems below 500. 408, 429 and failures are not, so that the next
 * request works anew.
 * @param fingerprint gives a hash of the body; the query counts anyway
 * @param work is given `storeAnswer`, to be called where it writes, and the claim under which it works; null without the
 * header
 * @throws Problem `invalid-parameter` for a key that is none; `idempotency-in-progress`, `idempotency-key-reused`;
 * those of `work`
 */
export async function repeatable(
  { store: { idempotency: records } }: RepeatableDependencies,
  call: Call,
  fingerprint: () => string,
  work: Work,
): Promise<Answer> {
  const key = readKey(call.header('idempotency-key'));
  if (key === null) return work(async () => undefined, null);
  const { clientId, subject } = call.caller;
  const scope = digest(clientId, subject, call.method, call.path);
  const found = await records.claim({ scope, key, fingerprint: digest(call.queryText, fingerprint()) });
  switch (found.state) {
    case 'claimed':
      return carriedOut(records, found.claim, work);
    case 'answered':
      // The first request has its entry in the audit trail, with this answer.
      call.leaveNoEntry?.();
      return replayed(found.answer);
    case 'running':
      throw new Problem(
        'idempotency-in-progress',
        textBlock`
          A request with this Idempotency-Key is still running, or the process that ran it has died. Send it again after
          the time in Retry-After: you will get its answer, or it is carried out then.
        `,
        {},
        { 'retry-after': String(secondsToWait(found.endsIn)) },
      );
    case 'other-request':
      throw new Problem(
        'idempotency-key-reused',
        'This Idempotency-Key was used for a request with another body or query. Take a new key for a new request.',
      );
  }
}

/**
 * One that lives may be done at any moment. One that has not renewed its claim in time is probably dead: the claim has
 * to end first.
 */
function secondsToWait(endsIn: number): number {
  return endsIn > claimLeaseMs - 1.5 * renewalIntervalMs ? 1 : Math.max(1, Math.ceil(endsIn / 1000));
}

async function carriedOut(records: IdempotencyRecords, claim: RequestClaim, work: Work): Promise<Answer> {
  const stopRenewing = keepRenewing(records, claim);
  let stored = false;
  const storeAnswer: StoreAnswer = async (unit, answer) => {
    await unit.storeAnswer(claim, storedForm(answer));
    stored = true;
  };
  try {
    const answer = await work(storeAnswer, claim);
    if (!stored) await (isFinal(answer.status) ? records.store(claim, storedForm(answer)) : records.release(claim));
    return answer;
  } catch (error) {
    // Where even this fails the claim ends by itself; the client is to hear of the first failure.
    await settle(records, claim, error).catch(() => undefined);
    throw error;
  } finally {
    stopRenewing();
  }
}

/** Lets a claim last as long as its holder lives. Returns what ends that. */
function keepRenewing(records: IdempotencyRecords, claim: RequestClaim): () => void {
  let asking = false;
  let left = maxWorkMs / renewalIntervalMs;
  const timer = setInterval(async () => {
    left -= 1;
    if (left === 0) clearInterval(timer);
    if (asking) return;
    asking = true;
    // Storage that is away may be back next time.
    const held = await records.renew(claim).catch(() => true);
    asking = false;
    if (!held) clearInterval(timer);
  }, renewalIntervalMs).unref();
  return () => clearInterval(timer);
}

function settle(records: IdempotencyRecords, claim: RequestClaim, error: unknown): Promise<void> {
  if (!(error instanceof Problem) || !isFinal(problems[error.slug].status)) return records.release(claim);
  return records.store(claim, { problem: { slug: error.slug, detail: error.detail, extra: error.extra } });
}

/** The same request would be answered so again. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

const replayedHeader = { 'Idempotency-Replayed': 'true' };

function replayed(answer: StoredAnswer): Answer {
  if (!('problem' in answer))
    return { status: answer.status, headers: { ...answer.headers, ...replayedHeader }, body: answer.body, type: null };
  const { slug, detail, extra } = answer.problem;
  if (!isKnown(slug)) throw new Error(`the stored answer is a problem that is no longer known: ${slug}`);
  throw new Problem(slug, detail, extra, replayedHeader);
}

function isKnown(slug: string): slug is ProblemSlug {
  return Object.hasOwn(problems, slug);
}

function storedForm({ status, headers, body }: Answer): StoredAnswer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { status, headers, body: body.toString() };
  if (body === null) return { status, headers, body: '' };
  throw new Error('an answer that is a stream cannot be stored');
}

const headerName = 'Idempotency-Key';

/**
 * The key of a request: a structured-field string (RFC 9651, section 3.3.3), or the same text without quotes; null
 * without the header.
 * @throws Problem `invalid-parameter`
 */
export function readKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replaceAll(/\\(["\\])/g, '$1');
  if ((quoted === undefined && header.startsWith('"')) || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    invalidParameter(
      headerName,
      `Header ${headerName}: expected one key of 1 to 255 visible characters, in double quotes or without.`,
    );
  }
  return key;
}

/** Hash of several texts, none of which can pass for another. */
function digest(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
