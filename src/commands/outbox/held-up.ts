// What an operator is told about entries that no consumer collects.
import { textBlock } from '../../model/text-block.ts';
import type { HeldUp } from '../../jobs/held-up-entries.ts';
import { maxCountedEntries } from '../../store/outbox-progress.ts';
import { minuteText } from '../table.ts';

/** The situation and the remedy, a sentence or two each. */
export function heldUpAdvice({ consumer, activityCode, waiting, since }: HeldUp): {
  readonly message: string;
  readonly remedy: string;
} {
  const what = textBlock`
    ${countText(waiting)} ${waiting === 1 ? 'entry' : 'entries'} of ${activityCode}, the oldest of ${minuteText(since)}
  `;
  return consumer === null
    ? {
        message: `Nobody takes what clients write: ${what}.`,
        remedy: 'Connect the warehouse side with a key, see key add --help, or write files, see outbox export --help.',
      }
    : {
        message: `The consumer ${consumer} does not acknowledge ${what}; they are kept until it does.`,
        remedy: `Find out why. If it is no longer in use: ./logistics-connect outbox forget ${consumer}`,
      };
}

/** The number of waiting entries, which are counted up to a limit. */
export function countText(waiting: number): string {
  return waiting === maxCountedEntries ? `${maxCountedEntries} or more` : String(waiting);
}
