// Checks a corrected record in the same way as on import.
import { createChecker } from '../model/check.ts';
import type { Reason } from '../model/record.ts';
import { naturalKeyReader } from '../model/withdrawal.ts';
import { resources } from '../resources/index.ts';
import type { EditedLine } from '../store/feed-lines.ts';
import type { Store } from '../store/store.ts';
import { isWithdrawal, namingPart, withdrawalOf } from './check-records.ts';
import { parseText } from './record-splitter.ts';

/** The record, or a withdrawal, or its faults. */
type EditedRecord =
  | { readonly ok: true; readonly edited: EditedLine }
  | { readonly ok: false; readonly reasons: readonly Reason[] };

/**
 * @param line that the record belongs to
 * @param text JSON text of one record, or of a line that withdraws one
 */
export async function checkEditedRecord(
  store: Pick<Store, 'activities'>,
  line: { readonly activity: string; readonly resource: string },
  text: string,
): Promise<EditedRecord> {
  const read = parseText(text, 1);
  if (!read.ok) return { ok: false, reasons: [read.reason] };
  const resource = resources.find(({ name }) => name === line.resource);
  const activity = (await store.activities.named([line.activity]))[0];
  if (resource === undefined || activity === undefined) {
    const detail = `There is no resource ${line.resource} of the activity ${line.activity} any more.`;
    return { ok: false, reasons: [{ code: 'wrong-activity', pointer: '', detail }] };
  }
  const context = { activity: activity.code, activityName: activity.name };
  const { value } = read;
  const checked = isWithdrawal(value)
    ? withdrawalOf(resource, context)(value)
    : createChecker(resource)(value, context);
  if (!checked.ok) return { ok: false, reasons: checked.reasons };
  const naturalKey =
    'record' in checked ? checked.record.naturalKey : naturalKeyReader(resource)(namingPart(value), context);
  return { ok: true, edited: { text: JSON.stringify(value), naturalKey } };
}
