// The administration tables as Kysely sees them; the records' own tables are made from the resource definitions.

/** Booleans are 0 or 1, instants milliseconds since 1970, lists JSON text: the same on both engines. */
export interface Tables {
  activity: ActivityTable;
  revision: RevisionTable;
  stock_image: StockImageTable;
  oauth_client: OauthClientTable;
  user_account: UserAccountTable;
  signing_key: SigningKeyTable;
  secret: SecretTable;
  oidc_payload: OidcPayloadTable;
  login_attempt: LoginAttemptTable;
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
export interface RevisionTable { owner: string; resource: string; last_change: number }

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
  scope: 'pair' | 'address';
  key_hash: string;
  count: number;
  window_start: number;
}

/** Random secrets of this database: `cursor`, `cookie`, `throttle`; and its `epoch`. */
export interface SecretTable { name: string; value: string; created_at: number }

export interface MigrationTable { name: string; applied_at: number }
