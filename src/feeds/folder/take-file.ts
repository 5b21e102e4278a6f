// Takes one file of an inbox: one message per resource in it, then its acknowledgement, then the move. After a crash,
// the same steps continue where they stopped: messages are recognized by the key of the file.
import { hash } from 'node:crypto';
import type { Resource } from '../../model/resource.ts';
import type { FeedMessage } from '../../store/feed-contract.ts';
import type { Store } from '../../store/store.ts';
import type { FeedTurns } from '../feed-turns.ts';
import { readMessageFacts } from '../mapping/message-facts.ts';
import { mappedReading } from '../mapping/read-mapped.ts';
import type { ResourceMapping } from '../mapping/compile.ts';
import type { Reading } from '../message-batches.ts';
import { MessageFault } from '../message-fault.ts';
import { jsonReading } from '../read-records.ts';
import { MessageDiffers, receiveMessage } from '../receive.ts';
import { acknowledgeFile, explain, type DroppedFileFacts, outcomeOf } from './acknowledgement.ts';
import { type DroppedFile, FileChanged, openDropped } from './dropped-file.ts';
import { type ReadyFile, shownName } from './inbox.ts';
import { type Destination, destinationOf, moveFile } from './outcome-files.ts';
import { cannotRead, type DropFault, type FeedPlace } from './drop-places.ts';
import type { FileFormat } from './file-formats.ts';

export interface TakingParts {
  readonly store: Pick<Store, 'feeds' | 'feedLines'>;
  /** Turns shared by all feeds of this process. */
  readonly turns: FeedTurns;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths?: readonly number[];
  /** Aborts when the process ends: work in progress is continued later. */
  readonly stopping: AbortSignal;
}

/** The outcome of a file. */
export interface TakenFile {
  readonly outcome: 'taken' | 'lines-refused' | 'refused';
  /** The current path of the file. */
  readonly movedTo: string;
  readonly messages: readonly FeedMessage[];
  /** Why it was put aside before anything was made of it. */
  readonly fault: DropFault | null;
}

/** Everything possible was made of the file, but it is still in its inbox. */
export class NotMoved extends Error {
  constructor(folder: string, cause: unknown) {
    const said = cause instanceof Error ? cause.message : String(cause);
    super(`the file cannot be moved to ${folder}: ${said}`, { cause });
  }
}

interface Task {
  readonly parts: TakingParts;
  readonly place: FeedPlace;
  readonly activityName: string;
  readonly format: Exclude<FileFormat, { readonly kind: 'fault' }>;
  readonly file: ReadyFile;
}

/**
 * Takes a file, and moves it to its archive, or to the folder of errors if something in it was refused.
 * @throws FileChanged when it is gone or replaced; NotMoved; MessageRunning, MessageInterrupted: the file is then still
 *   there, and the same call continues with it
 */
export async function takeFile(task: Task): Promise<TakenFile> {
  const { place, file } = task;
  const oddity = file.oddity === null ? null : oddities[file.oddity];
  if (oddity !== null) return putAside(task, oddity, null);
  let dropped: DroppedFile;
  try {
    dropped = await openDropped(place.inbox, file.name, file.identity, task.parts.stopping);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new FileChanged();
    if (!isOfFile(error)) throw error;
    return putAside(task, cannotRead(error), null);
  }
  try {
    if (dropped.size === 0) return await putAside(task, emptyFile, dropped);
    return await takeOpen(task, dropped);
  } finally {
    await dropped.close();
  }
}

/** The process lacks resources at the moment, which says nothing about the file. */
const lacking: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EINTR']);

/** True for file system errors about a file that permanently cannot be opened or read. */
function isOfFile(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && !lacking.has(code);
}

/** Code of a file system error: `ENOENT` and the like. */
function codeOf(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : null;
}

const oddities: Readonly<Record<NonNullable<ReadyFile['oddity']>, DropFault>> = {
  'symbolic-link': {
    code: 'symbolic-link',
    detail: 'It is a symbolic link; they are not followed.',
    remedy: 'Drop the file itself.',
  },
  'no-file': { code: 'no-file', detail: 'It is no regular file.', remedy: 'Drop a file.' },
  'odd-name': {
    code: 'odd-name',
    detail: 'Its name is no UTF-8, has control characters, or is longer than 200 bytes.',
    remedy: 'Drop it under another name.',
  },
};

export const emptyFile: DropFault = {
  code: 'empty-file',
  detail: 'The file is empty.',
  remedy: 'Drop it anew, with its lines.',
};

async function takeOpen(task: Task, dropped: DroppedFile): Promise<TakenFile> {
  const { parts, place, file } = task;
  let sha256: string;
  try {
    sha256 = await dropped.sha256();
  } catch (error) {
    if (!isOfFile(error)) throw error;
    return putAside(task, cannotRead(error), dropped);
  }
  const messages: FeedMessage[] = [];
  try {
    for (const message of await messagesOf(task, dropped)) messages.push(await receive(task, message, sha256));
  } catch (error) {
    if (!(error instanceof MessageDiffers)) throw error;
    return putAside(task, { ...reused, detail: reusedBy(error.of) }, dropped);
  }
  const outcome = outcomeOf(messages);
  const name = file.name.toString('utf8');
  const wanted = { folder: outcome === 'taken' ? place.archive : place.error, name };
  const facts = factsOf(task, dropped.size, sha256);
  const movedTo = await leaveInbox(task, wanted, messages[0]?.id ?? 0, (to) =>
    acknowledgeFile(parts.store.feedLines, facts, messages, to),
  );
  return { outcome, movedTo, messages, fault: null };
}

const reused: Omit<DropFault, 'detail'> = {
  code: 'message-id-reused',
  remedy: 'Give each message an id of its own, or send the message of before as it was.',
};

function reusedBy({ activity, id, messageId }: FeedMessage): string {
  return `The id ${JSON.stringify(messageId)} was that of message ${activity}:${id}, which said something else.`;
}

/** One resource contained in the file. */
interface PlannedMessage {
  readonly resource: Resource;
  readonly mapping: string | null;
  readonly messageId: string | null;
  readonly sequence: number | null;
  readonly extractionDate: string | null;
  readonly read: () => Reading;
}

async function messagesOf({ format, file }: Task, dropped: DroppedFile): Promise<readonly PlannedMessage[]> {
  const unnamed = { messageId: null, sequence: null, extractionDate: null };
  if (format.kind === 'resource')
    return [{ ...unnamed, resource: format.resource, mapping: null, read: () => jsonReading(dropped.read()) }];
  const { mapping, file: mappingFile } = format;
  const name = file.name.toString('utf8');
  const planned = (facts: typeof unnamed | Omit<Facts, 'faults'>, read: (each: ResourceMapping) => Reading) =>
    mapping.resources.map((each) => ({
      ...{ messageId: facts.messageId, sequence: facts.sequence, extractionDate: facts.extractionDate },
      resource: each.resource,
      mapping: mappingFile,
      read: () => read(each),
    }));
  try {
    const { id, faults, around, ...facts } = await readMessageFacts(mapping, dropped.read(), name);
    const [fault] = faults;
    const said = { messageId: id, ...facts };
    if (fault !== undefined)
      return planned(said, () => faultyReading(new MessageFault(fault.code, fault.detail, 'Send the file anew.')));
    return planned(said, (each) => mappedReading(mapping, each, dropped.read(), name, around));
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return planned(unnamed, () => faultyReading(error));
  }
}

interface Facts {
  readonly messageId: string | null;
  readonly sequence: number | null;
  readonly extractionDate: string | null;
}

/** A message of which nothing can be accepted: it is stored with the reason, like any other. */
function faultyReading(fault: MessageFault): Reading {
  return {
    // biome-ignore lint/correctness/useYield: it throws before it gives anything
    groups: (async function* () {
      throw fault;
    })(),
    counts: () => ({ lines: 0, skipped: new Map() }),
    bytes: () => 0,
  };
}

/** @param attempt counts the messages that were begun for this very file, and with which it no longer agrees */
async function receive(task: Task, planned: PlannedMessage, sha256: string, attempt = 0): Promise<FeedMessage> {
  try {
    return await receiveOnce(task, planned, sha256, attempt);
  } catch (error) {
    // Only another version of the program makes different records of the same bytes.
    if (error instanceof MessageDiffers && error.by === 'request' && attempt < maxAttempts)
      return receive(task, planned, sha256, attempt + 1);
    throw error;
  }
}

const maxAttempts = 10;

async function receiveOnce(task: Task, planned: PlannedMessage, sha256: string, attempt: number): Promise<FeedMessage> {
  const { parts, place, activityName, file } = task;
  const { resource, mapping, messageId, sequence, extractionDate, read } = planned;
  const { message, of } = await receiveMessage({
    store: parts.store,
    turns: parts.turns,
    gtinLengths: parts.gtinLengths,
    resource,
    activity: place.activity,
    activityName,
    message: {
      feed: feedOfTask(task),
      channel: 'folder',
      source: file.name.toString('utf8'),
      messageId,
      sequence,
      requestKey: keyOf(task, resource, sha256, attempt),
      mapping,
      replayOf: null,
      actor: 'folder',
    },
    // A file that was begun and then replaced under the same name is continued as far as both agree.
    resumption: { bySource: true },
    source: { read },
    ...(extractionDate !== null && resource.storage === 'images' && { extractionDate }),
    onProgress: () => parts.stopping.throwIfAborted(),
  });
  return of === null ? message : { ...of, id: message.id, state: 'duplicate' };
}

/**
 * The same for the same file in the same place with the same mapping, and for no other: a file that is dropped again is
 * another file.
 */
function keyOf({ place, file, format }: Task, { name }: Resource, sha256: string, attempt: number): string {
  const { activity, name: folder } = place;
  const version = format.kind === 'mapping' ? format.version : '';
  const parts = [activity, folder, name, file.name.toString('latin1'), file.identity, sha256, version, attempt];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

async function putAside(task: Task, fault: DropFault, dropped: DroppedFile | null): Promise<TakenFile> {
  const { place, file } = task;
  const wanted = { folder: place.error, name: shownName(file.name) };
  const facts = factsOf(task, dropped?.size ?? null, null);
  const movedTo = await leaveInbox(task, wanted, 0, (to) => explain(facts, fault, to));
  return { outcome: 'refused', movedTo, messages: [], fault };
}

/** Moves the file, once its results are written. @returns its new path @throws FileChanged, NotMoved */
async function leaveInbox(
  { place, file }: Task,
  wanted: Destination,
  number: number,
  write: (to: Destination) => Promise<void>,
): Promise<string> {
  try {
    const to = await destinationOf(wanted.folder, wanted.name, number);
    await write(to);
    await moveFile(place.inbox, file, to);
    return `${to.folder}/${to.name}`;
  } catch (error) {
    throw error instanceof FileChanged ? error : new NotMoved(wanted.folder, error);
  }
}

function factsOf(task: Task, bytes: number | null, sha256: string | null): DroppedFileFacts {
  const { activity, name: folder } = task.place;
  return { activity, feed: feedOfTask(task), folder, file: task.file.name.toString('utf8'), bytes, sha256 };
}

/** Without a mapping the folder has the name of a resource, which says nothing about who sends it. */
function feedOfTask({ place, format }: Task): string {
  return format.kind === 'mapping' ? place.name : 'main';
}
