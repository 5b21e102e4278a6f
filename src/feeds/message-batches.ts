// Combines the records of a message into batches that fit in a transaction, each with the progress of reading.
import { createHash } from 'node:crypto';
import { areRequestsExpected, cooperativeYield } from '../model/cooperative-yield.ts';
import type { Reason } from '../model/record.ts';
import type { PlaceInFile, SourceRecord } from './record-splitter.ts';

/** Physical lines of a message that were read so far. */
export interface LineCounts {
  readonly lines: number;
  /** Rule → lines that it left out; `blank` is the program's own. */
  readonly skipped: ReadonlyMap<string, number>;
  /** For a mapping: the outcome of the other lines, and faults of lines that are accepted nevertheless. */
  readonly ofMapping?: {
    readonly structure: number;
    readonly inRecords: number;
    readonly same: number;
    readonly warned: number;
    /** The first of these. */
    readonly warnings: readonly (Reason & PlaceInFile)[];
  };
}

/** A message being read, from its start. */
export interface Reading {
  /** Its records in groups, as they arrive. */
  readonly groups: AsyncIterable<readonly SourceRecord[]>;
  /** For the groups returned so far; after the last one, for the whole message. */
  readonly counts: () => LineCounts;
  /** Bytes read so far, after decompression. */
  readonly bytes: () => number;
}

/** Records processed in one transaction. */
export interface Batch {
  readonly records: readonly SourceRecord[];
  /** Number of earlier records. */
  readonly before: number;
  readonly counts: LineCounts;
  readonly bytes: number;
}

/** Records per transaction; twice as many are in memory at once. */
const batchRecords = 1000;
/**
 * A batch ends earlier when its texts have this total length, in UTF-16 units. With a quarter of it 20,000 records of
 * 4 kB take a quarter more time, because nothing is rendered during a commit; but processing a batch takes up to twenty
 * times as much memory, in two threads, and whoever waits to write waits for its transaction.
 */
const batchCharacters = { whileAwaited: 512 * 1024, otherwise: 2048 * 1024 };

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
      if (records.length === batchRecords || length >= mostCharacters()) yield take();
    }
  }
  if (records.length > 0) yield take();
}

function mostCharacters(): number {
  return batchCharacters[areRequestsExpected() ? 'whileAwaited' : 'otherwise'];
}

/** Digest of the texts of the records processed so far. */
interface MessageDigest {
  readonly add: (record: SourceRecord) => void;
  readonly text: () => string;
}

export function messageDigest(): MessageDigest {
  const hash = createHash('sha256');
  return {
    // The length prefix makes the encoding unambiguous.
    add: ({ text }) => hash.update(text === null ? '-\n' : `${text.length}:${text}\n`),
    text: () => hash.copy().digest('base64url'),
  };
}
