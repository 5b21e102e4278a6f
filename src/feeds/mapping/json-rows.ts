// Rows of a file of JSON objects: the values at the ways that the mapping uses.
import { isObject } from '../../model/scalar.ts';
import { readJsonArray, readRecords, type SourceRecord } from '../read-records.ts';
import type { JsonRule } from './mapping-file.ts';
import { isFileColumn, type FileRow, unreadableRow } from './rows.ts';
import type { FileValues } from './text-rows.ts';

/** Gives the value at a way such as `lines.0.sku`; null where there is none. */
function valueAt(steps: readonly string[]): (value: unknown) => unknown {
  return (value) => {
    let at = value;
    for (const step of steps) {
      if (Array.isArray(at)) at = /^\d+$/.test(step) ? at[Number(step)] : undefined;
      else if (isObject(at) && Object.hasOwn(at, step)) at = at[step];
      else return null;
    }
    return at ?? null;
  };
}

/** Values of an object, one for each column. */
export function objectValues(columns: readonly string[], values: FileValues): (value: unknown) => readonly unknown[] {
  const readers = columns.map((name) => {
    if (!isFileColumn(name)) return valueAt(name.split('.'));
    const own = values.get(name) ?? null;
    return () => own;
  });
  return (value) => readers.map((read) => read(value));
}

/** The objects of a file, each a row of one line. */
export async function* jsonRows(
  format: JsonRule,
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[],
  values: FileValues,
): AsyncGenerator<readonly FileRow[]> {
  const valuesOf = objectValues(columns, values);
  const records = format.kind === 'json' ? readJsonArray(chunks, format.records ?? null) : readRecords(chunks);
  for await (const group of records) yield group.map((record) => rowOf(record, valuesOf));
}

function rowOf(record: SourceRecord, valuesOf: (value: unknown) => readonly unknown[]): FileRow {
  const { line, text } = record;
  if (!record.ok) return { line, lines: 1, text, values: null, fault: record.reason };
  if (!isObject(record.value)) return unreadableRow(line, 1, text, 'wrong-type', 'A record must be an object.');
  return { line, lines: 1, text, values: valuesOf(record.value), fault: null };
}
