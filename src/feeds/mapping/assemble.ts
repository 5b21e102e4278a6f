// Makes records out of the rows of a file: one for each row, or one for all rows with the same key; every row is
// accounted for.
import { namingFields } from '../../model/withdrawal.ts';
import { hash } from 'node:crypto';
import { textBlock } from '../../model/text-block.ts';
import type { Reason } from '../../model/record.ts';
import type { SeenKeys } from '../../store/seen-keys.ts';
import { numberInFile, type PlaceInFile, placeInFile, placeText, type SourceRecord } from '../record-splitter.ts';
import type { ResourceMapping } from './compile.ts';
import type { Counting } from './counts.ts';
import { grouping } from './grouping.ts';
import type { Draft } from './record-maker.ts';
import type { FileRow } from './rows.ts';

/** Takes rows in order and returns the records that they complete, in the order of their first lines. */
interface Assembler {
  readonly push: (rows: readonly FileRow[]) => SourceRecord[];
  readonly end: () => SourceRecord[];
}

/** A row whose values could be separated. */
export type ReadableRow = FileRow & { readonly values: readonly unknown[] };

/** The assembler for rows that no rule leaves out. */
export interface Assembling {
  readonly take: (row: ReadableRow) => readonly SourceRecord[];
  /** There was an unreadable row in this place. */
  readonly interrupt: (row: FileRow) => readonly SourceRecord[];
  readonly end: () => readonly SourceRecord[];
}

/**
 * @param seen keys of the file, empty at its start
 * @param counting counts every line
 */
export function assembler(mapping: ResourceMapping, seen: SeenKeys, counting: Counting): Assembler {
  const assembling =
    mapping.group === null ? oneByOne(mapping, seen, counting) : grouping(mapping, mapping.group, seen, counting);
  const counted = (records: readonly SourceRecord[], found: SourceRecord[]): void => {
    for (const record of records) {
      counting.record();
      found.push(record);
    }
  };
  return {
    push(rows) {
      const found: SourceRecord[] = [];
      for (const row of rows) {
        const { values } = row;
        if (values === null) {
          counting.used(row.lines);
          counted(assembling.interrupt(row), found);
          continue;
        }
        const rule = mapping.skip.find(({ asks }) => asks(values));
        if (rule !== undefined) {
          counting.skip(rule.rule, row.lines);
          continue;
        }
        counting.used(row.lines);
        counted(assembling.take({ ...row, values }), found);
      }
      return found;
    },
    end() {
      const found: SourceRecord[] = [];
      counted(assembling.end(), found);
      return found;
    },
  };
}

/** A record for each row; if records are distinct, repetitions are dropped. */
function oneByOne(mapping: ResourceMapping, seen: SeenKeys, counting: Counting): Assembling {
  const { maker, distinct, withdraw, resource } = mapping;
  return {
    take(row) {
      const { values, line, lines, text, fault } = row;
      const draft = maker.begin(values, line);
      maker.addLine(draft, values, line);
      for (const warning of draft.warnings) counting.warn(row, warning);
      if (fault !== null) draft.reasons.unshift(fault);
      const isWithdrawn = withdraw?.(values) === true;
      const key = JSON.stringify(resource.key.map((name) => draft.value[name] ?? null));
      // After a withdrawal, the key stands for a record again.
      if (isWithdrawn) seen.forget(key);
      if (distinct === null || isWithdrawn || draft.reasons.length > 0)
        return [sourceRecord(mapping, draft, { ...placeInFile(row), lines, text }, isWithdrawn)];
      const content = hash('sha256', JSON.stringify(draft.value), 'base64url');
      const first = seen.note(key, content, numberInFile(row));
      if (first === null) return [sourceRecord(mapping, draft, { ...placeInFile(row), lines, text }, false)];
      if (first.contentHash !== content && distinct.differences !== 'first') {
        const reason = conflictingValue(first.number, row);
        if (distinct.differences === 'refuse') return [refusedRecord({ ...placeInFile(row), lines, text }, [reason])];
        counting.warn(row, reason);
      }
      counting.same(lines);
      return [];
    },
    interrupt: (row) => [unreadableRecord(row)],
    end: () => [],
  };
}

/** The place of a record in the file. */
interface Origin extends PlaceInFile {
  readonly lines: number;
  readonly text: string | null;
}

/** Turns a draft into a source record, or into the withdrawal of the record with its key. */
export function sourceRecord(
  { resource }: ResourceMapping,
  { value, reasons }: Draft,
  origin: Origin,
  isWithdrawn: boolean,
): SourceRecord {
  if (reasons.length > 0) return refusedRecord(origin, reasons);
  const names = namingFields(resource);
  const given = isWithdrawn
    ? { withdraw: Object.fromEntries(names.map((name) => [name, value[name] ?? null])) }
    : value;
  return { ok: true, ...placeInFile(origin), lines: origin.lines, text: JSON.stringify(given), value: given };
}

/** Lines from which no record can be made. */
export function refusedRecord(origin: Origin, [reason, ...others]: readonly Reason[]): SourceRecord {
  const { lines, text } = origin;
  const first = reason ?? { code: 'not-readable', pointer: '', detail: 'The line cannot be read.' };
  return { ok: false, ...placeInFile(origin), lines, text, reason: first, others };
}

export function unreadableRecord(row: FileRow): SourceRecord {
  return refusedRecord(row, row.fault === null ? [] : [row.fault]);
}

/** A later line of a key, or element, has other content than the first one. @param number of the first one */
export function conflictingValue(number: number, later: PlaceInFile): Reason {
  const detail = textBlock`
    ${placeText(number, later)} says the same record differently; that one was taken. Correct one of the two.
  `;
  return { code: 'differs-in-file', pointer: '', detail };
}
