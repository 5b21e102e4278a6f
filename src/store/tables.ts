// The administration tables as Kysely sees them; the records' own tables are made from the resource definitions.
import type {
  CarrierAccountTable,
  LabelFileTable,
  LabelParcelTable,
  NumberSeriesTable,
  ParcelTrackingTable,
  ShippingLabelTable,
} from './shipping-tables.ts';

/** Booleans are 0 or 1, instants milliseconds since 1970, lists JSON text: the same on both engines. */
export interface Tables {
  activity: ActivityTable;
  job_lease: JobLeaseTable;
  revision: RevisionTable;
  stock_image: StockImageTable;
  oauth_client: OauthClientTable;
  user_account: UserAccountTable;
  signing_key: SigningKeyTable;
  secret: SecretTable;
  oidc_payload: OidcPayloadTable;
  login_attempt: LoginAttemptTable;
  quota_window: QuotaWindowTable;
  outbox_entry: OutboxEntryTable;
  outbox_consumer: OutboxConsumerTable;
  order_document: OrderDocumentTable;
  stored_answer: StoredAnswerTable;
  platform_key: PlatformKeyTable;
  audit_entry: AuditEntryTable;
  carrier_account: CarrierAccountTable;
  shipping_label: ShippingLabelTable;
  label_file: LabelFileTable;
  parcel_tracking: ParcelTrackingTable;
  number_series: NumberSeriesTable;
  label_parcel: LabelParcelTable;
  migration: MigrationTable;
}

/** A tenant, its counters, and the time of its last write (strictly increasing per activity). */
export interface ActivityTable {
  code: string;
  name: string;
  /** 1, 2, 3, …: the leading part of every numeric id that the activity's records get. */
  number: number;
  last_change: number;
  last_id: number;
  last_write_at: number;
  created_at: number;
}

/** Change number of the last write of one resource in one activity. */
export interface RevisionTable {
  owner: string;
  resource: string;
  last_change: number;
}

/** One stock image; its rows become visible when it is published. */
export interface StockImageTable {
  owner: string;
  /** UUIDv7. */
  image_id: string;
  extracted_at: number;
  state: 'draft' | 'published';
  /** Change number before that of its first row; row n of the image has base + n. */
  base: number;
  row_count: number;
  content_hash: string;
  /** 0 while it is a draft. */
  published_at: number;
  /** Last time that its writer gave a sign of life. */
  touched_at: number;
}

export interface OauthClientTable {
  id: string;
  name: string;
  /** JSON array of text. */
  redirect_uris: string;
  /** JSON array of activity codes. */
  activity_codes: string;
  read_only: number;
  confidential: number;
  /** Null for public clients. */
  secret_hash: string | null;
  disabled_at: number | null;
  created_at: number;
}

export interface UserAccountTable {
  /** UUIDv7: the `sub` of its tokens. */
  id: string;
  /** Unique, lower case. */
  login: string;
  password_hash: string;
  /** JSON array of activity codes. */
  activity_codes: string;
  operator: number;
  disabled_at: number | null;
  created_at: number;
  /** When all that the user was signed in to last ended. */
  signed_out_at: number | null;
}

export interface SigningKeyTable {
  kid: string;
  alg: 'ES256' | 'RS256';
  /** 1, 2, 3, … per alg, unique with it: processes that make a key at once make one. */
  generation: number;
  public_jwk: string;
  /** In the clear, or encrypted under SECRET_KEY. */
  private_jwk: string;
  created_at: number;
  /**
   * Instant from which it signs no longer (it may lie ahead, so that every process knows the successor first);
   * it verifies for a while after. Null: no end is set.
   */
  retired_at: number | null;
}

/** What the authorization server remembers: sessions, sign-ins under way, grants, codes, refresh tokens. */
export interface OidcPayloadTable {
  /** `Session`, `Grant`, `RefreshToken`, …. */
  model: string;
  /** SHA-256 of the id: whoever reads this table can use none of what it remembers. */
  id_hash: string;
  /** JSON text in which the id is blanked out. */
  payload: string;
  grant_id: string | null;
  /** Second name of a session, which is no secret. */
  uid: string | null;
  account_id: string | null;
  client_id: string | null;
  /** Instant at which it was used up: a code, a refresh token. */
  consumed_at: number | null;
  expires_at: number;
}

/** Attempts to sign in, counted in windows. */
export interface LoginAttemptTable {
  scope: 'pair' | 'address' | 'network' | 'browser';
  key_hash: string;
  count: number;
  window_start: number;
}

/** What the processes have taken of somebody's quota in a window; one that is over begins anew in place. */
export interface QuotaWindowTable {
  kind: string;
  /** Of a client, a key or an address, under a secret of the database. */
  who_hash: string;
  /** Given to all processes. */
  used: number;
  /** Given by the last statement: how that learns what it got. */
  granted: number;
  quota: number;
  window_end: number;
}

/** What a client wrote and the warehouse is to receive. */
export interface OutboxEntryTable {
  owner: string;
  /** That of the write: its order is the order of the entries of an activity. */
  change_number: number;
  kind: 'article' | 'document';
  /**
   * JSON text of the document's metadata, or of an article that has changed since; null: that of the article with this
   * change number.
   */
  body: string | null;
  operation_id: string;
  created_at: number;
}

/** How far a consumer of the outbox has come in one activity. */
export interface OutboxConsumerTable {
  owner: string;
  consumer: string;
  /** Change number of the last entry that it was given. */
  delivered: number;
  /** Change number of the last entry that it has taken in. */
  acknowledged: number;
  /** File of an export that is complete under its temporary name, and the last entry in it. */
  export_file: string | null;
  export_to: number | null;
  created_at: number;
  updated_at: number;
  /** Id of the platform key that made it known; null: a command, or nobody knows. */
  key_id: string | null;
}

/** One version of a document of an order. */
export interface OrderDocumentTable {
  owner: string;
  /** UUIDv7. */
  id: string;
  order_id: string;
  order_unique_id: string | null;
  slug: string;
  /** 1, 2, 3, … per order and slug. */
  version: number;
  /** Hex. */
  sha256: string;
  media_type: string;
  size: number;
  /** Name that the client gave it. */
  file_name: string | null;
  /** Name in the document storage. */
  stored_as: string;
  change_number: number;
  operation_id: string;
  client_id: string;
  created_at: number;
}

/** Answer of a request with an `Idempotency-Key`, or the claim of whoever is working on it. */
export interface StoredAnswerTable {
  /** Client, method and path. */
  scope: string;
  /** SHA-256 of the key. */
  key_hash: string;
  /** Hash of what was asked. */
  fingerprint: string;
  /** Random; whoever holds it may store the answer. */
  claim: string;
  /** From then on another request may take the claim over: its holder has died. */
  claimed_until: number;
  /** JSON text of the answer, packed where it is long (`packed-text.ts`); null while it is being worked on. */
  answer: string | null;
  expires_at: number;
}

/** Key of a program on the WMS side. */
export interface PlatformKeyTable {
  id: string;
  name: string;
  secret_hash: string;
  /** JSON array; null: all, also those to come. */
  activity_codes: string | null;
  /** JSON array. */
  roles: string;
  created_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
}

/** Who wrote what, when, from where, and with what outcome. */
export interface AuditEntryTable {
  /** UUIDv7. */
  id: string;
  /** 1, 2, 3, … over all activities: its order is that of the commits. */
  change_number: number;
  at: number;
  actor_kind: 'client' | 'platform-key' | 'command';
  /** Id of the client or key; the name of the login on the machine for a command. */
  actor: string;
  /** User on whose behalf a client acts. */
  subject: string | null;
  /** `articles.submit`, `document.upload`, `outbox.acknowledge`, `key.add`, …. */
  action: string;
  /** JSON array. */
  activity_codes: string;
  /** What it was done to, such as an order id. */
  target: string | null;
  operation_id: string | null;
  outcome: 'accepted' | 'partly' | 'refused' | 'failed';
  address: string | null;
  /** JSON text. */
  details: string | null;
}

/** Random secrets of this database: `cursor`, `cookie`, `throttle`; its `epoch`, and its `history`. */
export interface SecretTable {
  name: string;
  value: string;
  created_at: number;
}

export interface MigrationTable {
  name: string;
  applied_at: number;
}

/** Background work that one process at a time does. */
export interface JobLeaseTable {
  name: string;
  /** Name of the process that is at it; '' for none. */
  holder: string;
  ends_at: number;
  /** When a round was last ended; null: never yet. */
  done_at: number | null;
}
