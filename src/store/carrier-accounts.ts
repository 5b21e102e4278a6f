// Accounts at carriers: which activity ships with which carrier, under which name, and how many labels it may make.
import { v7 as uuidv7 } from 'uuid';
import { OperatorError } from '../model/operator-error.ts';
import { appendEntryOf } from './audit.ts';
import type { EntryOf } from './audit-contract.ts';
import { lockCounters } from './counters.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { readFirst, writeOnce } from './single-statements.ts';
import { perEngine, rowsAs, sql, type Statement } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, selectRows, update } from './table-statements.ts';
import { carrierAccountTable, shippingLabelTable } from './tables/shipping.ts';

type AccountRow = RowOf<typeof carrierAccountTable>;

/** A stored account; the secrets are encrypted. */
export interface StoredCarrierAccount extends Omit<AccountRow, 'settings' | 'sender' | 'lastSequence'> {
  readonly settings: Readonly<Record<string, string>>;
  /** Sender fields that a request may omit. */
  readonly sender: Readonly<Record<string, string>>;
}

export type NewCarrierAccount = Omit<StoredCarrierAccount, 'id' | 'createdAt'>;

/** What can be changed in an account. */
type AccountChange = Partial<Pick<NewCarrierAccount, 'settings' | 'secrets' | 'sender' | 'dailyLimit'>>;

export interface CarrierAccounts {
  /**
   * Adds an account. Returns whether it did: not when there is one with this context and carrier.
   * @throws OperatorError when there is no such activity
   */
  add(account: NewCarrierAccount, now: number, entryOf?: EntryOf<'added'>): Promise<boolean>;
  /**
   * Adds an account, or changes the one with this context and carrier if it belongs to the same activity.
   * @throws OperatorError when another activity has this carrier in this context, or there is no such activity
   */
  put(account: NewCarrierAccount, now: number, entryOf?: EntryOf<'added' | 'changed'>): Promise<'added' | 'changed'>;
  /** Changes an account unless its settings or secrets have changed since it was read. Returns whether it did. */
  change(
    before: StoredCarrierAccount,
    change: AccountChange,
    entryOf?: EntryOf<StoredCarrierAccount>,
  ): Promise<boolean>;
  /** All accounts, by activity, context and carrier. */
  list(): Promise<readonly StoredCarrierAccount[]>;
  /**
   * The account of a context at a carrier, if it belongs to one of these activities (null: any); accounts of other
   * activities are treated as nonexistent.
   */
  find(activities: readonly string[] | null, context: string, carrier: string): Promise<StoredCarrierAccount | null>;
  /** The accounts of these activities, by context and carrier; at most 1000. */
  ofActivities(activities: readonly string[]): Promise<readonly StoredCarrierAccount[]>;
  /** Replaces the stored form of an account's secrets, unless they have changed meanwhile. Returns whether it did. */
  replaceSecrets(id: string, before: string, secrets: string): Promise<boolean>;
  /** When a label was last made with an account, or may have been; null: never. */
  lastLabelAt(account: Pick<StoredCarrierAccount, 'id' | 'activity'>): Promise<number | null>;
  /** Removes an account; labels made with it stay. Returns whether there was one. */
  remove(context: string, carrier: string, entryOf?: EntryOf<null>): Promise<boolean>;
}

/** The accounts at carriers of a database. */
export function createCarrierAccounts(engine: Engine): CarrierAccounts {
  return {
    add: (account, now, entryOf) =>
      engine.write(async (transaction) => {
        const isAdded = await addAccount(transaction, account, now);
        if (isAdded) await appendEntryOf(transaction, 'added', entryOf);
        return isAdded;
      }),
    put: (account, now, entryOf) =>
      engine.write(async (transaction) => {
        const outcome = await putAccount(transaction, account, now);
        await appendEntryOf(transaction, outcome, entryOf);
        return outcome;
      }),
    change: (before, change, entryOf) =>
      engine.write(async (transaction) => {
        const { id, settings, secrets, sender } = before;
        const where = { id, settings: JSON.stringify(settings), secrets, sender: JSON.stringify(sender) };
        const changed = await transaction.query(update(carrierAccountTable, changedCells(change), where));
        if (changed.length !== 1) return false;
        await appendEntryOf(transaction, before, entryOf);
        return true;
      }),
    list: async () =>
      (await engine.read(selectRows(carrierAccountTable, {}, { by: ['activity', 'context', 'carrier'] }))).map(
        toAccount,
      ),
    find: async (activities, context, carrier) => {
      const found = await readFirst(
        engine,
        selectRows(carrierAccountTable, { context, carrier, ...(activities !== null && { activity: activities }) }),
      );
      return found === null ? null : toAccount(found);
    },
    ofActivities: async (activities) => {
      const order = { by: ['context', 'carrier'], limit: 1000 } as const;
      return (await engine.read(selectRows(carrierAccountTable, { activity: activities }, order))).map(toAccount);
    },
    replaceSecrets: async (id, before, secrets) =>
      (await writeOnce(engine, update(carrierAccountTable, { secrets }, { id, secrets: before }))) === 1,
    lastLabelAt: ({ id, activity }) => readFirst(engine, lastLabelOf(activity, id)),
    remove: (context, carrier, entryOf) =>
      engine.write(async (transaction) => {
        const removed = await transaction.query(remove(carrierAccountTable, { context, carrier }));
        if (removed.length === 0) return false;
        await appendEntryOf(transaction, null, entryOf);
        return true;
      }),
  };
}

async function addAccount(transaction: WriteTransaction, account: NewCarrierAccount, now: number): Promise<boolean> {
  const { activity, context, carrier } = account;
  await lockCounters(transaction, activity);
  const row = { id: uuidv7(), activity, context, carrier, ...cellsOf(account), lastSequence: 0, createdAt: now };
  const { column } = carrierAccountTable;
  const added = await transaction.query(
    sql`${insert(carrierAccountTable, row)} on conflict (${column.context}, ${column.carrier}) do nothing returning 1`,
  );
  return added.length > 0;
}

async function putAccount(
  transaction: WriteTransaction,
  account: NewCarrierAccount,
  now: number,
): Promise<'added' | 'changed'> {
  if (await addAccount(transaction, account, now)) return 'added';
  const { activity, context, carrier } = account;
  const changed = await transaction.query(
    update(carrierAccountTable, cellsOf(account), { context, carrier, activity }),
  );
  if (changed.length === 0)
    throw new OperatorError(
      `The context ${context} has an account at ${carrier} already, for another activity.`,
      'Choose another name for the context.',
    );
  return 'changed';
}

/** Labels that the carrier refused, and those that were made elsewhere, do not count. */
function lastLabelOf(activity: string, accountId: string): Statement<number> {
  const { quoted, column } = shippingLabelTable;
  const states = sql.join(['asked', 'made', 'unknown', 'past', 'voided']);
  // SQLite would go through all labels of the account by an index that begins with the activity.
  const ofActivity = perEngine({
    sqlite: () => sql`+${column.activity} = ${activity}`,
    postgres: () => sql`${column.activity} = ${activity}`,
  });
  return rowsAs(
    sql`
      select ${column.createdAt} from ${quoted}
      where ${ofActivity} and ${column.accountId} = ${accountId} and ${column.state} in (${states})
      order by ${column.createdAt} desc limit 1
    `,
    ([at]) => Number(at),
  );
}

function cellsOf({ settings, secrets, sender, dailyLimit }: NewCarrierAccount) {
  return { settings: JSON.stringify(settings), secrets, sender: JSON.stringify(sender), dailyLimit };
}

/** The columns of a change; the others stay. */
function changedCells({ settings, sender, ...rest }: AccountChange) {
  return {
    ...rest,
    ...(settings !== undefined && { settings: JSON.stringify(settings) }),
    ...(sender !== undefined && { sender: JSON.stringify(sender) }),
  };
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
