// Reads and writes that take a single statement.
import type { Engine } from './engine.ts';
import type { Statement } from './statement.ts';

/** The first row of a statement's result, or null. */
export async function readFirst<T>(engine: Pick<Engine, 'read'>, statement: Statement<T>): Promise<T | null> {
  const [row] = await engine.read(statement);
  return row ?? null;
}

/** Runs a statement as a transaction of its own. Returns the number of rows in its result. */
export async function writeOnce(engine: Pick<Engine, 'writeOnce'>, statement: Statement<unknown>): Promise<number> {
  return (await engine.writeOnce(statement)).length;
}
