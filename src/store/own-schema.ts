// The schema of a PostgreSQL database that holds the program's tables: what is in the schemas behind it on the search
// path, such as public, belongs to others.
import { quotedName } from './engine.ts';
import { type Statement, sql } from './statement.ts';

/** The current schema (regnamespace), whatever characters its name has; null: there is none on the search path. */
export const ownSchema: Statement = sql`quote_ident(current_schema())::regnamespace`;

/** The table or index of this name in the current schema (regclass); null: there is none. */
export function ownRelation(name: string): Statement {
  return sql`to_regclass(quote_ident(current_schema()) || ${sql.literal(`.${quotedName(name)}`)})`;
}
