// Rows of a file of JSON objects: the values at the paths that the mapping uses.
import { isObject } from '../../model/scalar.ts';
import { textBlock } from '../../model/text-block.ts';
import { MessageFault, placeOfArray } from '../message-fault.ts';
import { mayHaveLongNumbers, quoteLongNumbers } from '../../model/long-numbers.ts';
import { readJsonArray, readRecords, type SourceRecord } from '../read-records.ts';
import { placeInFile } from '../record-splitter.ts';
import type { JsonRule } from './mapping-file.ts';
import { aroundArray, isFileColumn, type FileRow, unreadableRow } from './rows.ts';
import type { FileValues } from './text-rows.ts';

/** Returns the value at a path such as `lines.0.sku`; null when there is none. */
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

/**
 * The objects of a file, each a row of one line.
 * @param values receives what is around their array; rows contain what was there when this began
 * @param around the columns for values around the array
 */
export async function* jsonRows(
  format: JsonRule,
  chunks: AsyncIterable<Uint8Array>,
  columns: readonly string[],
  values: FileValues,
  around: readonly string[],
): AsyncGenerator<readonly FileRow[]> {
  const valuesOf = objectValues(columns, values);
  if (format.kind === 'json') {
    const records = readJsonArray(chunks, format.records ?? null, {
      places: new Set(around.map((name) => name.slice(aroundArray.length))),
      found: (place, value) => values.set(`${aroundArray}${place}`, value),
    });
    for await (const group of records) yield group.map((record) => rowOf(record, valuesOf));
    return;
  }
  const names = columns.filter((name) => !isFileColumn(name));
  const ownValues = objectValues(names, new Map());
  let read = 0;
  let fault: MessageFault | null = null;
  for await (const group of readRecords(chunks)) {
    if (read === 0) fault = faultOfObject(group[0], ownValues);
    read += group.length;
    if (read > 1 && fault?.code === 'several-lines') throw fault;
    yield group.map((record) => rowOf(record, valuesOf));
  }
  if (read === 1 && fault !== null) throw fault;
}

/** The fault of a file whose first line is the beginning, or all, of an object that contains the records. */
function faultOfObject(
  first: SourceRecord | undefined,
  ownValues: (value: unknown) => readonly unknown[],
): MessageFault | null {
  if (first === undefined) return null;
  if (!first.ok)
    return first.text === '{'
      ? new MessageFault('several-lines', 'The file is an object over several lines.', whereArrayIs('/orders'))
      : null;
  if (!isObject(first.value)) return null;
  const own = ownValues(first.value);
  if (own.length === 0 || own.some((value) => value !== null)) return null;
  const place = placeOfArray(first.value, isObject);
  if (place === null) return null;
  const message = `The file is one object, whose ${JSON.stringify(place.slice(0, 64))} holds the records.`;
  return new MessageFault('wrapped', message, whereArrayIs(place));
}

function whereArrayIs(place: string): string {
  return textBlock`
    Say in the mapping where the array of records is: "format": {"kind": "json", "records": ${JSON.stringify(place)}}.
  `;
}

function rowOf(record: SourceRecord, valuesOf: (value: unknown) => readonly unknown[]): FileRow {
  const place = placeInFile(record);
  const { line, text } = record;
  if (!record.ok) return { ...place, lines: 1, text, values: null, fault: record.reason };
  if (!isObject(record.value))
    return { ...unreadableRow(line, 1, text, 'wrong-type', 'A record must be an object.'), ...place };
  // A mapping makes texts and keys of numbers, which must be those of the file to the last digit.
  const value: unknown = mayHaveLongNumbers(record.text) ? JSON.parse(quoteLongNumbers(record.text)) : record.value;
  return { ...place, lines: 1, text, values: valuesOf(value), fault: null };
}
