// The shipping records of the interface (clause 2.11) as data: label requests, labels and tracking.
import type { Fields } from './resource.ts';

const address = 255;

/**
 * LabelRequest: every field is text (interface 2.11, decision D25). Which fields are required, and which codes they may
 * hold, depends on the carrier.
 */
export const labelRequestFields = {
  modeCol: { kind: 'text', max: 20, required: true, meaning: 'How the parcel is collected: a code of the carrier.' },
  modeLiv: { kind: 'text', max: 60, required: true, meaning: 'How the parcel is delivered: a code of the carrier.' },
  expLang: { kind: 'text', max: 5, meaning: 'Language of the sender, two letters.' },
  expAddr1: { kind: 'text', max: address, meaning: 'Name of the sender. A context may preset the sender.' },
  expAddr2: { kind: 'text', max: address, meaning: 'Street of the sender.' },
  expCity: { kind: 'text', max: address, meaning: 'City of the sender.' },
  expZip: { kind: 'text', max: 20, meaning: 'Postcode of the sender.' },
  expCountry: { kind: 'text', max: 2, meaning: 'Country of the sender, two letters (ISO 3166-1).' },
  expTel1: { kind: 'text', max: 30, meaning: 'Telephone of the sender.' },
  expMail: { kind: 'text', max: 254, meaning: 'E-mail of the sender.' },
  destLang: { kind: 'text', max: 5, meaning: 'Language of the recipient, two letters.' },
  destAddr1: { kind: 'text', max: address, required: true, meaning: 'Name of the recipient.' },
  destAddr2: { kind: 'text', max: address, meaning: 'Street of the recipient.' },
  destCity: { kind: 'text', max: address, required: true, meaning: 'City of the recipient.' },
  destZip: { kind: 'text', max: 20, required: true, meaning: 'Postcode of the recipient.' },
  destCountry: { kind: 'text', max: 2, required: true, meaning: 'Country of the recipient, two letters (ISO 3166-1).' },
  destTel1: { kind: 'text', max: 30, meaning: 'Telephone of the recipient.' },
  destMail: { kind: 'text', max: 254, meaning: 'E-mail of the recipient.' },
  weight: { kind: 'text', max: 10, required: true, meaning: 'Weight of the shipment in grams, digits.' },
  nbPackage: { kind: 'text', max: 3, required: true, meaning: 'How many parcels, digits.' },
  crtValue: { kind: 'text', max: 10, meaning: 'Cash on delivery in cents, digits; none: 0.' },
  pickupPointCountry: { kind: 'text', max: 2, meaning: 'Country of the point where the parcel is handed in.' },
  pickupPoint: { kind: 'text', max: 30, meaning: 'Number of the point where the parcel is handed in.' },
  shippingPickupPointCountry: {
    kind: 'text',
    max: 2,
    meaning: 'Country of the point where the recipient collects the parcel.',
  },
  shippingPickupPoint: {
    kind: 'text',
    max: 30,
    meaning: 'Number of the point where the recipient collects the parcel.',
  },
  nClient: { kind: 'text', max: 50, meaning: 'Your number of the customer.' },
  nDossier: { kind: 'text', max: 50, meaning: 'Your number of the shipment.' },
  apiVersion: { kind: 'text', max: 10, meaning: "Version of the carrier's interface, where it has several." },
  outputType: {
    kind: 'text',
    max: 20,
    meaning: 'PdfUrl (an address of the PDF), or what else the carrier offers, such as ZplCode. Default: PdfUrl.',
  },
  outputFormat: { kind: 'text', max: 50, meaning: 'Format of the label, such as 10x15, A4 or A5.' },
  instruction: { kind: 'text', max: 500, meaning: 'Instruction for the delivery.' },
  content: { kind: 'text', max: 500, meaning: 'What is in the parcel.' },
} as const satisfies Fields;

export type LabelField = keyof typeof labelRequestFields;

/**
 * A label request in canonical form: every field is present, '' when it was not given; presets of the context are
 * filled in.
 */
export type LabelRequest = Readonly<Record<LabelField, string>>;

/** Whether all fields are present. */
export function isLabelRequest(texts: Readonly<Record<string, string>>): texts is LabelRequest {
  return Object.keys(labelRequestFields).every((name) => name in texts);
}

/** One output of a label (interface 2.11): a text, a link or base64. */
export interface LabelOutput {
  readonly name: string;
  readonly value: string;
}

/** LabelResult (interface 2.11, decision D27): status "0" means that the label exists. */
export interface LabelResult {
  readonly status: string;
  readonly expeditionNumber: string;
  readonly outputs: readonly LabelOutput[];
}

/**
 * One step of a parcel's way; `date` as YYYY-MM-DD, `hour` as HH:mm, both in local time of the place, '' when the
 * carrier does not say.
 */
export interface TrackingStep {
  readonly wording: string;
  readonly date: string;
  readonly hour: string;
  readonly location: string;
  readonly relayId: string;
  readonly relayCountry: string;
}

/** Tracking (interface 2.11, decision D29); steps oldest first, in the carrier's wording. */
export interface Tracking {
  /** 80 registered, 81 in process, 82 delivered, 83 anomaly. */
  readonly status: '80' | '81' | '82' | '83';
  readonly wording1: string;
  readonly wording2: string;
  readonly relayWording: string;
  readonly relayNumber: string;
  readonly steps: readonly TrackingStep[];
}

/** Most characters of the texts of tracking, and most steps. */
export const trackingLimits = { wording: 500, place: 255, number: 40, country: 2, steps: 1000 } as const;
