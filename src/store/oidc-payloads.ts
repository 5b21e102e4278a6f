// The stored state of the authorization server: sessions, sign-ins in progress, grants, codes, refresh tokens.
import { appendAudit } from './audit.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';
import type { RowOf } from './table.ts';
import { condition, insertMissing, remove, selectRows, update, upsert, type Where } from './table-statements.ts';
import { oidcPayloadTable } from './tables/access.ts';

export type StoredPayload = RowOf<typeof oidcPayloadTable>;

/** Identifies a payload of one kind, such as `Grant`, by the hash of its id. */
type PayloadKey = Pick<StoredPayload, 'model' | 'idHash'>;

export type NewPayload = Omit<StoredPayload, 'consumedAt'>;

/** What is stored in the transaction that uses a payload, or not at all. */
interface StoredWithUse {
  /** Returned again to whoever repeats the request. */
  readonly answer?: NewPayload | undefined;
  /** A row that only one of several uses can add: if it exists, nothing is used. */
  readonly turn?: NewPayload | undefined;
  /** The payload itself, if it is not stored yet. */
  readonly lost?: NewPayload | undefined;
}

/** All instants in milliseconds since 1970; expired payloads are treated as absent. */
export interface OidcPayloads {
  /** Stores a new payload or a changed one; whether it was used is kept. */
  put(payload: NewPayload): Promise<void>;
  /** The same for a changed one alone: if it has been removed meanwhile, it stays so. */
  replace(payload: NewPayload): Promise<void>;
  find(key: PayloadKey, now: number): Promise<StoredPayload | null>;
  findByUid(model: string, uid: string, now: number): Promise<StoredPayload | null>;
  /**
   * Checks that a payload exists and finds payloads of another kind by its second name; one query, so that none of them
   * can be missed while it exists.
   * @returns hashes of their ids; null if the payload does not exist
   */
  withNamed(
    key: PayloadKey,
    named: Pick<StoredPayload, 'model' | 'uid'>,
    now: number,
  ): Promise<readonly string[] | null>;
  /**
   * Marks a payload as used. One statement, because simultaneous requests may all have read the same unused code before
   * the first of them uses it.
   * @param together what is stored in the same transaction if this is the first use
   * @returns false if it was used already, or does not exist
   */
  spend(key: PayloadKey, now: number, together?: StoredWithUse): Promise<boolean>;
  remove(key: PayloadKey): Promise<void>;
  /** Removes the payloads of one kind made under a grant. */
  removeOfGrant(model: string, grantId: string): Promise<void>;
  /** Ends one session by its second name; what clients got in it stays. */
  removeSession(uid: string): Promise<void>;
  /** Ends everything of a user or of a client. */
  removeAllOf(whose: { readonly accountId: string } | { readonly clientId: string }): Promise<void>;
  /** The grants of a user, newest first, a thousand at most. */
  grantsOf(accountId: string, now: number): Promise<readonly StoredPayload[]>;
  /** When a refresh token was last used, by the id of its grant. */
  lastRefreshes(accountId: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Ends everything that a user allowed a client, and adds the audit entry in the same transaction.
   * @returns ids of the grants, as far as they are known; null if there was nothing
   */
  endProgram(accountId: string, clientId: string, audit: NewAuditEntry): Promise<readonly string[] | null>;
  /** Removes payloads of one kind that belong to nobody, except the newest. */
  removeOldest(model: string, keep: number): Promise<void>;
  /** Removes expired payloads; two processes may do it at once. Returns their number. */
  removeExpired(now: number): Promise<number>;
}

export function createOidcPayloads(engine: Engine): OidcPayloads {
  const { column, quoted } = oidcPayloadTable;
  const lasting = (where: Where<typeof oidcPayloadTable.columns>, now: number): Sql =>
    sql.all([condition(oidcPayloadTable, where), sql`${column.expiresAt} > ${now}`]);
  const removeWhere = async (where: Where<typeof oidcPayloadTable.columns>): Promise<void> =>
    void (await writeOnce(engine, remove(oidcPayloadTable, where)));
  return {
    put: async (payload) => {
      const replaced = ['payload', 'grantId', 'uid', 'accountId', 'clientId', 'expiresAt'] as const;
      await writeOnce(engine, upsert(oidcPayloadTable, { ...payload, consumedAt: null }, replaced));
    },
    replace: async ({ model, idHash, ...changes }) =>
      void (await writeOnce(engine, update(oidcPayloadTable, changes, { model, idHash }))),
    find: ({ model, idHash }, now) => readFirst(engine, selectRows(oidcPayloadTable, lasting({ model, idHash }, now))),
    findByUid: (model, uid, now) => readFirst(engine, selectRows(oidcPayloadTable, lasting({ model, uid }, now))),
    withNamed: async ({ model, idHash }, { model: other, uid }, now) => {
      const hashes = sql`
        select ${column.idHash} from ${quoted} where ${lasting({ model, idHash }, now)}
        union all select ${column.idHash} from ${quoted} where ${lasting({ model: other, uid }, now)}
      `;
      const found = await engine.read(rowsAs(hashes, ([hash]) => String(hash)));
      return found.includes(idHash) ? found.filter((hash) => hash !== idHash) : null;
    },
    spend: async (key, now, together) => {
      const { model, idHash } = key;
      const use = update(oidcPayloadTable, { consumedAt: now }, { model, idHash, consumedAt: null });
      if (together === undefined) return (await writeOnce(engine, use)) === 1;
      const { answer, turn, lost } = together;
      return engine.write(async (transaction) => {
        const first = async (statement: Statement): Promise<boolean> =>
          (await transaction.query(statement)).length === 1;
        const added = (row: NewPayload, consumedAt: number | null): Promise<boolean> =>
          first(insertMissing(oidcPayloadTable, { ...row, consumedAt }));
        if (turn !== undefined && !(await added(turn, null))) return false;
        if (!(await (lost === undefined ? first(use) : added(lost, now)))) return false;
        if (answer !== undefined) await transaction.query(upsert(oidcPayloadTable, { ...answer, consumedAt: null }));
        return true;
      });
    },
    remove: ({ model, idHash }) => removeWhere({ model, idHash }),
    removeOfGrant: (model, grantId) => removeWhere({ model, grantId }),
    removeSession: (uid) => removeWhere({ model: 'Session', uid }),
    removeAllOf: (whose) => removeWhere(whose),
    grantsOf: (accountId, now) => {
      const newest = { by: ['expiresAt'], descending: true, limit: maxGrants } as const;
      return engine.read(selectRows(oidcPayloadTable, lasting({ model: 'Grant', accountId }, now), newest));
    },
    lastRefreshes: async (accountId) => {
      const used = sql`
        select ${column.grantId}, max(${column.consumedAt}) from ${quoted}
        where ${condition(oidcPayloadTable, { model: 'RefreshToken', accountId })} and ${column.consumedAt} is not null
        group by ${column.grantId}
      `;
      return new Map(await engine.read(rowsAs(used, ([grantId, at]) => [String(grantId), Number(at)] as const)));
    },
    endProgram: (accountId, clientId, audit) =>
      engine.write(async (transaction) => {
        const grantIds = sql`
          select distinct ${column.grantId} from ${quoted}
          where ${condition(oidcPayloadTable, { accountId, clientId })} and ${column.grantId} is not null
        `;
        const known = (await transaction.query(grantIds)).map(([grantId]) => String(grantId));
        if ((await transaction.query(remove(oidcPayloadTable, { accountId, clientId }))).length === 0) return null;
        await appendAudit(transaction, audit);
        return known;
      }),
    removeOldest: (model, keep) => {
      const nameless = condition(oidcPayloadTable, { model, accountId: null });
      const newestOfOthers = sql`
        select ${column.expiresAt} from ${quoted} where ${nameless}
        order by ${column.expiresAt} desc limit 1 offset ${keep}
      `;
      return removeWhere(sql`${nameless} and ${column.expiresAt} <= (${newestOfOthers})`);
    },
    removeExpired: (now) =>
      removeInBatches(engine, { table: 'oidc_payload', where: sql`expires_at <= ${now}`, by: 'expires_at' }),
  };
}

/** Listed for a person; each grant is a sign-in to a client. */
const maxGrants = 1000;
