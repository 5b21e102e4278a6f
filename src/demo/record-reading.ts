// Reads records of the demonstration as a message of a feed: as if they had been sent as newline-delimited JSON.
import { setImmediate as pause } from 'node:timers/promises';
import type { Reading } from '../feeds/message-batches.ts';
import type { SourceRecord } from '../feeds/record-splitter.ts';
import type { PlainRecord } from './catalogue.ts';
import { sendable } from './sendable.ts';

/** Records returned at once. */
const groupRecords = 200;

/**
 * Reads records, one per line. Since they are made in this process, their text is written for the digest of the message
 * and for refused lines, but is not parsed again.
 * @param resource its name
 */
export function recordReading(resource: string, records: readonly PlainRecord[]): Reading {
  let lines = 0;
  let bytes = 0;
  const groups = async function* (): AsyncGenerator<readonly SourceRecord[]> {
    while (lines < records.length) {
      // Making and storing records never waits for anything outside: without a pause no signal would be handled.
      await pause();
      const group = records.slice(lines, lines + groupRecords).map((record, index): SourceRecord => {
        const value = sendable(resource, record);
        return { ok: true, line: lines + index + 1, text: JSON.stringify(value), value };
      });
      lines += group.length;
      bytes += group.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? '') + 1, 0);
      yield group;
    }
  };
  return { groups: groups(), counts: () => ({ lines, skipped: new Map() }), bytes: () => bytes };
}
