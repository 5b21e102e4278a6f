// Idempotency records: who may work on a request with an `Idempotency-Key`, and how it was answered.
import { createHash, randomBytes } from 'node:crypto';
import { removeInBatches } from './batches.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { labelOfRequest } from './label-writes.ts';
import { packed, unpacked } from './packed-text.ts';
import { type Sql, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { shippingLabelTable } from './tables/shipping.ts';
import { storedAnswerTable } from './tables/writes.ts';
import type {
  ClaimOutcome,
  IdempotencyRecords,
  LabelInAnswer,
  LabelOfRequest,
  KeyedRequest,
  RequestClaim,
  StoredAnswer,
} from './idempotency-contract.ts';

/** How long a claim lasts unless renewed: a client whose request died with its process waits this long. */
export const claimLeaseMs = 15_000;
/** How long an answer is kept. */
const answerLifetimeMs = 86_400_000;

/** The idempotency records of a database. */
export function createIdempotencyRecords(engine: Engine): IdempotencyRecords {
  return {
    claim: (request) => engine.write((transaction) => claim(transaction, request)),
    renew: (held) => engine.write((transaction) => renew(transaction, held)),
    // If another request has taken the claim over, it answers; nothing was written under this claim.
    store: (held, answer) => engine.write(async (transaction) => void (await storeAnswer(transaction, held, answer))),
    release: (held) =>
      engine.write(async (transaction) => void (await transaction.query(remove(storedAnswerTable, isHeld(held))))),
    removeExpired: () => removeExpired(engine),
  };
}

/**
 * Stores the answer in the transaction that does what the answer reports.
 * @param label whose result is the body of the answer: the body is kept only there
 * @returns whether the claim was still held; a stored answer is never replaced
 */
export async function storeAnswer(
  transaction: WriteTransaction,
  held: RequestClaim,
  answer: StoredAnswer,
  label: LabelInAnswer | null = null,
): Promise<boolean> {
  const now = await transaction.now();
  const kept = 'problem' in answer || label === null ? answer : { ...answer, body: '', label };
  const changes = { answer: packed(JSON.stringify(kept)), expiresAt: now + answerLifetimeMs };
  return (await transaction.query(update(storedAnswerTable, changes, isHeld(held)))).length > 0;
}

/** Whether a claim is held, checked in a transaction: until that ends nobody can take the claim over. */
export async function holdsClaim(transaction: WriteTransaction, held: RequestClaim): Promise<boolean> {
  const changes = { claimedUntil: column.claimedUntil };
  return (await transaction.query(update(storedAnswerTable, changes, isHeld(held)))).length > 0;
}

const { column, quoted } = storedAnswerTable;

/** The row of a claim that nobody has taken over and that has no answer yet. */
function isHeld({ scope, key, claim: name }: RequestClaim) {
  return { scope, keyHash: hashOf(key), claim: name, answer: null };
}

/**
 * The insert leaves a row alone that is being worked on or is answered, and waits for a transaction that is about to
 * change it. A holder that died had not answered yet, so the next request may differ from its request.
 */
async function claim(transaction: WriteTransaction, request: KeyedRequest): Promise<ClaimOutcome> {
  const { scope, key, fingerprint, label } = request;
  const now = await transaction.now();
  const held: RequestClaim = { scope, key, claim: randomBytes(16).toString('base64url') };
  const row: StoredAnswerRow = {
    scope,
    keyHash: hashOf(key),
    fingerprint,
    claim: held.claim,
    claimedUntil: now + claimLeaseMs,
    answer: null,
    expiresAt: now + answerLifetimeMs,
  };
  const isFree = sql`
    ${of(column.answer)} is null and ${of(column.claimedUntil)} < ${now} or ${of(column.expiresAt)} <= ${now}
  `;
  const replaced = (['fingerprint', 'claim', 'claimedUntil', 'answer', 'expiresAt'] as const).map(
    (name) => sql`${column[name]} = excluded.${column[name]}`,
  );
  const mine = await transaction.query(sql`
    ${insert(storedAnswerTable, row)} on conflict (${column.scope}, ${column.keyHash})
    do update set ${sql.join(replaced)} where ${isFree} returning 1
  `);
  if (mine.length > 0) return { state: 'claimed', claim: held, label: await begunLabel(transaction, label) };
  const [known] = await transaction.query(selectRows(storedAnswerTable, { scope, keyHash: row.keyHash }));
  if (known === undefined) throw new Error('an idempotency record that this transaction has locked is gone');
  if (known.fingerprint !== fingerprint) return { state: 'other-request' };
  if (known.answer === null) return { state: 'running', endsInMs: Math.max(0, known.claimedUntil - now) };
  return answered(transaction, known.answer);
}

function begunLabel(transaction: WriteTransaction, label: LabelOfRequest | null | undefined) {
  return label ? labelOfRequest(transaction, label.activity, label.requestKey) : null;
}

/** The answer, with the body taken from its label. If the label was emptied, the answer is no longer known. */
async function answered(transaction: WriteTransaction, text: string): Promise<ClaimOutcome> {
  const { label, ...answer }: StoredAnswer & { readonly label?: LabelInAnswer } = JSON.parse(unpacked(text));
  if (label === undefined || 'problem' in answer) return { state: 'answered', answer };
  const { activity, id } = label;
  const [found] = await transaction.query(selectRows(shippingLabelTable, { activity, id }));
  const body = found?.result ?? null;
  return body === null ? { state: 'other-request' } : { state: 'answered', answer: { ...answer, body } };
}

type StoredAnswerRow = RowOf<typeof storedAnswerTable>;

/** A column of the existing row, not of the one to be inserted. */
function of(name: Sql): Sql {
  return sql`${quoted}.${name}`;
}

/** A claim that has expired but was not taken over can still be renewed. */
async function renew(transaction: WriteTransaction, held: RequestClaim): Promise<boolean> {
  const claimedUntil = (await transaction.now()) + claimLeaseMs;
  return (await transaction.query(update(storedAnswerTable, { claimedUntil }, isHeld(held)))).length > 0;
}

async function removeExpired(engine: Engine): Promise<number> {
  const now = await engine.now();
  return removeInBatches(engine, {
    table: storedAnswerTable.name,
    where: sql`expires_at <= ${now}`,
    by: 'expires_at',
  });
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
