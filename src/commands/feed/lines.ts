// The command `feed lines`: shows which lines were refused and why, for people, programs and editors.
import { Option, type Command } from 'commander';
import { existingActivities } from '../../auth/activity-access.ts';
import { textBlock } from '../../model/text-block.ts';
import { lineId, parseMessageRef } from '../../platform/feed-ids.ts';
import { downloadedLine, feedLineStates, publishedLine } from '../../platform/feed-lines.ts';
import { resources } from '../../resources/index.ts';
import type { FeedLine, FeedLineQuery, FeedLines } from '../../store/feed-lines.ts';
import { type Environment, type ExitCode, exitCodes } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { minuteText, writeTable } from '../table.ts';
import { messageAt } from './line.ts';

interface LinesOptions extends JsonOption {
  activity?: string;
  resource?: string;
  state: FeedLineQuery['state'];
  limit: string;
  ndjson?: true;
}

export function declareListLines(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('lines')
      .summary('list refused lines')
      .description(
        textBlock`
          List lines that were refused, with their reasons. With --ndjson they are written whole, as a file that can be
          mended in an editor and imported again.
        `,
      )
      .argument('[message]', 'only those of a message, such as ACM:17')
      .option('--activity <code>', 'only those of this activity')
      .addOption(
        new Option('--resource <name>', 'only those of one resource').choices(resources.map(({ name }) => name)),
      )
      .addOption(new Option('--state <state>', 'what became of them').choices([...feedLineStates]).default('refused'))
      .option('--limit <number>', 'most lines', '100')
      .option('--ndjson', 'write them whole: line, reasons, and record or text, one object a line')
      .option(...jsonOption)
      .action(async (message: string | undefined, options: LinesOptions) =>
        done(await listLines(environment, message ?? null, options)),
      ),
    {
      examples: [
        'feed lines',
        'feed lines ACM:17',
        'feed lines --resource orders --limit 100000 --ndjson > mend.ndjson',
      ],
      settings: storageSettings,
    },
  );
}

const maxShown = 10_000_000;
const readAtOnce = 100;

/**
 * @throws UsageError for an invalid message or number
 * @throws OperatorError when there is no such activity or message
 */
async function listLines(environment: Environment, message: string | null, options: LinesOptions): Promise<ExitCode> {
  const limit = /^\d{1,8}$/.test(options.limit) ? Number(options.limit) : 0;
  if (limit < 1 || limit > maxShown) throw new UsageError(`--limit takes a number from 1 to ${maxShown}`);
  const asked = message === null ? null : parseMessageRef(message);
  if (message !== null && asked === null) throw new UsageError(`"${message}" is no message: one is called ACM:17.`);
  await withStore(environment, async (store) => {
    const wanted = asked?.activity ?? options.activity;
    const activities = await existingActivities(
      store,
      wanted === undefined ? (await store.activities.list()).map(({ code }) => code) : [wanted],
    );
    const query = {
      activities,
      message: asked?.message ?? null,
      resource: options.resource ?? null,
      state: options.state,
    };
    let shown = 0;
    for await (const lines of pages(store.feedLines, query, limit)) {
      await write(environment, store.feedLines, lines, { ...options, isFirst: shown === 0 });
      shown += lines.length;
    }
    if (shown === 0 && asked !== null) await messageAt(store, asked);
    if (shown === 0 && options.json !== true && options.ndjson !== true)
      environment.stdout.write(`There are no ${options.state} lines.\n`);
  });
  return exitCodes.done;
}

async function* pages(
  feedLines: FeedLines,
  query: Omit<FeedLineQuery, 'after' | 'limit'>,
  limit: number,
): AsyncGenerator<readonly FeedLine[]> {
  let after: FeedLine | null = null;
  for (let rest = limit; rest > 0; ) {
    const lines: readonly FeedLine[] = await feedLines.list({ ...query, after, limit: Math.min(rest, readAtOnce) });
    if (lines.length === 0) return;
    yield lines;
    rest -= lines.length;
    after = lines.at(-1) ?? null;
  }
}

async function write(
  { stdout }: Environment,
  feedLines: FeedLines,
  lines: readonly FeedLine[],
  { json, ndjson, isFirst }: Pick<LinesOptions, 'json' | 'ndjson'> & { readonly isFirst: boolean },
): Promise<void> {
  if (json === true || ndjson === true) {
    for (const line of lines) {
      const whole = line.isLong ? ((await feedLines.find(line)) ?? line) : line;
      if (json === true) stdout.write(`${publishedLine(whole)}\n`);
      else stdout.write(downloadedLine(whole));
    }
    return;
  }
  const headings = ['LINE', 'RESOURCE', 'SOURCE', 'REFUSED FOR', 'MENDED', 'SINCE'];
  const rows = lines.map((line) => [
    lineId(line),
    line.resource,
    placeOfLine(line),
    firstReason(line),
    line.edited === null ? '' : 'yes',
    minuteText(line.changedAt),
  ]);
  const [top = headings, ...others] = isFirst ? [headings, ...rows] : rows;
  writeTable(
    stdout,
    top.map((cell) => cell ?? ''),
    others,
  );
}

function placeOfLine({ source, feed, line, element }: FeedLine): string {
  const at = source === null ? feed : `${source}:${line}`;
  return element === null ? at : `${at}, element ${element}`;
}

/** The first reason, and the number of further ones. */
function firstReason({ reasons }: FeedLine): string {
  const all: readonly { readonly pointer: string; readonly detail: string }[] = JSON.parse(reasons);
  const [first, ...others] = all;
  if (first === undefined) return '';
  const place = first.pointer === '' ? '' : `${first.pointer}: `;
  return `${place}${first.detail}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}
