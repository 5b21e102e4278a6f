// In charge of what lists of parcels need to know of their labels: which are on none yet, and the numbers of parcels.
import type { Engine } from './engine.ts';
import { anyOf } from './engine-words.ts';
import type { StoredLabel } from './labels.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { handoverLabelTable, labelParcelTable, labelVoidTable, shippingLabelTable } from './tables/shipping.ts';

/** Labels that an account made from one instant until before another, milliseconds. */
export interface DayOfAccount extends Pick<StoredLabel, 'activity' | 'accountId'> {
  readonly since: number;
  readonly until: number;
}

/** What is needed of a label on a list. */
export interface HandedLabel extends Pick<StoredLabel, 'id' | 'state' | 'nDossier' | 'request' | 'createdAt'> {
  readonly expeditionNumber: string;
  /** Numbers of its parcels; where it has one, that of the shipment. */
  readonly parcelNumbers: readonly string[];
}

const label = shippingLabelTable.column;
const handed = handoverLabelTable.column;

/** Of `label`: it is on a list. */
export const isHanded = sql`exists (
  select 1 from ${handoverLabelTable.quoted} as handed
  where handed.${handed.activity} = label.${label.activity} and handed.${handed.labelId} = label.${label.id}
)`;
/** Of `label`: somebody has it voided, or nobody knows whether it is void. */
export const isBeingVoided = sql`exists (
  select 1 from ${labelVoidTable.quoted} as voiding
  where voiding.${labelVoidTable.column.activity} = label.${label.activity}
  and voiding.${labelVoidTable.column.labelId} = label.${label.id}
  and voiding.${labelVoidTable.column.state} in ('asked', 'unknown')
)`;

function ofAccount({ activity, accountId, since, until }: DayOfAccount): Sql {
  return sql`
    label.${label.activity} = ${activity} and label.${label.accountId} = ${accountId}
    and label.${label.createdAt} >= ${since} and label.${label.createdAt} < ${until}
  `;
}

type FoundLabel = Omit<HandedLabel, 'parcelNumbers'>;

const foundColumns = sql.join(
  (['id', 'state', 'nDossier', 'request', 'createdAt', 'expeditionNumber'] as const).map(
    (name) => sql`label.${label[name]}`,
  ),
);

function foundLabels(statement: Statement): Statement<FoundLabel> {
  return rowsAs(
    statement,
    ([id, state, nDossier, request, createdAt, expeditionNumber]): FoundLabel => ({
      id: String(id),
      state: labelState(String(state)),
      nDossier: nDossier === null || nDossier === undefined ? null : String(nDossier),
      request: String(request),
      createdAt: Number(createdAt),
      expeditionNumber: String(expeditionNumber),
    }),
  );
}

function labelState(text: string): StoredLabel['state'] {
  const state = shippingLabelTable.columns.state.values.find((value) => value === text);
  if (state === undefined) throw new Error(`a label has the state ${text}`);
  return state;
}

/** Labels that are on no list and may be on one, oldest first. */
export function openLabels(day: DayOfAccount, limit: number): Statement<FoundLabel> {
  return foundLabels(sql`
    select ${foundColumns} from ${shippingLabelTable.quoted} as label
    where ${ofAccount(day)} and label.${label.state} = 'made' and label.${label.expeditionNumber} is not null
    and not ${isHanded} and not ${isBeingVoided}
    order by label.${label.createdAt}, label.${label.id} limit ${limit}
  `);
}

/** The labels of a list, oldest first. */
export function labelsOf(activity: string, handoverId: string): Statement<FoundLabel> {
  return foundLabels(sql`
    select ${foundColumns} from ${shippingLabelTable.quoted} as label, ${handoverLabelTable.quoted} as handed
    where handed.${handed.activity} = ${activity} and handed.${handed.handoverId} = ${handoverId}
    and label.${label.activity} = handed.${handed.activity} and label.${label.id} = handed.${handed.labelId}
    order by label.${label.createdAt}, label.${label.id}
  `);
}

/** How many labels are on no list because nobody knows whether there is a parcel. */
export function doubtfulLabels(day: DayOfAccount): Statement<number> {
  return rowsAs(
    sql`
      select count(*) from ${shippingLabelTable.quoted} as label
      where ${ofAccount(day)} and (
        label.${label.state} in ('asked', 'unknown')
        or (label.${label.state} = 'made' and not ${isHanded} and ${isBeingVoided})
      )
    `,
    ([count]) => Number(count),
  );
}

/** With the numbers of their parcels, which are asked for once for all of them. */
export async function withParcels(
  engine: Engine,
  activity: string,
  labels: readonly FoundLabel[],
): Promise<readonly HandedLabel[]> {
  if (labels.length === 0) return [];
  const { column, quoted } = labelParcelTable;
  const ids = labels.map(({ id }) => id);
  const rows = await engine.read(sql`
    select ${column.labelId}, ${column.parcelNumber} from ${quoted}
    where ${column.activity} = ${activity} and ${anyOf(column.labelId, ids)} order by ${column.parcelNumber}
  `);
  const numbers = Map.groupBy(rows, ([labelId]) => String(labelId));
  return labels.map((one) => ({
    ...one,
    parcelNumbers: numbers.get(one.id)?.map(([, number]) => String(number)) ?? [one.expeditionNumber],
  }));
}
