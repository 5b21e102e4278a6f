// Parses identifiers in paths and queries of the platform interface.
import { invalidParameter } from '../model/parameters.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** @throws Problem `invalid-parameter` unless the text is a lower-case UUID; null when none is given */
export function readUuid(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  return isUuid(text) ? text : invalidParameter(name, `Parameter '${name}': expected a UUID in lower case.`);
}

export function isUuid(text: string): boolean {
  return uuid.test(text);
}
