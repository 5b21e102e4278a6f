// Names of consumers of the outbox, on the wire and on the command line.
import { textBlock } from '../model/text-block.ts';
import type { Principal } from '../http/route.ts';

/** Longest name, characters. */
export const maxConsumerLength = 40;
/** The form of a name, as a regular expression and in words. */
export const consumerPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,${maxConsumerLength - 1}}$`;
export const consumerForm = textBlock`
  1 to ${maxConsumerLength} letters, digits, dots, dashes and underscores, a letter or digit first
`;

const form = new RegExp(consumerPattern);

export function isConsumerName(text: string): boolean {
  return form.test(text);
}

/**
 * The consumer that a key reads as. One that names none has one of its own, called by the id of the key: two programs
 * that shared a position would take each other's entries. A person has none of their own: looking must not make the
 * outbox keep what nobody is going to take.
 * @param text name that was sent
 * @param refuse is told what was expected, and throws
 */
export function consumerOf(
  text: string | undefined,
  { kind, clientId }: Pick<Principal, 'kind' | 'clientId'>,
  refuse: (expected: string) => never,
): string {
  if (text === undefined && kind !== 'operator') return clientId;
  return text !== undefined && isConsumerName(text) ? text : refuse(`expected ${consumerForm}.`);
}
