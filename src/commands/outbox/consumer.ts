// Consumers of the outbox as commands name them.
import { consumerForm, isConsumerName } from '../../platform/consumers.ts';
import { UsageError } from '../failure.ts';

/** @throws UsageError for what is no name of a consumer */
export function checkConsumer(name: string): void {
  if (!isConsumerName(name)) throw new UsageError(`--consumer takes ${consumerForm}, not "${name}"`);
}

/** Name of the lock that one export for this consumer holds at a time. */
export function exportLock(consumer: string): string {
  return `outbox-export-${consumer}`;
}
