// What a generated migration can do for the described administration tables, and what it cannot.
import type { TableShape } from './record-tables.ts';
import type { StoredShape } from './shape-change.ts';

/** The name under which the described tables are compared along with the resources. */
const administration = 'administration';

/** The described tables in the form in which the state of storage is frozen. */
export function describedShape(tables: readonly TableShape[]): StoredShape {
  return { resource: administration, form: 0, tables, fields: {}, places: {}, selectors: [] };
}

/**
 * What a generated migration cannot do for described tables.
 * @returns sentences for the developer who changed a description
 */
export function describedFaults(before: readonly StoredShape[], after: readonly StoredShape[]): readonly string[] {
  const tablesOf = (shapes: readonly StoredShape[]): readonly TableShape[] =>
    shapes.filter(({ resource }) => resource === administration).flatMap(({ tables }) => tables);
  const described = new Map(tablesOf(after).map((table) => [table.name, table]));
  return tablesOf(before).flatMap((then) => {
    const now = described.get(then.name);
    return now === undefined ? [`Table ${then.name} is gone: write a migration by hand.`] : tableFaults(then, now);
  });
}

function tableFaults(then: TableShape, now: TableShape): readonly string[] {
  const faults: string[] = [];
  const columnsNow = new Map(now.columns.map((column) => [column.name, column]));
  for (const { name, type, nullable } of then.columns) {
    const column = columnsNow.get(name);
    if (column === undefined) faults.push(`${now.name}: column ${name} is gone: write a migration by hand.`);
    else if (column.type !== type || column.nullable !== nullable)
      faults.push(`${now.name}: column ${name} is of another kind: write a migration by hand.`);
    columnsNow.delete(name);
  }
  for (const { name, nullable, default: standard } of columnsNow.values())
    if (!nullable && standard === undefined)
      faults.push(`${now.name}: column ${name} is new: say optional(…), or the default that rows of before get.`);
  if (JSON.stringify(then.unique) !== JSON.stringify(now.unique))
    faults.push(`${now.name}: its unique keys are others: write a migration by hand.`);
  return faults;
}
