// What the tests of mappings share: a mapping from an object, and what it makes of a text or bytes.
import assert from 'node:assert/strict';
import { readMapping } from '../../../src/feeds/mapping/compile.ts';
import type { Mapping } from '../../../src/feeds/mapping/compile.ts';
import type { MappedLineCounts } from '../../../src/feeds/mapping/counts.ts';
import { readMessageFacts } from '../../../src/feeds/mapping/message-facts.ts';
import { readMapped } from '../../../src/feeds/mapping/read-mapped.ts';
import type { SourceRecord } from '../../../src/feeds/record-splitter.ts';
import { OperatorError } from '../../../src/model/operator-error.ts';
import { resources } from '../../../src/resources/index.ts';

export function mappingOf(given: unknown): Mapping {
  return readMapping(JSON.stringify(given), 'test.json', resources);
}

/** What is wrong with a mapping file. */
export function faultsOf(given: unknown): string {
  try {
    mappingOf(given);
  } catch (error) {
    assert.ok(error instanceof OperatorError);
    return error.message;
  }
  return '';
}

export async function* piecesOf(text: string | Uint8Array, piece: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}

interface Made {
  readonly all: readonly SourceRecord[];
  /** Values of the records that were made. */
  readonly values: readonly unknown[];
  /** `line: code, code` of those that were not. */
  readonly refused: readonly string[];
  readonly counts: MappedLineCounts;
}

interface Options {
  readonly resource?: string;
  readonly fileName?: string;
  /** Bytes that come at once. */
  readonly piece?: number;
}

/** What a mapping makes of a file; checks that its counts add up. */
export async function made(mapping: Mapping, text: string | Uint8Array, options: Options = {}): Promise<Made> {
  const { resource, fileName = 'file.csv', piece = 1000 } = options;
  const wanted = mapping.resources.find((each) => resource === undefined || each.resource.name === resource);
  assert.ok(wanted);
  const around =
    mapping.around.length === 0 ? new Map() : (await readMessageFacts(mapping, piecesOf(text, piece), fileName)).around;
  const { records, counts: read } = readMapped(mapping, wanted, piecesOf(text, piece), fileName, around);
  const all: SourceRecord[] = [];
  for await (const group of records) all.push(...group);
  const counts = read();
  const inRecords = all.reduce((sum, { lines = 1 }) => sum + lines, 0);
  assert.equal(counts.inRecords, inRecords + counts.same);
  const skipped = [...counts.skipped.values()].reduce((sum, lines) => sum + lines, 0);
  assert.equal(counts.lines, counts.structure + counts.inRecords + skipped);
  assert.equal(counts.records, all.length);
  // What is said of the file itself, such as the count in its trailer, comes at the end.
  const inOrder = all.filter(({ lines = 1 }) => lines > 0).map(({ line }) => line);
  assert.deepEqual(
    inOrder,
    inOrder.toSorted((one, other) => one - other),
  );
  return {
    all,
    counts,
    values: all.flatMap((each) => (each.ok ? [each.value] : [])),
    refused: all.flatMap((each) =>
      each.ok ? [] : [`${each.line}: ${[each.reason, ...(each.others ?? [])].map(({ code }) => code).join(', ')}`],
    ),
  };
}

/** Lines that a text or bytes have, as an editor counts them. */
export function linesIn(bytes: Uint8Array): number {
  const feeds = bytes.filter((byte) => byte === 0x0a).length;
  return bytes.length === 0 || bytes.at(-1) === 0x0a ? feeds : feeds + 1;
}
