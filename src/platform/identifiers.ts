// Identifiers of the platform interface in paths and queries.
import { invalidParameter } from '../model/parameters.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** @throws Problem `invalid-parameter` unless the text is a UUID in lower case; null where none is given */
export function readUuid(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  return isUuid(text) ? text : invalidParameter(name, `Parameter '${name}': expected a UUID in lower case.`);
}

export function isUuid(text: string): boolean {
  return uuid.test(text);
}
