// Receives one message, whatever its channel: begun or resumed, checked, written in batches, and ended. This is the
// only path from the warehouse system to the lists.
import type { ReasonCode } from '../model/reason-codes.ts';
import { inPart, type Part } from '../model/work.ts';
import { MessageTaken } from '../store/feed-contract.ts';
import type {
  AuditOfMessage,
  FeedImage,
  FeedMessage,
  HeldMessage,
  RecognizedBy,
  NewMessage,
  Resumption,
} from '../store/feed-contract.ts';
import { feedLeaseMs } from '../store/feed-lease.ts';
import { batchesOf, messageDigest, type Reading } from './message-batches.ts';
import { MessageFault } from './message-fault.ts';
import { numberInFile, placeText } from './record-splitter.ts';
import { type MessagePass, type PassOptions, type Tally, takeMessage } from './message-pass.ts';

export interface ReceiveOptions extends PassOptions {
  readonly message: Omit<NewMessage, 'activity'>;
  readonly resumption?: Resumption;
  readonly source: MessageSource;
  /** One line that is refused, or accepted with a warning, refuses the message: nothing is written then. */
  readonly strict?: boolean;
  /** A message without records is refused, unless its image is named by `extractionDate`. */
  readonly needsRecords?: boolean;
  /** Makes the audit entry of the message's end, written in the same transaction. */
  readonly audit?: AuditOfMessage;
}

/** Where a message is read from. */
interface MessageSource {
  /** Reads it from its start; called more than once only if `strict` or `resumption.bySource` requires it. */
  readonly read: () => Reading;
  /** True when its bytes are still those that were read before. */
  readonly unchanged?: () => Promise<boolean>;
}

/** The outcome of a message. */
export interface Received {
  /** `known`: the same request was already processed; `duplicate`: another one, with the same source id. */
  readonly kind: 'done' | 'refused' | 'known' | 'duplicate';
  readonly message: FeedMessage;
  /** For a duplicate: the earlier message. */
  readonly of: FeedMessage | null;
  /** For what this call read; null when nothing was checked. */
  readonly tally: Tally | null;
  /** Only for stock: the images, oldest first. */
  readonly images: readonly FeedImage[] | null;
  /** Why it was refused. */
  readonly fault: MessageFault | null;
}

/** Somebody is working on the message. */
export class MessageRunning extends Error {
  readonly row: FeedMessage;
  /** Until they count as dead, unless they renew their claim. */
  readonly endsInMs: number;

  constructor(message: FeedMessage, endsInMs: number) {
    super(`message ${message.activity}:${message.id} is being taken in`);
    this.row = message;
    this.endsInMs = endsInMs;
  }
}

/** The message differs from the one that was processed, or begun, before. */
export class MessageDiffers extends Error {
  readonly by: RecognizedBy;
  readonly of: FeedMessage;

  constructor(by: RecognizedBy, of: FeedMessage) {
    super(`message ${of.activity}:${of.id} was another one`);
    this.by = by;
    this.of = of;
  }
}

/** The message ended before its lines did; what was processed until then stays. */
export class MessageInterrupted extends Error {
  readonly row: FeedMessage;

  constructor(message: FeedMessage, cause: unknown) {
    super(`message ${message.activity}:${message.id} was interrupted`, { cause });
    this.row = message;
  }
}

/**
 * Receives a message. One that was interrupted is read from its start and continues after the last processed record;
 * images are begun again, because nobody has seen them.
 * @throws MessageRunning, MessageDiffers; MessageInterrupted with the cause when reading or storage failed midway
 */
export async function receiveMessage(options: ReceiveOptions): Promise<Received> {
  const { store, resource, activity, message, resumption } = options;
  // The whole of a strict message has come in by now.
  await options.confirmAccess?.();
  const begun = await store.feeds.begin(resource, { ...message, activity }, resumption);
  if (begun.state === 'running') throw new MessageRunning(begun.message, begun.endsInMs);
  if (begun.state === 'other-request') throw new MessageDiffers('request', begun.message);
  if (begun.state === 'known') return again(options, begun.message, begun.by);
  const { held, resumed } = begun;
  try {
    const facts = { message: `${activity}:${held.row().id}` };
    return await underLease(held, (lease) =>
      inPart(partOf(held.row()), facts, async () => {
        if (resumed !== null && resource.storage === 'images') await held.clear();
        return work(options, held, lease);
      }),
    );
  } catch (error) {
    if (error instanceof Differs) {
      if (resumed !== 'source') {
        await held.release('open');
        throw new MessageDiffers(resumed ?? 'request', held.row());
      }
      // Another file with the same name: what was written of the first one stays.
      await held.release('interrupted');
      return receiveMessage({ ...options, resumption: {} });
    }
    const canGoOn = message.requestKey !== null || message.messageId !== null || resumption?.bySource === true;
    // If storage is unavailable, the lease expires by itself.
    if (!(error instanceof MessageTaken)) await held.release(canGoOn ? 'open' : 'interrupted').catch(() => undefined);
    throw new MessageInterrupted(held.row(), error);
  }
}

/** The trace part for a message. */
function partOf({ activity, id, resource, feed, channel }: FeedMessage): Part {
  return {
    stage: 'work',
    kind: 'internal',
    describe: () => ({
      name: 'feed message',
      attributes: {
        'logistics.message': `${activity}:${id}`,
        'logistics.resource': resource,
        'logistics.feed': feed,
        'logistics.channel': channel,
      },
    }),
  };
}

/** What was read before does not match the digest of the message. */
class Differs extends Error {}

async function work(options: ReceiveOptions, held: HeldMessage, lease: Lease): Promise<Received> {
  const { resource, source, strict = false, extractionDate } = options;
  const pass = (name: MessagePass['name'], into: HeldMessage | null): Promise<Tally> =>
    takeMessage(options, { name, reading: source.read(), held: into, checkLease: lease.check, differs });
  let tally: Tally | null = null;
  try {
    if (strict) {
      tally = await pass('checking', null);
      if (tally.refused > 0) throw new MessageFault('strict', notEvery(tally), 'Correct the lines.');
      if ((await source.unchanged?.()) === false)
        throw new MessageFault(
          'changed',
          'The file changed while it was checked.',
          'Import it again when it is complete.',
        );
    }
    tally = await pass('importing', held);
    const fault = faultAtEnd(options, tally);
    if (fault !== null) throw fault;
    await options.confirmAccess?.();
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    await options.confirmAccess?.();
    const { code, message, remedy } = error;
    lease.end();
    await held.finish({
      state: 'refused',
      fault: { code, detail: `${message} ${remedy}`.trim() },
      read: tally?.read ?? held.row().read,
      reached: tally?.reached ?? reachedSoFar(held.row()),
      ...(options.audit && { audit: options.audit }),
    });
    return { kind: 'refused', message: held.row(), of: null, tally, images: imagesOf(options, []), fault: error };
  }
  lease.end();
  const images = await held.finish({
    state: 'done',
    reached: tally.reached,
    onlyImage: resource.storage === 'images' ? (extractionDate ?? null) : null,
    ...(options.audit && { audit: options.audit }),
  });
  const message = held.row();
  const fault = faultOf(message);
  const kind = fault === null ? 'done' : 'refused';
  return { kind, message, of: null, tally, images: imagesOf(options, images), fault };
}

function notEvery({ read, refused, firstRefused }: Tally): string {
  const start = `Not every record is right: ${refused} of ${read} ${refused === 1 ? 'is' : 'are'} not.`;
  if (firstRefused === null) return start;
  const { pointer, detail } = firstRefused;
  const place = placeText(numberInFile(firstRefused), firstRefused);
  return `${start} ${place}: ${pointer === '' ? '' : `${pointer}: `}${detail}`;
}

/** Why storage refused a message at its end; null when it did not. */
function faultOf({ state, fault }: FeedMessage): MessageFault | null {
  if (state !== 'refused' || fault === null) return null;
  const { code, detail }: { readonly code: ReasonCode; readonly detail: string } = JSON.parse(fault);
  return new MessageFault(code, detail, '');
}

function differs(): Error {
  return new Differs('the message is another one');
}

function imagesOf({ resource }: ReceiveOptions, images: readonly FeedImage[]): readonly FeedImage[] | null {
  return resource.storage === 'images' ? images : null;
}

function reachedSoFar(message: FeedMessage): Tally['reached'] {
  const { lines, skipped, skippedBy, bytes, digest, warnings, lineCounts } = message;
  return { lines, skipped, skippedBy, bytes, digest, warnings, lineCounts };
}

/** The fault of a message that was read completely. */
function faultAtEnd(
  { resource, extractionDate, needsRecords = false }: ReceiveOptions,
  { read, refused, damaged }: Tally,
): MessageFault | null {
  // An image that lacks records would be wrong.
  if (damaged && resource.storage === 'images')
    return new MessageFault(
      'damaged',
      'Part of the file is damaged: records may be missing, and a stock image must be whole.',
      'Send the file anew, as it was written.',
    );
  if (extractionDate !== undefined && read === refused && refused > 0)
    return new MessageFault('all-refused', 'Every row of the stock image was refused.', 'Correct the rows.');
  if (needsRecords && read === 0 && extractionDate === undefined)
    return new MessageFault('no-records', 'The message holds no records.', '');
  return null;
}

/** A message that was processed before: compared by its digest, without checking its records. */
async function again(options: ReceiveOptions, of: FeedMessage, by: RecognizedBy): Promise<Received> {
  const { store, activity, message, source, turns } = options;
  const digest = messageDigest();
  const reading = source.read();
  for await (const { records } of batchesOf(reading)) {
    const leave = await turns.enter(feedKey(of));
    for (const record of records) digest.add(record);
    leave();
  }
  await options.confirmAccess?.();
  if (digest.text() !== of.digest) throw new MessageDiffers(by, of);
  const found = { tally: null, images: null, fault: null };
  if (by === 'request') return { kind: 'known', message: of, of: null, ...found };
  const duplicate = await store.feeds.noteDuplicate({ ...message, activity }, of, reading.bytes());
  return { kind: 'duplicate', message: duplicate, of, ...found };
}

/** The feed whose turn a batch takes. */
function feedKey({ activity, resource, feed }: Pick<FeedMessage, 'activity' | 'resource' | 'feed'>): string {
  return `${activity}/${resource}/${feed}`;
}

interface Lease {
  /** @throws MessageTaken when another process has taken the message over */
  readonly check: () => void;
  readonly end: () => void;
}

/** Renews the claim for as long as the work lasts. */
async function underLease<T>(held: HeldMessage, work: (lease: Lease) => Promise<T>): Promise<T> {
  let isLost = false;
  let isAsking = false;
  const timer = setInterval(async () => {
    if (isAsking) return;
    isAsking = true;
    // Storage may be available again next time.
    isLost ||= !(await held.touch().catch(() => true));
    isAsking = false;
  }, feedLeaseMs / 3).unref();
  const end = (): void => clearInterval(timer);
  try {
    return await work({
      end,
      check: () => {
        if (isLost) throw new MessageTaken();
      },
    });
  } finally {
    end();
  }
}
