// The kinds of settings: each parses the text of an environment variable, bounds it, and describes what is valid.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type IdentityProvider, parseIdentityProviders } from '../auth/federation/identity-providers.ts';
import { parseTrustedIssuers, type TrustedIssuer } from '../auth/trusted-issuers.ts';
import { gtinLengths } from '../model/standards.ts';
import { type Dictionary, dictionaryLimits, parseDictionary } from '../resources/dictionary.ts';

export interface SettingKind<T> {
  /** Name of the kind, for the reference page; literal values are in `…`. */
  readonly name: string;
  /** The allowed values, such as `1 to 60`; null when the meaning of the setting says it. */
  readonly range: string | null;
  /**
   * @param text trimmed; empty only if that is the default
   * @param folder that relative paths are relative to
   * @throws SettingFault
   */
  readonly parse: (text: string, folder: string) => T;
}

/** A row of the table of settings. */
export interface Setting {
  /** Environment variable. */
  readonly name: string;
  readonly kind: SettingKind<unknown>;
  /** As written in the environment; null: no default, and the program gets null. */
  readonly default: string | null;
  readonly meaning: string;
}

/** The fault of a value; the message continues after the setting's name, and never shows a secret. */
export class SettingFault extends Error {}

/** A whole number. The unit is in the setting's name, never in its value. */
export function integer({
  min = 0,
  max = 1_000_000,
  unit = null,
}: {
  readonly min?: number;
  readonly max?: number;
  readonly unit?: 'milliseconds' | 'seconds' | 'hours' | 'days' | 'MB' | null;
}): SettingKind<number> {
  const range = `${min} to ${max}`;
  return {
    name: unit ?? 'integer',
    range,
    parse: (text) => {
      // Leading zeros are allowed, but not so many that they make the text long.
      if (!/^\d{1,7}$/.test(text) || Number(text) < min || Number(text) > max)
        throw wrong(`a whole number${unit === null ? '' : ` of ${unit}`} from ${range}`, text);
      return Number(text);
    },
  };
}

export const text: SettingKind<string> = { name: 'text', range: null, parse: (given) => given };

/** A text that is never displayed. */
export function secret(
  form: { readonly pattern: RegExp; readonly expected: string } | null = null,
): SettingKind<string> {
  return {
    name: 'secret',
    range: null,
    parse: (given) => {
      if (form !== null && !form.pattern.test(given))
        throw new SettingFault(`must be ${form.expected}; what it is now is not shown, because it may hold a password`);
      return given;
    },
  };
}

/** A path, made absolute. */
export const folder: SettingKind<string> = {
  name: 'folder',
  range: null,
  parse: (given, relativeTo) => resolve(relativeTo, given),
};

/** An HTTP address; its trailing slash is removed. */
export const url: SettingKind<string> = {
  name: 'url',
  range: null,
  parse: (given) => {
    const { protocol, search, hash, username, password } = URL.parse(given) ?? { protocol: '' };
    if (!/^https?:$/.test(protocol) || [search, hash, username, password].some((part) => part !== ''))
      throw wrong('an address like https://api.example.com/v1, without login, query or fragment', withoutLogin(given));
    // The start of the address is what tells whether it is encrypted.
    return given.replace(/^https?:/i, (scheme) => scheme.toLowerCase()).replace(/\/+$/, '');
  },
};

/** A ratio: a number from 0 to 1. */
export const ratio: SettingKind<number> = {
  name: 'number from 0 to 1',
  range: null,
  parse: (given) => {
    if (!/^(?:0?\.\d{1,9}|0|1(?:\.0{1,9})?)$/.test(given)) throw wrong('a number from 0 to 1', given);
    return Number(given);
  },
};

/** One of several words. */
export function choice<const T extends string>(words: readonly T[]): SettingKind<T> {
  return {
    name: words.map((word) => `\`${word}\``).join(', '),
    range: null,
    parse: (given) => {
      const found = words.find((word) => word === given);
      if (found === undefined) throw wrong(`one of ${words.join(', ')}`, given);
      return found;
    },
  };
}

/** `on` or `off`. */
export const flag: SettingKind<boolean> = {
  name: '`on`, `off`',
  range: null,
  parse: (given) => {
    if (given !== 'on' && given !== 'off') throw wrong('on or off', given);
    return given === 'on';
  },
};

/**
 * Items separated by commas, without duplicates; blanks around items and empty items are dropped.
 * @param expected what all items must be, in the plural
 */
export function list(
  expected: string,
  isItem: (item: string) => boolean,
  { min = 0 }: { readonly min?: number } = {},
): SettingKind<readonly string[]> {
  return {
    name: 'list',
    range: null,
    parse: (given) => {
      const items = [...new Set(given.split(',').map((item) => item.trim()))].filter((item) => item !== '');
      const bad = items.find((item) => !isItem(item));
      if (bad !== undefined || items.length < min) throw wrong(`${expected}, separated by commas`, bad ?? given);
      return items;
    },
  };
}

/** Lengths of a GTIN, separated by commas. */
export const gtins: SettingKind<readonly number[]> = {
  name: 'list',
  range: null,
  parse: (given, folderOfSettings) =>
    list(`some of ${gtinLengths.join(', ')}`, (item) => gtinLengths.map(String).includes(item), { min: 1 })
      .parse(given, folderOfSettings)
      .map(Number),
};

/** The form in which browsers send Origin (RFC 6454): no path, not even a slash at the end. */
export function isOrigin(item: string): boolean {
  return item === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\sA-Z]+$/.test(item);
}

/** An address, or a network such as 10.0.0.0/8, or a name that the framework knows for some of them. */
/** A host as in a URL, with a port unless it is the default one. */
export function isHost(item: string): boolean {
  return URL.parse(`http://${item}`)?.host === item || URL.parse(`https://${item}`)?.host === item;
}

export function isNetwork(item: string): boolean {
  const [address = '', bits, ...more] = item.split('/');
  const maxBits = isIP(address) === 6 ? 128 : 32;
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(item) ||
    (isIP(address) !== 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= maxBits)))
  );
}

export const issuers: SettingKind<readonly TrustedIssuer[]> = jsonList(parseTrustedIssuers);
export const identityProviders: SettingKind<readonly IdentityProvider[]> = jsonList(parseIdentityProviders);

/** JSON text, or `@` and the path of a file that contains it. */
function jsonList<T>(parseList: (json: string) => readonly T[]): SettingKind<readonly T[]> {
  return { name: 'text', range: null, parse: (given, relativeTo) => listIn(given, relativeTo, parseList) };
}

function listIn<T>(given: string, relativeTo: string, parseList: (json: string) => readonly T[]): readonly T[] {
  if (given === '') return [];
  let json = given;
  try {
    if (given.startsWith('@')) json = readFileSync(resolve(relativeTo, given.slice(1)), 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new SettingFault(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return parseList(json);
  } catch (error) {
    throw new SettingFault(error instanceof Error ? error.message : String(error));
  }
}

/** The path of a dictionary file. */
export const dictionary: SettingKind<Dictionary> = {
  name: 'file',
  range: null,
  parse: (given, relativeTo) => {
    const path = resolve(relativeTo, given);
    let bytes: Uint8Array;
    try {
      bytes = readAtMost(path, dictionaryLimits.bytes + 1);
    } catch (error) {
      throw new SettingFault(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    try {
      return parseDictionary(bytes);
    } catch (error) {
      throw new SettingFault(`${path} ${error instanceof Error ? error.message : String(error)}`);
    }
  },
};

/** The beginning of a file: somebody who names a large one, or a device, by mistake does not have to wait for it. */
export function readAtMost(path: string, bytes: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    let length = 0;
    while (length < bytes) {
      const read = readSync(file, buffer, length, bytes - length, null);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function wrong(expected: string, given: string): SettingFault {
  return new SettingFault(`must be ${expected}, not ${shown(given)}`);
}

const maxShown = 60;

/** Shortened, and on one line. */
function shown(given: string): string {
  return JSON.stringify(given.length > maxShown ? `${given.slice(0, maxShown)}…` : given);
}

/** An address may contain a password before its host, and a key in its query. */
function withoutLogin(address: string): string {
  return address.replace(/^(?:([^/]*\/\/)|).*@/, '$1…@').replace(/[?#].*$/s, '?…');
}
