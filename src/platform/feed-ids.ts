// Public ids of messages and refused lines: `ACM:17` is message 17 of ACM, `ACM:17:4` its fourth record; and where a
// feed stands in the list of feeds: `ACM:orders:main`.
import type { FeedKey } from '../store/feed-contract.ts';
import type { FeedLinePlace } from '../store/feed-lines.ts';

export const messagePattern = '^[0-9A-Za-z]{1,3}:[1-9][0-9]{0,14}$';
export const linePattern = '^[0-9A-Za-z]{1,3}:[1-9][0-9]{0,14}:[1-9][0-9]{0,14}$';
/** Of `after` in the list of feeds. */
export const feedKeyPattern = '^[0-9A-Za-z]{1,3}:[a-z-]{1,40}:[A-Za-z0-9._-]{1,64}$';
/** Length of the longest of them. */
export const maxFeedKeyLength = 109;
/** Length of the longest line id. */
export const maxLineIdLength = 35;

type MessagePlace = Omit<FeedLinePlace, 'record'>;

export function messageRef({ activity, message }: MessagePlace): string {
  return `${activity}:${message}`;
}

export function lineId({ activity, message, record }: FeedLinePlace): string {
  return `${activity}:${message}:${record}`;
}

/** Null for what is not a message id. */
export function parseMessageRef(text: string): MessagePlace | null {
  if (!new RegExp(messagePattern).test(text)) return null;
  const [activity = '', message] = text.split(':');
  return { activity, message: Number(message) };
}

/** Null for what is not a line id. */
export function parseLineId(text: string): FeedLinePlace | null {
  if (!new RegExp(linePattern).test(text)) return null;
  const [activity = '', message, record] = text.split(':');
  return { activity, message: Number(message), record: Number(record) };
}

export function feedKey({ activity, resource, feed }: FeedKey): string {
  return `${activity}:${resource}:${feed}`;
}

/** Null for what is no place of a feed. */
export function parseFeedKey(text: string): FeedKey | null {
  if (!new RegExp(feedKeyPattern).test(text)) return null;
  const [activity = '', resource = '', feed = ''] = text.split(':');
  return { activity, resource, feed };
}
