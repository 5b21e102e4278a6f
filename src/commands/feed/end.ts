// The command `feed end`: ends a truncated message that nobody will continue.
import type { Command } from 'commander';
import { OperatorError } from '../../model/operator-error.ts';
import { parseMessageRef } from '../../platform/feed-ids.ts';
import { endAction } from '../../platform/feed-messages.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { unknownMessage } from './line.ts';

export function declareEndMessage(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('end')
      .summary('end a message that was cut')
      .description(
        'End an open message that nobody will go on with. What was written of it stays; an image is dropped.',
      )
      .argument('<message>', 'such as ACM:17; see feed messages --state open')
      .option(...jsonOption)
      .action(async (message: string, options: JsonOption) =>
        done(await endMessage(environment, message, options.json === true)),
      ),
    {
      examples: ['feed end ACM:17'],
      codes: { [exitCodes.failed]: 'it had ended before, or somebody is at work on it' },
      settings: storageSettings,
    },
  );
}

/** @throws UsageError for what is no message @throws OperatorError when it cannot be ended */
async function endMessage(environment: Environment, id: string, json: boolean): Promise<ExitCode> {
  const place = parseMessageRef(id);
  if (place === null) throw new UsageError(`"${id}" is no message: one is called ACM:17; see feed messages.`);
  const audit = commandEntry(environment, { action: endAction, target: id, activityCodes: [place.activity] });
  const outcome = await withStore(environment, (store) =>
    store.feeds.end({ activity: place.activity, id: place.message }, audit),
  );
  if (outcome === 'unknown') throw unknownMessage(id);
  if (outcome === 'settled') throw new OperatorError(`Message ${id} had ended before.`, 'See `feed show`.');
  if (outcome === 'held')
    throw new OperatorError(`Message ${id} is being taken in.`, 'Wait, or stop whoever sends it, and try again.');
  if (json) writeJson(environment.stdout, { message: id, state: 'interrupted' });
  else environment.stdout.write(`Message ${id} is ended. What was written of it stays.\n`);
  return exitCodes.done;
}
