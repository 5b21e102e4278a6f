// Finds where and why a text is not JSON, or which of its properties are repeated: things that JSON.parse does not
// report.
import { textBlock } from './text-block.ts';

/** Where a text stops being JSON. */
interface JsonFault {
  /** In UTF-16 units from 0; the length of the text when it ends too early. */
  readonly at: number;
  /** A sentence: what is wrong there and what was expected. */
  readonly detail: string;
}

/** The deepest nesting that is examined. */
export const maxNesting = 32;

/**
 * The first place where the text departs from RFC 8259; null when there is none. Nesting below 32 levels counts as a
 * fault.
 */
export function jsonFault(text: string): JsonFault | null {
  const walk = newWalk(text);
  if (!readValue(walk)) return walk.fault;
  skipBlanks(walk);
  if (walk.at === text.length) return null;
  const lines = /[\n\r]/.test(text.slice(0, walk.at)) && text[walk.at] === '{';
  return {
    at: walk.at,
    detail: textBlock`
      Something follows the end of the
      value.${lines ? ' Records on lines of their own are not taken here: send one array, [ … , … ].' : ''}
    `,
  };
}

/**
 * Paths of the first `max` properties that are repeated in their object, in a text that is JSON; nothing behind them is
 * examined.
 */
export function repeatedProperties(text: string, max: number): readonly (readonly (string | number)[])[] {
  const walk = newWalk(text, max);
  readValue(walk);
  return walk.repeated;
}

interface Walk {
  readonly text: string;
  at: number;
  fault: JsonFault | null;
  /** Path of the value being read. */
  readonly path: (string | number)[];
  readonly repeated: (readonly (string | number)[])[];
  /** How many repeated properties to look for; 0 when names do not matter. */
  readonly max: number;
}

function newWalk(text: string, max = 0): Walk {
  return { text, at: 0, fault: null, path: [], repeated: [], max };
}

/**
 * Reads one value with the blanks before it. Like the functions below, returns false at a fault or when there is
 * nothing more to look for.
 */
function readValue(walk: Walk): boolean {
  skipBlanks(walk);
  const first = walk.text[walk.at];
  if (walk.path.length > maxNesting) return fail(walk, `Values are nested more than ${maxNesting} levels deep.`);
  if (first === '{') return readMembers(walk, '}');
  if (first === '[') return readMembers(walk, ']');
  if (first === '"') return readText(walk);
  return readWord(walk);
}

function readMembers(walk: Walk, end: '}' | ']'): boolean {
  const names = new Set<string>();
  walk.at += 1;
  skipBlanks(walk);
  if (walk.text[walk.at] === end) {
    walk.at += 1;
    return true;
  }
  for (let index = 0; ; index++) {
    const step = end === '}' ? readName(walk) : index;
    if (step === null) return false;
    walk.path.push(step);
    if (walk.max > 0 && typeof step === 'string') {
      if (names.has(step)) walk.repeated.push([...walk.path]);
      if (walk.repeated.length === walk.max) return false;
      names.add(step);
    }
    if (!readValue(walk)) return false;
    walk.path.pop();
    skipBlanks(walk);
    const next = walk.text[walk.at];
    if (next !== ',' && next !== end) return fail(walk, `Expected a comma or ${end}`);
    walk.at += 1;
    if (next === end) return true;
    skipBlanks(walk);
    if (walk.text[walk.at] === end) return fail(walk, `There is a comma before ${end}: leave it out.`);
  }
}

/** Reads a property name and its colon. */
function readName(walk: Walk): string | null {
  const start = walk.at;
  if (walk.text[start] !== '"') return failed(walk, 'Expected the name of a property in double quotes');
  if (!readText(walk)) return null;
  const name = walk.max === 0 ? '' : nameOf(walk.text.slice(start, walk.at));
  skipBlanks(walk);
  if (walk.text[walk.at] !== ':') return failed(walk, 'Expected a colon after the name of the property');
  walk.at += 1;
  return name;
}

/** @param quoted a JSON string */
function nameOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function readText(walk: Walk): boolean {
  for (walk.at += 1; walk.at < walk.text.length; walk.at++) {
    const code = walk.text.charCodeAt(walk.at);
    if (code < 0x20)
      return fail(walk, 'A text holds a line break or another control character: write it as an escape, such as \\n.');
    if (code === 0x22) {
      walk.at += 1;
      return true;
    }
    if (code !== 0x5c) continue;
    if (!/^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(walk.text.slice(walk.at + 1, walk.at + 6)))
      return fail(walk, 'A backslash in a text begins none of the escapes of JSON: write a backslash itself as \\\\.');
    walk.at += 1;
  }
  return fail(walk, '');
}

/** Reads a number, true, false or null. */
function readWord(walk: Walk): boolean {
  const start = walk.at;
  let end = start;
  while (end < walk.text.length && !endsWord(walk.text.charCodeAt(end))) end += 1;
  const word = walk.text.slice(start, end);
  if (!isWord(word)) return fail(walk, wordFault(word));
  walk.at = end;
  return true;
}

/** Whitespace and JSON's structural characters. */
function endsWord(code: number): boolean {
  return (
    code === 0x2c ||
    code === 0x7d ||
    code === 0x5d ||
    code === 0x3a ||
    code === 0x22 ||
    code === 0x5b ||
    code === 0x7b ||
    code <= 0x20 ||
    code === 0xa0 ||
    code === 0xfeff
  );
}

function isWord(word: string): boolean {
  return (
    word === 'true' || word === 'false' || word === 'null' || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)
  );
}

function wordFault(word: string): string {
  const [first = ''] = word;
  if (word === '') return 'Expected a value';
  if (first === "'") return 'Text stands in double quotes, not in single ones.';
  if (first === '/' || first === '#') return 'JSON has no comments: leave them out.';
  if (/^(?:NaN|[+-]?Infinity|undefined|None|nil)/.test(word)) return 'There is no such value in JSON: write null.';
  if (/^(?:True|False|Null|TRUE|FALSE|NULL)$/.test(word)) return 'true, false and null are written in small letters.';
  if (/^[+-]?[\d.]/.test(word))
    return textBlock`
      A number is written in another way in JSON: without a plus sign or leading zeros, with digits before and after the
      point.
    `;
  return 'Expected a value: text in double quotes, a number, true, false, null, an object or an array';
}

function skipBlanks(walk: Walk): void {
  for (;;) {
    const code = walk.text.charCodeAt(walk.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    walk.at += 1;
  }
}

/** Records the fault. A detail that is not yet a sentence is completed with what was found instead. */
function fail(walk: Walk, expected: string): false {
  const found = walk.text.slice(walk.at, walk.at + 2);
  const ended = walk.at >= walk.text.length;
  const detail = ended
    ? 'The text ends here, before its last value is complete: it may have been cut off.'
    : expected.endsWith('.')
      ? expected
      : `${expected}, but found ${JSON.stringify([...found][0])}.`;
  walk.fault = { at: walk.at, detail };
  return false;
}

function failed(walk: Walk, expected: string): null {
  fail(walk, expected);
  return null;
}
