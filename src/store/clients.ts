// In charge of the programs that may ask for tokens, as they are stored.
import type { Engine } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { oauthClientTable, oidcPayloadTable } from './tables/access.ts';

export type StoredClient = RowOf<typeof oauthClientTable>;

export interface Clients {
  /** Adds a client; throws where there is one with this id. */
  add(client: StoredClient): Promise<void>;
  /** All clients, disabled ones too, oldest first. */
  list(): Promise<readonly StoredClient[]>;
  /** The client with this id, disabled or not. */
  byId(id: string): Promise<StoredClient | null>;
  /** The client with this id that is not disabled. */
  active(id: string): Promise<StoredClient | null>;
  /**
   * Disables a client and ends all that it was given. Again: ends what has begun since.
   * @param now milliseconds since 1970
   */
  disable(id: string, now: number): Promise<void>;
  changeSecret(id: string, secretHash: string): Promise<void>;
  /** Removes a client and ends all that it was given. */
  remove(id: string): Promise<void>;
}

export function createClients(engine: Engine): Clients {
  return {
    add: async (client) => void (await writeOnce(engine, insert(oauthClientTable, client))),
    list: () => engine.read(selectRows(oauthClientTable, {}, { by: ['createdAt', 'id'] })),
    byId: (id) => readFirst(engine, selectRows(oauthClientTable, { id })),
    active: (id) => readFirst(engine, selectRows(oauthClientTable, { id, disabledAt: null })),
    disable: (id, now) =>
      engine.write(async (transaction) => {
        await transaction.query(update(oauthClientTable, { disabledAt: now }, { id, disabledAt: null }));
        await transaction.query(remove(oidcPayloadTable, { clientId: id }));
      }),
    changeSecret: async (id, secretHash) =>
      void (await writeOnce(engine, update(oauthClientTable, { secretHash }, { id }))),
    remove: (id) =>
      engine.write(async (transaction) => {
        await transaction.query(remove(oauthClientTable, { id }));
        await transaction.query(remove(oidcPayloadTable, { clientId: id }));
      }),
  };
}
