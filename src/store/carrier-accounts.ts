// In charge of the accounts at carriers: which activity ships with whom, under which name, and how many labels it may
// make.
import type { Kysely, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { CarrierAccountTable } from './shipping-tables.ts';
import type { Tables } from './tables.ts';

/** A stored account; the secrets are encrypted. */
export interface StoredCarrierAccount {
  readonly id: string;
  readonly owner: string;
  readonly context: string;
  readonly carrier: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Encrypted JSON object of text; null where there are none. */
  readonly secrets: string | null;
  /** Fields of the sender that a request may leave out. */
  readonly sender: Readonly<Record<string, string>>;
  /** Labels a day (UTC); null: no limit. */
  readonly dailyLimit: number | null;
  /** Milliseconds. */
  readonly createdAt: number;
}

export type NewCarrierAccount = Omit<StoredCarrierAccount, 'id' | 'createdAt'>;

/**
 * Adds an account, or changes the one of this context and carrier where it belongs to the same activity.
 * @throws OperatorError when the context has this carrier for another activity, or there is no such activity
 */
export async function putCarrierAccount(
  db: Kysely<Tables>,
  account: NewCarrierAccount,
  now: number,
): Promise<'added' | 'changed'> {
  const { owner, context, carrier } = account;
  return db.transaction().execute(async (transaction) => {
    const activity = await transaction
      .selectFrom('activity')
      .select('code')
      .where('code', '=', owner)
      .executeTakeFirst();
    if (activity === undefined)
      throw new OperatorError(
        `There is no activity ${owner}.`,
        `Add it: ./logistics-connect activity add ${owner} "Its name"`,
      );
    const told = {
      settings: JSON.stringify(account.settings),
      secrets: account.secrets,
      sender: JSON.stringify(account.sender),
      daily_limit: account.dailyLimit,
    };
    const inserted = await transaction
      .insertInto('carrier_account')
      .values({ id: uuidv7(), owner, context, carrier, ...told, last_sequence: 0, created_at: now })
      .onConflict((conflict) => conflict.columns(['context', 'carrier']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted !== undefined) return 'added';
    const changed = await transaction
      .updateTable('carrier_account')
      .set(told)
      .where('context', '=', context)
      .where('carrier', '=', carrier)
      .where('owner', '=', owner)
      .returning('id')
      .executeTakeFirst();
    if (changed === undefined)
      throw new OperatorError(
        `The context ${context} has an account at ${carrier} already, for another activity.`,
        'Choose another name for the context.',
      );
    return 'changed';
  });
}

/** All accounts, by activity, context and carrier. */
export async function listCarrierAccounts(db: Kysely<Tables>): Promise<readonly StoredCarrierAccount[]> {
  return (
    await db.selectFrom('carrier_account').selectAll().orderBy('owner').orderBy('context').orderBy('carrier').execute()
  ).map(toAccount);
}

/**
 * The account of a context at a carrier, of one of these activities; somebody else's is as unknown as one that does not
 * exist.
 */
export async function findCarrierAccount(
  db: Kysely<Tables>,
  owners: readonly string[],
  context: string,
  carrier: string,
): Promise<StoredCarrierAccount | null> {
  if (owners.length === 0) return null;
  const row = await db
    .selectFrom('carrier_account')
    .selectAll()
    .where('context', '=', context)
    .where('carrier', '=', carrier)
    .where('owner', 'in', [...owners])
    .executeTakeFirst();
  return row === undefined ? null : toAccount(row);
}

/** Removes an account; labels that were made with it stay. Returns whether there was one. */
export async function removeCarrierAccount(db: Kysely<Tables>, context: string, carrier: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('carrier_account')
    .where('context', '=', context)
    .where('carrier', '=', carrier)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function toAccount(row: Selectable<CarrierAccountTable>): StoredCarrierAccount {
  return {
    id: row.id,
    owner: row.owner,
    context: row.context,
    carrier: row.carrier,
    settings: textsOf(row.settings),
    secrets: row.secrets,
    sender: textsOf(row.sender),
    dailyLimit: row.daily_limit === null ? null : Number(row.daily_limit),
    createdAt: Number(row.created_at),
  };
}

/** The texts of a JSON object. */
export function textsOf(json: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
