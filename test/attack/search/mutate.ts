// How one input becomes another: pieces of it are repeated, lost, exchanged and joined with what means something
// somewhere.
import type { Random } from './random.ts';

/** Pieces of text that mean something to one reader or another. */
const meaningful: readonly [string, ...string[]] = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ';',
  '(',
  ')',
  '=',
  '==',
  '*',
  "'",
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '%',
  '%25',
  '%00',
  '+',
  '&',
  '#',
  '/',
  '..',
  '-',
  '--',
  '<',
  '>',
  '!',
  '\u0301\u0323',
  '\u0323',
  'é',
  '\u{1f69a}',
  '\ud800',
  '\\u0041',
  '\\ud83d',
  'null',
  'true',
  '1e999',
  '-0',
  '9'.repeat(20),
  '__proto__',
  'constructor',
  'activityCode',
  'a',
  '"a":1,',
  '{"a":',
  '{},',
  '[[',
  'gradeCode',
  '=in=',
  '=out=',
  '=null=',
  'or ',
  ' and ',
  '2026-01-01T00:00:00Z',
  ';q=0.1',
  'W/"',
  '--b\r\n',
  'Content-Disposition: form-data; name="file"',
  "filename*=UTF-8''",
  '\u212b',
  '\ufb01',
  '\u1e9b\u0323',
];

/**
 * Another input, made of one or two.
 * @param most characters of the outcome
 */
export function mutate(text: string, other: string, most: number, random: Random): string {
  const steps = 1 + random.below(3);
  let changed = text;
  for (let step = 0; step < steps; step += 1)
    changed = changes[random.below(changes.length)]?.(changed, other, random) ?? changed;
  return changed.slice(0, most);
}

/**
 * A text grown with one piece after another: each alone, and each in the middle of the text, as often as there is room.
 */
export function* grown(text: string, most: number): Generator<string> {
  const middle = Math.floor(text.length / 2);
  for (const piece of meaningful) {
    const room = Math.max(0, Math.min(most, longestGrown) - text.length);
    yield text.slice(0, middle) + piece.repeat(Math.floor(room / piece.length)) + text.slice(middle);
    yield piece.repeat(Math.floor(Math.min(most, longestGrown) / piece.length));
  }
}

/** Enough to tell what grows with the square of its length. */
const longestGrown = 100_000;

/** What an input is when some of it is left out; whoever asks tries whether it is still as bad. */
export function* shorter(text: string): Generator<string> {
  for (let parts = 2; parts <= 64 && parts <= text.length; parts *= 2) {
    const length = Math.ceil(text.length / parts);
    for (let at = 0; at < text.length; at += length) yield text.slice(0, at) + text.slice(at + length);
  }
}

type Change = (text: string, other: string, random: Random) => string;

const changes: readonly Change[] = [
  repeatPiece,
  repeatPiece,
  repeatPiece,
  insert,
  insert,
  lose,
  double,
  exchange,
  join,
];

/** The change that finds most: what costs more than its length shows when there is much of it. */
function repeatPiece(text: string, _other: string, random: Random): string {
  const [at, piece] = pieceOf(text, random);
  const times = 2 ** random.below(15);
  return (
    text.slice(0, at) +
    piece.repeat(Math.min(times, Math.ceil(2_000_000 / Math.max(1, piece.length)))) +
    text.slice(at + piece.length)
  );
}

function insert(text: string, _other: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(meaningful).repeat(2 ** random.below(8)) + text.slice(at);
}

function lose(text: string, _other: string, random: Random): string {
  const [at, piece] = pieceOf(text, random);
  return text.slice(0, at) + text.slice(at + piece.length);
}

function double(text: string): string {
  return text.length > 1_000_000 ? text : text + text;
}

function exchange(text: string, _other: string, random: Random): string {
  const [at, piece] = pieceOf(text, random);
  return text.slice(0, at) + random.pick(meaningful) + text.slice(at + piece.length);
}

function join(text: string, other: string, random: Random): string {
  const [, piece] = pieceOf(other, random);
  const at = random.below(text.length + 1);
  return text.slice(0, at) + piece + text.slice(at);
}

/** Some of a text, more often little than much. */
function pieceOf(text: string, random: Random): readonly [at: number, piece: string] {
  const at = random.below(text.length + 1);
  return [at, text.slice(at, at + 1 + random.below(2 ** random.below(8)))];
}
