// The tables of shipping: accounts at carriers, labels, their files and voids, parcel numbers, the last tracking
// answers, handover lists.
import { activity, instant, integer, oneOf, optional, table, text, texts } from '../table.ts';

/** Account of one activity at a carrier; clients refer to it by its context. */
export const carrierAccountTable = table('carrier_account', {
  columns: {
    /** UUIDv7. */
    id: text,
    activity,
    context: text,
    carrier: text,
    /** JSON object of text: the settings that are not secret. */
    settings: text,
    /** JSON object of text, encrypted; null if the carrier has none. */
    secrets: optional(text),
    /** JSON object of text: sender fields that a request may omit. */
    sender: text,
    /** Labels a day (UTC); null: no limit. */
    dailyLimit: optional(integer),
    /** Last number given to a label. */
    lastSequence: integer,
    createdAt: instant,
  },
  key: ['id'],
  unique: [['context', 'carrier']],
});

/** The last number given out of a series, whichever accounts use it or have used it. */
export const numberSeriesTable = table('number_series', {
  columns: {
    carrier: text,
    /** The carrier's name for it, such as a company prefix. */
    series: text,
    lastNumber: integer,
  },
  key: ['carrier', 'series'],
});

/** A label, from the moment when the carrier is asked for it. */
export const shippingLabelTable = table('shipping_label', {
  columns: {
    activity,
    /** UUIDv7. */
    id: text,
    accountId: text,
    context: text,
    carrier: text,
    /** The carrier's number; null while it has not answered. */
    expeditionNumber: optional(text),
    /**
     * `asked`: the carrier was asked, and it is not known yet whether there is a parcel. `unknown`: nobody knows.
     * `fetched`: it was not made here. `past`: it was made, and its personal data has been erased. `voided`: it was
     * made, and is not to be used any more.
     */
    state: oneOf('asked', 'made', 'refused', 'unknown', 'fetched', 'past', 'voided'),
    /**
     * Hash of client and `Idempotency-Key`: finds the outcome of a request whose answer was never stored. Null without
     * a key, and after a refusal.
     */
    requestKey: optional(text),
    /** Hash of the client's request; '' if it was not made here, or the request is no longer kept. */
    fingerprint: text,
    nDossier: optional(text),
    /** Id of its order. */
    orderId: optional(text),
    /**
     * JSON text of the label request, with the presets of the context; `{}` if it was not made here, was refused, or is
     * no longer kept.
     */
    request: text,
    /** JSON text of the LabelResult; also null if an operator found out that it was made. */
    result: optional(text),
    operationId: text,
    clientId: text,
    createdAt: instant,
  },
  key: ['activity', 'id'],
  // A key makes one label, whatever else goes wrong.
  unique: [['activity', 'requestKey']],
  indexes: [
    ['expeditionNumber'],
    ['activity', 'accountId', 'fingerprint', 'createdAt', 'id'],
    ['accountId', 'createdAt'],
    ['activity', 'orderId', 'createdAt', 'id'],
    ['state', 'createdAt'],
  ],
});

/**
 * A file of a label, served under an address that nobody can guess. Or the document of a handover, whose address nobody
 * has: it is found by the handover's id, stored in place of the label's.
 */
export const labelFileTable = table('label_file', {
  columns: {
    /** SHA-256 of the last part of the address. */
    tokenHash: text,
    activity,
    labelId: text,
    mediaType: text,
    fileName: text,
    /** Name in the document storage. */
    storedAs: text,
    /** Bytes. */
    size: integer,
    expiresAt: instant,
  },
  key: ['tokenHash'],
  indexes: [['activity', 'labelId'], ['storedAs'], ['expiresAt']],
});

/** A parcel of a label with several parcels, by its number; also of one of which not all parcels were made. */
export const labelParcelTable = table('label_parcel', {
  columns: { activity, carrier: text, parcelNumber: text, labelId: text },
  key: ['activity', 'carrier', 'parcelNumber'],
  indexes: [['parcelNumber'], ['activity', 'labelId']],
});

/** Another number under which a carrier knows a parcel of a label, such as a short one for its recipient. */
export const labelAliasTable = table('label_alias', {
  columns: { activity, carrier: text, alias: text, labelId: text },
  key: ['activity', 'carrier', 'alias'],
  indexes: [['alias'], ['activity', 'labelId']],
});

/** The last tracking answer of a carrier about a parcel. */
export const parcelTrackingTable = table('parcel_tracking', {
  columns: {
    accountId: text,
    expeditionNumber: text,
    /** JSON text of the Tracking. */
    tracking: text,
    fetchedAt: instant,
  },
  key: ['accountId', 'expeditionNumber'],
  indexes: [['fetchedAt']],
});

/** The outcome of an attempt to void a label. */
export const labelVoidTable = table('label_void', {
  columns: {
    activity,
    labelId: text,
    /**
     * `asked`: the carrier was asked, and has not answered yet, or the asking process was killed. `voided`. `refused`:
     * the carrier did not void it. `unknown`: nobody knows.
     */
    state: oneOf('asked', 'voided', 'refused', 'unknown'),
    /** UUIDv7 of the last attempt: an earlier one can only still report that the label is void. */
    attempt: text,
    /** Instant of that attempt. */
    askedAt: instant,
    /** Its end; null while it lasts. */
    endedAt: optional(instant),
    /** What the carrier said, as a sentence; '' until it answers. */
    detail: text,
    /** Numbers of the voided parcels, if not all of them are void. */
    voidedParcels: texts,
  },
  key: ['activity', 'labelId'],
  indexes: [['state', 'askedAt']],
});

/** A list of parcels that a carrier gets at the end of a day: its own slip, or one of ours. */
export const handoverTable = table('handover', {
  columns: {
    activity,
    /** UUIDv7. */
    id: text,
    /** The account that made the labels. */
    accountId: text,
    context: text,
    carrier: text,
    /** Day of the labels in France, such as 2026-11-23. */
    day: text,
    /**
     * `asked`: it is being made, or the process that made it was killed. `made`. `refused`: there is none, and its
     * labels are free for another one. `unknown`: nobody knows whether the carrier has it.
     */
    state: oneOf('asked', 'made', 'refused', 'unknown'),
    /** UUIDv7 of the last attempt: results of an earlier one are ignored. */
    attempt: text,
    /** Instant of that attempt. */
    askedAt: instant,
    /** Its end; null while it lasts. */
    endedAt: optional(instant),
    /** Its outcome, as a sentence; '' while that is not known. */
    detail: text,
    /** The carrier's number for it; null: none. */
    number: optional(text),
    /** How many labels and parcels are on it. */
    labels: integer,
    parcels: integer,
    createdAt: instant,
  },
  key: ['activity', 'id'],
  indexes: [['activity', 'accountId', 'day']],
});

/** A label on a list: on at most one. */
export const handoverLabelTable = table('handover_label', {
  columns: { activity, labelId: text, handoverId: text },
  key: ['activity', 'labelId'],
  indexes: [['activity', 'handoverId']],
});
