// Notes that a message withdrew records that were not there, or withdrawn already: what was said before, but comes
// later, does not bring them.
import type { Withdrawal } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { WriteTransaction } from './engine.ts';
import type { FeedMessage } from './feed-contract.ts';
import { selectKeyed } from './keyed-rows.ts';
import { rowsAs, sql } from './statement.ts';
import { feedWithdrawalTable } from './tables/feeds.ts';

/** What a message withdrew. */
interface NotedWithdrawal {
  readonly naturalKey: string;
  readonly message: number;
  readonly line: number | null;
  readonly element: number | null;
  /** Milliseconds since 1970. */
  readonly notedAt: number;
}

/** Notes withdrawals of a message: each feed has one note for a record, of the message that said so last. */
export async function noteWithdrawals(
  transaction: WriteTransaction,
  { activity, resource, feed, id }: FeedMessage,
  withdrawals: readonly { readonly naturalKey: string; readonly withdrawal: Withdrawal }[],
  now: number,
): Promise<void> {
  if (withdrawals.length === 0) return;
  const notes = withdrawals.map(({ naturalKey, withdrawal: { line = null, element = null } }) => ({
    ...{ activity, naturalKey, resource, feed, message: id, line, element, notedAt: now },
  }));
  // A statement must not write one row twice.
  const last = new Map(notes.map((note) => [note.naturalKey, note]));
  await transaction.putRows(feedWithdrawalTable.target, [...last.values()].map(feedWithdrawalTable.toCells));
}

/** The notes on records with these keys, of all feeds. */
export async function notedWithdrawals(
  transaction: WriteTransaction,
  { name }: Resource,
  activity: string,
  keys: readonly string[],
): Promise<readonly NotedWithdrawal[]> {
  if (keys.length === 0) return [];
  const { resource, naturalKey, message, line, element, notedAt } = feedWithdrawalTable.column;
  const noted = {
    ...{ table: feedWithdrawalTable.name, activity, column: 'natural_key', keys, unique: false },
    and: sql`${resource} = ${name}`,
  };
  return transaction.query(
    rowsAs(selectKeyed(noted, sql.join([naturalKey, message, line, element, notedAt])), (row) => {
      const [key, id, atLine = null, atElement = null, at] = row;
      return {
        naturalKey: String(key),
        message: Number(id),
        line: atLine === null ? null : Number(atLine),
        element: atElement === null ? null : Number(atElement),
        notedAt: Number(at),
      };
    }),
  );
}
