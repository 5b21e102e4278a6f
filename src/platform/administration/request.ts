// Requests of administration: what their bodies hold, what goes wrong, and what the audit trail has of them.
import { actorOf } from '../../http/actor.ts';
import type { Answer, BodyLimits, Call } from '../../http/route.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { invalidParameter, readWhole, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { PageQuery } from '../../store/key-pages.ts';
import { invalidBody, objectIn } from '../json-object.ts';

/** What a property may be. */
interface Kinds {
  readonly text: string;
  readonly texts: readonly string[];
  readonly flag: boolean;
  readonly number: number;
}

export type FieldKinds = Readonly<Record<string, keyof Kinds>>;

/** What a body holds, as far as it is there. */
type Read<F extends FieldKinds> = { readonly [Name in keyof F]?: Kinds[F[Name]] };

export const administrationBody: BodyLimits = { types: ['application/json'], limit: 65_536, encodings: [] };

/** Most entries of one answer. */
export const maxListed = 500;
const maxTexts = 1000;

/**
 * Reads a body that is one JSON object of a few properties.
 * @param required those that have to be there
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
  // Each value was compared with its kind.
  return value as Read<F>;
}

const inWords: Readonly<Record<keyof Kinds, string>> = {
  text: 'a text',
  texts: `a list of at most ${maxTexts} texts`,
  flag: 'true or false',
  number: 'a whole number',
};

function isKind(kind: keyof Kinds, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string' && !value.includes('\0');
  if (kind === 'flag') return typeof value === 'boolean';
  if (kind === 'number') return Number.isSafeInteger(value);
  return Array.isArray(value) && value.length <= maxTexts && value.every((item) => isKind('text', item));
}

/**
 * Does what the command line does too.
 * @throws Problem `validation-failed` with the sentences that the command line says
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

/** The entry of what an operator or a key changed. */
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
 * One page of what is sorted by a key, after the key that was given: no more is read than one item beyond it.
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

/** An answer that nobody may keep: it may hold what is shown once. */
export function told(value: unknown): Answer {
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(value), type: null };
}
