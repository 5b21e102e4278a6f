// What a statement says, for tests that watch or replace one.
import type { Statement as EngineStatement } from '../../src/store/engine.ts';
import { compile, type Statement } from '../../src/store/statement.ts';

/** The text of a statement, with `?` for its values. */
export function statementText(statement: Statement<unknown> | EngineStatement): string {
  return 'text' in statement ? statement.text : compile(statement, 'sqlite').text;
}

/** The values of a statement, as SQLite takes them. */
export function statementValues(statement: Statement<unknown> | EngineStatement): readonly unknown[] {
  return 'text' in statement ? statement.values : compile(statement, 'sqlite').values;
}
