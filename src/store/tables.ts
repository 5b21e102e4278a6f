// The described tables as Kysely sees them: as they are stored, under the names that columns have there.
import type { Columns } from './table.ts';
import type * as access from './tables/access.ts';
import type * as activities from './tables/activities.ts';
import type * as processes from './tables/processes.ts';
import type * as shipping from './tables/shipping.ts';
import type * as writes from './tables/writes.ts';

/** Booleans are 0 or 1, instants milliseconds since 1970, lists JSON text: the same on both engines. */
export interface Tables {
  activity: Stored<typeof activities.activityTable>;
  job_lease: Stored<typeof processes.jobLeaseTable>;
  revision: Stored<typeof activities.revisionTable>;
  stock_image: Stored<typeof activities.stockImageTable>;
  oauth_client: Stored<typeof access.oauthClientTable>;
  user_account: Stored<typeof access.userAccountTable>;
  signing_key: Stored<typeof access.signingKeyTable>;
  secret: Stored<typeof processes.secretTable>;
  oidc_payload: Stored<typeof access.oidcPayloadTable>;
  login_attempt: Stored<typeof access.loginAttemptTable>;
  quota_window: Stored<typeof processes.quotaWindowTable>;
  outbox_entry: Stored<typeof writes.outboxEntryTable>;
  outbox_consumer: Stored<typeof writes.outboxConsumerTable>;
  order_document: Stored<typeof writes.orderDocumentTable>;
  stored_answer: Stored<typeof writes.storedAnswerTable>;
  platform_key: Stored<typeof access.platformKeyTable>;
  audit_entry: Stored<typeof writes.auditEntryTable>;
  carrier_account: Stored<typeof shipping.carrierAccountTable>;
  shipping_label: Stored<typeof shipping.shippingLabelTable>;
  label_file: Stored<typeof shipping.labelFileTable>;
  parcel_tracking: Stored<typeof shipping.parcelTrackingTable>;
  number_series: Stored<typeof shipping.numberSeriesTable>;
  label_parcel: Stored<typeof shipping.labelParcelTable>;
  migration: { name: string; applied_at: number };
}

type Stored<Of extends { readonly columns: Columns }> = {
  -readonly [Name in keyof Of['columns'] & string as StoredName<Name>]: StoredValue<Of['columns'][Name]>;
};

type StoredName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${StoredName<Rest>}`
  : '';

type StoredValue<Of extends Columns[string]> =
  | (Of extends { readonly nullable: true } ? null : never)
  | (Of extends { readonly kind: 'one-of'; readonly values: readonly (infer Value)[] }
      ? Value
      : Of['kind'] extends 'text' | 'texts'
        ? string
        : number);
