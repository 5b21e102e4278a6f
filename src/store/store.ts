// What the rest of the program asks of storage; both engines answer alike.
import type { Kysely } from 'kysely';
import type { IncomingRecord } from '../model/record.ts';
import type { ListPlan, StoredValue } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import type { Tables } from './tables.ts';

/** One page of a list, ready for the wire. */
export interface Page {
  /** The JSON array as UTF-8 bytes. */
  readonly bytes: Buffer;
  readonly count: number;
  /** More records exist now, after this page. */
  readonly more: boolean;
  /** Where the next page starts: change positions per activity in change order, else the values of the last record. */
  readonly next: ListPlan['after'];
}

/** Revision of every list of one resource: per activity the change number of its last write. */
export type Revision = Readonly<Record<string, number>>;

export interface WriteResult { readonly outcome: 'new' | 'changed' | 'unchanged'; readonly changeNumber: number }

/** An activity: a client company's account at the provider. */
export interface Activity { readonly code: string; readonly name: string }

/** A stock image that is being written; invisible until published. */
export interface ImageDraft {
  write(rows: readonly IncomingRecord[]): Promise<void>;
  /** Makes the image visible as one change. `unchanged`: the same image was there already. */
  publish(): Promise<'new' | 'changed' | 'unchanged'>;
  discard(): Promise<void>;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** Administration tables (activities, clients, users, keys): everything but the records. */
  readonly db: Kysely<Tables>;
  /** Random name of this database, made when it was created. */
  readonly epoch: string;

  /** A random secret of this database by name (`cursor`), made at first use, shared by all processes. */
  secret(name: string, make: () => string): Promise<string>;

  addActivity(code: string, name: string): Promise<void>;
  activities(): Promise<readonly Activity[]>;

  /** Last change number per activity of one resource (0 where nothing was ever written); one tiny look-up. */
  revision(resource: Resource, owners: readonly string[]): Promise<Revision>;
  /**
   * Per activity, an instant (milliseconds): everything written before it is visible now,
   * and nothing will ever be written with an earlier date.
   */
  coveredUntil(owners: readonly string[]): Promise<number>;
  /**
   * Answers a plan.
   * @param revision read before, by `revision()`: what was written since may be on the page, what was written before is
   */
  page(plan: ListPlan, revision: Revision): Promise<Page>;
  /** True when a record of one of the owners has this value in a column or nested selector. */
  exists(resource: Resource, owners: readonly string[], field: string, value: StoredValue): Promise<boolean>;

  /** Writes a batch (at most 1000) in one transaction, in order, each change with its own change number. */
  write(resource: Resource, owner: string, records: readonly IncomingRecord[]): Promise<readonly WriteResult[]>;
  /** Starts an image of `at` (milliseconds). */
  draftImage(resource: Resource, owner: string, at: number): Promise<ImageDraft>;

  /** Removes images older than an instant, never the latest; returns how many. */
  removeOldImages(resource: Resource, owner: string, before: number): Promise<number>;
  /** Refreshes what the query planner knows, after large loads. */
  optimize(): Promise<void>;

  /** Throws when storage is away. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
