// The command `outbox`: who takes what clients wrote, and how far each consumer has come.
import { OperatorError } from '../model/operator-error.ts';
import { takeProcessLock } from '../store/process-lock.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { exportLock } from './outbox/consumer.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

/** Lists the consumers by name, one line for each activity. */
export async function listConsumers(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const consumers = await withStore(environment, (store) => store.outbox.consumers());
  if (json) {
    writeJson(environment.stdout, consumers.map(({ consumer, owner, delivered, acknowledged, waiting, updatedAt, export: pending }) => ({
      consumer, activityCode: owner, delivered, acknowledged, waiting, lastContactAt: instantText(updatedAt), interruptedExport: pending?.file ?? null,
    })));
  } else {
    writeTable(environment.stdout, ['CONSUMER', 'ACTIVITY', 'DELIVERED', 'ACKNOWLEDGED', 'WAITING', 'LAST CONTACT'], consumers.map((consumer) => [
      consumer.consumer, consumer.owner, String(consumer.delivered), String(consumer.acknowledged), String(consumer.waiting), minuteText(consumer.updatedAt),
    ]));
  }
  return exitCodes.done;
}

/**
 * Forgets a consumer.
 * @throws OperatorError when there is none of this name, or its export is running
 */
export async function forgetConsumer(environment: Environment, { consumer, json }: { readonly consumer: string; readonly json: boolean }): Promise<ExitCode> {
  await withStore(environment, async (store, config) => {
    const known = (await store.outbox.consumers()).filter((progress) => progress.consumer === consumer);
    if (known.length === 0) throw noSuchConsumer(consumer);
    const lock = await takeProcessLock(config, exportLock(consumer));
    if (lock === null) throw new OperatorError(`An export for the consumer ${consumer} is running.`, 'Stop it first.');
    try {
      if (!await store.outbox.forget(consumer)) throw noSuchConsumer(consumer);
      await recordCommand(environment, store, { action: 'outbox.forget', target: consumer, activityCodes: known.map(({ owner }) => owner) });
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
