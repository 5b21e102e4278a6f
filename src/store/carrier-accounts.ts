// Accounts at carriers: which activity ships with which carrier, under which name, and how many labels it may make.
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { activityTable } from './tables/activities.ts';
import { carrierAccountTable } from './tables/shipping.ts';

type AccountRow = RowOf<typeof carrierAccountTable>;

/** A stored account; the secrets are encrypted. */
export interface StoredCarrierAccount extends Omit<AccountRow, 'settings' | 'sender' | 'lastSequence'> {
  readonly settings: Readonly<Record<string, string>>;
  /** Sender fields that a request may omit. */
  readonly sender: Readonly<Record<string, string>>;
}

export type NewCarrierAccount = Omit<StoredCarrierAccount, 'id' | 'createdAt'>;

export interface CarrierAccounts {
  /**
   * Adds an account, or changes the one with this context and carrier if it belongs to the same activity.
   * @throws OperatorError when another activity has this carrier in this context, or there is no such activity
   */
  put(account: NewCarrierAccount, now: number): Promise<'added' | 'changed'>;
  /** All accounts, by activity, context and carrier. */
  list(): Promise<readonly StoredCarrierAccount[]>;
  /**
   * The account of a context at a carrier, if it belongs to one of these activities; accounts of other activities are
   * treated as nonexistent.
   */
  find(activities: readonly string[], context: string, carrier: string): Promise<StoredCarrierAccount | null>;
  /** The accounts of these activities, by context and carrier; at most 1000. */
  ofActivities(activities: readonly string[]): Promise<readonly StoredCarrierAccount[]>;
  /** Replaces the stored form of an account's secrets, unless they have changed meanwhile. Returns whether it did. */
  replaceSecrets(id: string, before: string, secrets: string): Promise<boolean>;
  /** Removes an account; labels made with it stay. Returns whether there was one. */
  remove(context: string, carrier: string): Promise<boolean>;
}

/** The accounts at carriers of a database. */
export function createCarrierAccounts(engine: Engine): CarrierAccounts {
  return {
    put: (account, now) => engine.write((transaction) => putAccount(transaction, account, now)),
    list: async () =>
      (await engine.read(selectRows(carrierAccountTable, {}, { by: ['activity', 'context', 'carrier'] }))).map(
        toAccount,
      ),
    find: async (activities, context, carrier) => {
      const found = await readFirst(
        engine,
        selectRows(carrierAccountTable, { context, carrier, activity: activities }),
      );
      return found === null ? null : toAccount(found);
    },
    ofActivities: async (activities) => {
      const order = { by: ['context', 'carrier'], limit: 1000 } as const;
      return (await engine.read(selectRows(carrierAccountTable, { activity: activities }, order))).map(toAccount);
    },
    replaceSecrets: async (id, before, secrets) =>
      (await writeOnce(engine, update(carrierAccountTable, { secrets }, { id, secrets: before }))) === 1,
    remove: async (context, carrier) =>
      (await writeOnce(engine, remove(carrierAccountTable, { context, carrier }))) > 0,
  };
}

async function putAccount(
  transaction: WriteTransaction,
  account: NewCarrierAccount,
  now: number,
): Promise<'added' | 'changed'> {
  const { activity, context, carrier } = account;
  if ((await transaction.query(selectRows(activityTable, { code: activity }))).length === 0)
    throw new OperatorError(
      `There is no activity ${activity}.`,
      `Add it: ./logistics-connect activity add ${activity} "Its name"`,
    );
  const told = {
    settings: JSON.stringify(account.settings),
    secrets: account.secrets,
    sender: JSON.stringify(account.sender),
    dailyLimit: account.dailyLimit,
  };
  const row = { id: uuidv7(), activity, context, carrier, ...told, lastSequence: 0, createdAt: now };
  const { column } = carrierAccountTable;
  const added = await transaction.query(
    sql`${insert(carrierAccountTable, row)} on conflict (${column.context}, ${column.carrier}) do nothing returning 1`,
  );
  if (added.length > 0) return 'added';
  const changed = await transaction.query(update(carrierAccountTable, told, { context, carrier, activity }));
  if (changed.length === 0)
    throw new OperatorError(
      `The context ${context} has an account at ${carrier} already, for another activity.`,
      'Choose another name for the context.',
    );
  return 'changed';
}

/** The order of the properties is fixed because commands print the account as it is. */
function toAccount(row: AccountRow): StoredCarrierAccount {
  const { id, activity, context, carrier, secrets, dailyLimit, createdAt } = row;
  const [settings, sender] = [textsOfJson(row.settings), textsOfJson(row.sender)];
  return { id, activity, context, carrier, settings, secrets, sender, dailyLimit, createdAt };
}

/** The string properties of a JSON object. */
export function textsOfJson(json: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
