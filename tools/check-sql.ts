// Checks that SQL occurs only in src/store: searches every string in the rest of the source.
import { readdirSync, readFileSync } from 'node:fs';

/** A string literal, or a template with `?` for its substitutions. */
interface Literal {
  /** Its position. */
  readonly at: number;
  readonly text: string;
}

/** Phrases that only occur in SQL; white space is a single blank. */
const sqlWords: readonly RegExp[] = [
  /(?:^|\() ?(?:select|SELECT) \S+.* (?:from|FROM) ["?\w]/,
  /\b(?:select|SELECT) (?:\*|\?|"|count\(|max\(|min\(|distinct |[\w"?.]+(?:, [\w"?.]+)* (?:from|FROM) )/,
  /^ ?(?:select|SELECT) /,
  /\binsert (?:or \w+ )?into\b/i,
  /\bupdate \S+ set\b/i,
  /\bdelete from\b/i,
  /\b(?:create|drop|alter) (?:unique |temp |temporary )?(?:table|index|view|schema|sequence|trigger)\b/i,
  /^ ?pragma \w/i,
  /^ ?(?:begin|begin immediate|commit|rollback|savepoint \S+) ?;? ?$/i,
  /\b(?:order|group) by ["?\w]/i,
  /\bon conflict\b/i,
  /\b(?:inner|cross|left|left outer) join\b/i,
  /\bwhere [\w".?]+ ?(?:=|<>|<=?|>=?|is null|is not null|in \(|like )/i,
  /\breturning (?:\*|"|\?|\d)/i,
];

/**
 * Finds SQL outside `src/store`.
 * @param files text by path from the root of the project, such as `src/api/lists.ts`
 * @returns a line for each finding: the place and the text
 */
export function sqlFindings(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files]
    .filter(([path]) => path.startsWith('src/') && !path.startsWith('src/store/'))
    .flatMap(([path, source]) =>
      literalsIn(source)
        .map(({ at, text }) => ({ at, text: text.replaceAll(/\s+/g, ' ') }))
        .filter(({ text }) => sqlWords.some((words) => words.test(text)))
        .map(({ at, text }) => `${path}:${lineOf(source, at)}: SQL stands in src/store alone: ${text.slice(0, 60)}`),
    );
}

/**
 * The strings and templates of a source text in order, except those in comments and regular expressions. Substitutions
 * of a template may contain further ones.
 */
export function literalsIn(source: string): readonly Literal[] {
  const found: Literal[] = [];
  let at = 0;
  readCode('');
  return found.toSorted((one, other) => one.at - other.at);

  /** Reads up to the end, or past the brace that ends a substitution. */
  function readCode(end: '' | '}'): void {
    let depth = 0;
    let before = '';
    while (at < source.length) {
      const character = source.charAt(at);
      const two = source.slice(at, at + 2);
      if (two === '//') skipTo('\n');
      else if (two === '/*') skipTo('*/');
      else if (character === "'" || character === '"') readString(character);
      else if (character === '`') readTemplate();
      else if (character === '/' && beginsExpression(before)) skipRegularExpression();
      else {
        if (character === '{') depth += 1;
        if (character === '}' && depth === 0 && end === '}') {
          at += 1;
          return;
        }
        if (character === '}') depth -= 1;
        at += 1;
        if (character.trim() !== '') before = (before + character).slice(-12);
        else if (/\w$/.test(before)) before += ' ';
        continue;
      }
      // Whatever was read was a value, after which a slash means division.
      before = two === '//' || two === '/*' ? before : ')';
    }
  }

  function skipTo(mark: string): void {
    const end = source.indexOf(mark, at + 2);
    at = end < 0 ? source.length : end + mark.length;
  }

  function readString(quote: string): void {
    const begin = at;
    at += 1;
    while (at < source.length && source.charAt(at) !== quote) at += source.charAt(at) === '\\' ? 2 : 1;
    found.push({ at: begin, text: source.slice(begin + 1, at) });
    at += 1;
  }

  function readTemplate(): void {
    const begin = at;
    let text = '';
    at += 1;
    while (at < source.length && source.charAt(at) !== '`') {
      if (source.slice(at, at + 2) === '${') {
        at += 2;
        readCode('}');
        text += '?';
        continue;
      }
      const length = source.charAt(at) === '\\' ? 2 : 1;
      text += source.slice(at, at + length);
      at += length;
    }
    at += 1;
    found.push({ at: begin, text });
  }

  function skipRegularExpression(): void {
    let inClass = false;
    at += 1;
    while (at < source.length) {
      const character = source.charAt(at);
      at += character === '\\' ? 2 : 1;
      if (character === '[') inClass = true;
      if (character === ']') inClass = false;
      if (character === '/' && !inClass) return;
    }
  }
}

/** Whether a slash after this code begins a regular expression: after a value it means division. */
function beginsExpression(before: string): boolean {
  const code = before.trimEnd();
  return code === '' || /[(,=:[!&|?{};+\-*%<>~^]$/.test(code) || /\b(?:return|typeof|case|in|of|do|else)$/.test(code);
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}

if (import.meta.main) {
  const root = new URL('../', import.meta.url);
  const paths = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'))
    .toSorted();
  const findings = sqlFindings(new Map(paths.map((path) => [path, readFileSync(new URL(path, root), 'utf8')])));
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
