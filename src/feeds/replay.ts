// Replays refused lines: a message of its own imports what was corrected, or has become acceptable.
import { OperatorError } from '../model/operator-error.ts';
import type { Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import { type FeedMessage, LinesSettled, type ReplayedLine } from '../store/feed-contract.ts';
import type { FeedLine, FeedLinePlace } from '../store/feed-lines.ts';
import type { Store } from '../store/store.ts';
import type { FeedTurns } from './feed-turns.ts';
import type { Reading } from './message-batches.ts';
import { MessageInterrupted, receiveMessage } from './receive.ts';
import { parseText, type SourceRecord } from './record-splitter.ts';

interface ReplayOptions {
  readonly store: Pick<Store, 'feeds' | 'feedLines'>;
  readonly resource: Resource;
  readonly activity: string;
  readonly activityName: string;
  /** The message whose lines are replayed. */
  readonly message: FeedMessage;
  /** Numbers of its records, ascending; null: all that are still refused. */
  readonly records: readonly number[] | null;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths?: readonly number[];
  /** A record is written even if it has been written since its line was received. */
  readonly force: boolean;
  readonly actor: string;
  readonly turns: FeedTurns;
  /** As of `receiveMessage`. */
  readonly confirmAccess?: () => Promise<void>;
  /** Makes the audit entry, written with the end of the replay. */
  readonly audit: (message: FeedMessage) => NewAuditEntry;
}

/** A mapping makes records of whole files: a line of one is no record until somebody has written what it should be. */
const notMended: Reason = {
  code: 'not-mended',
  pointer: '',
  detail:
    'The line is as it stood in the file: edit it into a record, or mend the file or its mapping and drop it anew.',
};

/** Lines read at a time. */
const readAtOnce = 100;

/**
 * Imports the lines in order. Each is then `replayed`, whatever its outcome: a line that is refused again becomes a
 * refused line of the new message, with the current reasons.
 * @returns the new message
 * @throws OperatorError for rows of a stock image, which are received completely or not at all
 * @throws LinesSettled when none is refused any more, or somebody edits, drops or replays the same lines meanwhile:
 *   what was processed before stays
 */
export async function replayLines(options: ReplayOptions): Promise<FeedMessage> {
  const { message, resource, force } = options;
  if (resource.storage === 'images')
    throw new OperatorError(
      'Rows of a stock image cannot be replayed alone: they would replace the whole image.',
      'Mend them in the original file and send that again.',
    );
  if (options.records === null && !(await hasRefused(options))) throw new LinesSettled();
  const origins: ReplayedLine[] = [];
  const reading = linesToReplay(options, origins);
  try {
    const received = await receiveMessage({
      ...options,
      message: {
        ...{ feed: message.feed, channel: 'replay', source: message.source, actor: options.actor },
        ...{ messageId: null, sequence: null, requestKey: null, replayOf: message.id, mapping: message.mapping },
      },
      source: { read: () => reading },
      replay: { force, originOf: (number) => originAt(origins, number) },
    });
    return received.message;
  } catch (error) {
    throw error instanceof MessageInterrupted ? error.cause : error;
  }
}

function originAt(origins: readonly ReplayedLine[], number: number): ReplayedLine {
  const origin = origins[number - 1];
  if (origin === undefined) throw new Error(`record ${number} of a replay comes from no line`);
  return origin;
}

async function hasRefused({ store, message: { activity, id } }: ReplayOptions): Promise<boolean> {
  const query = {
    activities: [activity],
    message: id,
    resource: null,
    state: 'refused',
    after: null,
    limit: 1,
  } as const;
  return (await store.feedLines.list(query)).length > 0;
}

/** @param origins receives the line of each record */
function linesToReplay(options: ReplayOptions, origins: ReplayedLine[]): Reading {
  let bytes = 0;
  async function* groups(): AsyncGenerator<readonly SourceRecord[]> {
    for await (const line of refusedLines(options)) {
      origins.push({ record: line.record, changedAt: line.changedAt });
      const source = sourceOf(line, options.message.mapping);
      bytes += Buffer.byteLength(source.text ?? '');
      yield [source];
    }
  }
  return {
    groups: groups(),
    counts: () => ({ lines: origins.length, skipped: new Map() }),
    bytes: () => bytes,
  };
}

async function* refusedLines({ store, message, records }: ReplayOptions): AsyncGenerator<FeedLine> {
  const { activity, id } = message;
  const whole = async (place: FeedLinePlace): Promise<FeedLine | null> => store.feedLines.find(place);
  if (records !== null) {
    for (const record of records) {
      const line = await whole({ activity, message: id, record });
      if (line?.state === 'refused') yield line;
    }
    return;
  }
  for (let after: FeedLine | null = null; ; ) {
    const page: readonly FeedLine[] = await store.feedLines.list({
      ...{ activities: [activity], message: id, resource: null, state: 'refused', after, limit: readAtOnce },
    });
    for (const line of page) yield line.isLong ? ((await whole(line)) ?? line) : line;
    if (page.length < readAtOnce) return;
    after = page.at(-1) ?? null;
  }
}

function sourceOf({ line, element, kind, content, edited, reasons }: FeedLine, mapping: string | null): SourceRecord {
  const text = edited ?? content;
  const place = { line, ...(element !== null && { element }) };
  if (mapping !== null && kind === 'text' && edited === null) {
    const known: readonly Reason[] = JSON.parse(reasons);
    const others = known.filter(({ code }) => code !== notMended.code);
    return { ok: false, ...place, text, reason: notMended, others };
  }
  if (text !== null) return { ...parseText(text, line), ...place };
  const detail = 'The line was too long to be kept: send it again, or mend the record by hand.';
  return { ok: false, ...place, text: null, reason: { code: 'too-long', pointer: '', detail } };
}
