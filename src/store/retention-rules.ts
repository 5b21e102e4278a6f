// The rules by which activities keep data for another time than the settings say.
import { appendEntryOf } from './audit.ts';
import type { EntryOf } from './audit-contract.ts';
import { lockCounters } from './counters.ts';
import type { Engine } from './engine.ts';
import { remove, selectRows, upsert } from './table-statements.ts';
import { retentionRuleTable } from './tables/activities.ts';

/** The rule of one activity on one subject. */
export interface RetentionRule {
  readonly activity: string;
  /** Name of a resource, or `feeds`. */
  readonly subject: string;
  /** Null: kept for ever. */
  readonly days: number | null;
}

export interface RetentionRules {
  /** The rules of all activities, by activity and subject. */
  list(): Promise<readonly RetentionRule[]>;
  /**
   * Sets rules of an activity, all or none of them.
   * @param days by subject; null: for ever; undefined: as the settings say
   * @throws OperatorError when there is no such activity
   */
  set(activity: string, days: ReadonlyMap<string, number | null | undefined>, entryOf?: EntryOf<null>): Promise<void>;
}

export function createRetentionRules(engine: Engine): RetentionRules {
  return {
    list: () => engine.read(selectRows(retentionRuleTable, {}, { by: ['activity', 'subject'] })),
    set: (activity, days, entryOf) =>
      engine.write(async (transaction) => {
        await lockCounters(transaction, activity);
        for (const [subject, kept] of days)
          await transaction.query(
            kept === undefined
              ? remove(retentionRuleTable, { activity, subject })
              : upsert(retentionRuleTable, { activity, subject, days: kept }),
          );
        await appendEntryOf(transaction, null, entryOf);
      }),
  };
}
