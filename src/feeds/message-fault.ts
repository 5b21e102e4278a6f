// Why a message is refused as a whole: what its first lines show, and what is told of it.
import { OperatorError } from '../model/operator-error.ts';
import { isObject } from '../model/scalar.ts';
import type { Resource } from '../model/resource.ts';
import type { SourceRecord } from './record-splitter.ts';

/** A message of which nothing can be taken. */
export class MessageFault extends OperatorError {
  /** Stable slug: `not-json`, `several-lines`, `wrapped`, `utf-16`, `compressed`, `other-image`, `too-many-images`. */
  readonly code: string;

  constructor(code: string, message: string, remedy: string) {
    super(message, remedy);
    this.code = code;
  }
}

/** Reasons of text that could not be parsed. */
const UNREADABLE = new Set(['not-json', 'bad-encoding', 'truncated']);

/**
 * Refuses a file of another kind altogether: none of its first lines is JSON, nor begins like a record on a line of its
 * own; or one object holds all records, as exports and answers of other systems often do.
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
      'Write each record on one line, or all of them as one JSON array.',
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
  const [name] = Object.entries(only.value).find(([, value]) => Array.isArray(value) && hasFields(value[0])) ?? [];
  if (name === undefined || hasFields(only.value)) return;
  throw new MessageFault(
    'wrapped',
    `The file is one object, whose ${JSON.stringify(name.slice(0, 64))} holds the records.`,
    'Send the array inside of it, or write each record on a line of its own.',
  );
}
