// What a file says about its message: its id, its number, the instant of its image, and whether it is complete.
import type { ReasonCode } from '../../model/reason-codes.ts';
import { dayMs, formatInstant, parseInstant } from '../../model/instant.ts';
import type { Reason } from '../../model/record.ts';
import { quoted } from '../../model/text.ts';
import { MessageFault } from '../message-fault.ts';
import { maxMessageIdLength, messageIdPattern } from '../message-id.ts';
import type { Mapping } from './compile.ts';
import { fileValues, rowsOf } from './read-mapped.ts';
import { aroundArray } from './rows.ts';
import type { FileValues } from './text-rows.ts';
import type { ValueReader } from './values.ts';

/** What the source says about a message. */
interface MessageFacts {
  readonly id: string | null;
  readonly sequence: number | null;
  /** For a stock image: RFC 3339, in canonical form. */
  readonly extractionDate: string | null;
  /** Faults of the file as a whole: its trailer is missing, or has other counts. */
  readonly faults: readonly Reason[];
  /** Values around the array of its records that the mapping uses. */
  readonly around: FileValues;
}

/**
 * Reads what a file says about itself, before anything is made of it: a file with a trailer, or whose array is inside
 * an object, is read to its end.
 * @param latestImage instant (milliseconds) after which no image can have been taken
 * @throws MessageFault like `readMapped`, and when id, sequence or date are invalid
 */
export async function readMessageFacts(
  mapping: Mapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
  latestImage: number = Date.now() + dayMs,
): Promise<MessageFacts> {
  const { message, file, format } = mapping;
  const values = fileValues(mapping, fileName);
  const faults: Reason[] = [];
  const isWithinObject = format.kind === 'json' && format.records !== undefined;
  if (file.header !== undefined || file.trailer !== undefined || isWithinObject) {
    const isHeaderKnown = (): boolean => file.header === undefined || values.has(headerSeen);
    for await (const { rows } of rowsOf(mapping, [], chunks, values)) {
      for (const { fault } of rows) if (fault !== null && wholeFile.has(fault.code)) faults.push(fault);
      if (file.trailer === undefined && !isWithinObject && isHeaderKnown()) break;
    }
  }
  const given = message.columns.names.map((name) => values.get(name) ?? null);
  return {
    id: idOf(factOf(message.id, given)),
    sequence: sequenceOf(factOf(message.sequence, given)),
    extractionDate: instantOf(factOf(message.extractionDate, given), latestImage),
    faults,
    around: new Map([...values].filter(([name]) => name.startsWith(aroundArray))),
  };
}

/** Codes of faults that make a complete file doubtful. */
const wholeFile: ReadonlySet<string> = new Set(['truncated', 'control-count', 'after-trailer']);

/** A value that indicates that the header was read; no group of an expression has such a name. */
const headerSeen = 'header:';

function factOf(read: ValueReader | null, values: readonly unknown[]): unknown {
  if (read === null) return null;
  const reasons: Reason[] = [];
  const value = read(values, { pointer: '', position: 1, line: 1, reasons });
  const [reason] = reasons;
  if (reason !== undefined) throw wrongFact(reason.code, reason.detail);
  return value ?? null;
}

function idOf(given: unknown): string | null {
  if (given === null || (typeof given === 'string' && messageIdPattern.test(given))) return given;
  throw wrongFact('bad-message-id', `The id of the message must be 1 to ${maxMessageIdLength} visible characters.`);
}

function sequenceOf(given: unknown): number | null {
  if (given === null || (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0)) return given;
  throw wrongFact('bad-number', `The sequence number is ${shown(given)}; it must be a whole number, 0 or more.`);
}

/** A future image would hide every later one until that day. */
function instantOf(given: unknown, latest: number): string | null {
  if (given === null) return null;
  const instant = typeof given === 'string' ? parseInstant(given) : null;
  if (instant === null) throw wrongFact('bad-date', `The extraction date is ${shown(given)}, which is no date-time.`);
  if (instant > latest) throw wrongFact('future-date', 'The stock image is dated more than a day ahead.');
  return formatInstant(instant);
}

function shown(value: unknown): string {
  return quoted(String(value));
}

function wrongFact(code: ReasonCode, detail: string): MessageFault {
  return new MessageFault(code, `What the file says of itself is wrong. ${detail}`, '');
}
