// Stores the keys that sign tokens: made once per database, replaced in pairs.
import { appendEntryOf } from './audit.ts';
import type { EntryOf } from './audit-contract.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { writeOnce } from './single-statements.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insertMissing, selectRows, update } from './table-statements.ts';
import { signingKeyTable } from './tables/access.ts';

export type StoredSigningKey = RowOf<typeof signingKeyTable>;
/** A key pair to be stored. */
export type NewSigningKey = Pick<StoredSigningKey, 'kid' | 'alg' | 'publicJwk' | 'privateJwk'>;

export interface SigningKeys {
  /** All keys, oldest first. */
  list(): Promise<readonly StoredSigningKey[]>;
  /**
   * Stores one key of each kind as a generation, if that generation does not exist yet: if several processes saw the
   * same last generation and make the next one at once, the first stores all of its keys and the others none.
   * @param now milliseconds since 1970
   */
  addMissing(keys: readonly NewSigningKey[], generation: number, now: number): Promise<void>;
  /**
   * Stores one key of each kind as the next generation, and sets the end of the keys that have none.
   * @param leadMs how long from now the new keys are only published, while the others go on signing
   * @param now called within the transaction; milliseconds since 1970
   * @returns the instant from which the new keys sign; null, with nothing changed, if others are about to retire
   */
  rotate(
    keys: readonly NewSigningKey[],
    leadMs: number,
    now: () => number,
    entryOf?: EntryOf<readonly NewSigningKey[]>,
  ): Promise<number | null>;
  /** Stores a private key in another form, unless it has changed meanwhile. Returns whether it did. */
  replacePrivate(kid: string, before: string, privateJwk: string): Promise<boolean>;
}

export function createSigningKeys(engine: Engine): SigningKeys {
  return {
    list: () => engine.read(selectRows(signingKeyTable, {}, { by: ['createdAt', 'kid'] })),
    addMissing: async (keys, generation, now) => {
      await engine.write((transaction) => add(transaction, keys, generation, now));
    },
    rotate: (keys, leadMs, now, entryOf) =>
      engine.write(async (transaction) => {
        const startedAt = now();
        const signsFrom = startedAt + leadMs;
        const stored = await transaction.query(selectRows(signingKeyTable));
        const isBusy = stored.some(({ retiredAt }) => retiredAt !== null && retiredAt > startedAt);
        const generation = Math.max(0, ...stored.map((key) => key.generation)) + 1;
        if (isBusy || (await add(transaction, keys, generation, startedAt)) !== keys.length) return null;
        const { retiredAt, kid } = signingKeyTable.column;
        const added = sql.join(keys.map((key) => key.kid));
        const others = sql`${retiredAt} is null and ${kid} not in (${added})`;
        await transaction.query(update(signingKeyTable, { retiredAt: signsFrom }, others));
        await appendEntryOf(transaction, keys, entryOf);
        return signsFrom;
      }),
    replacePrivate: async (kid, before, privateJwk) =>
      (await writeOnce(engine, update(signingKeyTable, { privateJwk }, { kid, privateJwk: before }))) === 1,
  };
}

/** Adds keys in the order of their kinds, the same in every process. Returns how many were new. */
async function add(
  transaction: WriteTransaction,
  keys: readonly NewSigningKey[],
  generation: number,
  createdAt: number,
): Promise<number> {
  let added = 0;
  for (const key of keys.toSorted((a, b) => (a.alg < b.alg ? -1 : 1))) {
    const row = { ...key, generation, createdAt, retiredAt: null };
    added += (await transaction.query(insertMissing(signingKeyTable, row))).length;
  }
  return added;
}
