// The commands `outbox …`: who collects what clients wrote, and how far each consumer has come.
import type { Command } from 'commander';
import { heldUpEntries } from '../jobs/held-up-entries.ts';
import { OperatorError } from '../model/operator-error.ts';
import { takeProcessLock } from '../store/process-lock.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { exportLock } from './outbox/consumer.ts';
import { declareOutboxExport } from './outbox/export.ts';
import { countText, heldUpAdvice } from './outbox/held-up.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareOutbox(program: Command, line: CommandLine): void {
  const { environment, done } = line;
  const outbox = describeCommand(
    program
      .command('outbox')
      .description('What clients wrote and the warehouse takes: articles, and documents of orders.'),
    { examples: ['outbox list', 'outbox export --to /srv/wms/in'] },
  );
  describeCommand(
    outbox
      .command('list')
      .description('List the consumers with what they were given, what they acknowledged, and what waits for them.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await listConsumers(environment, { json: options.json === true }))),
    { examples: ['outbox list'], settings: storageSettings },
  );
  describeCommand(
    outbox
      .command('forget')
      .description(
        'Forget a consumer: what it did not take is no longer kept for it. Under the same name it begins anew.',
      )
      .argument('<consumer>', 'see outbox list')
      .option(...jsonOption)
      .action(async (consumer: string, options: JsonOption) =>
        done(await forgetConsumer(environment, { consumer, json: options.json === true })),
      ),
    { examples: ['outbox forget old-wms'], settings: storageSettings },
  );
  declareOutboxExport(outbox, line);
}

/** Lists the consumers by name, one line per activity; reports long-waiting entries on standard error. */
async function listConsumers(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const { consumers, heldUp } = await withStore(environment, async ({ outbox, activities }) => ({
    consumers: await outbox.consumers(),
    heldUp: await heldUpEntries(
      outbox,
      (await activities.list()).map(({ code }) => code),
      environment.now(),
    ),
  }));
  if (json) {
    writeJson(
      environment.stdout,
      consumers.map(
        ({ consumer, activity, delivered, acknowledged, waiting, waitingSince, updatedAt, export: pending }) => ({
          consumer,
          activityCode: activity,
          delivered,
          acknowledged,
          waiting,
          waitingSince: instantText(waitingSince),
          lastChangeAt: instantText(updatedAt),
          interruptedExport: pending?.file ?? null,
        }),
      ),
    );
  } else {
    writeTable(
      environment.stdout,
      ['CONSUMER', 'ACTIVITY', 'DELIVERED', 'ACKNOWLEDGED', 'WAITING', 'WAITING SINCE', 'LAST CHANGE'],
      consumers.map((consumer) => [
        consumer.consumer,
        consumer.activity,
        String(consumer.delivered),
        String(consumer.acknowledged),
        countText(consumer.waiting),
        minuteText(consumer.waitingSince),
        minuteText(consumer.updatedAt),
      ]),
    );
    for (const { message, remedy } of heldUp.map(heldUpAdvice)) environment.stderr.write(`${message} ${remedy}\n`);
  }
  return exitCodes.done;
}

/**
 * Forgets a consumer.
 * @throws OperatorError when there is none with this name, or its export is running
 */
async function forgetConsumer(
  environment: Environment,
  { consumer, json }: { readonly consumer: string; readonly json: boolean },
): Promise<ExitCode> {
  await withStore(environment, async (store, config) => {
    const known = (await store.outbox.consumers()).filter((progress) => progress.consumer === consumer);
    if (known.length === 0) throw noSuchConsumer(consumer);
    const lock = await takeProcessLock(config, exportLock(consumer));
    if (lock === null) throw new OperatorError(`An export for the consumer ${consumer} is running.`, 'Stop it first.');
    try {
      const isForgotten = await store.outbox.forget(consumer, (activityCodes) =>
        commandEntry(environment, { action: 'outbox.forget', target: consumer, activityCodes }),
      );
      if (!isForgotten) throw noSuchConsumer(consumer);
    } finally {
      await lock.release();
    }
  });
  if (json) writeJson(environment.stdout, { consumer, forgotten: true });
  else environment.stdout.write(`The consumer ${consumer} is forgotten: entries are no longer kept for it.\n`);
  return exitCodes.done;
}

function noSuchConsumer(consumer: string): OperatorError {
  return new OperatorError(`There is no consumer "${consumer}".`, 'See `outbox list`.');
}
