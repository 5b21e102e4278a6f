// Names of outbox consumers, over HTTP and on the command line.
import { textBlock } from '../model/text-block.ts';
import type { Principal } from '../http/route.ts';

/** Length of the longest name, in characters. */
export const maxConsumerLength = 40;
/** The format of a name, as a regular expression and in words. */
export const consumerPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,${maxConsumerLength - 1}}$`;
export const consumerForm = textBlock`
  1 to ${maxConsumerLength} letters, digits, dots, dashes and underscores, a letter or digit first
`;

const form = new RegExp(consumerPattern);

export function isConsumerName(text: string): boolean {
  return form.test(text);
}

/**
 * The consumer on whose behalf a key reads. A key that names none has a consumer of its own, named after the id of the
 * key: two programs that shared a position would take each other's entries. A person has none: looking must not make
 * the outbox keep entries that nobody will collect.
 * @param text name that was sent
 * @param refuse receives what was expected, and throws
 */
export function consumerOf(
  text: string | undefined,
  { kind, clientId }: Pick<Principal, 'kind' | 'clientId'>,
  refuse: (expected: string) => never,
): string {
  if (text === undefined && kind !== 'operator') return clientId;
  return text !== undefined && isConsumerName(text) ? text : refuse(`expected ${consumerForm}.`);
}
