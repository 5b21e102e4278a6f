// What a statement says, for tests that watch or replace one.
import { compile, type Statement } from '../../src/store/statement.ts';

/** The text of a statement, with `?` for its values. */
export function statementText(statement: Statement<unknown>): string {
  return compile(statement, 'sqlite').text;
}

/** The values of a statement, as SQLite takes them. */
export function statementValues(statement: Statement<unknown>): readonly unknown[] {
  return compile(statement, 'sqlite').values;
}
