// Notes a label in a transaction of its own, as the making of labels does.
import type { Reservation, Reserved } from '../../src/store/label-writes.ts';
import type { NewLabel } from '../../src/store/labels.ts';
import type { Store } from '../../src/store/store.ts';

export function reserveLabel(
  { records }: Pick<Store, 'records'>,
  label: NewLabel,
  midnight: number,
  { claim = null, series = null, excludes = null }: Partial<Reservation> = {},
): Promise<Reserved> {
  return records.submit([], (unit) => unit.reserveLabel(label, midnight, { claim, series, excludes }));
}
