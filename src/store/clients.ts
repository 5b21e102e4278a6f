// Stores the clients: programs that may request tokens.
import { appendAudit, appendEntryOf } from './audit.ts';
import type { EntryOf, NewAuditEntry } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { forUpdate } from './sql-dialects.ts';
import type { PageQuery } from './key-pages.ts';
import { readFirst } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectPage, selectRows, update } from './table-statements.ts';
import { oauthClientTable, oidcPayloadTable } from './tables/access.ts';

export type StoredClient = RowOf<typeof oauthClientTable>;

/** The properties of a client that the operator may change, apart from its secret. */
export type ClientChanges = Partial<
  Pick<StoredClient, 'name' | 'redirectUris' | 'activityCodes' | 'readOnly' | 'service' | 'pkceRequired' | 'platform'>
>;

/** A client as the operator wants it: a new one, or the changes to an existing one. */
export type ClientEdit =
  | { readonly kind: 'add'; readonly client: StoredClient }
  | {
      readonly kind: 'change';
      /** The client as it was when the edit was decided. */
      readonly before: StoredClient;
      readonly changes: ClientChanges & Partial<Pick<StoredClient, 'disabledAt'>>;
    };

/** A client before and after a change. */
interface ChangedRow {
  readonly before: StoredClient;
  readonly after: StoredClient;
}

/** Until when a changed secret stays valid beside the new one, and what time it is. Milliseconds since 1970. */
export interface KeptSecret {
  readonly until: number;
  readonly now: number;
}

export interface Clients {
  /** Adds a client; throws if there is already one with this id. */
  add(client: StoredClient, entryOf?: EntryOf<StoredClient>): Promise<void>;
  /** All clients, disabled ones too, oldest first. */
  list(): Promise<readonly StoredClient[]>;
  /** One page of clients, by id. */
  page(query: PageQuery): Promise<readonly StoredClient[]>;
  /** The client with this id, disabled or not. */
  byId(id: string): Promise<StoredClient | null>;
  /** The client with this id, unless it is disabled. */
  active(id: string): Promise<StoredClient | null>;
  /**
   * Disables a client and revokes everything it was given. Called again, revokes what was granted since.
   * @param now milliseconds since 1970
   * @returns the client as it is now; null if there is none with this id
   */
  disable(id: string, now: number, entryOf?: EntryOf<StoredClient>): Promise<StoredClient | null>;
  /**
   * Lets a disabled client request tokens again; what it was given before stays revoked.
   * @returns the client as it is now; null if there is none with this id
   */
  enable(id: string, entryOf?: EntryOf<StoredClient>): Promise<StoredClient | null>;
  /**
   * Changes a client, based on its current state.
   * @param decide returns the changes; if it throws, nothing is changed and the error is passed on
   * @returns the changed client; null if there is none with this id
   */
  change(
    id: string,
    decide: (client: StoredClient) => ClientChanges,
    entryOf?: EntryOf<ChangedRow>,
  ): Promise<StoredClient | null>;
  /**
   * Gives a client a new secret.
   * @param kept until when the current secret stays valid; null: it ends at once
   * @returns null; or, with nothing changed, until when the secret before the current one is still valid, although the
   * current one is to be kept: there is room for one
   */
  changeSecret(
    id: string,
    secretHash: string,
    kept: KeptSecret | null,
    entryOf?: EntryOf<StoredClient>,
  ): Promise<number | null>;
  /**
   * Makes the kept secret the only one again, in place of a new one that nobody has.
   * @param secretHash of the new one
   * @returns false, with nothing changed, if the secret has been changed since, or none was kept
   */
  takeBackSecret(id: string, secretHash: string, entryOf?: EntryOf<StoredClient>): Promise<boolean>;
  /**
   * Adds and changes clients, all or none. A client that becomes disabled loses everything it was given.
   * @param entries of the audit trail, in the same transaction
   * @returns false, with nothing changed, if one of them has changed since the edit was decided
   */
  edit(edits: readonly ClientEdit[], entries: readonly NewAuditEntry[]): Promise<boolean>;
  /** Removes a client and revokes everything it was given. Returns the client as it was; null if there was none. */
  remove(id: string, entryOf?: EntryOf<StoredClient>): Promise<StoredClient | null>;
}

export function createClients(engine: Engine): Clients {
  return {
    add: (client, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(insert(oauthClientTable, client));
        await appendEntryOf(transaction, client, entryOf);
      }),
    list: () => engine.read(selectRows(oauthClientTable, {}, { by: ['createdAt', 'id'] })),
    page: (query) => engine.read(selectPage(oauthClientTable, 'id', query)),
    byId: (id) => readFirst(engine, selectRows(oauthClientTable, { id })),
    active: (id) => readFirst(engine, selectRows(oauthClientTable, { id, disabledAt: null })),
    disable: (id, now, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(update(oauthClientTable, { disabledAt: now }, { id, disabledAt: null }));
        await transaction.query(remove(oidcPayloadTable, { clientId: id }));
        return recorded(transaction, id, entryOf);
      }),
    enable: (id, entryOf) =>
      engine.write(async (transaction) => {
        await transaction.query(update(oauthClientTable, { disabledAt: null }, { id }));
        return recorded(transaction, id, entryOf);
      }),
    change: (id, decide, entryOf) => engine.write((transaction) => changeClient(transaction, id, decide, entryOf)),
    changeSecret: (id, secretHash, kept, entryOf) =>
      engine.write(async (transaction) => {
        const client = await lockedClient(transaction, id);
        if (client === null) return null;
        const { previousSecretUntil: until } = client;
        if (kept !== null && until !== null && until > kept.now) return until;
        const previous = { previousSecretHash: client.secretHash, previousSecretUntil: kept?.until ?? null };
        const none = { previousSecretHash: null, previousSecretUntil: null };
        const changes = { secretHash, ...(kept === null ? none : previous) };
        await transaction.query(update(oauthClientTable, changes, { id }));
        await appendEntryOf(transaction, client, entryOf);
        return null;
      }),
    takeBackSecret: (id, secretHash, entryOf) =>
      engine.write(async (transaction) => {
        const client = await lockedClient(transaction, id);
        if (client === null || client.secretHash !== secretHash || client.previousSecretHash === null) return false;
        const changes = { secretHash: client.previousSecretHash, previousSecretHash: null, previousSecretUntil: null };
        await transaction.query(update(oauthClientTable, changes, { id }));
        await appendEntryOf(transaction, client, entryOf);
        return true;
      }),
    edit: (edits, entries) => editClients(engine, edits, entries),
    remove: (id, entryOf) =>
      engine.write(async (transaction) => {
        const client = await recorded(transaction, id, entryOf);
        await transaction.query(remove(oauthClientTable, { id }));
        await transaction.query(remove(oidcPayloadTable, { clientId: id }));
        return client;
      }),
  };
}

/** The client as it is, with the entry of what was done with it. */
async function recorded(
  transaction: WriteTransaction,
  id: string,
  entryOf: EntryOf<StoredClient> | undefined,
): Promise<StoredClient | null> {
  const client = await lockedClient(transaction, id);
  if (client !== null) await appendEntryOf(transaction, client, entryOf);
  return client;
}

async function changeClient(
  transaction: WriteTransaction,
  id: string,
  decide: (client: StoredClient) => ClientChanges & Partial<Pick<StoredClient, 'disabledAt'>>,
  entryOf?: EntryOf<ChangedRow>,
): Promise<StoredClient | null> {
  const client = await lockedClient(transaction, id);
  if (client === null) return null;
  const changes = decide(client);
  const after = { ...client, ...changes };
  if (Object.keys(changes).length > 0) {
    await transaction.query(update(oauthClientTable, changes, { id }));
    await appendEntryOf(transaction, { before: client, after }, entryOf);
  }
  return after;
}

async function lockedClient(transaction: WriteTransaction, id: string): Promise<StoredClient | null> {
  const one = rowsAs(sql`${selectRows(oauthClientTable, { id })}${forUpdate}`, oauthClientTable.toRow);
  return (await transaction.query(one))[0] ?? null;
}

class Outdated extends Error {}

async function editClients(
  engine: Engine,
  edits: readonly ClientEdit[],
  entries: readonly NewAuditEntry[],
): Promise<boolean> {
  try {
    await engine.write(async (transaction) => {
      for (const edit of edits) await editClient(transaction, edit);
      for (const entry of entries) await appendAudit(transaction, entry);
    });
    return true;
  } catch (error) {
    if (error instanceof Outdated) return false;
    throw error;
  }
}

async function editClient(transaction: WriteTransaction, edit: ClientEdit): Promise<void> {
  const { query } = transaction;
  if (edit.kind === 'add') {
    await query(insert(oauthClientTable, edit.client));
    return;
  }
  const { before, changes } = edit;
  const kept = ['name', 'redirectUris', 'activityCodes', 'readOnly', 'service', 'pkceRequired', 'platform'] as const;
  const now = await changeClient(transaction, before.id, (client) => {
    const isAsItWas =
      kept.every((field) => JSON.stringify(client[field]) === JSON.stringify(before[field])) &&
      client.disabledAt === before.disabledAt;
    if (!isAsItWas) throw new Outdated();
    return changes;
  });
  if (now === null) throw new Outdated();
  if (typeof changes.disabledAt === 'number') await query(remove(oidcPayloadTable, { clientId: before.id }));
}
