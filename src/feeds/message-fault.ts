// Why a message is refused as a whole: what its first lines show, and the message for people.
import type { ReasonCode } from '../model/reason-codes.ts';
import { OperatorError } from '../model/operator-error.ts';
import { pointer } from '../model/reasons.ts';
import { isObject } from '../model/scalar.ts';
import { textBlock } from '../model/text-block.ts';
import type { Resource } from '../model/resource.ts';
import type { SourceRecord } from './record-splitter.ts';

/** A message of which nothing can be accepted. */
export class MessageFault extends OperatorError {
  readonly code: ReasonCode;

  constructor(code: ReasonCode, message: string, remedy: string) {
    super(message, remedy);
    this.code = code;
  }
}

/** Reasons for text that could not be parsed. */
const UNREADABLE = new Set(['not-json', 'bad-encoding', 'truncated']);

/**
 * Refuses a file of an entirely different kind: none of its first lines is JSON, or begins like a record on a line of
 * its own; or one object contains all records, as in many exports and responses of other systems.
 * @throws MessageFault
 */
export function refuseOtherKinds(first: readonly SourceRecord[], resource: Resource): void {
  refuseWhatIsNoJson(first);
  refuseWrapped(first, resource);
}

function refuseWhatIsNoJson(batch: readonly SourceRecord[]): void {
  const [first] = batch;
  if (
    first === undefined ||
    first.text === null ||
    batch.some((record) => record.ok || !UNREADABLE.has(record.reason.code))
  )
    return;
  if (first.text === '{' && batch.length > 1) {
    throw new MessageFault(
      'several-lines',
      'The records of the file are spread over several lines.',
      textBlock`
        Write each record on one line, or all of them as one JSON array. Where an object holds the array, the folder
        drop takes it by a mapping file that says where it is: "format": {"kind": "json", "records": "/orders"}.
      `,
    );
  }
  if (first.text.startsWith('{') || first.text.startsWith('[')) return;
  const start = JSON.stringify(first.text.slice(0, 40));
  throw new MessageFault(
    'not-json',
    `The file holds no JSON: it begins with ${start}.`,
    'Send newline-delimited JSON, a record on each line, or one JSON array.',
  );
}

function refuseWrapped([only, ...others]: readonly SourceRecord[], { fields }: Resource): void {
  if (others.length > 0 || only?.ok !== true || !isObject(only.value)) return;
  const hasFields = (value: unknown): boolean =>
    isObject(value) && Object.keys(value).some((name) => Object.hasOwn(fields, name));
  const place = hasFields(only.value) ? null : placeOfArray(only.value, hasFields);
  if (place === null) return;
  throw new MessageFault(
    'wrapped',
    `The file is one object, whose ${JSON.stringify(place.slice(0, 64))} holds the records.`,
    textBlock`
      Send the array inside of it, or write each record on a line of its own. The folder drop takes it by a mapping
      file with "format": {"kind": "json", "records": ${JSON.stringify(place)}}.
    `,
  );
}

/** JSON Pointer of the first array of records within nested objects, up to a maximum depth; null when there is none. */
export function placeOfArray(
  value: Readonly<Record<string, unknown>>,
  isRecord: (value: unknown) => boolean,
  deep = 3,
): string | null {
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member) && isRecord(member[0])) return pointer([name]);
    const within = deep > 1 && isObject(member) ? placeOfArray(member, isRecord, deep - 1) : null;
    if (within !== null) return `${pointer([name])}${within}`;
  }
  return null;
}
