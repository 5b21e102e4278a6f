// What the body of a feed may be: how long, and how much more than what was sent once it is decompressed.
import type { Reading } from '../feeds/message-batches.ts';
import { jsonReading } from '../feeds/read-records.ts';
import type { BodyLimits, Call } from '../http/route.ts';
import { Problem } from '../model/problem.ts';

/** The most bytes of one record in a request: far beyond the longest that the definitions allow. */
const maxRecordBytes = 4 * 1024 * 1024;

/** Bounds against decompression bombs: a body that expands more than this is no feed; the first bytes are exempt. */
const expansion = { max: 250, freeBytes: 1024 * 1024 } as const;
/**
 * The same for records, since each costs something however short it is: beyond these, one for each byte that was sent.
 * What is not compressed has two bytes at least of each.
 */
const freeRecords = 500;

/** @param maxFeedBytes the most bytes of a body, after decompression */
export function feedBody({ maxFeedBytes }: { readonly maxFeedBytes: number }): BodyLimits {
  const types = ['application/x-ndjson', 'application/json'];
  return { types, limit: maxFeedBytes, encodings: ['gzip', 'zstd'], expansion };
}

/**
 * The records of a body.
 * @param bytes of it, decompressed
 * @throws Problem `payload-too-large` when they are more than what was sent can hold; MessageFault like `jsonReading`
 */
export function feedReading(call: Pick<Call, 'bodyArrived'>, bytes: AsyncIterable<Uint8Array>): Reading {
  const reading = jsonReading(bytes, maxRecordBytes);
  return { ...reading, groups: within(reading.groups, () => freeRecords + call.bodyArrived()) };
}

async function* within(groups: Reading['groups'], most: () => number): Reading['groups'] {
  let records = 0;
  for await (const group of groups) {
    records += group.length;
    if (records > most())
      throw new Problem(
        'payload-too-large',
        'The body is compressed to less than a byte for each of its records: send it uncompressed.',
      );
    yield group;
  }
}
