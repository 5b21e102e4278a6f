// The tables of shipping as Kysely sees them.

/** Account of one activity at a carrier; clients name it by its context. */
export interface CarrierAccountTable {
  /** UUIDv7. */
  id: string;
  owner: string;
  context: string;
  carrier: string;
  /** JSON object of text: the settings that are no secrets. */
  settings: string;
  /** JSON object of text, encrypted; null where the carrier has none. */
  secrets: string | null;
  /** JSON object of text: fields of the sender that a request may leave out. */
  sender: string;
  /** Labels a day (UTC); null: no limit. */
  daily_limit: number | null;
  /** Last number that was given to a label. */
  last_sequence: number;
  created_at: number;
}

/** How far the numbers of a series have been given out, whichever accounts use it or have used it. */
export interface NumberSeriesTable {
  carrier: string;
  /** As the carrier names it, such as a company prefix. */
  series: string;
  last_number: number;
}

/** A parcel of a label with several ones: whose its number is. */
export interface LabelParcelTable {
  owner: string;
  carrier: string;
  parcel_number: string;
  label_id: string;
}

/** A label, from the moment in which the carrier is asked for it. */
export interface ShippingLabelTable {
  owner: string;
  /** UUIDv7. */
  id: string;
  account_id: string;
  context: string;
  carrier: string;
  /** The carrier's number; null while it has not answered. */
  expedition_number: string | null;
  /**
   * `asked`: the carrier was asked, and it is not known yet whether there is a parcel. `unknown`: nobody knows.
   * `fetched`: it was not made here. `past`: it was made, and what it said of people has been removed.
   */
  state: 'asked' | 'made' | 'refused' | 'unknown' | 'fetched' | 'past';
  /**
   * Hash of client and `Idempotency-Key`: finds what became of a request whose answer was never stored. Null after a
   * refusal.
   */
  request_key: string | null;
  /** Hash of what the client asked for; '' where it was not made here, or is no longer kept. */
  fingerprint: string;
  n_dossier: string | null;
  /** Id of the order that it belongs to. */
  order_id: string | null;
  /**
   * JSON text of the label request, with the presets of the context; `{}` where it was not made here, was refused, or
   * is no longer kept.
   */
  request: string;
  /** JSON text of the LabelResult; null also where an operator found out that it was made. */
  result: string | null;
  operation_id: string;
  client_id: string;
  created_at: number;
}

/** A file of a label, served under an address that nobody can guess. */
export interface LabelFileTable {
  /** SHA-256 of the last part of the address. */
  token_hash: string;
  owner: string;
  label_id: string;
  media_type: string;
  file_name: string;
  /** Name in the document storage. */
  stored_as: string;
  size: number;
  expires_at: number;
}

/** The last answer of a carrier about a parcel. */
export interface ParcelTrackingTable {
  account_id: string;
  expedition_number: string;
  /** JSON text of the Tracking. */
  tracking: string;
  fetched_at: number;
}
