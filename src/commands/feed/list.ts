// The commands `feed list`, `feed messages` and `feed show`: the existing feeds, and what came in.
import { type Command, Option } from 'commander';
import { existingActivities } from '../../auth/activity-access.ts';
import { textBlock } from '../../model/text-block.ts';
import { messageRef, parseMessageRef } from '../../platform/feed-ids.ts';
import { messageStates, publishedFeed, publishedMessage } from '../../platform/feed-messages.ts';
import { resources } from '../../resources/index.ts';
import type { Feed, FeedMessage, FeedWithMessage, MessageQuery } from '../../store/feed-contract.ts';
import type { Store } from '../../store/store.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { minuteText, writeTable } from '../table.ts';
import { messageAt } from './line.ts';

export function declareListFeeds(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('list')
      .summary('list the feeds, and what did not come')
      .description('List the feeds with their last message, and the sequence numbers that did not come.')
      .option('--activity <code>', 'only those of this activity')
      .option(...jsonOption)
      .action(async (options: FeedsOptions) => done(await listFeeds(environment, options))),
    { examples: ['feed list'], settings: storageSettings },
  );
}

export function declareListMessages(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('messages')
      .summary('list messages, newest first')
      .description(
        textBlock`
          List messages, newest first, with their counts: what was read is new, changed, unchanged or refused.
        `,
      )
      .option('--activity <code>', 'only those of this activity')
      .addOption(new Option('--resource <name>', 'only one resource').choices(resources.map(({ name }) => name)))
      .option('--feed <name>', 'only those of this feed')
      .addOption(new Option('--state <state>', 'only those of this state').choices([...messageStates]))
      .option('--limit <number>', 'most messages', '20')
      .option(...jsonOption)
      .action(async (options: MessagesOptions) => done(await listMessages(environment, options))),
    { examples: ['feed messages', 'feed messages --resource orders --state open'], settings: storageSettings },
  );
}

export function declareShowMessage(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('show')
      .summary('show all that is known of a message')
      .description('Show all that is known of a message: JSON, for people too.')
      .argument('<message>', 'such as ACM:17; see feed messages')
      .option(...jsonOption)
      .action(async (message: string) => done(await showMessage(environment, message))),
    { examples: ['feed show ACM:17'], settings: storageSettings },
  );
}

interface FeedsOptions extends JsonOption {
  activity?: string;
}

interface MessagesOptions extends FeedsOptions {
  resource?: string;
  feed?: string;
  state?: FeedMessage['state'];
  limit: string;
}

const feedsAtOnce = 500;

/** @throws OperatorError when there is no such activity */
async function listFeeds(environment: Environment, options: FeedsOptions): Promise<ExitCode> {
  const { stdout } = environment;
  const found = await withStore(environment, async (store) => {
    const activities = await activitiesOf(store, options.activity);
    const feeds: FeedWithMessage[] = [];
    for (let after: Feed | null = null; ; after = feeds.at(-1)?.feed ?? null) {
      const page: readonly FeedWithMessage[] = await store.feeds.page({
        activities,
        missingOnly: false,
        after,
        limit: feedsAtOnce,
      });
      feeds.push(...page);
      if (page.length < feedsAtOnce) return feeds;
    }
  });
  if (options.json === true) {
    writeJson(
      stdout,
      found.map(({ feed, message }) => publishedFeed(feed, message)),
    );
    return exitCodes.done;
  }
  const headings = [
    'ACTIVITY',
    'RESOURCE',
    'FEED',
    'LAST MESSAGE',
    'STATE',
    'REFUSED',
    'RECEIVED',
    'SEQUENCE',
    'MISSING',
  ];
  writeTable(
    stdout,
    headings,
    found.map(({ feed, message }) => [
      feed.activity,
      feed.resource,
      feed.feed,
      messageRef({ activity: feed.activity, message: feed.lastMessage }),
      message?.state ?? null,
      message === null ? null : String(message.refused),
      minuteText(feed.receivedAt),
      feed.lastSequence === null ? null : String(feed.lastSequence),
      missingText(feed),
    ]),
  );
  return exitCodes.done;
}

/** The first ranges of missing numbers. */
function missingText({ missing }: Feed): string {
  const shown = missing.slice(0, 3).map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return [...shown, ...(missing.length > shown.length ? ['…'] : [])].join(', ');
}

const maxShown = 1000;

/**
 * @throws UsageError for a limit that is not a number
 * @throws OperatorError when there is no such activity
 */
async function listMessages(environment: Environment, options: MessagesOptions): Promise<ExitCode> {
  const limit = /^\d{1,6}$/.test(options.limit) ? Number(options.limit) : 0;
  if (limit < 1 || limit > maxShown) throw new UsageError(`--limit takes a number from 1 to ${maxShown}`);
  const { resource, feed, state } = options;
  const messages = await withStore(environment, async (store) => {
    const query: MessageQuery = {
      activities: await activitiesOf(store, options.activity),
      limit,
      ...(resource !== undefined && { resource }),
      ...(feed !== undefined && { feed }),
      ...(state !== undefined && { state }),
    };
    return store.feeds.messages(query);
  });
  if (options.json === true) {
    for (const message of messages) writeJson(environment.stdout, publishedMessage(message));
    return exitCodes.done;
  }
  const counts = ['READ', 'NEW', 'CHANGED', 'UNCHANGED', 'REFUSED'];
  writeTable(
    environment.stdout,
    ['MESSAGE', 'RESOURCE', 'FEED', 'CHANNEL', 'STATE', ...counts, 'RECEIVED', 'SOURCE'],
    messages.map((message) => [
      messageRef({ activity: message.activity, message: message.id }),
      message.resource,
      message.feed,
      message.channel,
      message.state,
      ...[message.read, message.added, message.changed, message.unchanged, message.refused].map(String),
      minuteText(message.receivedAt),
      message.source,
    ]),
  );
  return exitCodes.done;
}

/** @throws UsageError for what is no message @throws OperatorError when there is no such message */
async function showMessage(environment: Environment, id: string): Promise<ExitCode> {
  const place = parseMessageRef(id);
  if (place === null) throw new UsageError(`"${id}" is no message: one is called ACM:17; see feed messages.`);
  const message = await withStore(environment, (store) => messageAt(store, place));
  environment.stdout.write(`${JSON.stringify(publishedMessage(message), null, 2)}\n`);
  return exitCodes.done;
}

async function activitiesOf(store: Store, activity: string | undefined): Promise<readonly string[]> {
  if (activity !== undefined) return existingActivities(store, [activity]);
  return (await store.activities.list()).map(({ code }) => code);
}
