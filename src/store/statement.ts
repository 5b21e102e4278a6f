// How statements are written: text and values, independent of the engine until one runs the statement.
import { arrayOf } from './page-bytes.ts';
import type { Dialect, Row, RunStatement, SqlValue, Words } from './engine.ts';

/** A piece of SQL: texts, with a value or another piece between each two. */
export interface Sql {
  readonly [written]: true;
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
}

/** A statement that an engine can run; `T` is the type of its rows. */
export interface Statement<T = Row> extends Sql {
  /**
   * Planned on each run for its values and for the current tables. For statements about many rows: a plan kept from
   * when a table was small would read the whole table again and again once it is large.
   */
  readonly plannedAnew: boolean;
  /** See `asOneArray`. */
  readonly isOneArray: boolean;
  readonly toRow: (row: Row) => T;
  /**
   * Called when the statement is sent to its engine, after waiting for a connection or a turn; if it does not wait, it
   * may not be called at all. @param together number of statements sent with it, including itself
   */
  readonly sent?: (together: number) => void;
  /** Its text, if already known; equivalent to `texts` and `parts`. */
  readonly ready?: (words: Words) => Pick<CompiledStatement, 'text' | 'values'>;
}

/** A statement in the dialect of one engine, with `?` (SQLite) or `$n` (PostgreSQL) for its values. */
export interface CompiledStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly plannedAnew: boolean;
  readonly sent?: (together: number) => void;
}

/**
 * Writes SQL. Anything inserted with `${…}` is a value and never text, unless it is SQL itself. Line breaks of the
 * source become single spaces.
 */
export const sql = Object.assign(template, {
  /** A table or column in double quotes; names come from definitions only, never from a request. */
  quoted,
  /** A text from a definition where no parameter is allowed, as in the creation of a table. */
  literal: (text: string): Statement => statementOf([`'${text.replaceAll("'", "''")}'`], []),
  /** Values or pieces one after another; empty for none. */
  join,
  /** Conditions that must all hold; true if there are none. */
  all: (conditions: readonly Sql[]): Statement => (conditions.length === 0 ? always : join(conditions, ' and ')),
});

/**
 * SQL that the engines express differently.
 * @param forms only the required one is evaluated, when the statement is run; without a form of its own, Citus uses
 *   that of PostgreSQL
 */
export function perEngine(forms: Readonly<Record<Dialect, () => Sql>> & { readonly citus?: () => Sql }): Statement {
  return statementOf(surrounding, [(words) => (words === 'citus' ? (forms.citus ?? forms.postgres) : forms[words])()]);
}

/** A statement that only PostgreSQL needs: on SQLite nothing is run, and the result is empty. */
export function onPostgres(make: () => Sql): Statement {
  return perEngine({ sqlite: () => nothing, postgres: make });
}

/** The same statement, planned on each run. */
export function planAnew<T>(statement: Statement<T>): Statement<T> {
  return { ...statement, plannedAnew: true };
}

/**
 * The rows of a query as one row: the bytes of a JSON array of their texts (null: none has one), the number of rows,
 * the place of the last, the number of texts. PostgreSQL would put the texts together in ever larger pieces of memory,
 * which costs several times what reading them does; there the program joins the rows.
 * @param rows a query of (bytes: JSON text or null, place: integer), in ascending order of places
 */
export function asOneArray(rows: Statement): Statement {
  const joined = sql`
    select cast('[' || group_concat(bytes, ',') || ']' as blob), count(*), max(place), count(bytes) from (${rows}) page
  `;
  return { ...perEngine({ sqlite: () => joined, postgres: () => rows }), isOneArray: true };
}

/** The same statement, with rows in the form that the program needs. */
export function rowsAs<T>(statement: Statement, toRow: (row: Row) => T): Statement<T> {
  return { ...statement, toRow };
}

/**
 * Creates statements of one shape: the text is built once for each engine, and later only values are filled in. For
 * statements that run with every page.
 * @param samples values that `write` accepts; none may equal a value that it inserts itself
 * @param write writes such a statement; its text must not depend on the values
 */
export function statementTemplate<Values extends readonly SqlValue[]>(
  samples: Values,
  write: (...values: Values) => Statement,
): (...values: Values) => Statement {
  const { isOneArray } = write(...samples);
  const shapes = new Map<Words, { readonly text: string; readonly places: readonly number[] }>();
  const shapeIn = (words: Words): { readonly text: string; readonly places: readonly number[] } => {
    const compiled = compile(write(...samples), words);
    const places = compiled.values.map((value) => samples.indexOf(value));
    if (places.includes(-1)) throw new Error('a statement that is written once has a value of its own');
    const shape = { text: compiled.text, places };
    shapes.set(words, shape);
    return shape;
  };
  return (...values) => ({
    // Used when it is part of another statement.
    ...statementOf(surrounding, [() => write(...values)]),
    isOneArray,
    ready: (words) => {
      const { text, places } = shapes.get(words) ?? shapeIn(words);
      return { text, values: places.map((place) => values[place] ?? null) };
    },
  });
}

/**
 * Creates the function by which an engine runs statements: it compiles them and executes them.
 * @param execute what the driver of the engine does with text and values
 */
export function statementRunner(
  words: Words,
  execute: (compiled: CompiledStatement) => Promise<readonly Row[]>,
): RunStatement {
  return async <T>(statement: Statement<T>): Promise<readonly T[]> => {
    const compiled = compile(statement, words);
    if (compiled.text === '') return [];
    const rows = await execute(compiled);
    return (statement.isOneArray && words !== 'sqlite' ? [joinedRow(rows)] : rows).map(statement.toRow);
  };
}

/**
 * A statement that the engine itself stores, such as an index definition in its catalogue; never for text from
 * elsewhere.
 */
export function catalogued(text: string): Statement {
  return statementOf([text], []);
}

/** Whether a value is SQL, whatever its static type. */
export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && written in value;
}

/** Text and values of a statement in the dialect of an engine. */
export function compile(statement: Statement<unknown>, words: Words): CompiledStatement {
  const { plannedAnew, sent } = statement;
  const { text, values } = statement.ready?.(words) ?? put(statement, words);
  return sent === undefined ? { text, values, plannedAnew } : { text, values, plannedAnew, sent };
}

/** What `asOneArray` makes of rows of (bytes of a text or null, place). */
function joinedRow(rows: readonly Row[]): Row {
  const texts = rows.flatMap(([bytes]) => (bytes instanceof Buffer ? [bytes] : []));
  return [texts.length === 0 ? null : arrayOf(texts), rows.length, rows.at(-1)?.[1] ?? null, texts.length];
}

function put(statement: Sql, words: Words): Pick<CompiledStatement, 'text' | 'values'> {
  const values: SqlValue[] = [];
  return { text: textOf(statement, words, values), values };
}

type Part = SqlValue | Sql | ((words: Words) => Sql);

/** Distinguishes SQL from anything that a request may contain: no JSON has a symbol. */
const written = Symbol('written in this program');

/** The texts without the line breaks of the source, by template, of which the program has one object each. */
const flattened = new WeakMap<TemplateStringsArray, readonly string[]>();
const names = new Map<string, Statement>();
const surrounding = ['', ''];
const nothing = statementOf([''], []);
const always = statementOf(['true'], []);

function template(source: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Statement {
  let texts = flattened.get(source);
  if (texts === undefined) {
    texts = source.map((text, index) => flat(text, index === 0, index === source.length - 1));
    flattened.set(source, texts);
  }
  return statementOf(texts, parts);
}

function flat(text: string, isFirst: boolean, isLast: boolean): string {
  const begun = isFirst ? text.replace(/^\s*\n\s*/, '') : text;
  const ended = isLast ? begun.replace(/\s*\n\s*$/, '') : begun;
  return ended.replaceAll(/\s*\n\s*/g, ' ');
}

function quoted(known: string): Statement {
  let found = names.get(known);
  if (found === undefined) {
    found = statementOf([`"${known.replaceAll('"', '""')}"`], []);
    names.set(known, found);
  }
  return found;
}

function join(items: readonly (SqlValue | Sql)[], separator = ', '): Statement {
  if (items.length === 0) return nothing;
  return statementOf(['', ...new Array<string>(items.length - 1).fill(separator), ''], items);
}

function statementOf(texts: readonly string[], parts: readonly Part[]): Statement {
  return { [written]: true, texts, parts, plannedAnew: false, isOneArray: false, toRow: asItIs };
}

function asItIs(row: Row): Row {
  return row;
}

function textOf({ texts, parts }: Sql, words: Words, values: SqlValue[]): string {
  let text = texts[0] ?? '';
  let index = 0;
  for (const part of parts) {
    index += 1;
    text += partText(part, words, values) + (texts[index] ?? '');
  }
  return text;
}

function partText(part: Part, words: Words, values: SqlValue[]): string {
  if (typeof part === 'string' || typeof part === 'number' || part === null) {
    const place = values.push(part);
    return words === 'sqlite' ? '?' : `$${place}`;
  }
  if (typeof part === 'function') return textOf(part(words), words, values);
  if (!isSql(part)) throw new Error(`a value of type ${typeof part} cannot stand in a statement`);
  return textOf(part, words, values);
}
