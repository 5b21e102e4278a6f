// Names of outbox consumers on the command line.
import { consumerForm, isConsumerName } from '../../platform/consumers.ts';
import { UsageError } from '../failure.ts';

/** @throws UsageError for an invalid consumer name */
export function checkConsumer(name: string): void {
  if (!isConsumerName(name)) throw new UsageError(`--consumer takes ${consumerForm}, not "${name}"`);
}

/** Name of the lock that an export for this consumer holds, so that only one runs at a time. */
export function exportLock(consumer: string): string {
  return `outbox-export-${consumer}`;
}
