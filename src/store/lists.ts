// In charge of reading records: pages of lists, and single ones by a value.
import type { Condition, ListPlan, StoredValue } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { coveredUntil } from './activities.ts';
import type { Engine, Reader } from './engine.ts';
import { limitTo } from './engine-words.ts';
import { existsWith } from './list-sql.ts';
import { readPage, readRevision } from './pages.ts';
import { sql } from './statement.ts';
import type { Page, Revision } from './store.ts';

/** A record as it is published. */
export interface FoundRecord {
  readonly owner: string;
  readonly body: string;
}

export interface Lists {
  /** Last change number per activity of one resource (0 where nothing was ever written); one tiny look-up. */
  revision(resource: Resource, owners: readonly string[]): Promise<Revision>;
  /**
   * Per activity, an instant (milliseconds): everything written before it is visible now,
   * and nothing will ever be written with an earlier date.
   */
  coveredUntil(owners: readonly string[]): Promise<number>;
  /**
   * Answers a plan.
   * @param revision read before, by `revision()`: what was written since may be on the page, what was written before is
   * @param reader in whose turn it is read, should many rows have to be looked at
   */
  page(plan: ListPlan, revision: Revision, reader: Reader): Promise<Page>;
  /** True when a record of one of the owners has this value in a column or nested selector. */
  exists(resource: Resource, owners: readonly string[], field: string, value: StoredValue): Promise<boolean>;
  /** The records with this value in a column field, at most `limit` per activity. */
  find(
    resource: Resource,
    owners: readonly string[],
    field: string,
    value: StoredValue,
    limit: number,
  ): Promise<readonly FoundRecord[]>;
}

export function createLists(engine: Engine): Lists {
  return {
    revision: (resource, owners) => readRevision(engine, resource, owners),
    coveredUntil: (owners) => coveredUntil(engine, owners),
    page: (plan, revision, reader) => readPage(engine, plan, revision, reader),
    exists: async (resource, owners, selector, value) => {
      const condition: Condition = { op: '==', selector, value };
      for (const owner of owners)
        if ((await engine.read(existsWith(resource, owner, condition))).length > 0) return true;
      return false;
    },
    find: async (resource, owners, field, value, limit) => {
      const found: FoundRecord[] = [];
      for (const owner of owners) {
        const bodies = sql`
          select body from ${sql.quoted(resource.table)} where owner = ${owner} and ${sql.quoted(field)} = ${value} order
          by change_number ${limitTo(limit)}
        `;
        for (const [body] of await engine.read(bodies)) found.push({ owner, body: String(body) });
      }
      return found;
    },
  };
}
