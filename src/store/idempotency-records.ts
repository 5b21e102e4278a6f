// In charge of idempotency records: who may work on a request with an `Idempotency-Key`, and what was answered to
// it.
import { textBlock } from '../model/text-block.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Problem } from '../model/problem.ts';
import { removeInBatches } from './batches.ts';
import { type Engine, type Row, type WriteTransaction, placeholders } from './engine.ts';
import { sql } from './statement.ts';
import { packed, unpacked } from './packed-text.ts';
import type { RequestClaim, StoredAnswer, IdempotencyRecords } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * How long a claim lasts unless it is renewed: a client whose request died with its process waits so
 * long.
 */
export const claimLeaseMs = 15_000;
/** How long an answer is kept. */
const answerLifetimeMs = 86_400_000;

/** The idempotency records of a database. */
export function createIdempotencyRecords(engine: Engine): IdempotencyRecords {
  return {
    claim: (request) => engine.write((transaction) => claim(engine, transaction, request)),
    renew: (held) => engine.write((transaction) => renew(engine, transaction, held)),
    // What another request took over is for that one to answer; nothing was written under this claim.
    store: (held, answer) =>
      engine.write(async (transaction) => void (await storeIfHeld(engine, transaction, held, answer))),
    release: (held) => engine.write((transaction) => release(engine, transaction, held)),
    removeExpired: () => removeExpired(engine),
  };
}

/**
 * Stores the answer in the transaction that does what the answer tells of.
 * @throws Problem `idempotency-in-progress` when another request took the claim over or it was given back: then nothing
 * may be written
 */
export async function storeAnswerInTransaction(
  engine: Pick<Engine, 'dialect'>,
  transaction: WriteTransaction,
  held: RequestClaim,
  answer: StoredAnswer,
): Promise<void> {
  if (!(await storeIfHeld(engine, transaction, held, answer))) throw takenOver();
}

/** What a request is told whose claim another one has taken over meanwhile. */
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

/** Whether a claim is held, in a transaction: until that ends nobody takes the claim over. */
export async function holdsClaim(transaction: Kysely<Tables>, held: RequestClaim): Promise<boolean> {
  const row = await transaction
    .updateTable('stored_answer')
    .set((column) => ({ claimed_until: column.ref('claimed_until') }))
    .where('scope', '=', held.scope)
    .where('key_hash', '=', hashOf(held.key))
    .where('claim', '=', held.claim)
    .where('answer', 'is', null)
    .returning('claim')
    .executeTakeFirst();
  return row !== undefined;
}

type Claimed = Awaited<ReturnType<IdempotencyRecords['claim']>>;

/**
 * The insert leaves a row alone that somebody is working on or has answered, and waits for a transaction that is about
 * to. A holder that died had no answer yet, so that whoever comes next may ask for something else.
 */
async function claim(
  engine: Engine,
  transaction: WriteTransaction,
  request: Parameters<IdempotencyRecords['claim']>[0],
): Promise<Claimed> {
  const { scope, key, fingerprint } = request;
  const now = await transaction.now();
  const held: RequestClaim = { scope, key, claim: randomBytes(16).toString('base64url') };
  const { values, add } = placeholders(engine.dialect);
  const row = [scope, hashOf(key), fingerprint, held.claim, now + claimLeaseMs, null, now + answerLifetimeMs]
    .map(add)
    .join(', ');
  const columns = ['fingerprint', 'claim', 'claimed_until', 'answer', 'expires_at'];
  const replaced = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  const isFree = textBlock`
    stored_answer.answer is null and stored_answer.claimed_until < ${add(now)} or stored_answer.expires_at <=
    ${add(now)}
  `;
  const text = textBlock`
    insert into stored_answer (scope, key_hash, ${columns.join(', ')}) values (${row}) on conflict (scope, key_hash) do
    update set ${replaced} where ${isFree} returning claim
  `;
  const mine = await transaction.query({ text, values });
  return mine.length > 0
    ? { state: 'claimed', claim: held }
    : whatBecame(await storedRow(engine, transaction, request), fingerprint, now);
}

async function storedRow(
  engine: Engine,
  transaction: WriteTransaction,
  { scope, key }: { readonly scope: string; readonly key: string },
): Promise<Row> {
  const { values, add } = placeholders(engine.dialect);
  const [row] = await transaction.query({
    text: textBlock`
      select fingerprint, answer, claimed_until from stored_answer where scope = ${add(scope)} and key_hash =
      ${add(hashOf(key))}
    `,
    values,
  });
  if (row === undefined) throw new Error('a stored answer that this transaction has locked is gone');
  return row;
}

function whatBecame([known, answer, claimedUntil]: Row, fingerprint: string, now: number): Claimed {
  if (known !== fingerprint) return { state: 'other-request' };
  if (typeof answer !== 'string') return { state: 'running', endsIn: Math.max(0, Number(claimedUntil) - now) };
  const kept: StoredAnswer = JSON.parse(unpacked(answer));
  return { state: 'answered', answer: kept };
}

/** A claim that has ended but that nobody has taken over lives on. */
async function renew(engine: Engine, transaction: WriteTransaction, held: RequestClaim): Promise<boolean> {
  const now = await transaction.now();
  const { values, add } = placeholders(engine.dialect);
  const text = textBlock`
    update stored_answer set claimed_until = ${add(now + claimLeaseMs)} where scope = ${add(held.scope)} and key_hash =
    ${add(hashOf(held.key))} and claim = ${add(held.claim)} and answer is null returning claim
  `;
  return (await transaction.query({ text, values })).length > 0;
}

/** Returns whether the claim was still held; an answer that is there is never replaced. */
async function storeIfHeld(
  engine: Pick<Engine, 'dialect'>,
  transaction: WriteTransaction,
  held: RequestClaim,
  answer: StoredAnswer,
): Promise<boolean> {
  const now = await transaction.now();
  const { values, add } = placeholders(engine.dialect);
  const set = `answer = ${add(packed(JSON.stringify(answer)))}, expires_at = ${add(now + answerLifetimeMs)}`;
  const text = textBlock`
    update stored_answer set ${set} where scope = ${add(held.scope)} and key_hash = ${add(hashOf(held.key))} and claim =
    ${add(held.claim)} and answer is null returning claim
  `;
  return (await transaction.query({ text, values })).length > 0;
}

/**
 * An answer that was stored stays, even when its request believes to have failed: the commit may have come through
 * unheard.
 */
async function release(engine: Engine, transaction: WriteTransaction, held: RequestClaim): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const text = textBlock`
    delete from stored_answer where scope = ${add(held.scope)} and key_hash = ${add(hashOf(held.key))} and claim =
    ${add(held.claim)} and answer is null
  `;
  await transaction.query({ text, values });
}

async function removeExpired(engine: Engine): Promise<number> {
  const now = await engine.now();
  return removeInBatches(engine, {
    table: 'stored_answer',
    where: sql`expires_at <= ${now}`,
    by: 'expires_at',
  });
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
