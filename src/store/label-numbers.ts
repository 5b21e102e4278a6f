// Writes the numbers of labels and parcels and their other spellings, and finds out whose a number is.
import type { LabelResult } from '../model/shipping.ts';
import type { RunStatement, WriteTransaction } from './engine.ts';
import type { NewLabel } from './labels.ts';
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

/** Numbers of the parcels of a label. */
export interface NumbersOfLabel {
  /** Those that its result does not contain. */
  readonly parcels?: readonly string[];
  /** Other numbers under which the carrier knows them. */
  readonly aliases?: readonly string[];
}

/**
 * Adds numbers of the parcels of a label. One that is not in capital letters and digits alone is found in that spelling
 * too.
 */
export async function putNumbers(
  transaction: WriteTransaction,
  {
    activity,
    carrier,
    id: labelId,
    expeditionNumber = null,
  }: Pick<NewLabel, 'activity' | 'carrier' | 'id' | 'expeditionNumber'>,
  { parcels = [], aliases = [] }: NumbersOfLabel,
): Promise<void> {
  const numbers = [...(expeditionNumber === null ? [] : [expeditionNumber]), ...parcels, ...aliases];
  const plain = numbers.flatMap(spellingsOf).filter((spelling) => !numbers.includes(spelling));
  await transaction.putRows(
    labelParcelTable.target,
    [...new Set(parcels)].map((parcelNumber) => labelParcelTable.toCells({ activity, carrier, parcelNumber, labelId })),
  );
  await transaction.putRows(
    labelAliasTable.target,
    [...new Set([...aliases, ...plain])].map((alias) => labelAliasTable.toCells({ activity, carrier, alias, labelId })),
  );
}

/**
 * The spellings in which a number is looked for: as it is, and in capital letters and digits alone, as every number is
 * stored. A carrier may take small letters, dots and dashes for the same parcel.
 */
export function spellingsOf(number: string): readonly string[] {
  const plain = number.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
  return plain === '' || plain === number ? [number] : [number, plain];
}

/** The numbers of all parcels of a label made here, if its result contains them. */
export function madeParcelNumbers({ state, result = null }: NewLabel): readonly string[] {
  // Checked before parsing: results without them may hold megabytes of images.
  if (state !== 'made' || result?.includes('"ParcelNumber"') !== true) return [];
  const { outputs }: LabelResult = JSON.parse(result);
  const numbers = outputs.filter(({ name, value }) => name === 'ParcelNumber' && value.length <= maxNumberCharacters);
  return numbers.map(({ value }) => value);
}

/** A longer value from a carrier is not a number. */
const maxNumberCharacters = 64;
