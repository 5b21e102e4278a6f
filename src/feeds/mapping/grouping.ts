// Makes records out of several lines: those with the same key, such as the lines of an order.
import { textBlock } from '../../model/text-block.ts';
import type { Reason } from '../../model/record.ts';
import type { SeenKeys } from '../../store/seen-keys.ts';
import { MessageFault } from '../message-fault.ts';
import { numberInFile, type PlaceInFile, placeInFile, placeText, type SourceRecord } from '../record-splitter.ts';
import {
  type Assembling,
  type ReadableRow,
  refusedRecord,
  conflictingValue,
  sourceRecord,
  unreadableRecord,
} from './assemble.ts';
import type { ResourceMapping } from './compile.ts';
import { textOf } from './compiling.ts';
import type { Counting } from './counts.ts';
import type { Draft } from './record-maker.ts';
import type { FileRow } from './rows.ts';

type Group = NonNullable<ResourceMapping['group']>;

/** The most characters in the lines of one record, and in all gathered lines. */
const maxRecordCharacters = 16 * 1024 * 1024;
const maxGatheredCharacters = 64 * 1024 * 1024;
/** The most reasons that are kept per record. */
const maxReasons = 100;

/** The lines of one key. */
interface Open {
  readonly key: string;
  /** Place of the first of them. */
  readonly place: PlaceInFile;
  lines: number;
  characters: number;
  /** Null once they are too long to hold. */
  texts: string[] | null;
  draft: Draft;
  readonly head: string;
  readonly isWithdrawn: boolean;
}

/**
 * Consecutive lines with one key become one record. If the key occurs again later, its further lines are refused,
 * because the record has already been returned; or, if the mapping says so, all lines are gathered until the end. An
 * unreadable line may belong to the record before it or to the one after it: these two are refused with it, because
 * either may be incomplete.
 * @throws MessageFault from take when more has to be gathered than can be held in memory; nothing was returned until
 *   then
 */
export function grouping(mapping: ResourceMapping, group: Group, seen: SeenKeys, counting: Counting): Assembling {
  const gather = group.apart === 'gather';
  /** Incomplete records; at most one when lines are not gathered. */
  const open = new Map<string, Open>();
  let last: Open | null = null;
  let waiting: SourceRecord[] = [];
  /** There was an unreadable line immediately before this one. */
  let unreadableBefore: PlaceInFile | null = null;
  let gathered = 0;

  const close = (each: Open): SourceRecord => {
    const { place, lines, texts, draft } = each;
    const origin = { ...place, lines, text: texts?.join('\n') ?? null };
    for (const warning of draft.warnings) counting.warn(place, warning);
    if (texts === null) return refusedRecord(origin, [tooLong]);
    if (gather) return sourceRecord(mapping, draft, origin, each.isWithdrawn);
    const first = seen.note(each.key, '', numberInFile(place));
    return first === null
      ? sourceRecord(mapping, draft, origin, each.isWithdrawn)
      : refusedRecord(origin, [apart(first.number, place), ...draft.reasons]);
  };

  const closeLast = (): readonly SourceRecord[] => {
    if (gather || last === null) return [];
    const closed = close(last);
    open.clear();
    last = null;
    return [closed];
  };

  const begin = (key: string, row: ReadableRow): Open => {
    const draft = mapping.maker.begin(row.values, row.line);
    const begun: Open = {
      key,
      place: placeInFile(row),
      lines: 0,
      characters: 0,
      texts: [],
      draft,
      head: group.differences === 'first' ? '' : JSON.stringify(draft.value),
      isWithdrawn: mapping.withdraw?.(row.values) === true,
    };
    open.set(key, begun);
    return begun;
  };

  const add = (to: Open, row: ReadableRow, isFirst: boolean): void => {
    to.lines += row.lines;
    to.characters += row.text?.length ?? 0;
    if (to.texts === null) return;
    if (to.characters > maxRecordCharacters) {
      to.texts = null;
      to.draft = { value: {}, reasons: [], warnings: [] };
      return;
    }
    to.texts.push(row.text ?? '');
    const { reasons } = to.draft;
    if (row.fault !== null) note(reasons, inRow(row, row.fault));
    if (unreadableBefore !== null) note(reasons, beside(unreadableBefore));
    if (!isFirst && group.differences !== 'first') differ(to, row, reasons);
    if (reasons.length < maxReasons) mapping.maker.addLine(to.draft, row.values, row.line);
  };

  const differ = (to: Open, row: ReadableRow, reasons: Reason[]): void => {
    if (JSON.stringify(mapping.maker.begin(row.values, row.line).value) === to.head) return;
    const reason = conflictingValue(numberInFile(to.place), row);
    if (group.differences === 'refuse') note(reasons, inRow(row, reason));
    else counting.warn(row, reason);
  };

  const hold = (row: FileRow): void => {
    gathered += row.text?.length ?? 0;
    if (gathered <= maxGatheredCharacters) return;
    throw new MessageFault(
      'too-long-to-gather',
      `The file is longer than the ${maxGatheredCharacters} characters that are gathered.`,
      'Sort it by its key, and leave out "apart": "gather"; or divide it.',
    );
  };

  /** A line of which it is unknown where it belongs. */
  const interrupt = (row: FileRow, refused: SourceRecord): readonly SourceRecord[] => {
    if (last !== null && row.lines > 0) note(last.draft.reasons, beside(row));
    const before = closeLast();
    if (row.lines > 0) unreadableBefore = row;
    if (!gather) return [...before, refused];
    waiting.push(refused);
    return [];
  };

  return {
    take(row) {
      if (gather) hold(row);
      const reasons: Reason[] = [];
      const place = { pointer: '', position: 1, line: row.line, reasons };
      const parts = group.by.map((read) => textOf(read(row.values, place)));
      if (reasons.length > 0 || parts.every((part) => part === ''))
        return interrupt(row, refusedRecord(row, reasons.length > 0 ? reasons : [noKey]));
      const key = JSON.stringify(parts);
      const known = open.get(key);
      const done = known === undefined ? closeLast() : [];
      const at = known ?? begin(key, row);
      add(at, row, known === undefined);
      last = at;
      unreadableBefore = null;
      return done;
    },
    interrupt(row) {
      if (gather) hold(row);
      return interrupt(row, unreadableRecord(row));
    },
    end() {
      if (!gather) return closeLast();
      const all = [...waiting, ...[...open.values()].map(close)];
      open.clear();
      waiting = [];
      return all.sort((one, other) => numberInFile(one) - numberInFile(other));
    },
  };
}

function note(reasons: Reason[], reason: Reason): void {
  if (reasons.length < maxReasons) reasons.push(reason);
}

/** A reason concerning one of several lines. */
function inRow(row: ReadableRow, reason: Reason): Reason {
  return { ...reason, detail: `${placeText(numberInFile(row), row)}: ${reason.detail}` };
}

const noKey: Reason = {
  code: 'no-key',
  pointer: '',
  detail: 'The line has no key, so that nobody can tell which record it belongs to.',
};

const tooLong: Reason = {
  code: 'record-too-long',
  pointer: '',
  detail: `The lines of the record are longer than ${maxRecordCharacters} characters together.`,
};

function beside(place: PlaceInFile): Reason {
  const detail = textBlock`
    ${placeText(numberInFile(place), place)} beside it cannot be read and may belong to it: the record may not be whole.
    Correct that and send both again.
  `;
  return { code: 'line-beside', pointer: '', detail };
}

function apart(number: number, later: PlaceInFile): Reason {
  const detail = textBlock`
    Lines of the same key began at ${placeText(number, later).toLowerCase()}, with other lines between them and these:
    the record was made without these. Sort the file, or say "apart": "gather".
  `;
  return { code: 'lines-apart', pointer: '', detail };
}
