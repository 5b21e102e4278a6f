// In charge of rows that are looked up by a value: few enough to be found first, and put in order and filtered then.
import type { Resource } from '../model/resource.ts';
import type { FieldValues, ReadPlan } from './access-path.ts';
import { conditionText } from './condition-sql.ts';
import { type Dialect, type Placeholders, placeholders, quoted, type Statement } from './engine.ts';

type Add = Placeholders['add'];

/** Most rows that a read may look at, of all its activities, when no index has them in order. */
export const maxLookedUp = 1000;

/** One row: how many rows of an activity have one of the values; those beyond `maxLookedUp + 1` are not counted. */
export function lookedUpCount(dialect: Dialect, resource: Resource, owner: string, lookup: FieldValues): Statement {
  const { values, add } = placeholders(dialect);
  const found = lookupText('1', resource, owner, lookup, add);
  return { text: `select count(*) from (${found} limit ${maxLookedUp + 1}) found`, values };
}

/**
 * The rows `t` of a statement: those that are looked up, where the plan says so, else the table. A limit that limits
 * nothing keeps each engine from taking the rows in the order of another index, through which it would look for long.
 */
export function rowsToRead(dialect: Dialect, { resource, lookup }: ReadPlan, owner: string, add: Add): string {
  if (lookup === undefined) return `${quoted(resource.table)} t`;
  return `(${lookupText('*', resource, owner, lookup, add)} ${dialect === 'sqlite' ? 'limit -1' : 'offset 0'}) t`;
}

function lookupText(columns: string, resource: Resource, owner: string, lookup: FieldValues, add: Add): string {
  const inActivity = `t.owner = ${add(owner)}`;
  const has = conditionText({ op: 'in', selector: lookup.field, values: lookup.values }, resource, add);
  return `select ${columns} from ${quoted(resource.table)} t where ${inActivity} and ${has}`;
}
