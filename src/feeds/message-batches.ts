// Puts the records of a message together in batches that fit a transaction, each with how far the message has been
// read.
import { createHash } from 'node:crypto';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import type { Reason } from '../model/record.ts';
import type { PlaceInFile, SourceRecord } from './record-splitter.ts';

/** Physical lines of a message, as far as they were read. */
export interface LineCounts {
  readonly lines: number;
  /** Rule → lines that it left out; `blank` is the program's own. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Of a mapping: what became of the other lines, and what is wrong with lines that are taken all the same. */
  readonly ofMapping?: {
    readonly structure: number;
    readonly inRecords: number;
    readonly same: number;
    readonly warned: number;
    /** The first of these. */
    readonly warnings: readonly (Reason & PlaceInFile)[];
  };
}

/** A message that is being read, from its start. */
export interface Reading {
  /** Its records in groups, as they come in. */
  readonly groups: AsyncIterable<readonly SourceRecord[]>;
  /** Of the groups that were given; once the last one was, of the whole message. */
  readonly counts: () => LineCounts;
  /** Bytes that were read so far, after decompression. */
  readonly bytes: () => number;
}

/** Records that are dealt with in one transaction. */
export interface Batch {
  readonly records: readonly SourceRecord[];
  /** How many records came before. */
  readonly before: number;
  readonly counts: LineCounts;
  readonly bytes: number;
}

/** Records per transaction; also what is held in memory at once, twice. */
const batchRecords = 1000;
/**
 * A batch ends earlier when its texts are this long together, in UTF-16 units. What is made of them takes up to twenty
 * times as much memory, in two threads, and a longer batch is written no faster: 350 orders of twenty lines.
 */
const batchCharacters = 512 * 1024;

/** The same records in batches. */
export async function* batchesOf(reading: Reading): AsyncGenerator<Batch> {
  let records: SourceRecord[] = [];
  let length = 0;
  let before = 0;
  const take = (): Batch => {
    const batch = { records, before, counts: reading.counts(), bytes: reading.bytes() };
    before += records.length;
    records = [];
    length = 0;
    return batch;
  };
  const turn = cooperativeYield('ofFeed');
  for await (const group of reading.groups) {
    await turn();
    for (const record of group) {
      records.push(record);
      length += record.text?.length ?? 0;
      if (records.length === batchRecords || length >= batchCharacters) yield take();
    }
  }
  if (records.length > 0) yield take();
}

/** Digest of the texts of records, as far as they were dealt with. */
interface MessageDigest {
  readonly add: (record: SourceRecord) => void;
  readonly text: () => string;
}

export function messageDigest(): MessageDigest {
  const hash = createHash('sha256');
  return {
    // With its length in front, no text can pass for two.
    add: ({ text }) => hash.update(text === null ? '-\n' : `${text.length}:${text}\n`),
    text: () => hash.copy().digest('base64url'),
  };
}
