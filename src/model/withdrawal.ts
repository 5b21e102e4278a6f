// What withdrawing a record means: which record a feed names, and what is left of its body.
import { createChecker } from './check.ts';
import { derived } from './derived.ts';
import { readText } from './filter-values.ts';
import { formatInstant } from './instant.ts';
import type { Reason, Withdrawal } from './record.ts';
import { recordReader } from './record-reader.ts';
import { type CheckContext, newPass, newReasonBudget, noObject, pointer } from './reasons.ts';
import { type Field, type Fields, isScalar, type Resource } from './resource.ts';
import { isObject } from './scalar.ts';
import { sourceKey } from './source-key.ts';
import { textBlock } from './text-block.ts';

type CheckedWithdrawal =
  | { readonly ok: true; readonly withdrawal: Withdrawal }
  | { readonly ok: false; readonly reasons: readonly Reason[] };

/**
 * Makes the reader of a feed's withdrawals, the value of `{"withdraw": …}`: an object that has exactly the key
 * properties, or the `id` alone. A record without a key is named by its id, or by all the content that its source sent.
 * @throws Error for a resource with images, which are withdrawn as a whole
 */
export const withdrawalReader = derived(
  (resource: Resource): ((input: unknown, context: CheckContext) => CheckedWithdrawal) => {
    if (resource.storage === 'images') throw new Error(`${resource.name} are withdrawn by their image`);
    const readKey = resource.key.length === 0 ? contentReader(resource) : keyReader(resource);
    return (input, context) => {
      if (!isObject(input)) {
        const detail = noObject(input, newPass(context, ['withdraw'], newReasonBudget(1)));
        return { ok: false, reasons: [detail] };
      }
      return Object.keys(input).join() === 'id' ? readId(resource, input.id) : readKey(input, context);
    };
  },
);

/** The fields by which a line names what it withdraws: the key, an image's instant, or the id when there is no key. */
export function namingFields({ imageField, key }: Resource): readonly string[] {
  if (imageField !== null) return [imageField];
  return key.length > 0 ? key : ['id'];
}

type CheckedImageWithdrawal =
  /** `at`: RFC 3339, in canonical form. */
  { readonly ok: true; readonly at: string } | { readonly ok: false; readonly reasons: readonly Reason[] };

/**
 * Makes the reader of a feed's withdrawals from a resource with images: an object that names the instant of one image
 * and nothing else.
 */
export const imageWithdrawalReader = derived(
  (resource: Resource): ((input: unknown, context: CheckContext) => CheckedImageWithdrawal) => {
    const { imageField } = resource;
    const field = imageField === null ? undefined : resource.fields[imageField];
    if (imageField === null || field === undefined) throw new Error(`${resource.name} have no images`);
    const { read } = recordReader({ [imageField]: field }, { resource, submission: null });
    const whole = (name: string): Reason => ({
      code: 'not-allowed',
      pointer: pointer(['withdraw', name]),
      detail: textBlock`
        A row of a stock image is not withdrawn alone: name the image by ${imageField} and nothing else, or send it anew
        without the row.
      `,
    });
    return (input, context) => {
      if (isObject(input)) {
        const [other] = Object.keys(input).filter(
          (name) => Object.hasOwn(resource.fields, name) && name !== imageField,
        );
        if (other !== undefined) return { ok: false, reasons: [whole(other)] };
      }
      const pass = newPass(context, ['withdraw'], newReasonBudget(1));
      if (!isObject(input)) return { ok: false, reasons: [noObject(input, pass)] };
      const value = read(input, pass);
      return pass.reasons.length > 0
        ? { ok: false, reasons: pass.reasons }
        : { ok: true, at: String(value[imageField]) };
    };
  },
);

/** Whether a field is kept when its record is withdrawn: those that tell which record it was, and when. */
export function isKeptWhenWithdrawn(resource: Resource, name: string, field: Field): boolean {
  const { key, activityField, activityNameField } = resource;
  return field.assigned !== undefined || [...key, activityField, activityNameField].includes(name);
}

/**
 * The body of a withdrawn record: everything that is not kept is null, or empty where the interface does not allow
 * null.
 * @param body stored body of the record, in the form of any earlier definition
 * @param now time of the write, milliseconds; null: the body keeps its last update time
 */
export function emptiedBody(resource: Resource, body: string, now: number | null): string {
  const before: unknown = JSON.parse(body);
  if (!isObject(before)) throw new Error('a stored body is no record');
  const emptied = Object.entries(resource.fields).map(([name, field]) => {
    if (field.assigned === 'updated' && now !== null) return [name, formatInstant(now)];
    return [name, isKeptWhenWithdrawn(resource, name, field) ? (before[name] ?? null) : emptyValue(field)];
  });
  return JSON.stringify(Object.fromEntries(emptied));
}

/** The replacement for a withdrawn value. */
function emptyValue(field: Field): null | '' | readonly [] {
  if (field.kind === 'list') return [];
  return field.kind === 'text' && field.notNull ? '' : null;
}

/**
 * Reads the natural key of a record, or of what a line withdraws, that may be faulty otherwise; null: it has none, or
 * none that can be read. A record without a key has that of the number that its source gave it.
 */
export const naturalKeyReader = derived(
  (resource: Resource): ((record: unknown, context: CheckContext) => string | null) => {
    const readKey = resource.key.length === 0 ? null : keyReader(resource);
    return (record, context) => {
      if (!isObject(record)) return null;
      if (readKey === null) return Number.isSafeInteger(record.id) ? sourceKey(Number(record.id)) : null;
      const key = Object.fromEntries(resource.key.map((name) => [name, record[name]]));
      const read = readKey(key, context);
      return read.ok && 'naturalKey' in read.withdrawal.withdraw ? read.withdrawal.withdraw.naturalKey : null;
    };
  },
);

/** Whether an index finds records by their id. */
function isFoundById({ indexes }: Resource): boolean {
  return indexes.some(([first]) => first === 'id');
}

function readId(resource: Resource, id: unknown): CheckedWithdrawal {
  const field = resource.fields.id;
  if (!isFoundById(resource) || field === undefined || !isScalar(field)) {
    const key = resource.key.join(', ');
    const detail = `Records of ${resource.name} are not found by their id: name the record by ${key}.`;
    return { ok: false, reasons: [{ code: 'unknown-property', pointer: '/withdraw/id', detail }] };
  }
  const refused = (code: 'wrong-type' | 'bad-text', detail: string): CheckedWithdrawal => ({
    ok: false,
    reasons: [{ code, pointer: '/withdraw/id', detail }],
  });
  if (field.kind === 'integer')
    return Number.isSafeInteger(id)
      ? { ok: true, withdrawal: { withdraw: { id: Number(id) } } }
      : refused('wrong-type', 'id must be a whole number.');
  if (typeof id !== 'string') return refused('wrong-type', 'id must be a text.');
  const text = readText(id);
  // No record has such an id, and PostgreSQL accepts it in no statement.
  if (text === null) return refused('bad-text', 'id has characters that the id of no record has.');
  return { ok: true, withdrawal: { withdraw: { id: text } } };
}

type KeyReader = (input: Readonly<Record<string, unknown>>, context: CheckContext) => CheckedWithdrawal;

function keyReader(resource: Resource): KeyReader {
  const all: Fields = { ...resource.fields, ...resource.unpublished };
  const fields: Fields = Object.fromEntries(
    resource.key.flatMap((name) => {
      const field = all[name];
      return field === undefined ? [] : [[name, field]];
    }),
  );
  const { read } = recordReader(fields, { resource, submission: null });
  return (input, context) => {
    const pass = newPass(context, ['withdraw'], newReasonBudget(1));
    const value = read(input, pass);
    if (pass.reasons.length > 0) return { ok: false, reasons: pass.reasons };
    const naturalKey = JSON.stringify(resource.key.map((name) => value[name]));
    return { ok: true, withdrawal: { withdraw: { naturalKey } } };
  };
}

/** If several records have the same content, the first one is named. */
function contentReader(resource: Resource): KeyReader {
  const check = createChecker(resource);
  return (input, context) => {
    const checked = check(input, context);
    if (checked.ok) return { ok: true, withdrawal: { withdraw: { naturalKey: checked.record.naturalKey } } };
    const inside = checked.reasons.map((reason) => ({ ...reason, pointer: `/withdraw${reason.pointer}` }));
    return { ok: false, reasons: inside };
  };
}
