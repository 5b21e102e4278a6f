// The names under which operators register clients and platform keys.
import { characters, composed, hasInvisible, isBeyond, tooManyMarks } from '../model/text.ts';

const maxNameLength = 60;

/** A name without faults, in its stored form. */
export function canonicalName(name: string): string {
  return (composed(name) ?? name).trim();
}

/**
 * The faults of a name, as sentences.
 * @param whyNeeded the sentence for an empty name
 */
export function nameFaults(given: string, whyNeeded: string): readonly string[] {
  if (isBeyond(given, maxNameLength)) return [`The name is longer than ${maxNameLength} characters.`];
  const name = composed(given)?.trim() ?? null;
  if (name === null) return [`The name ${tooManyMarks}.`];
  if (name === '') return [whyNeeded];
  if (characters(name) > maxNameLength) return [`The name is longer than ${maxNameLength} characters.`];
  if (hasInvisible(name)) return ['The name has invisible characters.'];
  return [];
}
