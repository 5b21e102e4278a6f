// Leaves out of tables what a program has added ahead of its migration step: a copy is of the version of its steps.
import { compareSteps } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { columnKey } from './shape-preparation.ts';
import type { StoredTable } from './table-copy.ts';

/**
 * Tables as their migration steps made them.
 * @param tables as they are found
 * @param steps the steps done
 */
export function asOfSteps<T extends StoredTable>(tables: readonly T[], steps: readonly string[]): readonly T[] {
  const { missing } = compareSteps(steps);
  const ahead = new Set(
    migrations.flatMap(({ name, change }) => (missing.includes(name) ? (change?.columns ?? []).map(columnKey) : [])),
  );
  return tables.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !ahead.has(columnKey({ table: table.name, name }))),
  }));
}
