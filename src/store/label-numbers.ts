// Finds out whose a number is, among the numbers of labels and parcels and their other spellings.
import type { RunStatement } from './engine.ts';
import { spellingsOf } from './label-writes.ts';
import { anyOf, notByIndex } from './sql-dialects.ts';
import { type Sql, sql } from './statement.ts';
import { labelAliasTable, labelParcelTable, shippingLabelTable } from './tables/shipping.ts';

const { column } = shippingLabelTable;

/** States in which there is a parcel, or may be one. */
const withParcel = ['made', 'past', 'unknown', 'voided'] as const;

/** The columns that name a label, in a table of labels or of their numbers. */
interface LabelColumns {
  readonly activity: Sql;
  readonly id: Sql;
}

/** Whether a label that meets a condition has this number or a parcel or alias with it, in this or another spelling. */
export async function isNumberOf(
  query: RunStatement,
  { carrier, number }: { readonly carrier: string; readonly number: string },
  condition: (label: LabelColumns) => Sql,
): Promise<boolean> {
  const spellings = spellingsOf(number);
  const [parcels, aliases] = [labelParcelTable.column, labelAliasTable.column];
  // Nearly all labels are in one of these states: an index on it would lead SQLite through them.
  const statements = [
    sql`
      select 1 from ${shippingLabelTable.quoted} where ${anyOf(column.expeditionNumber, spellings)}
      and ${column.carrier} = ${carrier} and ${condition(column)}
      and ${notByIndex(column.state)} in (${sql.join(withParcel)}) limit 1
    `,
    sql`
      select 1 from ${labelParcelTable.quoted} where ${anyOf(parcels.parcelNumber, spellings)}
      and ${parcels.carrier} = ${carrier} and ${condition({ activity: parcels.activity, id: parcels.labelId })} limit 1
    `,
    sql`
      select 1 from ${labelAliasTable.quoted} where ${anyOf(aliases.alias, spellings)}
      and ${aliases.carrier} = ${carrier} and ${condition({ activity: aliases.activity, id: aliases.labelId })} limit 1
    `,
  ];
  for (const statement of statements) if ((await query(statement)).length > 0) return true;
  return false;
}
