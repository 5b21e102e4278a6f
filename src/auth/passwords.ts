// Passwords: which ones are accepted, how they are stored and how they are compared.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { characters, hasTooManyMarks } from '../model/text.ts';

const derive = promisify(argon2);

/**
 * NIST SP 800-63B-4, 3.1.1.2: 15 characters when the password is the only factor, as here (8 is the minimum beside a
 * second one); no rules about kinds of characters. Characters are code points after NFKC, so that every keyboard
 * produces the same text.
 */
const minCharacters = 15;
const maxBytes = 1024;
/** Longer text is not normalized: two bytes of the result come from at most eight UTF-16 units. */
const maxUnits = 4096;

/** OWASP's first choice for argon2id: 19 MiB, 2 passes. When it changes, hashes are renewed at sign-in. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** What people type when a long password is required; repetitions and keyboard rows are found by rule. */
const commonWords: readonly string[] = [
  'password',
  'passw0rd',
  'p@ssword',
  'p@ssw0rd',
  'motdepasse',
  'passwort',
  'contraseña',
  'qwerty',
  'azerty',
  'qwertz',
  'letmein',
  'welcome',
  'bienvenue',
  'iloveyou',
  'changeme',
  'default',
  'administrator',
  'admin',
  'root',
  'secret',
  'dragon',
  'monkey',
  'football',
  'sunshine',
  'princess',
  'superman',
  'trustno1',
  'abc123',
  'logistics',
  'logistique',
  'logisticsconnect',
  'connect',
  'warehouse',
  'entrepot',
];
const commonPhrases: ReadonlySet<string> = new Set([
  'correcthorsebatterystaple',
  'thequickbrownfox',
  'passwordispassword',
  'thisismypassword',
  'mypasswordispassword',
  'iloveyouiloveyou',
]);
const rows: readonly string[] = [
  '01234567890123456789012345678901234567890',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertzuiopasdfghjklyxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.',
  '1q2w3e4r5t6y7u8i9o0p',
];

/** The fault of a new password. */
type PasswordFault = 'long' | 'marks' | 'half' | 'short' | 'common';

/**
 * Checks a new password.
 * @returns a sentence that describes the fault, or null
 */
export function passwordFault(password: string, login: string): string | null {
  const kind = passwordFaultKind(password, login);
  return kind === null ? null : sentences[kind];
}

/** Checks a new password. Null: it is acceptable. */
export function passwordFaultKind(password: string, login: string): PasswordFault | null {
  if (password.length > maxUnits) return 'long';
  if (hasTooManyMarks(password)) return 'marks';
  const text = password.normalize('NFKC');
  if (!text.isWellFormed()) return 'half';
  if (characters(text) < minCharacters) return 'short';
  if (Buffer.byteLength(text) > maxBytes) return 'long';
  return isCommon(text.toLowerCase(), login.toLowerCase()) ? 'common' : null;
}

const sentences: Readonly<Record<PasswordFault, string>> = {
  long: `The password is longer than ${maxBytes} bytes.`,
  marks: 'The password has a long row of accents without letters: type it again.',
  half: 'The password holds half a character: type it again.',
  short: `The password needs at least ${minCharacters} characters; several words are fine.`,
  common: 'The password is among the first that anyone would try: choose another.',
};

/**
 * The stored form of a password that `passwordFault` accepts: argon2id in PHC string format, with a salt of its own.
 * Takes some 50 ms on a pool thread.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive('argon2id', { ...cost, message: password.normalize('NFKC'), nonce: salt });
  return `${costPrefix}${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Compares a password with a stored hash in constant time.
 * @param stored PHC string, or null for a login that does not exist: the same work is done, the result is false
 */
export async function passwordMatches(password: string, stored: string | null): Promise<boolean> {
  // No such text was ever accepted as a password.
  if (password.length > maxUnits || hasTooManyMarks(password)) return false;
  const text = password.normalize('NFKC');
  if (Buffer.byteLength(text) > maxBytes) return false;
  const parts = parsePhc(stored ?? nobody);
  const tag = await derive('argon2id', {
    memory: parts.memory,
    passes: parts.passes,
    parallelism: parts.parallelism,
    tagLength: parts.tag.length,
    message: text,
    nonce: parts.salt,
  });
  return timingSafeEqual(tag, parts.tag) && stored !== null;
}

/** True when a stored hash was made with other cost parameters than new ones. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith(costPrefix);
}

const costPrefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`;
/** A hash that matches no password. */
const nobody = `${costPrefix}${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface PhcParts {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

function parsePhc(stored: string): PhcParts {
  const [, memory, passes, parallelism, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      stored,
    ) ?? [];
  if (!memory || !passes || !parallelism || !salt || !tag)
    throw new Error('A stored password hash is not in argon2id PHC form.');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Common words, the login or a short unit, alone or repeated, with digits and signs around them; and keyboard rows. */
function isCommon(text: string, login: string): boolean {
  const letters = text.replace(/[\s\-_.]+/g, '');
  const words = [...commonWords, login, login.replace(/@.*$/, '')].filter((word) => word.length > 1);
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), text).replace(/[\d\s\p{P}\p{S}]+/gu, '');
  return (
    (rest === '' && /\p{L}/u.test(text)) ||
    commonPhrases.has(letters) ||
    text === login ||
    repeatsShortUnit(letters) ||
    rows.some((row) => row.includes(letters) || row.includes([...letters].reverse().join('')))
  );
}

function repeatsShortUnit(text: string): boolean {
  return [1, 2, 3, 4, 5, 6].some((length) => text.slice(length) === text.slice(0, -length));
}
