// Stores the keys of programs on the warehouse side.
import { appendAudit, appendEntryOf } from './audit.ts';
import type { EntryOf, NewAuditEntry } from './audit-contract.ts';
import type { Engine } from './engine.ts';
import type { PageQuery } from './key-pages.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { sql, type Statement } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, selectPage, selectRows, update } from './table-statements.ts';
import { platformKeyTable } from './tables/access.ts';

export type StoredPlatformKey = RowOf<typeof platformKeyTable>;

/** Keys to add, and the ids of those to revoke. */
interface PlatformKeyEdits {
  readonly added: readonly StoredPlatformKey[];
  readonly revoked: readonly string[];
}

export interface PlatformKeys {
  /** Adds a key; throws if there is already one with this id. */
  add(key: StoredPlatformKey, entryOf?: EntryOf<StoredPlatformKey>): Promise<void>;
  /** All keys, revoked ones too, oldest first. */
  list(): Promise<readonly StoredPlatformKey[]>;
  /** One page of keys, by id. */
  page(query: PageQuery): Promise<readonly StoredPlatformKey[]>;
  /** The key with this id, revoked or not. */
  byId(id: string): Promise<StoredPlatformKey | null>;
  /** The key with this id, unless it is revoked. */
  active(id: string): Promise<StoredPlatformKey | null>;
  /**
   * Revokes a key; once more changes nothing.
   * @param now milliseconds since 1970
   * @returns the key as it is now; null if there is none with this id
   */
  revoke(id: string, now: number, entryOf?: EntryOf<StoredPlatformKey>): Promise<StoredPlatformKey | null>;
  /**
   * Adds and revokes keys, all or none.
   * @param now milliseconds since 1970
   * @param entries of the audit trail, in the same transaction
   */
  edit(edits: PlatformKeyEdits, now: number, entries: readonly NewAuditEntry[]): Promise<void>;
  /**
   * Records that a key was used.
   * @param now milliseconds since 1970
   * @param notSince nothing is written if a use after this instant is already recorded
   */
  noteUse(id: string, now: number, notSince: number): Promise<void>;
}

export function createPlatformKeys(engine: Engine): PlatformKeys {
  const { id: idColumn, lastUsedAt } = platformKeyTable.column;
  return {
    add: (key, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(insert(platformKeyTable, key));
        await appendEntryOf(transaction, key, entryOf);
      }),
    list: () => engine.read(selectRows(platformKeyTable, {}, { by: ['createdAt', 'id'] })),
    page: (query) => engine.read(selectPage(platformKeyTable, 'id', query)),
    byId: (id) => readFirst(engine, selectRows(platformKeyTable, { id })),
    active: (id) => readFirst(engine, selectRows(platformKeyTable, { id, revokedAt: null })),
    revoke: (id, now, entryOf) =>
      engine.write(async (transaction) => {
        const isRevoked = (await transaction.query(revocation(id, now))).length > 0;
        const [key] = await transaction.query(selectRows(platformKeyTable, { id }));
        if (key !== undefined && isRevoked) await appendEntryOf(transaction, key, entryOf);
        return key ?? null;
      }),
    edit: ({ added, revoked }, now, entries) =>
      engine.write(async (transaction) => {
        for (const key of added) await transaction.query(insert(platformKeyTable, key));
        for (const id of revoked) await transaction.query(revocation(id, now));
        for (const entry of entries) await appendAudit(transaction, entry);
      }),
    noteUse: async (id, now, notSince) => {
      const isOld = sql`${idColumn} = ${id} and (${lastUsedAt} is null or ${lastUsedAt} <= ${notSince})`;
      await writeOnce(engine, update(platformKeyTable, { lastUsedAt: now }, isOld));
    },
  };
}

function revocation(id: string, now: number): Statement<unknown> {
  return update(platformKeyTable, { revokedAt: now }, { id, revokedAt: null });
}
