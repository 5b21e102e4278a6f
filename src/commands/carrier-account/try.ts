// The command `carrier-account try`: checks whether a request would produce a label.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import { readLabelRequest } from '../../shipping/label-request.ts';
import { tryLabel } from '../../shipping/try-label.ts';
import type { CommandLine } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand } from '../help.ts';
import { withStore } from '../storage.ts';
import { carrierCallSettings, named, type NamedOptions, openNamed } from './find-account.ts';

interface TryOptions extends NamedOptions {
  order?: string;
}

/** Adds `carrier-account try` to the commands of carrier accounts. */
export function declareAccountTry(account: Command, { environment, done }: CommandLine): void {
  describeCommand(
    named(
      account
        .command('try')
        .summary('try a label request')
        .description(
          textBlock`
            Say field by field what is wrong with a label request, by the rules of this service, then by the carrier
            itself where it judges a request without making a label (carrier list: DRY RUN). Nothing is made. The sender
            of the context is filled in.
          `,
        )
        .argument('<file>', 'JSON as a client sends it; - for standard input')
        .option('--order <id>', 'order whose goods are declared to customs: its id or orderUniqueID'),
    ).action(async (file: string, options: TryOptions) => done(await tryRequest(environment, file, options))),
    {
      examples: ['carrier-account try request.json --context paris --carrier colissimo'],
      settings: carrierCallSettings,
    },
  );
}

/** @throws OperatorError for a file that cannot be read; Problem with the faults of the request */
async function tryRequest(environment: Environment, file: string, options: TryOptions): Promise<ExitCode> {
  const body = file === '-' ? await buffer(environment.stdin) : contentOf(resolve(environment.folder, file));
  const trial = await withStore(environment, async (store, config) => {
    const { opened, asking } = await openNamed(store, config, options);
    const { completed } = readLabelRequest(body, opened.stored.sender, opened.carrier.desk.handover.isReturn);
    const request = completed();
    return tryLabel({ ...asking, store }, opened, { request, orderId: options.order });
  });
  if (options.json === true) writeJson(environment.stdout, trial);
  else environment.stdout.write(`${trial.detail}\n`);
  return exitCodes.done;
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new OperatorError(`The file ${path} cannot be read.`, 'Name a file with a label request in JSON.');
  }
}
