// Storage as the rest of the program sees it; both engines behave alike.
import type { IncomingRecord } from '../model/record.ts';
import type { ListPlan, WalkStarts } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import type { Activities } from './activities.ts';
import type { ActivityRemoval } from './activity-removal.ts';
import type { AuditTrail, EntryOf, NewAuditEntry } from './audit-contract.ts';
import type { Handovers } from './handovers.ts';
import type { Clients } from './clients.ts';
import type { FeedLines } from './feed-lines.ts';
import type { JobLeases } from './job-leases.ts';
import type { LoginAttempts } from './login-attempts.ts';
import type { Engine, Reader } from './engine.ts';
import type { Feeds } from './feed-contract.ts';
import type { CarrierAccounts } from './carrier-accounts.ts';
import type { DemoAdvances } from './demo-advances.ts';
import type { DemonstrationStorage } from './demonstration.ts';
import type { IdempotencyRecords, LabelInAnswer, RequestClaim, StoredAnswer } from './idempotency-contract.ts';
import type { NumbersOfLabel } from './label-numbers.ts';
import type { Reservation, Reserved } from './label-writes.ts';
import type { LabelFile, Labels, NewLabel } from './labels.ts';
import type { LabelVoids } from './label-voids.ts';
import type { ParcelTracking } from './parcel-tracking.ts';
import type { LongReadCounts } from './long-reads.ts';
import type { OidcPayloads } from './oidc-payloads.ts';
import type { Lineage, NamedRecord } from './lineage.ts';
import type { Lists } from './lists.ts';
import type { Outbox } from './outbox-contract.ts';
import type { PlatformKeys } from './platform-keys.ts';
import type { QuotaWindows } from './quota-windows.ts';
import type { Invitations } from './invitations.ts';
import type { Sessions } from './sessions.ts';
import type { SecondFactors } from './second-factors.ts';
import type { Secrets } from './secrets.ts';
import type { FeedRemoval } from './feed-removal.ts';
import type { RecordRemoval } from './record-removal.ts';
import type { Records } from './records.ts';
import type { Replicas } from './replicas.ts';
import type { RequestLog } from './request-log.ts';
import type { RetentionRules } from './retention-rules.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { SlowStatements } from './slow-statements.ts';
import type { StockImages } from './stock-images.ts';
import type { StockSums } from './stock-sums-contract.ts';
import type { Users } from './users.ts';

/** One page of a list, ready to be sent. */
export interface Page {
  /** The JSON array as UTF-8 bytes. */
  readonly bytes: Buffer;
  readonly count: number;
  /** More records exist now after this page; for a stock image, more of its rows. */
  readonly more: boolean;
  /**
   * Where the next page starts: change positions per activity in change order, otherwise the values of the last record.
   */
  readonly next: ListPlan['after'];
  /** What the next page of the walk continues with; null when the walk has ended. */
  readonly walkStarts: WalkStarts | null;
}

/** Revision of every list of one resource: per activity the change number of its last write. */
export type Revision = Readonly<Record<string, number>>;

export interface WriteResult {
  readonly outcome: 'new' | 'changed' | 'unchanged';
  readonly changeNumber: number;
}

/** A stock image being written; invisible until published. */
export interface ImageDraft {
  write(rows: readonly IncomingRecord[]): Promise<void>;
  /** Makes the image visible as one change. `unchanged`: the same image was already stored. */
  publish(): Promise<'new' | 'changed' | 'unchanged'>;
  discard(): Promise<void>;
}

/** One write transaction of the client interface; all of it is done, or nothing. */
export interface WriteUnit {
  /** Those of these natural keys that belong to existing records. */
  storedKeys(resource: Resource, activity: string, naturalKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Published bodies of the existing records among these natural keys, by natural key, a few megabytes at a time. */
  storedBodies(
    resource: Resource,
    activity: string,
    naturalKeys: readonly string[],
  ): AsyncIterable<ReadonlyMap<string, string>>;
  /**
   * Writes records like `Store.records.write`; new and changed ones enter the outbox under their change number.
   * @param keep completes a record that seems to change, with what is kept from the published body that it replaces
   */
  write(
    resource: Resource,
    activity: string,
    records: readonly IncomingRecord[],
    operationId: string,
    keep?: (record: IncomingRecord, stored: string) => IncomingRecord,
  ): Promise<readonly WriteResult[]>;
  /**
   * Adds a document of an order, together with an outbox entry. The same content under the same order and slug is the
   * existing document.
   */
  addDocument(
    document: NewDocument,
  ): Promise<{ readonly document: OrderDocument; readonly outcome: 'new' | 'unchanged' }>;
  /** See `reserveLabel`, `putLabel`, `addLabels` and `putMadeLabel` of `label-writes.ts`. */
  reserveLabel(label: NewLabel, midnight: number, reservation: Reservation): Promise<Reserved>;
  putLabel(label: NewLabel, files: readonly LabelFile[], numbers?: NumbersOfLabel): Promise<void>;
  addLabels(activity: string, labels: readonly Omit<NewLabel, 'activity'>[]): Promise<void>;
  putMadeLabel(label: NewLabel, files: readonly LabelFile[], aliases?: readonly string[]): Promise<string | null>;
  /** Sends a request to the demonstration, like `Store.demonstration`. */
  readonly askAdvance: DemoAdvances['ask'];
  readonly askInput: DemonstrationStorage['ask'];
  /** Adds an entry at the end of the transaction. */
  audit(entry: NewAuditEntry): Promise<void>;
  /**
   * Stores the answer of a claimed request.
   * @param label whose result is the body of the answer: the body is kept only there
   * @returns false if the claim was taken over meanwhile; anything that must not be written twice then has to be undone
   */
  storeAnswer(claim: RequestClaim, answer: StoredAnswer, label?: LabelInAnswer): Promise<boolean>;
}

/** A document whose bytes are already in the document storage. */
export interface NewDocument {
  readonly activity: string;
  readonly orderId: string;
  readonly orderUniqueId: string | null;
  readonly slug: string;
  /** Hex. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Name given by the client. */
  readonly fileName: string | null;
  /** Name in the document storage. */
  readonly storedAs: string;
  readonly operationId: string;
  readonly clientId: string;
}

/** A document as the outbox and the platform interface publish it, apart from `storedAs`. */
export interface OrderDocument extends NewDocument {
  /** UUIDv7. */
  readonly id: string;
  /** 1, 2, 3, … per order and slug. */
  readonly version: number;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** Rows of order documents; their bytes are in the document storage. */
export interface OrderDocuments {
  find(activities: readonly string[], id: string): Promise<OrderDocument | null>;
  /** The newest documents of an order, newest first. */
  ofOrder(activity: string, orderId: string, limit: number): Promise<readonly OrderDocument[]>;
  /** The document of an order that has this content under this slug; the content is identified by its hash. */
  withContent(place: Pick<NewDocument, 'activity' | 'orderId' | 'slug' | 'sha256'>): Promise<OrderDocument | null>;
  /** Those of the given names that rows refer to. */
  known(storedAs: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A database, divided by subject. */
export interface Store {
  /** Runs its statements, which are written only in `src/store`. */
  readonly engine: Engine;
  /** Random name of this database, made when it was created. */
  readonly epoch: string;
  /** Random name of the history that its change numbers belong to: a new one after a restore (`beginHistory`). */
  readonly history: string;
  /** When that history began, milliseconds since 1970. */
  readonly historySince: number;

  readonly activities: Activities;
  readonly activityRemoval: ActivityRemoval;
  readonly users: Users;
  readonly secondFactors: SecondFactors;
  readonly invitations: Invitations;
  /** Ending sessions of a user from outside, as an operator does. */
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly platformKeys: PlatformKeys;
  readonly signingKeys: SigningKeys;
  readonly secrets: Secrets;
  readonly oidcPayloads: OidcPayloads;
  readonly loginAttempts: LoginAttempts;

  /**
   * Begins a new history after a restore: earlier cursors and ETags no longer match, and no number that was lost is
   * given out again. Returns the number of activities.
   */
  beginHistory(entryOf?: EntryOf<number>): Promise<number>;

  /** Reading records. */
  readonly lists: Lists;
  /** Writing records. */
  readonly records: Records;
  readonly images: StockImages;
  /** Sums for the reconciliation of images with movements. */
  readonly stockSums: StockSums;
  /** Where a record came from; null if there is no such record. */
  lineageOf(resource: Resource, activity: string, named: NamedRecord, reader: Reader): Promise<Lineage | null>;
  /** Refused lines of messages. */
  readonly feedLines: FeedLines;
  /** Messages by which the warehouse side sends records. */
  readonly feeds: Feeds;
  readonly outbox: Outbox;
  readonly audit: AuditTrail;
  /** Requests with an `Idempotency-Key`. */
  readonly idempotency: IdempotencyRecords;
  readonly documents: OrderDocuments;
  readonly carrierAccounts: CarrierAccounts;
  readonly labels: Labels;
  /** Voids of labels. */
  readonly labelVoids: LabelVoids;
  /** Handover lists. */
  readonly handovers: Handovers;
  readonly tracking: ParcelTracking;
  /** The state of the demonstration warehouse. */
  readonly demonstration: DemonstrationStorage;
  /** The last requests of each client. */
  readonly requestLog: RequestLog;
  /** What is left of the clients' quotas, over all processes. */
  readonly quotas: QuotaWindows;
  readonly retentionRules: RetentionRules;
  readonly recordRemoval: RecordRemoval;
  readonly feedRemoval: FeedRemoval;
  /** For one process: each call makes another one. */
  jobLeases(): JobLeases;
  /** Refreshes the query planner's statistics, after large loads. */
  optimize(): Promise<void>;

  /** Reads that may have to scan many rows: how many run now, and how many were ended because they took too long. */
  longReads(): LongReadCounts;
  /** How many connections the database's server has refused because it allows no more; null: it has no server. */
  readonly refusedConnections: (() => number) | null;
  /** The state of the replicas from which lists are read; null: there are none. */
  readonly replicas: Pick<Replicas, 'states' | 'pagesOfPrimary'> | null;
  /** Sets the recipient of reports on slow statements, with their plans; until then there is none. */
  tellSlowStatements(slow: SlowStatements): void;
  /** Throws when storage is unreachable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
