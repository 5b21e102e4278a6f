// The words in a label request that make the sandbox fail: a table for integrators, one row each.
import { CarrierError, type CarrierErrorKind, reasonAt } from '../carrier.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { Reason } from '../../model/record.ts';

/** How an attempt to create a label or to track a parcel ends. */
interface Trigger {
  /** A word in nDossier or destAddr2, in any case, alone or among others. */
  readonly word: string;
  readonly meaning: string;
  readonly kind: CarrierErrorKind;
  readonly detail: string;
  readonly code: string | null;
  readonly reasons: readonly Reason[];
  /** `unknown`: the client cannot tell whether there is a parcel. */
  readonly acted: 'no' | 'unknown';
}

const noReasons: readonly Reason[] = [];

/** Failures of a label request. */
export const labelTriggers: readonly Trigger[] = [
  {
    word: 'SANDBOX-BAD-ADDRESS',
    meaning: 'The address of the recipient does not exist.',
    kind: 'invalid',
    code: 'SBX-101',
    detail: 'The address of the recipient is not known.',
    reasons: [
      reasonAt(
        'destAddr2',
        'unknown-address',
        'This street does not exist in the town; check the spelling and the house number.',
      ),
      reasonAt(
        'destCity',
        'unknown-address',
        'The town has no such street; check whether town and street belong together.',
      ),
    ],
    acted: 'no',
  },
  {
    word: 'SANDBOX-BAD-POSTCODE',
    meaning: 'The postcode of the recipient does not exist.',
    kind: 'invalid',
    code: 'SBX-102',
    detail: 'The postcode of the recipient is not known.',
    reasons: [
      reasonAt('destZip', 'unknown-postcode', 'There is no such postcode in the country; check it, and the country.'),
    ],
    acted: 'no',
  },
  {
    word: 'SANDBOX-RELAY-FULL',
    meaning: 'The pick-up point takes no more parcels.',
    kind: 'refused',
    code: 'SBX-201',
    detail: 'The pick-up point is full: choose another one.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-RELAY-CLOSED',
    meaning: 'The pick-up point has closed for good.',
    kind: 'refused',
    code: 'SBX-202',
    detail: 'The pick-up point is closed: choose another one.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-NO-SERVICE',
    meaning: 'The service is not offered to this recipient.',
    kind: 'refused',
    code: 'SBX-203',
    detail: 'The service is not offered for this destination: choose another one.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-CONFIGURATION',
    meaning: "The operator's account is blocked.",
    kind: 'configuration',
    code: 'SBX-301',
    detail: 'The carrier has blocked the account.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-DOWN',
    meaning: 'The carrier cannot be reached.',
    kind: 'unavailable',
    code: null,
    detail: 'The carrier cannot be reached.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-SLOW',
    meaning: 'The carrier does not answer in time, and may have made the label.',
    kind: 'timeout',
    code: null,
    detail: 'The carrier did not answer in time.',
    reasons: noReasons,
    acted: 'unknown',
  },
];

/** A slow carrier, though not too slow: it creates the label after these milliseconds. */
export const late = { word: 'SANDBOX-LATE', milliseconds: 8000 } as const;

/** Failures of tracking; the label is created like any other. */
export const trackingTriggers: readonly Trigger[] = [
  {
    word: 'SANDBOX-TRACKING-UNKNOWN',
    meaning: 'The carrier does not know the parcel.',
    kind: 'unknown',
    code: 'SBX-401',
    detail: 'The carrier knows no parcel of this number.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-TRACKING-DOWN',
    meaning: 'The carrier cannot be reached.',
    kind: 'unavailable',
    code: null,
    detail: 'The carrier cannot be reached.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-TRACKING-SLOW',
    meaning: 'The carrier does not answer in time.',
    kind: 'timeout',
    code: null,
    detail: 'The carrier did not answer in time.',
    reasons: noReasons,
    acted: 'no',
  },
];

/** Failures of voiding a label; the label is created like any other. */
export const voidTriggers: readonly Trigger[] = [
  {
    word: 'SANDBOX-VOID-REFUSED',
    meaning: 'The carrier does not take the label back.',
    kind: 'refused',
    code: 'SBX-502',
    detail: 'The carrier does not take this label back.',
    reasons: noReasons,
    acted: 'no',
  },
  {
    word: 'SANDBOX-VOID-SLOW',
    meaning: 'The carrier does not answer in time, and may have voided the label.',
    kind: 'timeout',
    code: null,
    detail: 'The carrier did not answer in time.',
    reasons: noReasons,
    acted: 'unknown',
  },
];

/** The row that a request names; undefined where it names none. */
export function triggerIn<T extends { readonly word: string }>(
  table: readonly T[],
  { nDossier, destAddr2 }: LabelRequest,
): T | undefined {
  const words = `${nDossier} ${destAddr2}`.toUpperCase().split(/[^A-Z0-9-]+/);
  return table.find(({ word }) => words.includes(word));
}

/** Ends as a row says. @throws CarrierError */
export function pull({ kind, code, detail, reasons, acted }: Trigger): never {
  throw new CarrierError(kind, detail, {
    carrierCode: code,
    carrierMessage: code === null ? null : detail,
    reasons,
    acted,
  });
}
