// Slow statements: each is reported with its plan, up to a number per minute.
import { currentWork, inWork, workOf } from '../model/work.ts';
import type { Engine, Row } from './engine.ts';
import { compile, perEngine, planAnew, sql, type Statement } from './statement.ts';

/** The recipient of reports on slow statements. */
export interface SlowStatements {
  /** Statements that take at least this long; 0: none. */
  readonly overMs: number;
  readonly tell: (slow: SlowStatement) => void;
}

/** A slow statement, without any of its values. */
interface SlowStatement {
  /** Milliseconds for which the engine worked on it, as far as can be told from here. */
  readonly ms: number;
  /** Null: it failed, or was ended. */
  readonly rows: number | null;
  readonly text: string;
  /** The engine's plan, obtained without running the statement again; null: there is none, as for a plain insert. */
  readonly plan: string | null;
  /** On PostgreSQL: statements sent to the server in the same batch, any of which may have taken the time. */
  readonly together: number;
  /** Other slow statements since the last one reported. */
  readonly untold: number;
  /** Facts about the work that issued it. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A statement that has ended. `since`: when it began, by `performance.now`. */
interface Ended {
  readonly statement: Statement<unknown>;
  readonly since: number;
  readonly together: number;
  readonly rows: unknown;
  /** It was run as a short read, which PostgreSQL plans differently. */
  readonly isShort: boolean;
}

/** When a statement of a transaction was last answered, by `performance.now`. */
export interface LastAnswer {
  at: number;
}

/** Reports per minute, for all statements together; each text is reported at most once. */
const maxPerMinute = 6;
const minuteMs = 60_000;
/** Characters of a text and of a plan. */
const maxLength = 4000;

export function createSlowStatements(engine: Engine): {
  readonly tell: (slow: SlowStatements) => void;
  readonly notice: (ended: Ended, last?: LastAnswer | null) => void;
} {
  let listener: SlowStatements | null = null;
  let untold = 0;
  /** Reports of the last minute: their time, by text. */
  const told = new Map<string, number>();
  const isDue = (text: string, now: number): boolean => {
    for (const [known, at] of told) if (now - at >= minuteMs) told.delete(known);
    if (told.has(text) || told.size >= maxPerMinute) return false;
    told.set(text, now);
    return true;
  };
  const tell = async ({ statement, together, rows, isShort }: Ended, ms: number): Promise<void> => {
    const { text } = compile(statement, engine.dialect);
    if (!isDue(text, performance.now())) {
      untold += 1;
      return;
    }
    const before = untold;
    untold = 0;
    const facts = currentWork().facts();
    // Not part of the work that issued the statement, which may have ended.
    const plan = await inWork(apart, () => planOf(engine, statement, isShort)).catch(() => null);
    listener?.tell({
      ms: Math.round(ms),
      rows: Array.isArray(rows) ? rows.length : null,
      text: text.slice(0, maxLength),
      plan: plan === null || plan === '' ? null : plan.slice(0, maxLength),
      together,
      untold: before,
      facts,
    });
  };
  return {
    tell: (slow) => {
      listener = slow.overMs === 0 ? null : slow;
    },
    notice: (ended, last = null) => {
      const now = performance.now();
      if (last !== null) last.at = now;
      if (listener !== null && now - ended.since >= listener.overMs) void tell(ended, now - ended.since);
    },
  };
}

const apart = workOf(() => ({}));

/**
 * Runs as a long read, apart from the work that issued the statement, which does not wait for it. On PostgreSQL, the
 * plan of a short read is requested as a short read.
 */
async function planOf(engine: Engine, statement: Statement<unknown>, isShort: boolean): Promise<string> {
  const explained = planAnew(
    perEngine({ sqlite: () => sql`explain query plan ${statement}`, postgres: () => sql`explain ${statement}` }),
  );
  const rows =
    isShort && engine.dialect === 'postgres'
      ? await engine.readShort(explained)
      : await engine.readLong(explained, { client: 'plans of slow statements' });
  return engine.dialect === 'sqlite' ? asTree(rows) : withoutValues(rows.map(([line]) => String(line)).join('\n'));
}

/** PostgreSQL includes the values of conditions that it knows: texts in quotes, and numbers. */
function withoutValues(plan: string): string {
  return plan
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .split('\n')
    .map((line) => (/^\s*[\w ]+:\s/.test(line) ? line.replaceAll(/(?<![\w$."])-?\d+(?:\.\d+)?(?![\w."])/g, '?') : line))
    .join('\n');
}

/** Steps of SQLite's plan: id, parent id, unused, description. */
function asTree(rows: readonly Row[]): string {
  const depths = new Map<unknown, number>();
  return rows
    .map(([id, parent, , detail]) => {
      const depth = (depths.get(parent) ?? -1) + 1;
      depths.set(id, depth);
      return `${'  '.repeat(depth)}${String(detail)}`;
    })
    .join('\n');
}
