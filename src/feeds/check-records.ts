// Turns what was read from a file into checked records, each with a natural key that is unique within the file, or into
// reasons.
import { textBlock } from '../model/text-block.ts';
import { createChecker } from '../model/check.ts';
import { MessageFault } from './message-fault.ts';
import { numberInFile, parseText, placeInFile, placeText } from './record-splitter.ts';
import { unwrapRefused } from './refused-file.ts';
import { type CheckContext, isShown, moreErrors, pointer } from '../model/reasons.ts';
import { isObject } from '../model/scalar.ts';
import { quoted } from '../model/text.ts';
import { imageWithdrawalReader, withdrawalReader } from '../model/withdrawal.ts';
import type { IncomingRecord, Reason, Withdrawal } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { SourceRecord } from './read-records.ts';
import type { SeenKeys } from '../store/seen-keys.ts';

export type CheckedLine =
  /** `warnings`: faults of values that are accepted nevertheless; usually none. */
  | { readonly kind: 'record'; readonly record: IncomingRecord; readonly warnings: readonly Reason[] }
  | { readonly kind: 'withdrawal'; readonly withdrawal: Withdrawal }
  /** A stock image is withdrawn as a whole; `at`: its instant, RFC 3339. */
  | { readonly kind: 'image-withdrawal'; readonly at: string }
  /** The same content with the same key occurred earlier in the file. `record` null: it withdraws a stock image. */
  | { readonly kind: 'again'; readonly record: IncomingRecord | null; readonly warnings: readonly Reason[] }
  | { readonly kind: 'refused'; readonly source: SourceRecord; readonly reasons: readonly Reason[] };

/**
 * Checks the records of one file in order. A refused line of before counts as the record that it contains. A second
 * record with the key of an earlier one is ignored when it says the same, and refused (`duplicate-in-file`) when it
 * does not. Records without a key are distinguished by counting: the n-th of the same content gets the natural key
 * `#hash:n`, so that two equal movements both exist and importing the file again changes nothing.
 * @param context the activity, and what is checked as a GTIN
 * @param seen the keys of this file, empty at its start
 * @param latest instant (milliseconds) after which no image can have been taken
 * @throws MessageFault when refused lines of before would form an image: it would replace the whole one
 */
export function checkLines(
  resource: Resource,
  context: CheckContext,
  seen: SeenKeys,
  latest = Date.now() + clockToleranceMs,
): (source: SourceRecord) => CheckedLine {
  const check = createChecker(resource);
  const withdraw = withdrawalOf(resource, context);
  /** Images for which rows came, and those that lines withdrew; empty for other resources. */
  const [images, withdrawnImages] = [new Set<string>(), new Set<string>()];
  /** A record was withdrawn by its id: which record of the message it was is not known here. */
  let isAnyForgotten = false;
  return (read) => {
    const source = unwrapped(read, resource);
    if (!source.ok) return { kind: 'refused', source, reasons: [source.reason, ...(source.others ?? [])] };
    if (isWithdrawal(source.value)) {
      const withdrawn = withdraw(source.value);
      if (!withdrawn.ok) return { kind: 'refused', source, reasons: withdrawn.reasons };
      if ('at' in withdrawn) {
        const { at } = withdrawn;
        if (images.has(at)) return { kind: 'refused', source, reasons: [afterItsRows(at)] };
        if (withdrawnImages.has(at)) return { kind: 'again', record: null, warnings: [] };
        withdrawnImages.add(at);
        return { kind: 'image-withdrawal', at };
      }
      // The same record may follow once more, which is then not a repetition.
      if ('naturalKey' in withdrawn.withdrawal.withdraw) seen.forget(withdrawn.withdrawal.withdraw.naturalKey);
      else isAnyForgotten = true;
      return { kind: 'withdrawal', withdrawal: withdrawn.withdrawal };
    }
    const checked = check(source.value, context);
    if (!checked.ok) return { kind: 'refused', source, reasons: listed(checked) };
    const { record, warnings = [] } = checked;
    const future = futureImage(resource, record, latest);
    if (future !== null) return { kind: 'refused', source, reasons: [future] };
    if (record.naturalKey.startsWith('#')) {
      const times = seen.count(record.naturalKey);
      return {
        kind: 'record',
        warnings,
        record: times === 1 ? record : { ...record, naturalKey: `${record.naturalKey}:${times}` },
      };
    }
    const image = resource.imageField === null ? '' : String(record.value[resource.imageField]);
    if (image !== '') images.add(image);
    const first = seen.note(image + record.naturalKey, record.contentHash, numberInFile(source));
    if (first === null || isAnyForgotten) return { kind: 'record', record, warnings };
    if (first.contentHash === record.contentHash) return { kind: 'again', record, warnings };
    const detail = textBlock`
      ${placeText(first.number, source)} holds the same record with other content; that one was taken. Keep one of the
      two.
    `;
    return { kind: 'refused', source, reasons: [{ code: 'duplicate-in-file', pointer: '', detail }] };
  };
}

/** Whether a line is a withdrawal instead of a record. */
export function isWithdrawal(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.hasOwn(value, 'withdraw');
}

/** What of a line names its record: what it withdraws, or all of it. */
export function namingPart(value: unknown): unknown {
  return isWithdrawal(value) ? value.withdraw : value;
}

type ReadWithdrawal =
  | ReturnType<ReturnType<typeof withdrawalReader>>
  | ReturnType<ReturnType<typeof imageWithdrawalReader>>;

/** Makes the reader of a line `{"withdraw": …}`, which contains nothing else. */
export function withdrawalOf(
  resource: Resource,
  context: CheckContext,
): (line: Readonly<Record<string, unknown>>) => ReadWithdrawal {
  const read = resource.storage === 'images' ? imageWithdrawalReader(resource) : withdrawalReader(resource);
  return ({ withdraw, ...others }) => {
    const reasons = Object.keys(others)
      .slice(0, maxOthers)
      .map((name) => ({
        code: 'unknown-property' as const,
        pointer: isShown(name) ? pointer([name]) : '',
        detail: `A line that withdraws a record has nothing beside "withdraw": leave ${quoted(name)} out.`,
      }));
    return reasons.length > 0 ? { ok: false, reasons } : read(withdraw, context);
  };
}

/** The rows of an image appear together at the end: withdrawn before that, nobody would ever have seen them. */
function afterItsRows(at: string): Reason {
  const detail = textBlock`
    Rows of the stock image of ${at} stand before this line: withdraw an image before its new rows, or leave them out.
  `;
  return { code: 'not-allowed', pointer: '/withdraw', detail };
}

/** The most further properties of a withdrawal line that are reported individually. */
const maxOthers = 20;

/** The reasons against one record, the last of which gives the number of unlisted ones. */
function listed({
  reasons,
  unlisted,
}: {
  readonly reasons: readonly Reason[];
  readonly unlisted: number;
}): readonly Reason[] {
  return unlisted === 0 ? reasons : [...reasons, moreErrors([], unlisted, unlisted)];
}

/** Clocks differ, and some systems write local time without an offset. */
const clockToleranceMs = 86_400_000;

/** A future image would hide every later one until that day. */
function futureImage({ imageField }: Resource, record: IncomingRecord, latest: number): Reason | null {
  if (imageField === null || Date.parse(String(record.value[imageField])) <= latest) return null;
  return {
    code: 'future-date',
    pointer: `/${imageField}`,
    detail: 'The stock image is dated more than a day ahead: correct the date.',
  };
}

/** The record contained in a refused line of before; any other line unchanged. */
function unwrapped(source: SourceRecord, resource: Resource): SourceRecord {
  if (!source.ok) return source;
  const held = unwrapRefused(source.value);
  if (held === null) return source;
  if (resource.storage === 'images') {
    throw new MessageFault(
      'lines-of-image',
      'Refused lines of a stock image cannot be imported alone: they would replace the whole image.',
      'Repair them in the original file and import that again.',
    );
  }
  const place = placeInFile(source);
  if ('record' in held) return { ok: true, ...place, text: JSON.stringify(held.record), value: held.record };
  return { ...parseText(held.text ?? '', source.line), ...place };
}
