// Labels as tests store them: what a test does not say of one is as it would be stored.
import type { NewLabel, StoredLabel } from '../../src/store/labels.ts';
import { shippingLabelTable } from '../../src/store/tables/shipping.ts';

/** A label as it is read after it was written. */
export function storedLabel(label: NewLabel): StoredLabel {
  return shippingLabelTable.toRow(shippingLabelTable.toCells(label));
}
