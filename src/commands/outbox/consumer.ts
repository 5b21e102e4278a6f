// Consumers of the outbox as commands name them.
import { UsageError } from '../failure.ts';

/**
 * The form that the platform interface asks for too.
 * @throws UsageError for any other
 */
export function checkConsumer(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(name)) {
    throw new UsageError(`--consumer takes 1 to 40 letters, digits, dots, dashes and underscores, a letter or digit first, not "${name}"`);
  }
}

/** Name of the lock that one export for this consumer holds at a time. */
export function exportLock(consumer: string): string {
  return `outbox-export-${consumer}`;
}
