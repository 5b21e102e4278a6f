// Walks through one JSON value in bytes as they arrive, and reports its values and their places, without keeping them.
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../model/json-bytes.ts';
import { isUtf8 } from 'node:buffer';
import { isBlank } from '../model/json-scan.ts';
import { isLongNumber } from '../model/long-numbers.ts';
import { cutOff, nestedTooDeep, notJson, notUtf8, outsideTooLong, toldTooLong, trailingText } from './walk-faults.ts';

export type ValueKind = 'an object' | 'an array' | 'a text' | 'a number' | 'true or false' | 'null';

interface JsonWalk {
  /**
   * Continues from an index in the chunk to its end, or to the opening bracket of an array that the caller takes.
   * @throws MessageFault `not-json`, `bad-encoding`, `trailing-text`, `nested-too-deep`, `outside-too-long`
   */
  readonly push: (chunk: Buffer, from: number) => number;
  /** The caller has taken this many lines of its array; the walk continues after the closing bracket. */
  readonly pass: (lines: number) => void;
  /** Line of the next byte. */
  readonly line: () => number;
  /**
   * The file has ended.
   * @throws MessageFault `truncated`, `not-json`
   */
  readonly end: () => void;
}

interface WalkOptions {
  /** Line of the file that contains the first byte, from 1. */
  readonly firstLine: number;
  /** The most bytes that are walked through. */
  readonly maxBytes: number;
  /**
   * Called at the beginning of each value that is nested only in objects, at most `maxSteps` deep.
   * @param path names of the members that lead to it
   * @returns true for an array that the caller takes, and for a text, number, true or false to be passed to `onScalar`
   */
  readonly onValue: (kind: ValueKind, path: readonly string[]) => boolean;
  /** Receives the digits of a number that is longer than a double can hold. */
  readonly onScalar: (value: string | number | boolean, path: readonly string[]) => void;
}

/** The deepest nesting of objects for which names are reported. */
const maxSteps = 10;
/** Brackets that may be open at a time. */
const maxDepth = 1000;
/** Bytes of a name; a name of a path has at most 100 characters, of six bytes each if it is escaped. */
const maxNameBytes = 1024;
/** Bytes of a number. */
const maxScalarBytes = 1024;
/** Bytes of a text that is reported. */
const maxToldBytes = 4096;

type Expected = keyof typeof expectations;

const expectations = {
  value: 'a value',
  elementOrEnd: 'a value or "]"',
  nameOrEnd: 'a name in quotation marks or "}"',
  name: 'a name in quotation marks',
  colon: '":"',
  commaOrEnd: 'a comma or a closing bracket',
  nothing: 'the end of the file',
};

/** The state of the walk. */
interface State extends Pick<WalkOptions, 'onValue' | 'onScalar'> {
  line: number;
  expected: Expected;
  /** The open brackets, and the name of the current member of each object for which names are reported. */
  readonly open: number[];
  readonly names: string[];
  openArrays: number;
  /** What the next byte belongs to. */
  token: 'none' | 'text' | 'name' | 'scalar';
  /** The text, number or word that has begun is reported when it ends. */
  isWanted: boolean;
  /** Inside a text or name, right after a backslash. */
  isEscaped: boolean;
  /** Bytes of a name, of a number or word, or of a text that is reported. */
  held: Buffer[];
  heldBytes: number;
}

/**
 * Brackets, names, commas, colons, numbers and words must be those of JSON (RFC 8259). In texts that are values, only
 * their end and the absence of control characters are checked.
 */
export function walkJson({ firstLine, maxBytes, onValue, onScalar }: WalkOptions): JsonWalk {
  let bytes = 0;
  const state: State = {
    ...{ onValue, onScalar, line: firstLine, expected: 'value', open: [], names: [], openArrays: 0 },
    ...{ token: 'none', isWanted: false, isEscaped: false, held: [], heldBytes: 0 },
  };
  return {
    push(chunk, from) {
      let at = from;
      for (let isTaken = false; at < chunk.length && !isTaken; ) {
        if (state.token === 'text' || state.token === 'name') at = takeText(state, chunk, at);
        else if (state.token === 'scalar') at = takeScalar(state, chunk, at);
        else {
          const next = takeByte(state, chunk[at] ?? 0);
          isTaken = next === 'taken';
          if (next === 'passed') at += 1;
        }
      }
      bytes += at - from;
      if (bytes > maxBytes) throw outsideTooLong(maxBytes);
      return at;
    },
    pass(lines) {
      state.line += lines;
      endValue(state);
    },
    line: () => state.line,
    end() {
      if (state.token === 'scalar' && state.open.length === 0) endScalar(state);
      if (state.expected !== 'nothing') throw cutOff();
    },
  };
}

/** A number or a word is held from its first byte on; `taken` is the bracket of an array that the caller takes. */
function takeByte(state: State, byte: number): 'passed' | 'held' | 'taken' {
  const { expected } = state;
  if (isBlank(byte)) {
    if (byte === LINE_FEED) state.line += 1;
  } else if (byte === QUOTE) {
    state.token = expected === 'name' || expected === 'nameOrEnd' ? 'name' : 'text';
    if (state.token === 'text') state.isWanted = beginValue(state, 'a text');
  } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
    if (beginValue(state, byte === OPEN_OBJECT ? 'an object' : 'an array')) return 'taken';
    openBracket(state, byte);
  } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
    closeBracket(state, byte);
  } else if (byte === COMMA) {
    if (expected !== 'commaOrEnd') unexpected(state, 'has a comma');
    state.expected = state.open.at(-1) === OPEN_OBJECT ? 'name' : 'value';
  } else if (byte === COLON) {
    if (expected !== 'colon') unexpected(state, 'has ":"');
    state.expected = 'value';
  } else if (isOfScalar(byte)) {
    const kind = byte === 0x6e ? 'null' : byte === 0x74 || byte === 0x66 ? 'true or false' : 'a number';
    state.isWanted = beginValue(state, kind);
    state.token = 'scalar';
    return 'held';
  } else unexpected(state, 'has other text');
  return 'passed';
}

function beginValue(state: State, kind: ValueKind): boolean {
  if (state.expected !== 'value' && state.expected !== 'elementOrEnd') return unexpected(state, `has ${kind}`);
  return isTold(state) && state.onValue(kind, pathOf(state));
}

function pathOf({ names, open }: State): readonly string[] {
  return names.slice(0, open.length);
}

function isTold({ openArrays, open }: State): boolean {
  return openArrays === 0 && open.length <= maxSteps;
}

function endValue(state: State): void {
  state.expected = state.open.length === 0 ? 'nothing' : 'commaOrEnd';
}

function openBracket(state: State, byte: number): void {
  if (state.open.length === maxDepth) throw nestedTooDeep(state.line, maxDepth);
  state.open.push(byte);
  if (byte === OPEN_ARRAY) state.openArrays += 1;
  state.expected = byte === OPEN_ARRAY ? 'elementOrEnd' : 'nameOrEnd';
}

function closeBracket(state: State, byte: number): void {
  const isArray = byte === CLOSE_ARRAY;
  const mayClose = state.expected === 'commaOrEnd' || state.expected === (isArray ? 'elementOrEnd' : 'nameOrEnd');
  if (!mayClose || state.open.at(-1) !== (isArray ? OPEN_ARRAY : OPEN_OBJECT))
    unexpected(state, `has ${isArray ? '"]"' : '"}"'}`);
  state.open.pop();
  if (isArray) state.openArrays -= 1;
  endValue(state);
}

function takeText(state: State, chunk: Buffer, from: number): number {
  let at = from;
  let isOver = false;
  for (; at < chunk.length && !isOver; at += 1) {
    const byte = chunk[at] ?? 0;
    if (state.isEscaped) state.isEscaped = false;
    else if (byte === BACKSLASH) state.isEscaped = true;
    else if (byte === QUOTE) isOver = true;
    else if (byte < 0x20) refuse(state, 'ends within a text, or the text has a control character');
  }
  const part = chunk.subarray(from, isOver ? at - 1 : at);
  if (state.token === 'name') hold(state, part, maxNameBytes);
  else if (state.isWanted) hold(state, part, maxToldBytes);
  if (!isOver) return at;
  if (state.token === 'name') endName(state);
  else endText(state);
  state.token = 'none';
  return at;
}

function endText(state: State): void {
  if (state.isWanted) {
    if (state.heldBytes > maxToldBytes) throw toldTooLong(pathOf(state), maxToldBytes);
    state.onScalar(textOf(state, takeHeld(state), 'text'), pathOf(state));
  }
  endValue(state);
}

function endName(state: State): void {
  const isWhole = state.heldBytes <= maxNameBytes;
  const text = takeHeld(state);
  state.expected = 'colon';
  if (!isTold(state)) return;
  state.names.length = state.open.length - 1;
  state.names.push(isWhole ? textOf(state, text, 'name') : `${text.toString('utf8', 0, 100)}…`);
}

function textOf(state: State, bytes: Buffer, what: 'name' | 'text'): string {
  if (!isUtf8(bytes)) throw notUtf8(what, state.line);
  try {
    return String(JSON.parse(`"${bytes.toString('utf8')}"`));
  } catch {
    return refuse(state, `has a ${what} with a backslash that means nothing`);
  }
}

function takeScalar(state: State, chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && isOfScalar(chunk[at] ?? 0)) at += 1;
  hold(state, chunk.subarray(from, at), maxScalarBytes);
  if (state.heldBytes > maxScalarBytes) refuse(state, `has a number of more than ${maxScalarBytes} bytes`);
  if (at < chunk.length) endScalar(state);
  return at;
}

function endScalar(state: State): void {
  const text = takeHeld(state).toString('latin1');
  if (!scalar.test(text)) refuse(state, 'has a word that is neither a number, true, false nor null');
  if (state.isWanted && text !== 'null') state.onScalar(isLongNumber(text) ? text : JSON.parse(text), pathOf(state));
  state.token = 'none';
  endValue(state);
}

/** Holds at most `most` bytes, and counts all of them. */
function hold(state: State, part: Buffer, most: number): void {
  if (state.heldBytes < most) state.held.push(Buffer.from(part.subarray(0, most - state.heldBytes)));
  state.heldBytes = Math.min(most + 1, state.heldBytes + part.length);
}

function takeHeld(state: State): Buffer {
  const all = Buffer.concat(state.held);
  state.held = [];
  state.heldBytes = 0;
  return all;
}

function unexpected(state: State, has: string): never {
  if (state.expected !== 'nothing') return refuse(state, `${has} where ${expectations[state.expected]} is expected`);
  throw trailingText(state.line);
}

function refuse({ line }: State, what: string): never {
  throw notJson(line, what);
}

const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Letters, digits and signs: the characters of a number or a word, or of what stands in its place. */
function isOfScalar(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}
