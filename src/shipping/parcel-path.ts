// What questions about one parcel have in common: its number in the path, and the task for the carrier.
import type { CarrierAccount, ParcelTask } from '../carriers/carrier.ts';
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { Problem } from '../model/problem.ts';
import type { LabelRequest } from '../model/shipping.ts';
import { isLabelRequest } from '../model/shipping.ts';
import { textsOfJson } from '../store/carrier-accounts.ts';
import type { StoredLabel } from '../store/labels.ts';

/** Characters of the longest number. */
export const maxNumberCharacters = 64;

/** Whether a text can be a parcel number in a path. */
export function isParcelNumber(text: string): boolean {
  return text.length <= maxNumberCharacters && /^[\x21-\x7e]+$/.test(text);
}

/** @throws Problem `resource-not-found` for what cannot be a parcel number */
export function expeditionOf(call: Call): string {
  const number = readText(call.params.id ?? '') ?? '';
  if (!isParcelNumber(number))
    throw new Problem('resource-not-found', 'This can be no number of a parcel: it has 1 to 64 visible characters.');
  return number;
}

/**
 * Whether a number from a carrier can be stored: one line, no longer than any number is. A parcel whose number has
 * characters that are not allowed in a path is not lost, though its label cannot be fetched again.
 */
export function canBeKept(number: string): boolean {
  return /^\P{C}{1,64}$/u.test(number);
}

/** The task for a carrier that is asked about a parcel; one with a void label is not expected to move. */
export function parcelTask(
  account: CarrierAccount,
  expeditionNumber: string,
  label: StoredLabel | null,
  now: number,
): ParcelTask {
  const request = label === null ? null : requestOf(label);
  return {
    account,
    expeditionNumber,
    label: label === null || request === null ? null : { request, createdAt: label.createdAt },
    now,
  };
}

/** The request that a label was made from; null when it is not kept, or the label is void. */
export function requestOf({ state, request }: Pick<StoredLabel, 'state' | 'request'>): LabelRequest | null {
  if (state === 'voided') return null;
  const texts = textsOfJson(request);
  return isLabelRequest(texts) ? texts : null;
}
