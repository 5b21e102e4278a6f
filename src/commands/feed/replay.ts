// The command `feed replay`: imports refused lines again, corrected or unchanged.
import type { Command } from 'commander';
import { createFeedTurns } from '../../feeds/feed-turns.ts';
import { replayLines } from '../../feeds/replay.ts';
import { textBlock } from '../../model/text-block.ts';
import { messageRef, parseLineId, parseMessageRef } from '../../platform/feed-ids.ts';
import { replayAction, replayDetails, replayOutcome } from '../../platform/feed-replay.ts';
import { resources } from '../../resources/index.ts';
import { LinesSettled } from '../../store/feed-contract.ts';
import type { Store } from '../../store/store.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { lineNamed, nothingRefused, settled } from './line.ts';

export function declareReplayLines(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('replay')
      .summary('replay refused lines')
      .description(
        textBlock`
          Take in a refused line, or all that are left of a message, as they were mended or as they came, by a message
          of its own. What is refused again is a refused line of that message.
        `,
      )
      .argument('<line>', 'id of a line, such as ACM:17:4, or of a message, such as ACM:17')
      .option('--force', 'write records even where they have been written since the line came')
      .option(...jsonOption)
      .action(async (line: string, options: JsonOption & { force?: true }) =>
        done(await replay(environment, { id: line, force: options.force === true, json: options.json === true })),
      ),
    {
      examples: ['feed replay ACM:17:4', 'feed replay ACM:17'],
      codes: { [exitCodes.linesRefused]: 'done, but lines were refused again' },
      settings: [...storageSettings, 'gtinLengths'],
    },
  );
}

interface ReplayRequest {
  readonly id: string;
  readonly force: boolean;
  readonly json: boolean;
}

/** @throws OperatorError when there is nothing to replay, or the lines are rows of a stock image */
async function replay(environment: Environment, { id, force, json }: ReplayRequest): Promise<ExitCode> {
  const outcome = await withStore(environment, async (store, { gtinLengths }) => {
    const { activity, message, records } = await linesNamed(store, id);
    const found = await store.feeds.message(activity, message);
    const resource = resources.find(({ name }) => name === found?.resource);
    const known = (await store.activities.list()).find(({ code }) => code === activity);
    if (found === null || resource === undefined || known === undefined)
      throw await nothingRefused(store, { activity, message });
    const audit = { action: replayAction, target: messageRef({ activity, message }), activityCodes: [activity] };
    try {
      const replayed = await replayLines({
        ...{ store, resource, activity, activityName: known.name, message: found, records, force },
        gtinLengths,
        ...{ actor: environment.user, turns: createFeedTurns() },
        audit: (made) => commandEntry(environment, { ...audit, details: replayDetails(made, force) }),
      });
      return replayOutcome(replayed);
    } catch (error) {
      if (error instanceof LinesSettled) throw settled(id);
      throw error;
    }
  });
  const { read, refused, message } = outcome;
  if (json) writeJson(environment.stdout, outcome);
  else {
    const counts = `${outcome.new} new, ${outcome.changed} changed, ${outcome.unchanged} unchanged, ${refused} refused`;
    environment.stdout.write(`${message}: ${read} ${read === 1 ? 'line' : 'lines'} replayed: ${counts}.\n`);
    if (refused > 0) environment.stdout.write(`See: ./logistics-connect feed lines ${message}\n`);
  }
  return refused > 0 ? exitCodes.linesRefused : exitCodes.done;
}

interface NamedLines {
  readonly activity: string;
  readonly message: number;
  /** Null: all records of the message. */
  readonly records: readonly number[] | null;
}

async function linesNamed(store: Store, id: string): Promise<NamedLines> {
  const asked = parseMessageRef(id);
  if (asked === null && parseLineId(id) === null)
    throw new UsageError(`"${id}" is no line and no message: they are called ACM:17:4 and ACM:17; see feed lines.`);
  if (asked === null) {
    const line = await lineNamed(store, id);
    if (line.state !== 'refused') throw settled(id);
    return { activity: line.activity, message: line.message, records: [line.record] };
  }
  const [first] = await store.feedLines.list({
    ...{
      activities: [asked.activity],
      message: asked.message,
      resource: null,
      state: 'refused',
      after: null,
      limit: 1,
    },
  });
  if (first === undefined) throw await nothingRefused(store, asked);
  return { ...asked, records: null };
}
