// The tables of shipping: accounts at carriers, labels, their files and their voids, numbers of parcels, the last
// answers about them, lists by which parcels are handed over.
import { activity, instant, integer, oneOf, optional, table, text, texts } from '../table.ts';

/** Account of one activity at a carrier; clients name it by its context. */
export const carrierAccountTable = table('carrier_account', {
  columns: {
    /** UUIDv7. */
    id: text,
    activity,
    context: text,
    carrier: text,
    /** JSON object of text: the settings that are no secrets. */
    settings: text,
    /** JSON object of text, encrypted; null where the carrier has none. */
    secrets: optional(text),
    /** JSON object of text: fields of the sender that a request may leave out. */
    sender: text,
    /** Labels a day (UTC); null: no limit. */
    dailyLimit: optional(integer),
    /** Last number that was given to a label. */
    lastSequence: integer,
    createdAt: instant,
  },
  key: ['id'],
  unique: [['context', 'carrier']],
});

/** How far the numbers of a series have been given out, whichever accounts use it or have used it. */
export const numberSeriesTable = table('number_series', {
  columns: {
    carrier: text,
    /** As the carrier names it, such as a company prefix. */
    series: text,
    lastNumber: integer,
  },
  key: ['carrier', 'series'],
});

/** A label, from the moment in which the carrier is asked for it. */
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
     * `fetched`: it was not made here. `past`: it was made, and what it said of people has been removed. `voided`: it
     * was made, and is not to be used any more.
     */
    state: oneOf('asked', 'made', 'refused', 'unknown', 'fetched', 'past', 'voided'),
    /**
     * Hash of client and `Idempotency-Key`: finds what became of a request whose answer was never stored. Null without
     * a key, and after a refusal.
     */
    requestKey: optional(text),
    /** Hash of what the client asked for; '' where it was not made here, or is no longer kept. */
    fingerprint: text,
    nDossier: optional(text),
    /** Id of the order that it belongs to. */
    orderId: optional(text),
    /**
     * JSON text of the label request, with the presets of the context; `{}` where it was not made here, was refused, or
     * is no longer kept.
     */
    request: text,
    /** JSON text of the LabelResult; null also where an operator found out that it was made. */
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
 * has: it is found by the id of the handover, which stands in the place of the label's.
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

/** A parcel of a label with several ones: whose its number is. */
export const labelParcelTable = table('label_parcel', {
  columns: { activity, carrier: text, parcelNumber: text, labelId: text },
  key: ['activity', 'carrier', 'parcelNumber'],
  indexes: [['parcelNumber'], ['activity', 'labelId']],
});

/** The last answer of a carrier about a parcel. */
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

/** What became of the wish to have a label void. */
export const labelVoidTable = table('label_void', {
  columns: {
    activity,
    labelId: text,
    /**
     * `asked`: the carrier was asked, and has not answered yet, or the process that asked was killed. `voided`.
     * `refused`: the carrier has not taken it back. `unknown`: nobody knows.
     */
    state: oneOf('asked', 'voided', 'refused', 'unknown'),
    /** UUIDv7 of the last attempt: of an earlier one nothing more is taken than that the label is void. */
    attempt: text,
    /** Instant of that attempt. */
    askedAt: instant,
    /** Its end; null while it lasts. */
    endedAt: optional(instant),
    /** What the carrier said, as a sentence; '' while it has not. */
    detail: text,
    /** Numbers of parcels that are void, where not all of them are. */
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
    /** UUIDv7 of the last attempt: of an earlier one nothing more is taken. */
    attempt: text,
    /** Instant of that attempt. */
    askedAt: instant,
    /** Its end; null while it lasts. */
    endedAt: optional(instant),
    /** What became of it, as a sentence; '' while that is not known. */
    detail: text,
    /** The number that the carrier gave it; null: none. */
    number: optional(text),
    /** How many labels and parcels are on it. */
    labels: integer,
    parcels: integer,
    createdAt: instant,
  },
  key: ['activity', 'id'],
  indexes: [['activity', 'accountId', 'day']],
});

/** A label that is on a list: on one at most. */
export const handoverLabelTable = table('handover_label', {
  columns: { activity, labelId: text, handoverId: text },
  key: ['activity', 'labelId'],
  indexes: [['activity', 'handoverId']],
});
