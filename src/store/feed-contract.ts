// What storage promises to feeds: messages that are written in batches, each with its counts, and held by one process
// at a time.
import type { Incoming, Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { RowOf } from './table.ts';
import type { feedLineTable, feedMessageTable, feedTable } from './tables/feeds.ts';

export type FeedMessage = RowOf<typeof feedMessageTable>;
export type Feed = Omit<RowOf<typeof feedTable>, 'missing'> & { readonly missing: readonly SequenceRange[] };

/** Sequence numbers from one to another, both included. */
export type SequenceRange = readonly [from: number, to: number];

/** What is known of a message before it is read. */
export type NewMessage = Pick<
  FeedMessage,
  | 'activity'
  | 'feed'
  | 'channel'
  | 'source'
  | 'messageId'
  | 'sequence'
  | 'requestKey'
  | 'mapping'
  | 'replayOf'
  | 'actor'
>;

/** A message of before by which a new one may be known. */
export interface Resumption {
  /** An open message of the same channel, feed and source is gone on with: the source can be read again. */
  readonly bySource?: boolean;
}

/** By what a message of before was found. */
export type KnownBy = 'request' | 'message-id' | 'source';

/** What became of a message that was to be begun; `resumed`: null where it is a new one. */
export type Begun =
  | { readonly state: 'begun'; readonly held: HeldMessage; readonly resumed: KnownBy | null }
  /** Somebody is at work on it; `endsInMs`: until they count as dead. */
  | { readonly state: 'running'; readonly message: FeedMessage; readonly endsInMs: number }
  /** It was dealt with before: by the same request, or under the same id of the source. */
  | { readonly state: 'known'; readonly message: FeedMessage; readonly by: Exclude<KnownBy, 'source'> }
  /** The same request key stands for a message of something else. */
  | { readonly state: 'other-request'; readonly message: FeedMessage };

/** One record, or withdrawal, on its way to the store. */
export interface FeedEntry {
  /** Its number in the message, from 1. */
  readonly number: number;
  /** Its JSON text as it came. */
  readonly text: string;
  readonly item: Incoming & { readonly line: number };
  /** Number of the element of a JSON array that it came as; null: it came on a line of its own. */
  readonly element: number | null;
}

/** A line that withdraws a stock image. */
export interface ImageWithdrawal {
  /** Its number in the message, from 1. */
  readonly number: number;
  readonly line: number;
  readonly element: number | null;
  readonly text: string;
  /** Instant of the image, RFC 3339. */
  readonly at: string;
}

/** A record, or what should be one, that was refused. */
export interface RefusedEntry {
  readonly number: number;
  readonly line: number;
  readonly element: number | null;
  readonly reasons: readonly Reason[];
  /** `record`: the text is that of a JSON value. */
  readonly kind: RowOf<typeof feedLineTable>['kind'];
  /** Null: too long to be kept. */
  readonly text: string | null;
}

/** What is dealt with in one transaction: at most 1000 records, in their order. */
export interface FeedBatch {
  readonly entries: readonly FeedEntry[];
  readonly refused: readonly RefusedEntry[];
  /** Records that said again what an earlier one of the message had said. */
  readonly again: number;
  readonly warned: number;
  readonly reached: Reached;
  readonly replay?: ReplayedLines;
  /** Of images: those that are withdrawn, in the order of their lines. */
  readonly withdrawnImages?: readonly ImageWithdrawal[];
  /** The audit entry of what the batch did, by the message as it is then; written in the same transaction. */
  readonly audit?: AuditOfMessage;
}

/** What the audit trail has of a message, as its row is; null: nothing. */
export type AuditOfMessage = (message: FeedMessage) => NewAuditEntry | null;

/** Of a replay: the refused lines that a batch deals with. */
export interface ReplayedLines {
  /** Their records' numbers in the message that they came in. */
  readonly records: readonly number[];
  /** Records are written even where they have been written since. */
  readonly force: boolean;
}

/** How far a message has been dealt with: values of its row. */
export type Reached = Pick<
  FeedMessage,
  'lines' | 'skipped' | 'skippedBy' | 'bytes' | 'digest' | 'warnings' | 'lineCounts'
>;

/** One stock image of a message. */
export interface FeedImage {
  /** Instant, RFC 3339. */
  readonly at: string;
  readonly rows: number;
  /** `withdrawn`: it was sent by mistake, and is gone. */
  readonly outcome: 'new' | 'changed' | 'unchanged' | 'withdrawn';
}

/** How a message ends. */
export type Ending =
  | {
      readonly state: 'done';
      readonly reached: Reached;
      /** Of images: instant of one that is published even if no row came. */
      readonly onlyImage?: string | null;
      /** Written in the same transaction. */
      readonly audit?: AuditOfMessage;
    }
  | {
      readonly state: 'refused';
      readonly fault: Fault;
      readonly reached: Reached;
      /** Records that were read: all of them count as refused. */
      readonly read: number;
      readonly audit?: AuditOfMessage;
    };

/** Why a message was refused as a whole. */
interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** A message that this process is at work on. Its operations are called one after another. */
export interface HeldMessage {
  /** As it stands after the last operation. */
  readonly row: () => FeedMessage;
  /**
   * Writes a batch, with its refused lines and the counts of the message, or nothing of it. The lines of a replay are
   * marked as replayed.
   * @returns the entries that storage refused beyond those of the batch: `older-than-stored`
   * @throws MessageTaken, LinesSettled
   */
  readonly apply: (batch: FeedBatch) => Promise<readonly RefusedEntry[]>;
  /** A sign of life. False: another process has taken the message over. */
  readonly touch: () => Promise<boolean>;
  /**
   * Ends the message; images appear now. It is refused in place of `done` (see its row) where a message with a higher
   * sequence number has sent one of its images meanwhile.
   * @throws MessageTaken
   */
  readonly finish: (ending: Ending) => Promise<readonly FeedImage[]>;
  /**
   * Lets the message go before its end.
   * @param state `open` where somebody can go on with it
   */
  readonly release: (state: 'open' | 'interrupted') => Promise<void>;
}

/** `held`: somebody is at work on it; `settled`: it had ended before. */
export type EndedByHand = 'ended' | 'held' | 'settled' | 'unknown';

/** Messages of a feed that ended before their lines did; `open`: they wait to be gone on with. */
export interface UnfinishedMessages {
  readonly activity: string;
  readonly resource: string;
  readonly feed: string;
  readonly state: 'open' | 'interrupted';
  readonly count: number;
  /** When the first of them came, milliseconds. */
  readonly oldest: number;
}

/** Which messages are wanted, newest first. */
export interface MessageQuery {
  readonly activities: readonly string[];
  readonly resource?: string;
  readonly feed?: string;
  readonly state?: FeedMessage['state'];
  /** Those before this message of the same activity, in the order of the list. */
  readonly before?: { readonly receivedAt: number; readonly activity: string; readonly id: number };
  readonly limit: number;
}

export interface Feeds {
  /**
   * Begins a message, or goes on with one that was interrupted.
   * @throws OperatorError where there is no such activity
   * @throws Problem `too-many-feeds`
   */
  begin(resource: Resource, message: NewMessage, resumption?: Resumption): Promise<Begun>;
  /** Notes that a message came again. */
  noteDuplicate(message: NewMessage, of: FeedMessage, bytes: number): Promise<FeedMessage>;
  /** All feeds of these activities, by activity, resource and name. */
  list(activities: readonly string[]): Promise<readonly Feed[]>;
  messages(query: MessageQuery): Promise<readonly FeedMessage[]>;
  message(activity: string, id: number): Promise<FeedMessage | null>;
  /**
   * Ends open messages that nobody is at work on and nothing can resume, or that nobody has gone on with for a time.
   * @returns how many
   */
  endAbandoned(patienceMs: number): Promise<number>;
  /** Ends one open message by hand. @param audit written with its end */
  end(message: Pick<FeedMessage, 'activity' | 'id'>, audit: NewAuditEntry): Promise<EndedByHand>;
  /**
   * Messages that ended before their lines did, by feed.
   * @param since instant (milliseconds) since when those came that nobody can go on with
   */
  unfinished(since: number): Promise<readonly UnfinishedMessages[]>;
}

/** Another process has taken the message over: what this one would write is undone. */
export class MessageTaken extends Error {
  constructor() {
    super('another process has taken the message over');
    this.name = 'MessageTaken';
  }
}

/** Lines that were to be replayed have been dropped or replayed meanwhile: nothing of the batch is written. */
export class LinesSettled extends Error {
  constructor() {
    super('lines that were to be replayed are not refused any more');
    this.name = 'LinesSettled';
  }
}
