// Reads a file according to a mapping: the records of one of its resources, and the outcome of every line.
import type { Reason } from '../../model/record.ts';
import { textBlock } from '../../model/text-block.ts';
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

/** The content of a file for one resource. */
interface MappedFile {
  /** In the order of their first lines, in groups as they arrive. */
  readonly records: AsyncGenerator<readonly SourceRecord[]>;
  /** For what was read so far; for the whole file once `records` has ended. */
  readonly counts: () => MappedLineCounts;
}

/**
 * Reads the records of one resource. Memory use does not grow with the file.
 * @param chunks the file's bytes from its start
 * @param fileName without folder
 * @param around what is around the array of its records: `around` of `readMessageFacts`
 * @throws MessageFault from `records` when the file does not match the mapping: another encoding, header, columns or
 *   name
 */
export function readMapped(
  mapping: Mapping,
  resource: ResourceMapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
  around: FileValues,
): MappedFile {
  const counting = newCounting(resource.skip.map(({ rule }) => rule));
  return { records: records(), counts: counting.counts };

  async function* records(): AsyncGenerator<readonly SourceRecord[]> {
    const seen = openSeenKeys();
    try {
      const assembled = assembler(resource, seen, counting);
      const values = new Map([...fileValues(mapping, fileName), ...around]);
      for await (const { rows, left } of rowsOf(mapping, resource.columns.names, chunks, values)) {
        for (const line of left) counting.left(line);
        const found = assembled.push(rows);
        if (found.length > 0) yield found;
      }
      const last = assembled.end();
      if (last.length > 0) yield last;
      if (counting.counts().records === 0 && isUnprovenImage(mapping, resource)) counting.warn({ line: 1 }, noRows);
    } finally {
      seen.close();
    }
  }
}

/** Whether a file without a row would be an empty image, and nothing in it would show that it was not cut off. */
function isUnprovenImage({ message, file, format }: Mapping, { resource }: ResourceMapping): boolean {
  return (
    resource.storage === 'images' &&
    message.extractionDate !== null &&
    file.trailer === undefined &&
    format.kind !== 'json'
  );
}

const noRows: Reason = {
  code: 'no-records',
  pointer: '',
  detail: textBlock`
    The file has no row of stock: its image is empty, as if nothing were in stock. If the file was cut off, send it
    again; the mapping can require a "trailer" that shows that a file is whole.
  `,
};

/**
 * The same in the form in which a message is read.
 * @throws MessageFault from its groups, like `readMapped`
 */
export function mappedReading(
  mapping: Mapping,
  resource: ResourceMapping,
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
  around: FileValues,
): Reading {
  let bytes = 0;
  const note = (length: number): void => {
    bytes += length;
  };
  const pieces = inPieces(chunks, note);
  const { records, counts } = readMapped(mapping, resource, pieces, fileName, around);
  return {
    groups: records,
    counts: () => {
      const { lines, skipped, ...ofMapping } = counts();
      return { lines, skipped, ofMapping };
    },
    bytes: () => bytes,
  };
}

/**
 * What is known of a file from its name.
 * @throws MessageFault when the name does not match the mapping
 */
export function fileValues({ fileName }: Mapping, name: string): FileValues {
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

/**
 * The rows of a file, with the values of these columns; `values` receives what the file says about itself meanwhile.
 */
export async function* rowsOf(
  { file, format, around }: Mapping,
  columns: readonly string[],
  chunks: AsyncIterable<Uint8Array>,
  values: FileValues,
): AsyncGenerator<Rows> {
  if (format.kind === 'json' || format.kind === 'ndjson') {
    for await (const rows of jsonRows(format, chunks, columns, values, around)) yield { rows, left: [] };
    return;
  }
  const reader = textRows(layoutOf(file, format, columns), values);
  for await (const chunk of chunks) yield reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  yield reader.end();
}
