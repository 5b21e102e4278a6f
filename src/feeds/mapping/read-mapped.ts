// Reads a file as a mapping says: the records of one of its resources, and what became of every line.
import type { Reason } from '../../model/record.ts';
import { quoted } from '../../model/text.ts';
import { openSeenKeys } from '../../store/seen-keys.ts';
import type { Reading } from '../message-batches.ts';
import { MessageFault } from '../message-fault.ts';
import { inPieces } from '../pieces.ts';
import type { SourceRecord } from '../record-splitter.ts';
import { assembler } from './assemble.ts';
import type { Mapping, ResourceMapping } from './compile.ts';
import { type MappedLineCounts, newCounting } from './counts.ts';
import { jsonRows } from './json-rows.ts';
import type { Rows } from './rows.ts';
import { type FileValues, layoutOf, textRows } from './text-rows.ts';
import type { ValueReader } from './values.ts';

/** What a file gives of one resource. */
interface MappedFile {
  /** In the order of their first lines, in groups as they come. */
  readonly records: AsyncGenerator<readonly SourceRecord[]>;
  /** Of what was read so far; of the whole file when `records` is at its end. */
  readonly counts: () => MappedLineCounts;
}

/**
 * Reads the records of one resource. Memory does not grow with the file.
 * @param chunks the file's bytes from its start
 * @param fileName without folder
 * @throws MessageFault from `records` where the file is not what the mapping describes: another encoding, no such
 * header or columns, another name
 */
export function readMapped(
  mapping: Mapping,
  resource: ResourceMapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
): MappedFile {
  const counting = newCounting(resource.skip.map(({ rule }) => rule));
  return { records: records(), counts: counting.counts };

  async function* records(): AsyncGenerator<readonly SourceRecord[]> {
    const seen = openSeenKeys();
    try {
      const assembled = assembler(resource, seen, counting);
      for await (const { rows, left } of rowsOf(
        mapping,
        resource.columns.names,
        chunks,
        fileValues(mapping, fileName),
      )) {
        for (const line of left) counting.left(line);
        const found = assembled.push(rows);
        if (found.length > 0) yield found;
      }
      const last = assembled.end();
      if (last.length > 0) yield last;
    } finally {
      seen.close();
    }
  }
}

/** What a mapping makes of a piece takes half a millisecond and more: twenty times as long as reading JSON. */
const pieceBytes = 4 * 1024;

/**
 * The same as a message is read.
 * @throws MessageFault from its groups, as `readMapped`
 */
export function mappedReading(
  mapping: Mapping,
  resource: ResourceMapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
): Reading {
  let bytes = 0;
  const note = (length: number): void => {
    bytes += length;
  };
  const pieces = inPieces(chunks, note, pieceBytes);
  const { records, counts } = readMapped(mapping, resource, pieces, fileName);
  return {
    groups: records,
    counts: () => {
      const { lines, skipped, ...ofMapping } = counts();
      return { lines, skipped, ofMapping };
    },
    bytes: () => bytes,
  };
}

/** What the source says of a message. */
interface MessageFacts {
  readonly id: string | null;
  readonly sequence: number | null;
  /** Of a stock image: RFC 3339. */
  readonly extractionDate: string | null;
  /** What is wrong with the file as a whole: its trailer is missing, or counts otherwise. */
  readonly faults: readonly Reason[];
}

/**
 * Reads what a file says of itself, before anything is made of it: a file with a trailer, or whose array lies within an
 * object, is read to its end.
 * @throws MessageFault like `readMapped`, and where id, sequence or date cannot be read
 */
export async function readMessageFacts(
  mapping: Mapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
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
  const id = factOf(message.id, given);
  const sequence = factOf(message.sequence, given);
  const extractionDate = factOf(message.extractionDate, given);
  return {
    id: typeof id === 'string' ? id : null,
    sequence: typeof sequence === 'number' ? sequence : null,
    extractionDate: typeof extractionDate === 'string' ? extractionDate : null,
    faults,
  };
}

/** Codes of what makes a whole file doubtful. */
const wholeFile: ReadonlySet<string> = new Set(['truncated', 'control-count', 'after-trailer']);

/** A value that tells that the header was read; no group of an expression has such a name. */
const headerSeen = 'header:';

function factOf(read: ValueReader | null, values: readonly unknown[]): unknown {
  if (read === null) return null;
  const reasons: Reason[] = [];
  const value = read(values, { pointer: '', position: 1, line: 1, reasons });
  const [reason] = reasons;
  if (reason !== undefined)
    throw new MessageFault(reason.code, `What the file says of itself is wrong. ${reason.detail}`, '');
  return value ?? null;
}

/** @throws MessageFault where the name is not what the mapping expects */
function fileValues({ fileName }: Mapping, name: string): FileValues {
  const values: FileValues = new Map([['file:name', name]]);
  if (fileName === null) return values;
  const found = fileName.exec(name.slice(0, maxNameCharacters));
  if (found === null)
    throw new MessageFault(
      'file-name',
      `The file name ${quoted(name)} does not match the mapping.`,
      `It expects ${fileName.source}.`,
    );
  for (const [group, value] of Object.entries(found.groups ?? {}))
    if (value !== undefined) values.set(`file:${group}`, value);
  return values;
}

const maxNameCharacters = 255;

async function* rowsOf(
  { file, format }: Mapping,
  columns: readonly string[],
  chunks: AsyncIterable<Uint8Array>,
  values: FileValues,
): AsyncGenerator<Rows> {
  if (format.kind === 'json' || format.kind === 'ndjson') {
    for await (const rows of jsonRows(format, chunks, columns, values)) yield { rows, left: [] };
    return;
  }
  const reader = textRows(layoutOf(file, format, columns), values);
  for await (const chunk of chunks) yield reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  yield reader.end();
}
