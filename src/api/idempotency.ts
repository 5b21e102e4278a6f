// The one place for Idempotency-Key: a request that comes again gets the answer of the first, and is not carried out
// twice.
import { textBlock } from '../model/text-block.ts';
import { hash } from 'node:crypto';
import type { Answer, Call } from '../http/route.ts';
import { invalidParameter } from '../model/parameters.ts';
import { Problem, type ProblemSlug, problems } from '../model/problem.ts';
import type { AnswerClaim, KeptAnswer, Store, StoredAnswers, WriteUnit } from '../store/store.ts';
import { claimLease } from '../store/stored-answers.ts';

export interface RepeatableDependencies {
  readonly store: Pick<Store, 'answers'>;
}

/** Stores the answer in the transaction that does the work, so that neither is there without the other. */
export type Keep = (unit: WriteUnit, answer: Answer) => Promise<void>;

export type Work = (keep: Keep, claim: AnswerClaim | null) => Promise<Answer>;

/** How often a request that is carried out says that it lives, milliseconds. */
const renewEvery = claimLease / 3;
/** What takes longer than this hangs, milliseconds: the next request shall have its turn. */
const longestWork = 600_000;

/**
 * Carries out a request, or answers what it was answered before (draft-ietf-httpapi-idempotency-key-header-07). Without
 * the header it is carried out each time. A key belongs to whoever calls, and to method and path. What was not kept in
 * a transaction is kept after the work: answers and problems below 500. 408, 429 and failures are not, so that the next
 * request works anew.
 * @param fingerprint gives a hash of the body; the query counts anyway
 * @param work is given `keep`, to be called where it writes, and the claim under which it works; null without the
 * header
 * @throws Problem `invalid-parameter` for a key that is none; `idempotency-in-progress`, `idempotency-key-reused`;
 * those of `work`
 */
export async function repeatable(
  { store: { answers } }: RepeatableDependencies,
  call: Call,
  fingerprint: () => string,
  work: Work,
): Promise<Answer> {
  const key = readKey(call.header('idempotency-key'));
  if (key === null) return work(async () => undefined, null);
  const { clientId, subject } = call.caller;
  const scope = digest(clientId, subject, call.method, call.path);
  const found = await answers.claim({ scope, key, fingerprint: digest(call.queryText, fingerprint()) });
  switch (found.state) {
    case 'claimed':
      return carriedOut(answers, found.claim, work);
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
  return endsIn > claimLease - 1.5 * renewEvery ? 1 : Math.max(1, Math.ceil(endsIn / 1000));
}

async function carriedOut(answers: StoredAnswers, claim: AnswerClaim, work: Work): Promise<Answer> {
  const stopRenewing = keepRenewing(answers, claim);
  let kept = false;
  const keep: Keep = async (unit, answer) => {
    await unit.keepAnswer(claim, keptForm(answer));
    kept = true;
  };
  try {
    const answer = await work(keep, claim);
    if (!kept) await (isFinal(answer.status) ? answers.keep(claim, keptForm(answer)) : answers.release(claim));
    return answer;
  } catch (error) {
    // Where even this fails the claim ends by itself; the client is to hear of the first failure.
    await settle(answers, claim, error).catch(() => undefined);
    throw error;
  } finally {
    stopRenewing();
  }
}

/** Lets a claim last as long as its holder lives. Returns what ends that. */
function keepRenewing(answers: StoredAnswers, claim: AnswerClaim): () => void {
  let asking = false;
  let left = longestWork / renewEvery;
  const timer = setInterval(async () => {
    left -= 1;
    if (left === 0) clearInterval(timer);
    if (asking) return;
    asking = true;
    // Storage that is away may be back next time.
    const held = await answers.renew(claim).catch(() => true);
    asking = false;
    if (!held) clearInterval(timer);
  }, renewEvery).unref();
  return () => clearInterval(timer);
}

function settle(answers: StoredAnswers, claim: AnswerClaim, error: unknown): Promise<void> {
  if (!(error instanceof Problem) || !isFinal(problems[error.slug].status)) return answers.release(claim);
  return answers.keep(claim, { problem: { slug: error.slug, detail: error.detail, extra: error.extra } });
}

/** The same request would be answered so again. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

const replayedHeader = { 'Idempotency-Replayed': 'true' };

function replayed(answer: KeptAnswer): Answer {
  if (!('problem' in answer))
    return { status: answer.status, headers: { ...answer.headers, ...replayedHeader }, body: answer.body, type: null };
  const { slug, detail, extra } = answer.problem;
  if (!isKnown(slug)) throw new Error(`the stored answer is a problem that is no longer known: ${slug}`);
  throw new Problem(slug, detail, extra, replayedHeader);
}

function isKnown(slug: string): slug is ProblemSlug {
  return Object.hasOwn(problems, slug);
}

function keptForm({ status, headers, body }: Answer): KeptAnswer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { status, headers, body: body.toString() };
  if (body === null) return { status, headers, body: '' };
  throw new Error('an answer that is a stream cannot be kept');
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
