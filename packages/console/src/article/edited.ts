// An article while it is edited: what was read, what was typed since, and the faults of each place.
import type { OperationResult } from '../../../client/src/index.ts';
import { type ArticleFieldFacts, articleListFacts } from '../generated/article-fields.ts';
import type { AnyRecord } from '../list/list-source.ts';
import { type ArticleFault, readValue, textOf } from './values.ts';

export type ArticleList = keyof typeof articleListFacts;

/** What was changed of a record. */
export interface Changes {
  /** Changed fields, as typed. */
  readonly values: Readonly<Record<string, string>>;
  /** Changed lists, whole. */
  readonly lists: Readonly<Partial<Record<ArticleList, readonly EditedElement[]>>>;
}

/** A record with its changes; whatever is not changed stays as it was read, also what no form shows. */
export interface Edited extends Changes {
  readonly from: AnyRecord;
}

export interface EditedElement extends Edited {
  /** Tells it from the others of its list, wherever it is moved. */
  readonly key: string;
}

/** The elements of one of its lists, as they are now. */
export function elementsOf({ from, lists }: Edited, list: ArticleList): readonly EditedElement[] {
  return lists[list] ?? recordsIn(from, list).map((record, place) => ({ ...unchanged(record), key: String(place) }));
}

/** @param values that it begins with, as typed */
export function newElement(values: Readonly<Record<string, string>>): EditedElement {
  return { from: {}, values, lists: {}, key: `new-${Math.random().toString(36).slice(2)}` };
}

/** The text that a form shows of a field. */
export function shownText({ from, values }: Edited, name: string): string {
  return values[name] ?? textOf(from[name]);
}

/** The record as the interface takes it: a value whose text was not changed is exactly the one that was read. */
export function inputOf({ from, values, lists }: Edited, fields: readonly ArticleFieldFacts[]): AnyRecord {
  const written = fields
    .filter(({ name }) => (values[name] ?? textOf(from[name])) !== textOf(from[name]))
    .map(({ name, kind }) => [name, readValue(values[name] ?? '', kind)]);
  const listed = Object.entries(lists).map(([list, elements]) => [
    list,
    elements.map((one) => elementInput(list, one)),
  ]);
  return { ...from, ...Object.fromEntries(written), ...Object.fromEntries(listed) };
}

/** Elements are known by their codes; ids of some that are gone meanwhile would be refused. */
function elementInput(list: string, element: EditedElement): AnyRecord {
  return withoutIds(inputOf(element, isList(list) ? articleListFacts[list] : []));
}

function withoutIds({ id: _id, ...element }: AnyRecord): AnyRecord {
  const lists = Object.keys(element).filter(isList);
  return { ...element, ...Object.fromEntries(lists.map((list) => [list, recordsIn(element, list).map(withoutIds)])) };
}

/**
 * Which of what was changed here was changed by somebody else too, to something else.
 * @param known the record when the changes began, and as it was sent from here, if it is not known whether it was saved
 * @param now the record as it is now
 */
export function overtakenNames(known: readonly AnyRecord[], now: AnyRecord, changes: Changes): readonly string[] {
  const mine = { from: now, ...changes };
  const fields = Object.keys(changes.values).filter((name) => {
    const theirs = textOf(now[name]);
    return theirs !== shownText(mine, name) && known.every((one) => textOf(one[name]) !== theirs);
  });
  const lists = Object.keys(changes.lists).filter(isList);
  const differing = lists.filter((list) => {
    const theirs = comparable(recordsIn(now, list).map(withoutIds));
    const own = elementsOf(mine, list).map((element) => elementInput(list, element));
    const isKnown = known.some((one) => comparable(recordsIn(one, list).map(withoutIds)) === theirs);
    return !isKnown && theirs !== comparable(own);
  });
  return [...fields, ...differing];
}

/** The changes without those of some fields and lists. */
export function changesWithout({ values, lists }: Changes, names: readonly string[]): Changes {
  const others = <T>(given: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  return { values: others(values), lists: others(lists) };
}

/** One text for equal values: null is as good as absent, and the order of members means nothing. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(
          Object.entries(member)
            .filter(([, one]) => one !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
  );
}

/** Faults by place, such as `logisticalVariants/KEY/barcodes/KEY/code`; '' for the article as a whole. */
export type ArticleFaults = Readonly<Partial<Record<string, readonly ArticleFault[]>>>;

/** The faults of the only article in a result; pointers look like `/0/barcodes/1/code`. */
export function faultsOf({ errors }: OperationResult, article: Edited): ArticleFaults {
  return Object.groupBy(Object.values(errors).flat(), ({ pointer }) =>
    placeOf(pointer.split('/').slice(2), article).join('/'),
  );
}

function placeOf([name = '', place, ...rest]: readonly string[], edited: Edited): readonly string[] {
  const element = isList(name) && place !== undefined ? elementsOf(edited, name)[Number(place)] : undefined;
  if (element === undefined) return place === undefined ? [name] : [name, place, ...rest];
  return [name, element.key, ...(rest.length === 0 ? [] : placeOf(rest, element))];
}

/** Whether one of the faults is at the place, or within it. */
export function isFaulty(faults: ArticleFaults, place: string): boolean {
  return Object.keys(faults).some((one) => one === place || one.startsWith(`${place}/`));
}

export function recordsIn(record: AnyRecord, list: ArticleList): readonly AnyRecord[] {
  const records = record[list];
  return Array.isArray(records) ? records : [];
}

function unchanged(from: AnyRecord): Edited {
  return { from, values: {}, lists: {} };
}

export function isList(name: string): name is ArticleList {
  return name in articleListFacts;
}
