// The parts that both file forms share: what a splitter is, and how the bytes of one record become a value or a reason.
import { isUtf8 } from 'node:buffer';
import type { Reason } from '../model/record.ts';

/** One record of a file: its parsed value, or the one reason why there is none. */
export type SourceRecord =
  | { readonly ok: true; readonly line: number; readonly text: string; readonly value: unknown }
  /** `text` is null when the record was too long to be held. */
  | { readonly ok: false; readonly line: number; readonly text: string | null; readonly reason: Reason };

/** Takes the bytes of a file as they come and gives the records that they complete. */
export interface Splitter {
  readonly push: (chunk: Buffer) => SourceRecord[];
  /** The file is over: what is left, complete or not. */
  readonly end: () => SourceRecord[];
}

/**
 * Parses the bytes of one record. Where an object repeats a member, the last one counts (as JSON.parse does);
 * a number keeps the precision of an IEEE double, so whole numbers beyond 2^53 are left for the checker to refuse.
 * @param bytes UTF-8 text of one JSON value, blanks around it allowed
 * @param line line of the file on which the record starts, from 1
 * @param known true when the bytes are known to be UTF-8
 */
export function parseRecord(bytes: Buffer, line: number, known: boolean): SourceRecord {
  if (!known && !isUtf8(bytes)) {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return refused(line, text, 'bad-encoding', 'The text is not UTF-8; it is shown here as if it were Windows-1252. Check it, or export the file as UTF-8.');
  }
  return parseText(bytes.toString('utf8'), line);
}

/** Parses the text of one record, as `parseRecord` does. */
export function parseText(text: string, line: number): SourceRecord {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, line, text, value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(line, text.trim(), 'not-json', `The record is not JSON: ${error.message.replace(/ \(line \d+ column \d+\)$/, '')}.`);
  }
}

/** A record that has no value, with its only reason. */
export function refused(line: number, text: string | null, code: string, detail: string): SourceRecord {
  return { ok: false, line, text, reason: { code, pointer: '', detail } };
}

/** The refusal of a record of more than `limit` bytes, whose text is not kept. */
export function tooLong(line: number, limit: number): SourceRecord {
  return refused(line, null, 'record-too-long', `The record is longer than ${limit} bytes; its text is left out here. Split it, or check that each record stands on a line of its own.`);
}

/** True for the four bytes that JSON takes as blanks. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
