// Rules for the lists of a submitted record: no two elements with one key, and at most one with a flag that must be
// unique.
import type { ReasonCode } from './reason-codes.ts';
import { textBlock } from './text-block.ts';
import { compositeKey } from './composite-key.ts';
import { type Pass, refuse } from './reasons.ts';
import type { Fields, ListField } from './resource.ts';
import { isObject } from './scalar.ts';

/** A record in canonical form. */
export type Canonical = Record<string, unknown>;

/**
 * What must be unique among the elements of one list: their key, and flags that at most one element may set.
 * @param name name of the list, for the sentence
 * @returns a function that starts the comparison of one list; call its result for each element with its index while
 *   `pass` is positioned at the element
 */
export function siblingComparison(
  name: string,
  { key, fields }: ListField,
): () => (element: Canonical, index: number, pass: Pass) => void {
  const flags = flagsOf(fields);
  const [shown = ''] = key;
  return () => {
    const firstOf = new Map<string, number>();
    const refuseSecond = (
      what: string,
      index: number,
      pass: Pass,
      at: string,
      code: ReasonCode,
      detail: string,
    ): void => {
      const first = firstOf.get(what);
      if (first === undefined) firstOf.set(what, index);
      else refuse(pass, at, code, `${detail} element ${first + 1} of ${name} already`);
    };
    return (element, index, pass) => {
      if (key.length > 0 && key.every((part) => element[part] !== null))
        refuseSecond(
          JSON.stringify(key.map((part) => element[part])),
          index,
          pass,
          shown,
          'duplicate',
          'may occur once, and is that of',
        );
      for (const flag of flags)
        if (element[flag] === true)
          refuseSecond(flag, index, pass, flag, 'more-than-one', 'may be true once, and is true in');
    };
  };
}

/**
 * Consistency rules between lists that hold the same kind of thing (see `ListField.alsoIn`): each thing belongs to one
 * element only, an element names no element other than the one that holds it, and flags that at most one may set agree.
 * @returns a function that compares one record after it was read; elements that are not objects are null in it
 */
export function placeComparison(fields: Fields): (record: Canonical, pass: Pass) => void {
  const rules = Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'list' && field.alsoIn !== undefined ? [placeRule(name, field, field.alsoIn, fields)] : [],
  );
  return (record, pass) => {
    for (const compare of rules) compare(record, pass);
  };
}

interface Place {
  /** Index of the element that holds it; null: the record itself. */
  readonly holder: number | null;
  readonly index: number;
  /** Key of the element that it belongs to; '' when it names none. */
  readonly belongsTo: string;
}

function placeRule(
  name: string,
  { key: [key = ''], fields }: ListField,
  { list, elements, names }: NonNullable<ListField['alsoIn']>,
  all: Fields,
): (record: Canonical, pass: Pass) => void {
  const holderField = all[list];
  const [holderKey = ''] = holderField?.kind === 'list' ? holderField.key : [];
  const flags = flagsOf(fields);
  return (record, pass) => {
    const holders = listOf(record[list]);
    if (!holders.some((holder) => isObject(holder) && listOf(holder[elements]).length > 0)) return;
    const placeOf = new Map<string, Place>();
    /** Which thing has a flag, by flag and the element that it belongs to. */
    const flagged = new Map<string, string>();
    for (const [index, element] of listOf(record[name]).entries()) {
      const thing = isObject(element) ? textOf(element[key]) : '';
      if (!isObject(element) || thing === '') continue;
      const belongsTo = textOf(element[names]);
      if (!placeOf.has(thing)) placeOf.set(thing, { holder: null, index, belongsTo });
      if (belongsTo !== '')
        for (const flag of flags) if (element[flag] === true) flagged.set(compositeKey(flag, belongsTo), thing);
    }
    for (const [holderIndex, holder] of holders.entries()) {
      if (!isObject(holder)) continue;
      const holderName = textOf(holder[holderKey]);
      pass.path.push(list, holderIndex, elements);
      for (const [index, element] of listOf(holder[elements]).entries()) {
        if (!isObject(element)) continue;
        pass.path.push(index);
        refuseContradiction(element, { holderName, names, holderKey }, pass);
        const thing = textOf(element[key]);
        const first = placeOf.get(thing);
        if (first === undefined) placeOf.set(thing, { holder: holderIndex, index, belongsTo: holderName });
        else if (thing !== '' && !isSame(first, holderIndex, holderName))
          refuse(pass, key, 'duplicate', secondPlace(first, { name, list, elements, names }));
        for (const flag of flags) {
          const other = element[flag] === true ? flagged.get(compositeKey(flag, holderName)) : undefined;
          if (other !== undefined && other !== thing)
            refuse(
              pass,
              flag,
              'more-than-one',
              `may be true once, and is true of ${JSON.stringify(other)} in ${name}, which names this one in ${names}`,
            );
        }
        pass.path.pop();
      }
      pass.path.length -= 3;
    }
  };
}

function refuseContradiction(
  element: Readonly<Canonical>,
  { holderName, names, holderKey }: { readonly holderName: string; readonly names: string; readonly holderKey: string },
  pass: Pass,
): void {
  const named = textOf(element[names]);
  if (named !== '' && holderName !== '' && named !== holderName)
    refuse(
      pass,
      names,
      'contradiction',
      `must be ${JSON.stringify(holderName)}, the ${holderKey} that it stands under, or be left out`,
    );
}

/** Two in one list are refused by the rules of that list. */
function isSame({ holder, belongsTo }: Place, holderIndex: number, holderName: string): boolean {
  return holder === null ? belongsTo !== '' && belongsTo === holderName : holder === holderIndex;
}

function secondPlace(
  { holder, index }: Place,
  { name, list, elements, names }: Readonly<Record<'name' | 'list' | 'elements' | 'names', string>>,
): string {
  if (holder !== null)
    return textBlock`
      may occur once, and is that of element ${index + 1} of ${elements} in element ${holder + 1} of ${list} already
    `;
  return textBlock`
    may occur once, and is that of element ${index + 1} of ${name} already; where both are the same, say so there with
    ${names}
  `;
}

function flagsOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([flag, field]) => (field.kind === 'boolean' && field.atMostOne ? [flag] : []));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none;
}

const none: readonly unknown[] = [];

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
