// Activities as a CSV file, in the format of the commands `activity export` and `activity import`, and what importing
// one would change.
import type { AdministeredActivity, PlatformClient } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { type CsvFault, csvFile, readCsvLines } from './csv-table.ts';
import { type LineFault, type Planned, planned } from './planned.ts';

/** In the order in which they are written; the last two are ignored when reading. */
const activityColumns = ['code', 'name', 'created', 'last_write'] as const;

export const readActivityColumns = activityColumns.slice(0, 2);

export function activitiesText(activities: readonly AdministeredActivity[]): string {
  const lines = activities.map(({ code, name, createdAt, lastWriteAt }) =>
    csvLine([code, name, createdAt, lastWriteAt]),
  );
  return csvFile([csvLine(activityColumns), ...lines]);
}

/** An activity according to a line of a file. */
interface ListedActivity {
  readonly line: number;
  readonly code: string;
  /** Undefined: unchanged. */
  readonly name?: string;
}

export function readActivities(text: string): readonly ListedActivity[] | CsvFault {
  const lines = readCsvLines(text, activityColumns, 'code');
  if ('fault' in lines) return lines;
  const seen = new Set<string>();
  const activities: ListedActivity[] = [];
  for (const { line, cell } of lines) {
    const code = (cell('code') ?? '').toUpperCase();
    if (code === '') return { fault: 'missing', at: `${line}: code` };
    if (seen.has(code)) return { fault: 'twice', at: `${line}: ${code}` };
    seen.add(code);
    const name = cell('name');
    activities.push({ line, code, ...(name !== undefined && name !== '' && { name }) });
  }
  return activities;
}

type PlannedActivity = Planned<ListedActivity, AdministeredActivity>;

export function planActivities(
  listed: readonly ListedActivity[],
  known: readonly AdministeredActivity[],
): readonly PlannedActivity[] {
  const byCode = new Map(known.map((activity) => [activity.code, activity]));
  return listed.map((each) => {
    const activity = byCode.get(each.code) ?? null;
    return planned(
      each,
      activity,
      faultOf(each, activity),
      ({ name }) => each.name === undefined || each.name === name,
    );
  });
}

/** Faults that the service would report too. */
function faultOf({ code, name }: ListedActivity, known: AdministeredActivity | null): LineFault | null {
  if (!/^[A-Z0-9]{1,3}$/.test(code)) return { word: 'row-code' };
  if (known === null && name === undefined) return { word: 'row-name', values: { most: '30' } };
  if (name !== undefined && [...name].length > 30) return { word: 'row-name', values: { most: '30' } };
  return null;
}

/** Adds or renames the activity of a line. */
export async function applyActivity(
  { administration }: PlatformClient,
  { listed, known }: PlannedActivity,
): Promise<void> {
  const { code, name = '' } = listed;
  if (known === null) await administration.addActivity({ code, name });
  else await administration.changeActivity(code, { name });
}
