// The acknowledgement of a file: its messages, their counts, and the refused lines.
import { join } from 'node:path';
import type { FeedMessage } from '../../store/feed-contract.ts';
import type { FeedLine, FeedLines } from '../../store/feed-lines.ts';
import { type Destination, writeJsonFile, writeWhole } from './outcome-files.ts';
import type { DropFault } from './drop-places.ts';
import { refusedText } from '../refused-file.ts';

/** Facts about the file itself. */
export interface DroppedFileFacts {
  readonly activity: string;
  /** The name of its feed, as in the list of messages. */
  readonly feed: string;
  /** The name of the folder into which it was dropped. */
  readonly folder: string;
  /** Its original name. */
  readonly file: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** A message, and what the file says about itself. */
interface Acknowledged extends Readonly<Record<string, unknown>> {
  readonly message: string;
  readonly resource: string;
  readonly state: FeedMessage['state'];
  /** How many of its refused records the file of refused lines lists: not all, if there are too many to be kept. */
  readonly refusedLinesListed: number;
}

/**
 * Writes the results of a file that became messages: refused lines, resource by resource, then `FILE.ack.json`.
 * @returns whether every record was accepted
 */
export async function acknowledgeFile(
  lines: FeedLines,
  facts: DroppedFileFacts,
  messages: readonly FeedMessage[],
  to: Destination,
): Promise<void> {
  const refusedFiles: Record<string, string> = {};
  const acknowledgedMessages: Acknowledged[] = [];
  for (const message of messages) {
    const isListed = message.refused > 0 && message.state === 'done';
    const name = `${to.name}.${messages.length === 1 ? '' : `${message.resource}.`}refused.ndjson`;
    const listed = isListed ? await writeRefused(lines, message, join(to.folder, name)) : 0;
    if (isListed) refusedFiles[message.resource] = name;
    acknowledgedMessages.push(acknowledged(message, listed));
  }
  await writeJsonFile(join(to.folder, `${to.name}.ack.json`), {
    ...facts,
    outcome: outcomeOf(messages),
    messages: acknowledgedMessages,
    refusedFiles,
  });
}

/** Writes why a file was put aside before anything was made of it. */
export function explain(facts: DroppedFileFacts, fault: DropFault, to: Destination): Promise<void> {
  return writeJsonFile(join(to.folder, `${to.name}.reason.json`), { ...facts, ...fault });
}

/** Whether every record of a file was accepted. */
export function outcomeOf(messages: readonly FeedMessage[]): 'taken' | 'lines-refused' | 'refused' {
  if (messages.some(({ state }) => state === 'refused')) return 'refused';
  return messages.some(({ refused, state }) => refused > 0 && state === 'done') ? 'lines-refused' : 'taken';
}

function acknowledged(row: FeedMessage, refusedLinesListed: number): Acknowledged {
  return {
    message: `${row.activity}:${row.id}`,
    resource: row.resource,
    state: row.state,
    messageId: row.messageId,
    sequence: row.sequence,
    lines: row.lines,
    skipped: jsonOf(row.skippedBy) ?? {},
    ...linesOf(row),
    read: row.read,
    new: row.added,
    changed: row.changed,
    unchanged: row.unchanged,
    refused: row.refused,
    refusedLinesListed,
    withdrawn: row.withdrawn,
    warned: row.warned,
    warnings: jsonOf(row.warnings) ?? [],
    firstRecord: jsonOf(row.firstKey) ?? row.firstKey,
    lastRecord: jsonOf(row.lastKey) ?? row.lastKey,
    notes: jsonOf(row.notes),
    fault: jsonOf(row.fault),
    receivedAt: new Date(row.receivedAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
  };
}

/** What the mapping made of the lines that no rule left out. */
function linesOf({ lineCounts }: FeedMessage): Readonly<Record<string, unknown>> {
  if (lineCounts === null) return {};
  const { structure, inRecords, same, warned } = JSON.parse(lineCounts);
  return { structure, inRecords, same, lineWarnings: warned };
}

function jsonOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Lines read at a time. */
const pageLines = 200;

/** Writes the refused lines of a message in the form that `import` accepts. @returns how many there are */
async function writeRefused(lines: FeedLines, { activity, id, resource }: FeedMessage, path: string): Promise<number> {
  let count = 0;
  await writeWhole(path, async (handle) => {
    for (let after: FeedLine | null = null; ; ) {
      const page: readonly FeedLine[] = await lines.list({
        ...{ activities: [activity], message: id, resource, state: 'refused', after, limit: pageLines },
      });
      for (const each of page) {
        const whole = each.isLong ? ((await lines.find(each)) ?? each) : each;
        await handle.writeFile(`${refusedLine(whole)}\n`);
      }
      count += page.length;
      const last = page.at(-1);
      if (last === undefined || page.length < pageLines) return;
      after = last;
    }
  });
  return count;
}

function refusedLine({ line, element, reasons, kind, content }: FeedLine): string {
  const original = kind === 'text' || content === null ? { text: content } : { record: content };
  return refusedText({ line, element, reasons, ...original });
}
