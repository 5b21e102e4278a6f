// Splits an array nested in objects of a JSON file into its elements, or explains why there is no such array.
import { lineFeeds } from '../model/json-scan.ts';
import { pointer } from '../model/reasons.ts';
import { quoted } from '../model/text.ts';
import { MessageFault } from './message-fault.ts';
import type { SourceRecord, Splitter } from './record-splitter.ts';
import { splitArray } from './split-array.ts';
import { cutOff, standsTwice } from './walk-faults.ts';
import { type ValueKind, walkJson } from './walk-json.ts';

/** The most characters of a name in a pointer. */
const maxNameCharacters = 100;

/** How a mapping refers to the place of the array, and of values around it. */
export const memberPlace = {
  pattern: /^(?:\/(?:[^~/]|~[01]){0,100}){1,10}$/,
  form: 'a JSON Pointer such as "/orders" or "/data/items", of ten names of 100 characters at most',
};

/** The most bytes outside the array. None of them is held in memory. */
const maxBytesOutside = 1024 * 1024 * 1024;

/** Values around the array, before or after it. */
export interface ValuesAround {
  /** JSON Pointers of the requested ones. */
  readonly places: ReadonlySet<string>;
  /** Receives those that exist: texts, numbers, true and false. */
  readonly found: (place: string, value: string | number | boolean) => void;
}

/**
 * The elements are records, as in `splitArray`; what is around the array must be JSON and is skipped.
 * @param firstLine number of the line of the first byte
 * @param limit most bytes of one element
 * @param place JSON Pointer of the array; null when the mapping names none, though the file is not an array
 * @param around the requested values around it; one that occurs twice is a fault
 * @throws MessageFault from push and end; what was returned before must then not be imported
 */
export function splitEnclosed(
  firstLine: number,
  limit: number,
  place: string | null,
  around: ValuesAround = nothingAround,
  maxBytes: number = maxBytesOutside,
): Splitter {
  const found = findArray(place);
  const walk = walkJson({ firstLine, maxBytes, ...listening(found, around) });
  let array: ReturnType<typeof splitArray> | null = null;

  /** Faults in the rest of a file do not matter when the mapping does not say which array is meant. */
  const walking = <Result>(go: () => Result): Result => {
    try {
      return go();
    } catch (error) {
      throw error instanceof MessageFault ? (found.faultInstead(error) ?? error) : error;
    }
  };

  return {
    push(chunk) {
      const records: SourceRecord[] = [];
      for (let at = 0; at < chunk.length; ) {
        if (array === null) {
          const from = at;
          at = walking(() => walk.push(chunk, from));
          if (at === chunk.length) break;
          array = splitArray(walk.line(), limit);
        }
        const rest = chunk.subarray(at);
        for (const record of array.push(rest)) records.push(record);
        const end = array.endOfArray();
        walk.pass(lineFeeds(rest.subarray(0, end ?? rest.length)));
        if (end !== null) array = null;
        at += end ?? rest.length;
      }
      return records;
    },
    end() {
      if (array !== null) throw cutOff();
      walking(walk.end);
      const fault = found.fault();
      if (fault !== null) throw fault;
      return [];
    },
  };
}

const nothingAround: ValuesAround = { places: new Set(), found: () => undefined };

/** The callbacks for values outside the array. */
function listening(
  { onValue }: Finding,
  { places, found }: ValuesAround,
): Pick<Parameters<typeof walkJson>[0], 'onValue' | 'onScalar'> {
  const seen = new Set<string>();
  const isWanted = (path: readonly string[]): boolean => {
    if (places.size === 0 || !places.has(pointer(path))) return false;
    if (seen.has(pointer(path))) throw standsTwice(path);
    seen.add(pointer(path));
    return true;
  };
  return {
    onValue: (kind, path) => {
      const [isArray, isTold] = [onValue(kind, path), isWanted(path)];
      return kind === 'an object' || kind === 'an array' ? isArray : isTold;
    },
    onScalar: (value, path) => found(pointer(path), value),
  };
}

interface Finding {
  /** Returns true for the requested array, when it first occurs. */
  readonly onValue: (kind: ValueKind, path: readonly string[]) => boolean;
  /** Why the array was not found, or found more than once; null when it was found. */
  readonly fault: () => MessageFault | null;
  /** The fault to report instead of a JSON fault; null: report that. */
  readonly faultInstead: (error: MessageFault) => MessageFault | null;
}

function findArray(place: string | null): Finding {
  const steps = place === null ? null : stepsOf(place);
  /** How many steps lead to existing objects or the array; -1 before the file has begun. */
  let reached = -1;
  /** Names in the object at the end of the existing steps. */
  let members: string[] = [];
  let memberCount = 0;
  const arrays: string[] = [];
  let root: ValueKind | null = null;
  let fault: MessageFault | null = null;

  const onValue = (kind: ValueKind, path: readonly string[]): boolean => {
    if (path.length === 0) root = kind;
    noteArray(kind, path);
    const way = steps ?? [];
    const isOnWay = path.length <= way.length && path.every((name, index) => name === way[index]);
    if (!isOnWay || path.length > reached) noteMember(path, way);
    if (!isOnWay) return false;
    if (path.length <= reached) {
      fault ??= standsTwice(path);
      return false;
    }
    const isWanted = kind === (path.length === way.length ? 'an array' : 'an object');
    if (!isWanted || fault !== null) {
      fault ??= steps === null ? null : otherKind(steps, kind, path);
      return false;
    }
    reached = path.length;
    members = [];
    memberCount = 0;
    return reached === way.length;
  };

  const noteArray = (kind: ValueKind, path: readonly string[]): void => {
    const isWritable = path.length > 0 && path.every((name) => name.length <= maxNameCharacters);
    if (kind === 'an array' && isWritable && arrays.length < maxListed) arrays.push(pointer(path));
  };

  const noteMember = (path: readonly string[], way: readonly string[]): void => {
    if (path.length !== Math.max(0, reached) + 1 || !isWithin(path, way, reached)) return;
    memberCount += 1;
    if (members.length < maxListed) members.push(path.at(-1) ?? '');
  };

  const membersText = (): string => {
    const more = memberCount > members.length ? ` and ${memberCount - members.length} more` : '';
    return memberCount === 0 ? 'It is empty.' : `It has ${members.map((each) => quoted(each)).join(', ')}${more}.`;
  };

  return {
    onValue,
    fault() {
      if (steps === null) return root === 'an object' ? wrapped(membersText(), arrays) : notArray(root);
      if (fault !== null) return withAdvice(fault, arrays);
      return reached === steps.length ? null : withAdvice(notFound(steps.slice(0, reached + 1), membersText()), arrays);
    },
    faultInstead(error) {
      if (steps !== null || root !== 'an object') return null;
      return error.code === 'trailing-text' ? severalValues() : wrapped(membersText(), arrays);
    },
  };
}

/** The most members and arrays that an error lists. */
const maxListed = 20;

function stepsOf(place: string): readonly string[] {
  return place
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a path lies within the object at the end of the first steps. */
function isWithin(path: readonly string[], way: readonly string[], reached: number): boolean {
  return path.slice(0, Math.max(0, reached)).every((name, index) => name === way[index]);
}

function otherKind(steps: readonly string[], kind: ValueKind, path: readonly string[]): MessageFault {
  const wanted = `The mapping looks for the records at ${quoted(pointer(steps))}, but`;
  if (path.length === 0)
    return new MessageFault(
      'records-not-found',
      `${wanted} the file is ${kind}, not an object.`,
      kind === 'an array' ? 'Leave "records" out.' : 'Check that it is the right file.',
    );
  const isOnTheWay = path.length < steps.length;
  const needed = isOnTheWay ? 'an object: a path leads through objects alone' : 'an array';
  return new MessageFault(
    isOnTheWay ? 'records-not-found' : 'records-not-array',
    `${wanted} ${quoted(pointer(path))} is ${kind}, not ${needed}.`,
    '',
  );
}

/** @param way steps to the existing object, and the one that it lacks */
function notFound(way: readonly string[], has: string): MessageFault {
  const object = way.length === 1 ? 'The file' : `The object at ${quoted(pointer(way.slice(0, -1)))}`;
  return new MessageFault('records-not-found', `${object} has no member ${quoted(way.at(-1) ?? '')}. ${has}`, '');
}

function wrapped(has: string, arrays: readonly string[]): MessageFault {
  return new MessageFault('wrapped', `The file is an object, not an array. ${has}`, whatToWrite(arrays));
}

function notArray(root: ValueKind | null): MessageFault {
  return new MessageFault(
    'not-json',
    `The file is ${root ?? 'empty'}, not an array.`,
    'Check that it is the right file.',
  );
}

function severalValues(): MessageFault {
  return new MessageFault(
    'not-an-array',
    'The file is no array: several objects follow one another.',
    'Where each object stands on a line, write "format": {"kind": "ndjson"} in the mapping.',
  );
}

function withAdvice(problem: MessageFault, arrays: readonly string[]): MessageFault {
  return problem.remedy === '' ? new MessageFault(problem.code, problem.message, whatToWrite(arrays)) : problem;
}

/** What the mapping should say, according to the arrays in the file. */
function whatToWrite([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'The file has no array whose place a mapping could name.';
  const line = `Write "format": {"kind": "json", "records": ${JSON.stringify(first)}} in the mapping`;
  if (others.length === 0) return `${line}.`;
  return `${line}, or the place of another array: ${others.map((each) => JSON.stringify(each)).join(', ')}.`;
}
