// Reads a message once: checks its records in turn with other feeds, and passes them to storage in batches.
import type { CheckContext } from '../model/reasons.ts';
import type { Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import type {
  AuditOfMessage,
  FeedBatch,
  FeedEntry,
  HeldMessage,
  ImageWithdrawal,
  MessageProgress,
  RefusedEntry,
  ReplayedLine,
} from '../store/feed-contract.ts';
import { openSeenKeys } from '../store/seen-keys.ts';
import type { Store } from '../store/store.ts';
import { type CheckedLine, checkLines } from './check-records.ts';
import type { FeedTurns } from './feed-turns.ts';
import { type Batch, batchesOf, type LineCounts, messageDigest, type Reading } from './message-batches.ts';
import { refuseOtherKinds } from './message-fault.ts';
import { noteImage, noteImageOfRow } from './images-of-message.ts';
import { refusedEntries } from './refused-entries.ts';
import { isBroken, numberInFile, type PlaceInFile, placeInFile, type SourceRecord } from './record-splitter.ts';

export interface PassOptions {
  readonly store: Pick<Store, 'feeds'>;
  readonly resource: Resource;
  /** Code of the activity that the records belong to; it exists. */
  readonly activity: string;
  readonly activityName: string;
  readonly message: { readonly feed: string; readonly mapping: string | null };
  /** Only for stock: the instant (RFC 3339) of the one image in the message. */
  readonly extractionDate?: string;
  /** Only for stock: instant (milliseconds) after which no image can have been taken; default: a day from now. */
  readonly latestImage?: number;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths?: CheckContext['gtinLengths'];
  /** Turns shared by all feeds of this process. */
  readonly turns: FeedTurns;
  readonly strict?: boolean;
  readonly replay?: Replay;
  /** Called with each refusal, including those from before a message was resumed. */
  readonly onRefused?: (source: SourceRecord, reasons: readonly Reason[]) => void;
  /** Makes the audit entry of each batch from the updated message; written with it. */
  readonly auditOfBatch?: AuditOfMessage;
  /** Awaited before a message is begun, written or ended; throws when its sender may send no more. */
  readonly confirmAccess?: () => Promise<void>;
  /** Awaited after each batch. */
  readonly onProgress?: (progress: PassProgress) => Promise<void> | void;
}

/** The input of a replay. */
interface Replay {
  /** The refused line of a record of the replay (from 1). */
  readonly originOf: (number: number) => ReplayedLine;
  /** Records are written even if they have been written since. */
  readonly force: boolean;
}

/** The progress of reading a message. */
export interface PassProgress {
  /** `checking` is the first of the two passes of a strict message. */
  readonly pass: 'checking' | 'importing';
  readonly bytes: number;
  readonly read: number;
  readonly refused: number;
}

/** One reading of a message. */
export interface MessagePass {
  readonly name: PassProgress['pass'];
  readonly reading: Reading;
  /** Null: it is only checked. */
  readonly held: HeldMessage | null;
  readonly checkLease: () => void;
  /** Makes the error to throw when the message differs from the one that was begun. */
  readonly differs: () => Error;
}

/** A fault of a line that is accepted nevertheless. */
export interface Warning extends Reason, PlaceInFile {}

/** The results of one reading. */
export interface Tally {
  read: number;
  refused: number;
  /** Place and first reason of the first refused record. */
  firstRefused: Warning | null;
  warned: number;
  readonly warnings: Warning[];
  /** The message ends within a record, or before its array is closed. */
  truncated: boolean;
  /** Something in it is not a record at all, or it was truncated. */
  damaged: boolean;
  reached: MessageProgress;
}

/** Warnings that are kept; further ones are counted. */
const maxWarnings = 10;

/**
 * @throws MessageFault when nothing of the message can be accepted, MessageTaken, and errors of reading and storage; a
 *   write that was begun has then ended
 */
export async function takeMessage(options: PassOptions, pass: MessagePass): Promise<Tally> {
  const { resource, activity, activityName, gtinLengths, turns, message } = options;
  const { reading, held } = pass;
  const context = { activity, activityName, gtinLengths };
  const seen = openSeenKeys();
  const state: PassState = {
    options,
    pass,
    check: checkLines(resource, context, seen, options.latestImage),
    refused: refusedEntries(resource, context),
    digest: messageDigest(),
    // All rows of an image that was begun again are still to come.
    done: held === null ? null : { read: held.row().read, digest: held.row().digest },
    images: new Set(),
    turn: cooperativeYield('ofFeed'),
    tally: {
      ...{ read: 0, refused: 0, firstRefused: null, warned: 0, warnings: [], truncated: false, damaged: false },
      reached: { lines: 0, skipped: 0, skippedBy: null, bytes: 0, digest: '', warnings: null, lineCounts: null },
    },
  };
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const batch of batchesOf(reading)) {
      const leave = await turns.enter(`${activity}/${resource.name}/${message.feed}`);
      try {
        const checked = await checkBatch(state, batch);
        await writing;
        if (held !== null) await options.confirmAccess?.();
        pass.checkLease();
        if (held !== null && checked !== null) {
          writing = write(options, held, checked);
          // The `await` above or below throws the failure; until then it must not count as unhandled.
          writing.catch(() => undefined);
        }
        if (turns.isAwaited()) await writing;
      } finally {
        leave();
      }
      const { read, refused, reached } = state.tally;
      await options.onProgress?.({ pass: pass.name, bytes: reached.bytes, read, refused });
    }
    await writing;
    if (state.done !== null && state.tally.read < state.done.read) throw pass.differs();
    state.tally.reached = reachedWith(state, reading.counts(), reading.bytes());
    return state.tally;
  } finally {
    await writing.catch(() => undefined);
    seen.close();
  }
}

interface PassState {
  readonly options: PassOptions;
  readonly pass: MessagePass;
  readonly check: (source: SourceRecord) => CheckedLine;
  readonly refused: ReturnType<typeof refusedEntries>;
  readonly digest: ReturnType<typeof messageDigest>;
  /** The progress of the message when it was begun or resumed. */
  readonly done: { readonly read: number; readonly digest: string } | null;
  readonly images: Set<string>;
  readonly turn: () => Promise<void> | undefined;
  readonly tally: Tally;
}

interface Gathered {
  readonly entries: FeedEntry[];
  readonly refused: RefusedEntry[];
  readonly withdrawnImages: ImageWithdrawal[];
  again: number;
  warned: number;
}

/** Checks a batch; null when all of it has been processed before. */
async function checkBatch(state: PassState, batch: Batch): Promise<FeedBatch | null> {
  const { options, pass, turn, tally, done } = state;
  const isOfOwn = options.message.mapping !== null || options.replay !== undefined;
  if (batch.before === 0 && !isOfOwn && (done === null || done.read === 0))
    refuseOtherKinds(batch.records, options.resource);
  const gathered: Gathered = { entries: [], refused: [], withdrawnImages: [], again: 0, warned: 0 };
  for (const source of batch.records) {
    const wait = turn();
    if (wait !== undefined) await wait;
    tally.read += 1;
    state.digest.add(source);
    takeChecked(state, source, strictly(options, source, state.check(source)), gathered);
    if (tally.read === done?.read && state.digest.text() !== done.digest) throw pass.differs();
  }
  tally.reached = reachedWith(state, batch.counts, batch.bytes);
  if (tally.read <= (done?.read ?? 0)) return null;
  const replay = replayedLines(options.replay, batch);
  const audit = options.auditOfBatch;
  return { ...gathered, reached: tally.reached, ...(replay && { replay }), ...(audit && { audit }) };
}

function replayedLines(replay: Replay | undefined, { before, records }: Batch): FeedBatch['replay'] {
  if (replay === undefined) return undefined;
  return { force: replay.force, lines: records.map((_record, index) => replay.originOf(before + index + 1)) };
}

/** Adds a record to the message's totals, and to the batch unless it was processed before. */
function takeChecked(
  { options, refused, tally, done, images }: PassState,
  source: SourceRecord,
  checked: CheckedLine,
  to: Gathered,
): void {
  const number = tally.read;
  const isNew = number > (done?.read ?? 0);
  if (checked.kind === 'again') {
    if (!isNew) return;
    const { record } = checked;
    // A refused line between the two is older than the second one, whose place then has to be known. Between lines that
    // are replayed some may wait that are not.
    const isBehindRefused = tally.refused > 0 || options.replay !== undefined;
    if (record !== null && isBehindRefused && options.resource.storage !== 'images')
      to.entries.push({ number, text: source.text ?? '', item: { ...record, ...placeInFile(source) } });
    else to.again += 1;
    return;
  }
  if (checked.kind === 'refused') {
    tally.refused += 1;
    const [reason] = checked.reasons;
    if (reason !== undefined) tally.firstRefused ??= { ...placeInFile(source), ...reason };
    tally.truncated ||= checked.reasons.some(({ code }) => code === 'truncated');
    tally.damaged ||= isBroken(checked.source);
    options.onRefused?.(checked.source, checked.reasons);
    if (isNew) to.refused.push(refused(number, checked.source, checked.reasons));
    return;
  }
  if (checked.kind === 'withdrawal') {
    const item = { ...checked.withdrawal, ...placeInFile(source) };
    if (isNew) to.entries.push({ number, text: source.text ?? '', item });
    return;
  }
  if (checked.kind === 'image-withdrawal') {
    noteImage(options.resource, images, checked.at);
    const { line, element = null } = source;
    if (isNew) to.withdrawnImages.push({ number, line, element, text: source.text ?? '', at: checked.at });
    return;
  }
  const { record, warnings } = checked;
  const { imageField } = options.resource;
  if (imageField !== null) noteImageOfRow(options, images, String(record.value[imageField]));
  if (warnings.length > 0) {
    tally.warned += 1;
    if (isNew) to.warned += 1;
    const room = Math.max(0, maxWarnings - tally.warnings.length);
    for (const reason of warnings.slice(0, room)) tally.warnings.push({ ...placeInFile(source), ...reason });
  }
  if (isNew) to.entries.push({ number, text: source.text ?? '', item: { ...record, ...placeInFile(source) } });
}

/** In a strict message, warnings become refusals. */
function strictly({ strict }: PassOptions, source: SourceRecord, checked: CheckedLine): CheckedLine {
  if (strict !== true || !('warnings' in checked) || checked.warnings.length === 0) return checked;
  return { kind: 'refused', source, reasons: checked.warnings };
}

function reachedWith(
  { digest, tally }: PassState,
  { lines, skipped, ofMapping }: LineCounts,
  bytes: number,
): MessageProgress {
  let count = 0;
  for (const each of skipped.values()) count += each;
  const warnings = [...(ofMapping?.warnings ?? []), ...tally.warnings].toSorted(
    (a, b) => numberInFile(a) - numberInFile(b),
  );
  return {
    lines,
    skipped: count,
    skippedBy: count === 0 ? null : JSON.stringify(Object.fromEntries(skipped)),
    bytes,
    digest: digest.text(),
    warnings: warnings.length === 0 ? null : JSON.stringify(warnings.slice(0, maxWarnings)),
    lineCounts: ofMapping === undefined ? null : lineCountsText(ofMapping),
  };
}

function lineCountsText({ structure, inRecords, same, warned }: NonNullable<LineCounts['ofMapping']>): string {
  return JSON.stringify({ structure, inRecords, same, warned });
}

async function write({ onRefused }: PassOptions, held: HeldMessage, batch: FeedBatch): Promise<void> {
  for (const { line, element, text, reasons } of await held.apply(batch))
    onRefused?.({ ok: true, line, ...(element !== null && { element }), text: text ?? '', value: undefined }, reasons);
}
