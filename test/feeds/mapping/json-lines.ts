// Accounts for every byte of a file of JSON, on each line or in one array: each stands in the text of a record or
// between two of them, where nothing may be that says something.
import assert from 'node:assert/strict';
import { readJsonArray, readRecords, type SourceRecord } from '../../../src/feeds/read-records.ts';
import { piecesOf } from './fixture.ts';

const mark = '\ufeff';

/**
 * @param kind of the mapping's format
 * @returns how many lines the counts of a message must have: those that are not blank; of an array, its elements
 * @throws MessageFault where the file is none of these, and errors of assertions where a byte is in no record
 */
export async function linesOfJson(kind: string, bytes: Buffer): Promise<number> {
  const pieces = piecesOf(bytes, 1000);
  const records: SourceRecord[] = [];
  for await (const group of kind === 'json' ? readJsonArray(pieces, null) : readRecords(pieces)) records.push(...group);
  const text = bytes.toString('utf8').replace(mark, '').trimStart();
  const isArray = text.startsWith('[');
  assertAllRead(bytes, records, isArray ? /^[\s,[\]]*$/ : /^\s*$/);
  if (!isArray) assert.equal(records.length, text.split('\n').filter((line) => /[^ \t\r]/.test(line)).length);
  if (records.every(({ ok }) => ok)) assert.ok(!isArray || Array.isArray(JSON.parse(text)));
  return records.length;
}

function assertAllRead(bytes: Buffer, records: readonly SourceRecord[], between: RegExp): void {
  // One letter for each byte, so that places are those of bytes.
  const letters = new TextDecoder('windows-1252');
  const all = letters.decode(bytes);
  const betweenText = (from: number, to?: number): string =>
    bytes.subarray(from, to).toString('utf8').replace(mark, '');
  let done = 0;
  for (const record of records) {
    // An element that is missing, and a fault of the file itself.
    if (record.text === null || record.text === '') continue;
    const isDecoded = !record.ok && record.reason.detail.includes('Windows-1252');
    const own = isDecoded ? record.text : letters.decode(Buffer.from(record.text));
    const at = all.indexOf(own, done);
    assert.ok(at >= 0, `${record.text} is not in the file again`);
    assert.match(betweenText(done, at), between, `before ${record.text}`);
    done = at + own.length;
  }
  const last = records.at(-1);
  const isRestRefused = last?.ok === false && last.reason.code === 'trailing-text';
  if (!isRestRefused) assert.match(betweenText(done), between, 'behind the last record');
}
