// The contract of feed storage: messages are written in batches, each with its counts, and held by one process at a
// time.
import type { ReasonCode } from '../model/reason-codes.ts';
import type { Incoming, Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { RowOf } from './table.ts';
import type { feedLineTable, feedMessageTable, feedTable } from './tables/feeds.ts';

export type FeedMessage = RowOf<typeof feedMessageTable>;
export type Feed = Omit<RowOf<typeof feedTable>, 'missing'> & { readonly missing: readonly SequenceRange[] };

/** A range of sequence numbers, both ends included. */
export type SequenceRange = readonly [from: number, to: number];

/** The properties of a message that are known before it is read. */
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

/** How a new message may be recognized as an earlier one. */
export interface Resumption {
  /** Resumes an open message of the same channel, feed and source: the source can be read again. */
  readonly bySource?: boolean;
}

/** How an earlier message was recognized. */
export type RecognizedBy = 'request' | 'message-id' | 'source';

/** The outcome of beginning a message; `resumed`: null for a new one. */
export type BeginResult =
  | { readonly state: 'begun'; readonly held: HeldMessage; readonly resumed: RecognizedBy | null }
  /** A process is working on it; `endsInMs`: time until that process counts as dead. */
  | { readonly state: 'running'; readonly message: FeedMessage; readonly endsInMs: number }
  /** It was processed before: by the same request, or under the same id of the source. */
  | { readonly state: 'known'; readonly message: FeedMessage; readonly by: Exclude<RecognizedBy, 'source'> }
  /** The same request key belongs to a message with other content. */
  | { readonly state: 'other-request'; readonly message: FeedMessage };

/** One record or withdrawal on its way to the store. */
export interface FeedEntry {
  /** Its number in the message, from 1. */
  readonly number: number;
  /** Its JSON text as received. */
  readonly text: string;
  readonly item: Incoming & { readonly line: number };
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

/** A refused record, or input that should have been one. */
export interface RefusedEntry {
  readonly number: number;
  readonly line: number;
  readonly element: number | null;
  readonly reasons: readonly Reason[];
  /** Of its record; null: it has none that can be read. */
  readonly naturalKey: string | null;
  /** `record`: the text is a JSON value. */
  readonly kind: RowOf<typeof feedLineTable>['kind'];
  /** Null: too long to keep. */
  readonly text: string | null;
}

/** The work of one transaction: at most 1000 records, in order. */
export interface FeedBatch {
  readonly entries: readonly FeedEntry[];
  readonly refused: readonly RefusedEntry[];
  /** Records that repeat an earlier record of the message. */
  readonly again: number;
  readonly warned: number;
  readonly reached: MessageProgress;
  readonly replay?: ReplayedLines;
  /** For images: those that are withdrawn, in the order of their lines. */
  readonly withdrawnImages?: readonly ImageWithdrawal[];
  /** Makes the audit entry for what the batch did, from the message as it then is; written in the same transaction. */
  readonly audit?: AuditOfMessage;
}

/** The audit entry of a message, made from its row; null: none. */
export type AuditOfMessage = (message: FeedMessage) => NewAuditEntry | null;

/** For a replay: the refused lines that a batch handles. */
export interface ReplayedLines {
  readonly lines: readonly ReplayedLine[];
  /** Writes records even if they have been written since. */
  readonly force: boolean;
}

/** One of them, as it was read. */
export interface ReplayedLine {
  /** The number of its record in the message that it arrived in. */
  readonly record: number;
  /** When it was last changed: an edit after it was read must not be lost. */
  readonly changedAt: number;
}

/** How far a message has been processed: values of its row. */
export type MessageProgress = Pick<
  FeedMessage,
  'lines' | 'skipped' | 'skippedBy' | 'bytes' | 'digest' | 'warnings' | 'lineCounts'
>;

/** One stock image of a message. */
export interface FeedImage {
  /** Instant, RFC 3339. */
  readonly at: string;
  readonly rows: number;
  /** `withdrawn`: it was sent by mistake and has been removed. */
  readonly outcome: 'new' | 'changed' | 'unchanged' | 'withdrawn';
}

/** How a message ends. */
export type Ending =
  | {
      readonly state: 'done';
      readonly reached: MessageProgress;
      /** For images: instant of one that is published even if it has no rows. */
      readonly onlyImage?: string | null;
      /** Written in the same transaction. */
      readonly audit?: AuditOfMessage;
    }
  | {
      readonly state: 'refused';
      readonly fault: Fault;
      readonly reached: MessageProgress;
      /** Records that were read: all of them count as refused. */
      readonly read: number;
      readonly audit?: AuditOfMessage;
    };

/** Why a message was refused as a whole. */
interface Fault {
  readonly code: ReasonCode;
  readonly detail: string;
}

/** A message that this process is working on. Its operations are called one after another. */
export interface HeldMessage {
  /** The row after the last operation. */
  readonly row: () => FeedMessage;
  /**
   * Removes the refused lines of an earlier attempt at a message of images that was taken over, a thousand at a time,
   * so that others write in between. Done before its first batch; a process that takes it over in turn goes on.
   * @throws MessageTaken
   */
  readonly clear: () => Promise<void>;
  /**
   * Writes a batch with its refused lines and the counts of the message, or nothing at all. The lines of a replay are
   * marked as replayed.
   * @returns the entries that storage refused in addition to those of the batch: `older-than-stored`
   * @throws MessageTaken, LinesSettled
   */
  readonly apply: (batch: FeedBatch) => Promise<readonly RefusedEntry[]>;
  /** Gives a sign of life. False: another process has taken the message over. */
  readonly touch: () => Promise<boolean>;
  /**
   * Ends the message; images become visible now. Instead of becoming `done` it is refused (see its row) if a message
   * with a higher sequence number has sent one of its images meanwhile.
   * @throws MessageTaken
   */
  readonly finish: (ending: Ending) => Promise<readonly FeedImage[]>;
  /**
   * Releases the message before its end.
   * @param state `open` if it can be resumed
   */
  readonly release: (state: 'open' | 'interrupted') => Promise<void>;
}

/** `held`: a process is working on it; `settled`: it had ended before. */
export type EndedByHand = 'ended' | 'held' | 'settled' | 'unknown';

/** Messages of a feed that ended before all their lines were processed; `open`: they wait to be resumed. */
export interface UnfinishedMessages {
  readonly activity: string;
  readonly resource: string;
  readonly feed: string;
  readonly state: 'open' | 'interrupted';
  readonly count: number;
  /** When the first of them was received, milliseconds. */
  readonly oldest: number;
}

/** The feeds to list, by activity, resource and name. */
export interface FeedQuery {
  readonly activities: readonly string[];
  /** Only those with missing sequence numbers. */
  readonly missingOnly: boolean;
  /** Only those after this one, in list order; null: from the beginning. */
  readonly after: FeedKey | null;
  readonly limit: number;
}

/** Where a feed stands in the list. */
export type FeedKey = Pick<Feed, 'activity' | 'resource' | 'feed'>;

/** A feed, and the message that was begun last; null: it has been removed. */
export interface FeedWithMessage {
  readonly feed: Feed;
  readonly message: FeedMessage | null;
}

/** The messages to list, newest first. */
export interface MessageQuery {
  readonly activities: readonly string[];
  readonly resource?: string;
  readonly feed?: string;
  readonly state?: FeedMessage['state'];
  /** Only those before this message of the same activity, in list order. */
  readonly before?: { readonly receivedAt: number; readonly activity: string; readonly id: number };
  readonly limit: number;
}

export interface Feeds {
  /**
   * Begins a message, or resumes one that was interrupted.
   * @throws OperatorError if there is no such activity
   * @throws Problem `too-many-feeds`
   */
  begin(resource: Resource, message: NewMessage, resumption?: Resumption): Promise<BeginResult>;
  /** Records that a message was sent again. */
  noteDuplicate(message: NewMessage, of: FeedMessage, bytes: number): Promise<FeedMessage>;
  /** All feeds of these activities, by activity, resource and name. */
  list(activities: readonly string[]): Promise<readonly Feed[]>;
  /** Some of them with their last messages, however many there are. */
  page(query: FeedQuery): Promise<readonly FeedWithMessage[]>;
  messages(query: MessageQuery): Promise<readonly FeedMessage[]>;
  message(activity: string, id: number): Promise<FeedMessage | null>;
  /**
   * Ends open messages that no process is working on and that nothing can resume, or that nobody has resumed for
   * `abandonedAfterMs`.
   * @returns the number of messages ended
   */
  endAbandoned(abandonedAfterMs: number): Promise<number>;
  /** Ends one open message by hand. @param audit written with its end */
  end(message: Pick<FeedMessage, 'activity' | 'id'>, audit: NewAuditEntry): Promise<EndedByHand>;
  /**
   * Messages that ended before all their lines were processed, by feed.
   * @param since instant (milliseconds): messages that cannot be resumed are included if received at or after it
   */
  unfinished(since: number): Promise<readonly UnfinishedMessages[]>;
}

/** Another process has taken the message over: what this one was writing is rolled back. */
export class MessageTaken extends Error {
  constructor() {
    super('another process has taken the message over');
    this.name = 'MessageTaken';
  }
}

/** Lines to be replayed have been edited, dropped or replayed meanwhile: nothing of the batch is written. */
export class LinesSettled extends Error {
  constructor() {
    super('lines that were to be replayed are not as they were read');
    this.name = 'LinesSettled';
  }
}
