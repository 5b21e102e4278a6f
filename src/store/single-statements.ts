// In charge of what is read and written with one statement.
import type { Engine } from './engine.ts';
import type { Statement } from './statement.ts';

/** The first row that a statement gives, or null. */
export async function readFirst<T>(engine: Pick<Engine, 'read'>, statement: Statement<T>): Promise<T | null> {
  const [row] = await engine.read(statement);
  return row ?? null;
}

/** Runs a statement as a write of its own. Returns how many rows it gave. */
export async function writeOnce(engine: Pick<Engine, 'writeOnce'>, statement: Statement<unknown>): Promise<number> {
  return (await engine.writeOnce(statement)).length;
}
