// Finds the messages and refused lines that commands name.
import { OperatorError } from '../../model/operator-error.ts';
import { messageRef, parseLineId } from '../../platform/feed-ids.ts';
import type { FeedMessage } from '../../store/feed-contract.ts';
import type { FeedLine, FeedLinePlace } from '../../store/feed-lines.ts';
import type { Store } from '../../store/store.ts';
import { UsageError } from '../failure.ts';

/**
 * @throws UsageError for what is not the id of a line
 * @throws OperatorError when there is no such line
 */
export async function lineNamed(store: Pick<Store, 'feedLines'>, id: string): Promise<FeedLine> {
  const place = parseLineId(id);
  if (place === null) throw new UsageError(`"${id}" is no line: one is called ACM:17:4; see feed lines.`);
  const line = await store.feedLines.find(place);
  if (line === null) throw new OperatorError(`There is no refused line ${id}.`, 'See `feed lines`.');
  return line;
}

/** The error for a line that no longer needs correction. */
export function settled(id: string): OperatorError {
  return new OperatorError(
    `Line ${id} is not refused any more.`,
    'It was dropped or replayed before: nothing was changed.',
  );
}

type MessagePlace = Omit<FeedLinePlace, 'record'>;

/** @throws OperatorError when there is no such message */
export async function messageAt(store: Pick<Store, 'feeds'>, place: MessagePlace): Promise<FeedMessage> {
  const message = await store.feeds.message(place.activity, place.message);
  if (message === null) throw unknownMessage(messageRef(place));
  return message;
}

export function unknownMessage(id: string): OperatorError {
  return new OperatorError(`There is no message ${id}.`, 'See `feed messages`.');
}

/**
 * The error for a message of which nothing is refused.
 * @throws OperatorError when there is no such message
 */
export async function nothingRefused(store: Pick<Store, 'feeds'>, place: MessagePlace): Promise<OperatorError> {
  await messageAt(store, place);
  return new OperatorError(`The message ${messageRef(place)} has no refused lines.`, 'See `feed lines`.');
}
