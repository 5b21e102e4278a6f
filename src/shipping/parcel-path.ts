// What is common to questions about one parcel: its number in the path, and the task for the carrier.
import type { CarrierAccount, ParcelTask } from '../carriers/carrier.ts';
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { Problem } from '../model/problem.ts';
import type { LabelRequest } from '../model/shipping.ts';
import { isLabelRequest } from '../model/shipping.ts';
import { textsOfJson } from '../store/carrier-accounts.ts';
import type { StoredLabel } from '../store/labels.ts';

/** Of a number, in characters. */
export const maxNumberCharacters = 64;

/** Whether a text can be the number of a parcel in a path. */
export function isParcelNumber(text: string): boolean {
  return text.length <= maxNumberCharacters && /^[\x21-\x7e]+$/.test(text);
}

/** @throws Problem `resource-not-found` for what can be no number of a parcel */
export function expeditionOf(call: Call): string {
  const number = readText(call.params.id ?? '') ?? '';
  if (!isParcelNumber(number))
    throw new Problem('resource-not-found', 'This can be no number of a parcel: it has 1 to 64 visible characters.');
  return number;
}

/**
 * Whether what a carrier gives as a number can be kept: one line, no longer than any number is. Of other characters
 * than those of a path the parcel is not lost, though its label cannot be fetched again.
 */
export function canBeKept(number: string): boolean {
  return /^\P{C}{1,64}$/u.test(number);
}

/** The task of a carrier that is asked about a parcel; one whose label is void is none that we wait for. */
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

/** What a label was made from; null where that is not kept, or the label is void. */
export function requestOf({ state, request }: Pick<StoredLabel, 'state' | 'request'>): LabelRequest | null {
  if (state === 'voided') return null;
  const texts = textsOfJson(request);
  return isLabelRequest(texts) ? texts : null;
}
