// What handover lists need to know of labels: which ones are on no list yet, and their parcel numbers.
import { cooperativeYield } from '../model/cooperative-yield.ts';
import type { Engine, Row } from './engine.ts';
import { anyOf } from './sql-dialects.ts';
import type { StoredLabel } from './labels.ts';
import { rowsAs, type Sql, sql, type Statement } from './statement.ts';
import { handoverLabelTable, labelParcelTable, labelVoidTable, shippingLabelTable } from './tables/shipping.ts';

/** The labels that an account made in a period: `since` is included, `until` is not; milliseconds. */
export interface DayOfAccount extends Pick<StoredLabel, 'activity' | 'accountId'> {
  readonly since: number;
  readonly until: number;
}

/** What a list needs of a label. */
export interface HandedLabel extends Pick<StoredLabel, 'id' | 'state' | 'nDossier' | 'request' | 'createdAt'> {
  readonly expeditionNumber: string;
  /** Numbers of its parcels that are not void; if it has one parcel, the number of the shipment. */
  readonly parcelNumbers: readonly string[];
}

const label = shippingLabelTable.column;
const handed = handoverLabelTable.column;

/**
 * For `label`, of the activity: it is on a list. Citus sees that a subquery reaches one machine only where it names the
 * activity itself (decision 58).
 */
export function isHandedOf(activity: string): Sql {
  return sql`exists (
    select 1 from ${handoverLabelTable.quoted} as handed
    where handed.${handed.activity} = ${activity} and handed.${handed.labelId} = label.${label.id}
  )`;
}

/** For `label`, of the activity: a void is in progress, or its outcome is unknown. */
export function isBeingVoidedOf(activity: string): Sql {
  return sql`exists (
    select 1 from ${labelVoidTable.quoted} as voiding
    where voiding.${labelVoidTable.column.activity} = ${activity}
    and voiding.${labelVoidTable.column.labelId} = label.${label.id}
    and voiding.${labelVoidTable.column.state} in ('asked', 'unknown')
  )`;
}

function ofAccount({ activity, accountId, since, until }: DayOfAccount): Sql {
  return sql`
    label.${label.activity} = ${activity} and label.${label.accountId} = ${accountId}
    and label.${label.createdAt} >= ${since} and label.${label.createdAt} < ${until}
  `;
}

/** Without the numbers of its parcels. */
export type FoundLabel = Omit<HandedLabel, 'parcelNumbers'>;

const foundNames = ['id', 'state', 'nDossier', 'request', 'createdAt', 'expeditionNumber'] as const;

/** @param request the expression selected in place of the request */
function foundColumns(request: Sql): Sql {
  return sql.join(foundNames.map((name) => (name === 'request' ? request : sql`label.${label[name]}`)));
}

function foundLabel([id, state, nDossier, request, createdAt, expeditionNumber]: Row): FoundLabel {
  return {
    id: String(id),
    state: labelState(String(state)),
    nDossier: nDossier === null || nDossier === undefined ? null : String(nDossier),
    request: String(request ?? ''),
    createdAt: Number(createdAt),
    expeditionNumber: String(expeditionNumber),
  };
}

function labelState(text: string): StoredLabel['state'] {
  const state = shippingLabelTable.columns.state.values.find((value) => value === text);
  if (state === undefined) throw new Error(`a label has the state ${text}`);
  return state;
}

/** A label of a day and its standing; `request` is empty if it is on a list. */
interface LabelOfDay {
  readonly label: FoundLabel;
  /** `open`: on no list, and may be put on one. `doubtful`: it is unknown whether there is a parcel. */
  readonly standing: 'open' | 'doubtful' | 'other';
}

/** Consecutive labels of a day. */
export interface DayPortion {
  /** Those that are on no list and may be put on one. */
  readonly open: readonly FoundLabel[];
  /** How many are on no list because it is unknown whether there is a parcel. */
  readonly doubtful: number;
}

/** Labels read in one statement: some milliseconds, whatever their content. */
const portionSize = 100;

/** All labels of a day, oldest first, in portions, so that other work gets its turn in between. */
export async function* portionsOfDay(engine: Engine, day: DayOfAccount): AsyncGenerator<DayPortion> {
  const turn = cooperativeYield('outside');
  for (let after: FoundLabel | null | undefined = null; after !== undefined; await turn()) {
    const labels: readonly LabelOfDay[] = await engine.read(labelsAfter(day, after));
    yield {
      open: labels.filter(({ standing }) => standing === 'open').map(({ label: found }) => found),
      doubtful: labels.filter(({ standing }) => standing === 'doubtful').length,
    };
    after = labels.length < portionSize ? undefined : labels.at(-1)?.label;
  }
}

/** The next labels of a day. @param after the last label of the previous portion; null: from the beginning */
function labelsAfter(day: DayOfAccount, after: FoundLabel | null): Statement<LabelOfDay> {
  const { createdAt, id, state, expeditionNumber } = label;
  const [isHanded, isBeingVoided] = [isHandedOf(day.activity), isBeingVoidedOf(day.activity)];
  const since = after === null ? day.since : after.createdAt;
  const rest = after === null ? sql`true` : sql`(label.${createdAt} > ${since} or label.${id} > ${after.id})`;
  const statement = sql`
    select ${foundColumns(sql`case when ${isHanded} then null else label.${label.request} end`)},
      case when label.${state} = 'made' and not ${isHanded} then
        case when ${isBeingVoided} then 'doubtful' when label.${expeditionNumber} is not null then 'open' end
      when label.${state} in ('asked', 'unknown') then 'doubtful' end
    from ${shippingLabelTable.quoted} as label where ${ofAccount({ ...day, since })} and ${rest}
    order by label.${createdAt}, label.${id} limit ${portionSize}
  `;
  return rowsAs(statement, (row) => {
    const standing = row[foundNames.length];
    return { label: foundLabel(row), standing: standing === 'open' || standing === 'doubtful' ? standing : 'other' };
  });
}

/** The labels of a list, oldest first. */
export function labelsOf(activity: string, handoverId: string): Statement<FoundLabel> {
  const columns = foundColumns(sql`label.${label.request}`);
  const statement = sql`
    select ${columns} from ${shippingLabelTable.quoted} as label, ${handoverLabelTable.quoted} as handed
    where handed.${handed.activity} = ${activity} and handed.${handed.handoverId} = ${handoverId}
    and label.${label.activity} = handed.${handed.activity} and label.${label.id} = handed.${handed.labelId}
    order by label.${label.createdAt}, label.${label.id}
  `;
  return rowsAs(statement, foundLabel);
}

/** Adds the numbers of the parcels that are not void, read once for all labels; leaves out labels without any. */
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
  const voided = await voidedParcels(engine, activity, ids);
  return labels
    .map((one) => ({
      ...one,
      parcelNumbers: (numbers.get(one.id)?.map(([, number]) => String(number)) ?? [one.expeditionNumber]).filter(
        (number) => voided.get(one.id)?.includes(number) !== true,
      ),
    }))
    .filter(({ parcelNumbers }) => parcelNumbers.length > 0);
}

/** Numbers of the void parcels of labels that the carrier has voided in part, by label. */
async function voidedParcels(
  engine: Engine,
  activity: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { column, quoted, allColumns, toRow } = labelVoidTable;
  const attempts = await engine.read(
    rowsAs(
      sql`
        select ${allColumns} from ${quoted} where ${column.activity} = ${activity} and ${anyOf(column.labelId, ids)}
      `,
      toRow,
    ),
  );
  return new Map(attempts.map(({ labelId, voidedParcels: numbers }) => [labelId, numbers]));
}
