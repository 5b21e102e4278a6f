// The command `feed drop`: discards refused lines that nobody will correct.
import type { Command } from 'commander';
import { textBlock } from '../../model/text-block.ts';
import { messageRef, parseMessageRef } from '../../platform/feed-ids.ts';
import { dropAction } from '../../platform/feed-line-changes.ts';
import type { FeedLinePlace } from '../../store/feed-lines.ts';
import type { Store } from '../../store/store.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { lineNamed, nothingRefused, settled } from './line.ts';

export function declareDropLines(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('drop')
      .summary('drop refused lines')
      .description(
        textBlock`
          Drop a refused line, or all that are left of a message. They are kept, and feed lines lists them only with
          --state dropped.
        `,
      )
      .argument('<line>', 'id of a line, such as ACM:17:4, or of a message, such as ACM:17')
      .option(...jsonOption)
      .action(async (line: string, options: JsonOption) =>
        done(await dropLines(environment, { id: line, json: options.json === true })),
      ),
    { examples: ['feed drop ACM:17:4', 'feed drop ACM:17'], settings: storageSettings },
  );
}

/** @throws OperatorError when there is nothing to discard */
async function dropLines(
  environment: Environment,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<ExitCode> {
  const dropped = await withStore(environment, async (store) => {
    const message = parseMessageRef(id);
    return message === null ? dropOne(environment, store, id) : dropAll(environment, store, message);
  });
  if (json) writeJson(environment.stdout, { dropped });
  else environment.stdout.write(`${dropped} ${dropped === 1 ? 'line is' : 'lines are'} dropped.\n`);
  return exitCodes.done;
}

async function dropOne(environment: Environment, store: Store, id: string): Promise<number> {
  const line = await lineNamed(store, id);
  const dropped = await store.feedLines.drop(line, [line.record], by(environment, line, [line.record]));
  if (dropped === 0) throw settled(id);
  return dropped;
}

async function dropAll(
  environment: Environment,
  store: Store,
  message: Omit<FeedLinePlace, 'record'>,
): Promise<number> {
  const dropped = await store.feedLines.drop(message, null, by(environment, message, 'all'));
  if (dropped === 0) throw await nothingRefused(store, message);
  return dropped;
}

function by(environment: Environment, message: Omit<FeedLinePlace, 'record'>, records: readonly number[] | 'all') {
  const audit = commandEntry(environment, {
    action: dropAction,
    target: messageRef(message),
    activityCodes: [message.activity],
    details: { records },
  });
  return { actor: environment.user, audit };
}
