// Public ids of messages and refused lines: `ACM:17` is message 17 of ACM, `ACM:17:4` its fourth record.
import type { FeedLinePlace } from '../store/feed-lines.ts';

export const messagePattern = '^[0-9A-Za-z]{1,3}:[1-9][0-9]{0,14}$';
export const linePattern = '^[0-9A-Za-z]{1,3}:[1-9][0-9]{0,14}:[1-9][0-9]{0,14}$';
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
