// Renders a canonical record: to the exact JSON text that clients will read, including assigned values, and to its
// columns.
import { isObject } from './check.ts';
import { formatInstant, parseInstant } from './instant.ts';
import { parseInSteps } from './json-pieces.ts';
import type { StoredValue } from './plan.ts';
import type { Pause } from './record-reader.ts';
import type { Assignment, IncomingRecord, RenderedRecord } from './record.ts';
import {
  columnFields,
  type Field,
  type Fields,
  isScalar,
  type ListField,
  nestedSelectors,
  type Resource,
  type ScalarField,
} from './resource.ts';

/** Renders a record at once, or one list element at a time. Both return the same. */
export interface Renderer {
  (record: IncomingRecord, assign: Assignment, previous: string | null): RenderedRecord;
  /** For records that are very long, or that replace a very long one. */
  readonly inTurns: (
    record: IncomingRecord,
    assign: Assignment,
    previous: string | null,
    turn: Pause,
  ) => Promise<RenderedRecord>;
}

/**
 * Makes the renderer of a resource. `previous` is the stored body of the record being replaced: ids and creation dates
 * are taken from it, also for nested records (matched by the key of their list; those with equal keys in their order),
 * and a nested record whose content has not changed keeps its update date. Ids are assigned to parents first.
 */
export function createRenderer(resource: Resource): Renderer {
  const publish = publisher(resource.fields);
  const columns = [...columnFields(resource)].map(([name, field]) => ({
    name,
    store: storer(field),
    unpublished: name in resource.unpublished,
  }));
  const selectors = nestedSelectors(resource).map(({ selector, path, field }) => ({
    selector,
    path,
    store: storer(field),
  }));
  // All records of a batch share one time, which is formatted once.
  let now = { instant: 0, text: formatInstant(0) };
  const writingAt = (assign: Assignment): Writing => {
    if (now.instant !== assign.now) now = { instant: assign.now, text: formatInstant(assign.now) };
    return { assign, now: now.text, nested: false, parentId: null };
  };
  const cellsOf = (record: IncomingRecord, published: Values): RenderedRecord['columns'] =>
    columns.map(({ name, store, unpublished }) => store((unpublished ? record.value : published)[name]));
  const noteNested = (published: Values, nested: NestedValue[]): void => {
    for (const { selector, path, store } of selectors)
      visit(published, path, 0, (value) => nested.push({ selector, value: store(value) }));
  };
  const render = (record: IncomingRecord, assign: Assignment, previous: string | null): RenderedRecord => {
    const before: unknown = previous === null ? null : JSON.parse(previous);
    const published = publish(record.value, isObject(before) ? before : null, writingAt(assign));
    const nested: NestedValue[] = [];
    noteNested(published, nested);
    return { body: JSON.stringify(published), columns: cellsOf(record, published), nested };
  };
  const lists = listPublishers(resource.fields);
  const withoutLists = Object.fromEntries([...lists.keys()].map((name) => [name, []]));
  return Object.assign(render, {
    inTurns: async (
      record: IncomingRecord,
      assign: Assignment,
      previous: string | null,
      turn: Pause,
    ): Promise<RenderedRecord> => {
      const parsed = previous === null ? null : await parseInSteps(previous, turn);
      const before = isObject(parsed) ? parsed : null;
      const writing = writingAt(assign);
      const published = publish(
        { ...record.value, ...withoutLists },
        before === null ? null : { ...before, ...withoutLists },
        writing,
      );
      const nested: NestedValue[] = [];
      noteNested(published, nested);
      const inside = insideOf(resource.fields, writing, published);
      const texts: string[] = [];
      for (const name in published) {
        const list = lists.get(name);
        if (list === undefined) {
          texts.push(`${JSON.stringify(name)}:${JSON.stringify(published[name])}`);
          continue;
        }
        const elements: string[] = [];
        for (const make of list(record.value[name], before?.[name] ?? null, inside)) {
          await turn();
          const element = make();
          noteNested({ [name]: [element] }, nested);
          elements.push(JSON.stringify(element));
        }
        texts.push(`${JSON.stringify(name)}:[${elements.join(',')}]`);
      }
      return { body: `{${texts.join(',')}}`, columns: cellsOf(record, published), nested };
    },
  });
}

interface NestedValue {
  readonly selector: string;
  readonly value: StoredValue | null;
}

type Values = Readonly<Record<string, unknown>>;

/** The state of writing one nesting level. */
interface Writing {
  readonly assign: Assignment;
  readonly now: string;
  readonly nested: boolean;
  readonly parentId: unknown;
}

type Publish = (value: Values, before: Values | null, writing: Writing) => Values;

/** Makes the function that puts a record in published form: definition order, with assigned values in their places. */
function publisher(fields: Fields): Publish {
  const entries = Object.entries(fields);
  const blank: Record<string, unknown> = Object.fromEntries(entries.map(([name]) => [name, null]));
  const copied = new Set(
    entries.filter(([, field]) => isScalar(field) && field.assigned === undefined).map(([name]) => name),
  );
  const assigned = entries.flatMap(([name, field]) =>
    field.assigned === undefined ? [] : [{ name, kind: field.assigned }],
  );
  const children = entries.flatMap(([name, field]) =>
    isScalar(field) ? [] : [{ name, publish: childPublisher(field) }],
  );
  const same = contentComparer(fields);
  return (value, before, writing) => {
    const published = { ...blank };
    for (const name in value) {
      const given = value[name];
      if (given !== null && given !== undefined && copied.has(name)) published[name] = given;
    }
    for (const { name, kind } of assigned) {
      const kept = before?.[name] ?? null;
      switch (kind) {
        case 'number':
          published[name] = kept ?? writing.assign.number();
          break;
        case 'uuid':
          published[name] = kept ?? writing.assign.uuid();
          break;
        case 'parent-id':
          published[name] = writing.parentId;
          break;
        case 'created':
          published[name] = kept ?? writing.now;
          break;
        case 'updated':
          published[name] =
            writing.nested && before !== null && kept !== null && same(value, before) ? kept : writing.now;
          break;
      }
    }
    if (children.length > 0) {
      const inside = insideOf(fields, writing, published);
      for (const { name, publish } of children) published[name] = publish(value[name], before?.[name] ?? null, inside);
    }
    return published;
  };
}

/** The state for the level below a published record. */
function insideOf(fields: Fields, writing: Writing, published: Values): Writing {
  return { ...writing, nested: true, parentId: 'id' in fields ? published.id : null };
}

type ListPublisher = (given: unknown, before: unknown, writing: Writing) => readonly (() => Values)[];

/** Makes a function for each list that returns one thunk per element, each to be called once, in order. */
function listPublishers(fields: Fields): ReadonlyMap<string, ListPublisher> {
  return new Map(
    Object.entries(fields).flatMap(([name, field]) =>
      field.kind === 'list' ? [[name, elementPublisher(field)] as const] : [],
    ),
  );
}

function elementPublisher(field: ListField): ListPublisher {
  const publish = publisher(field.fields);
  return (given, before, writing) => {
    const predecessors =
      Array.isArray(before) && before.length > 0 ? predecessorsByKey(field, elementRecords(before)) : null;
    return elementRecords(given).map(
      (element, index) => () => publish(element, predecessors?.(element, index) ?? null, writing),
    );
  };
}

/** Makes the function that publishes a nested record or a list of them. */
function childPublisher(
  field: Exclude<Field, ScalarField>,
): (given: unknown, before: unknown, writing: Writing) => unknown {
  if (field.kind === 'object') {
    const publish = publisher(field.fields);
    return (given, before, writing) =>
      isObject(given) ? publish(given, isObject(before) ? before : null, writing) : null;
  }
  const elements = elementPublisher(field);
  return (given, before, writing) => elements(given, before, writing).map((make) => make());
}

/** Finds the stored element that a new element continues; each one is found only once. */
function predecessorsByKey(
  field: ListField,
  stored: readonly Values[],
): (element: Values, index: number) => Values | undefined {
  if (field.key.length === 0) return (_, index) => stored[index];
  const keyOf = (element: Values): string => JSON.stringify(field.key.map((name) => element[name] ?? null));
  const waiting = new Map<string, Values[]>();
  for (const element of stored.toReversed()) {
    const queue = waiting.get(keyOf(element));
    if (queue === undefined) waiting.set(keyOf(element), [element]);
    else queue.push(element);
  }
  return (element) => waiting.get(keyOf(element))?.pop();
}

/** Makes the function that compares a record's content with a stored one, ignoring assigned values. */
function contentComparer(fields: Fields): (value: Values, before: Values) => boolean {
  const scalars = Object.entries(fields)
    .filter(([, field]) => field.assigned === undefined && isScalar(field))
    .map(([name]) => name);
  const children = Object.entries(fields).flatMap(([name, field]) =>
    isScalar(field) ? [] : [{ name, kind: field.kind, same: contentComparer(field.fields) }],
  );
  return (value, before) =>
    // Text stored before a field was added lacks it: that is no change.
    scalars.every((name) => value[name] === (before[name] ?? null)) &&
    children.every(({ name, kind, same }) => {
      const [here, there] =
        kind === 'list'
          ? [elementRecords(value[name]), elementRecords(before[name])]
          : [[value[name]].filter(isObject), [before[name]].filter(isObject)];
      return here.length === there.length && here.every((element, index) => same(element, there[index] ?? {}));
    });
}

function elementRecords(list: unknown): readonly Values[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Calls `found` with the value at the end of the path, for every element on the way. */
function visit(at: unknown, path: readonly string[], step: number, found: (value: unknown) => void): void {
  const name = path[step];
  if (name === undefined) found(at);
  else if (Array.isArray(at)) for (const element of at) visit(element, path, step, found);
  else if (isObject(at)) visit(at[name], path, step + 1, found);
}

/** Makes the function that converts a published value to what its column holds. */
function storer(field: ScalarField): (value: unknown) => StoredValue | null {
  const instant = field.kind === 'date-time';
  return (value) => {
    switch (typeof value) {
      case 'string':
        return instant ? parseInstant(value) : value;
      case 'number':
        return value;
      case 'boolean':
        return value ? 1 : 0;
      default:
        return null;
    }
  };
}
