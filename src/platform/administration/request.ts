// Requests of administration: parsing their bodies, reporting faults, and recording them in the audit trail.
import { actorOf } from '../../http/actor.ts';
import type { Answer, BodyLimits, Call } from '../../http/route.ts';
import { isObject } from '../../model/check.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { invalidParameter, readWhole, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { PageQuery } from '../../store/key-pages.ts';
import { invalidBody, objectIn } from '../json-object.ts';

/** The possible kinds of properties. */
interface Kinds {
  readonly text: string;
  readonly texts: readonly string[];
  readonly flag: boolean;
  readonly number: number;
  readonly numberOrNull: number | null;
  readonly pairs: Readonly<Record<string, string>>;
}

export type FieldKinds = Readonly<Record<string, keyof Kinds>>;

/** The properties that a body contains. */
type Read<F extends FieldKinds> = { readonly [Name in keyof F]?: Kinds[F[Name]] };

export const administrationBody: BodyLimits = { types: ['application/json'], limit: 65_536, encodings: [] };

/** The most entries of one answer. */
export const maxListed = 500;
const maxTexts = 1000;

/**
 * Reads a body that is one JSON object with a few properties.
 * @param required properties that must be present
 * @throws Problem `malformed-json`, `validation-failed`
 */
export async function fieldsOf<const F extends FieldKinds>(
  call: Call,
  fields: F,
  required: readonly (keyof F & string)[] = [],
): Promise<Read<F>> {
  singleParameters(call.query, []);
  const { value, errors } = objectIn(await call.body(), Object.keys(fields));
  for (const [name, kind] of Object.entries(fields)) {
    const given = value[name];
    if (given === undefined) {
      if (required.includes(name)) errors.set(name, `${name} is required.`);
    } else if (!isKind(kind, given)) errors.set(name, `${name} must be ${inWords[kind]}.`);
  }
  if (errors.size > 0) throw invalidBody(errors);
  // The kind of each value has been checked.
  return value as Read<F>;
}

const inWords: Readonly<Record<keyof Kinds, string>> = {
  text: 'a text',
  texts: `a list of at most ${maxTexts} texts`,
  flag: 'true or false',
  number: 'a whole number',
  numberOrNull: 'a whole number or null',
  pairs: `an object of at most ${maxTexts} texts`,
};

function isKind(kind: keyof Kinds, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string' && !value.includes('\0');
  if (kind === 'flag') return typeof value === 'boolean';
  if (kind === 'number' || kind === 'numberOrNull')
    return Number.isSafeInteger(value) || (kind === 'numberOrNull' && value === null);
  if (kind === 'pairs') return isObject(value) && isKind('texts', Object.values(value));
  return Array.isArray(value) && value.length <= maxTexts && value.every((item) => isKind('text', item));
}

/**
 * Runs an operation that the command line has too.
 * @throws Problem `validation-failed` with the messages of the command line
 */
export async function asCommanded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperatorError)
      throw new Problem('validation-failed', error.message, { errors: { body: [error.message] } });
    throw error;
  }
}

/** The audit entry for a change by an operator or a key. */
export function administrationEntry(
  { principal, address }: Call,
  { action, target, activityCodes = [], details = null }: AdministrationAction,
): NewAuditEntry {
  return {
    ...actorOf(principal),
    ...{ action, target, activityCodes, operationId: null, outcome: 'accepted', address, details },
  };
}

interface AdministrationAction extends Pick<NewAuditEntry, 'action' | 'target'> {
  readonly activityCodes?: readonly string[];
  /** JSON value; no personal data. */
  readonly details?: unknown;
}

/**
 * One page of a list sorted by a key, after the given key. Reads at most one item more than the page.
 * @throws Problem `invalid-parameter`
 */
export async function pageOf<T>(
  parameters: ReadonlyMap<string, string>,
  read: (query: PageQuery) => Promise<readonly T[]>,
  keyOf: (item: T) => string,
): Promise<{ readonly items: readonly T[]; readonly after: string | null }> {
  const limit = readWhole('limit', parameters.get('limit'), { min: 1, max: maxListed, otherwise: maxListed });
  const after = parameters.get('after') ?? null;
  if (after !== null && !/^[\x20-\x7e]{0,200}$/.test(after))
    return invalidParameter('after', "Parameter 'after': expected what the page before it says in `after`.");
  const found = await read({ after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { items: page, after: found.length > limit && last !== undefined ? keyOf(last) : null };
}

/** An answer that must not be stored: it may contain a secret that is shown once. */
export function told(value: unknown): Answer {
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(value), type: null };
}
