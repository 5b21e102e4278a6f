// Counts the lines of a file by outcome.
import type { Reason } from '../../model/record.ts';
import { type PlaceInFile, placeInFile } from '../record-splitter.ts';
import { type LeftLine, structure } from './rows.ts';

/** `lines` is the sum of `structure`, `inRecords`, and those skipped by each rule. */
export interface MappedLineCounts {
  readonly lines: number;
  /** Header, trailer, and the line with the column names. */
  readonly structure: number;
  /** Lines of which records were made, including refused ones and repetitions of earlier records. */
  readonly inRecords: number;
  /** Of these, lines of records that an earlier line of the file has already produced. */
  readonly same: number;
  /** Rule → lines that it left out; `blank` and `comment` are the program's own. Contains every rule of the mapping. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Records, including refused ones. */
  readonly records: number;
  /** Number of faults in lines that are accepted nevertheless. */
  readonly warned: number;
  /** The first of these. */
  readonly warnings: readonly LineWarning[];
}

export interface LineWarning extends Reason, PlaceInFile {}

/** Warnings that are kept; further ones are counted. */
const maxWarnings = 10;

export interface Counting {
  readonly left: (line: LeftLine) => void;
  readonly skip: (rule: string, lines: number) => void;
  readonly used: (lines: number) => void;
  readonly same: (lines: number) => void;
  readonly record: () => void;
  readonly warn: (place: PlaceInFile, reason: Reason) => void;
  readonly counts: () => MappedLineCounts;
}

/** @param rules the names of the mapping's rules */
export function newCounting(rules: readonly string[]): Counting {
  const skipped = new Map(rules.map((rule) => [rule, 0]));
  const warnings: LineWarning[] = [];
  const sum = { structure: 0, inRecords: 0, same: 0, skipped: 0, records: 0, warned: 0 };
  const skip = (rule: string, lines: number): void => {
    skipped.set(rule, (skipped.get(rule) ?? 0) + lines);
    sum.skipped += lines;
  };
  return {
    left({ rule, lines }) {
      if (rule === structure) sum.structure += lines;
      else skip(rule, lines);
    },
    skip,
    used(lines) {
      sum.inRecords += lines;
    },
    same(lines) {
      sum.same += lines;
    },
    record() {
      sum.records += 1;
    },
    warn(place, reason) {
      sum.warned += 1;
      if (warnings.length < maxWarnings) warnings.push({ ...placeInFile(place), ...reason });
    },
    counts: () => ({
      lines: sum.structure + sum.inRecords + sum.skipped,
      structure: sum.structure,
      inRecords: sum.inRecords,
      same: sum.same,
      records: sum.records,
      warned: sum.warned,
      skipped: new Map(skipped),
      warnings: [...warnings],
    }),
  };
}
