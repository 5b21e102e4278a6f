// The secrets that sign cookies and forms and hide who tried to sign in: one per generation, shared by all processes of
// a database.
import { hkdfSync, randomBytes } from 'node:crypto';
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';
import { publishedBeforeMs, rereadAfterMs } from './keys.ts';
import type { Cipher } from './cipher.ts';
import { refreshTokenSecret } from './refresh-token-cipher.ts';
import { encryptStoredFactors } from './second-factor.ts';

/** The purpose of a secret; what is derived for one purpose reveals nothing about the others. */
type SecretPurpose = 'cookie' | 'form' | 'throttle' | 'browser';

/** Never empty. */
export type SecretGenerations = readonly [string, ...string[]];

export interface SignInSecrets {
  /**
   * The current secrets, the signing one first; the others only verify. The same array until another one signs or
   * verifies. Throws an OperatorError when they cannot be decrypted.
   */
  current(): Promise<SecretGenerations>;
}

type SecretStorage = Pick<Store, 'secrets'>;

interface SignInSecretsOptions {
  readonly store: SecretStorage;
  readonly cipher: Cipher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Opens the secrets of a database; nothing is read before the first use, which creates the first one if there is none.
 */
export function createSignInSecrets(options: SignInSecretsOptions): SignInSecrets {
  const { cipher, now } = options;
  let known: { readonly stored: string; readonly generations: readonly Generation[] } | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<readonly Generation[]> | null = null;
  let shown: SecretGenerations | null = null;

  const read = async (): Promise<readonly Generation[]> => {
    const startedAt = now();
    const stored = await storedText(options);
    if (known?.stored !== stored) known = { stored, generations: parse(await cipher.decrypt(stored)) };
    readAt = startedAt;
    return known.generations;
  };

  const latest = async (): Promise<readonly Generation[]> => {
    const age = now() - readAt;
    if (known !== null && age >= 0 && age < rereadAfterMs) return known.generations;
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };

  return {
    async current() {
      const secrets = inForce(await latest(), now());
      if (secrets.join() !== shown?.join()) shown = secrets;
      return shown;
    },
  };
}

/** Derives the key for one purpose from a secret (RFC 5869), as text. */
export function secretFor(purpose: SecretPurpose, secret: string): string {
  return Buffer.from(
    hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `logistics-connect ${purpose}`, 32),
  ).toString('base64url');
}

/**
 * Creates the next secret, which signs once every process has read it; cookies and forms under the old one are accepted
 * for as long as a session lives.
 * @throws OperatorError when another rotation is under way, or the secrets cannot be decrypted
 */
export async function rotateSignInSecrets(options: SignInSecretsOptions): Promise<void> {
  const { cipher, now } = options;
  const stored = await storedText(options);
  const generations = parse(await cipher.decrypt(stored));
  const next = now() + publishedBeforeMs;
  const busy = generations.some(({ from }) => from > now());
  const kept = generations.filter((_one, index) => stillVerifies(generations, index, now()));
  const text = await cipher.encrypt(JSON.stringify({ generations: [...kept, { secret: newSecret(), from: next }] }));
  if (busy || !(await options.store.secrets.replace(secretName, stored, text)))
    throw new OperatorError(
      'Another rotation of the keys is under way.',
      'Wait two minutes, and rotate again if it is still wanted.',
    );
}

/** Encrypts secrets of sign-ins, refresh tokens and second factors stored in clear text, once SECRET_KEY is set. */
export async function encryptStoredSecrets(
  store: SecretStorage & Pick<Store, 'secondFactors'>,
  cipher: Cipher,
): Promise<void> {
  await encryptStoredFactors(store, cipher);
  const { secrets } = store;
  for (const name of encryptedSecrets) {
    const stored = await secrets.read(name);
    if (cipher.encrypts && stored?.startsWith('{')) await secrets.replace(name, stored, await cipher.encrypt(stored));
  }
}

/** One secret, and the instant from which it signs, milliseconds. */
interface Generation {
  readonly secret: string;
  readonly from: number;
}

const secretName = 'sign-in';
/** Names of the secrets that are encrypted under SECRET_KEY. */
export const encryptedSecrets: readonly string[] = [secretName, refreshTokenSecret];
/** Earlier programs stored a secret for each purpose, in clear text; what they signed ends with the upgrade. */
const earlierNames = ['cookie', 'csrf', 'throttle'];
/** The life of a session (8 h), plus an hour for clock differences. */
const verifiesAfterwardsMs = 9 * 3_600_000;

/** The stored secrets; whichever process creates the first one, all read the same. */
async function storedText({ store: { secrets }, cipher, now }: SignInSecretsOptions): Promise<string> {
  const known = await secrets.read(secretName);
  if (known !== null) return known;
  const first = (): Promise<string> =>
    cipher.encrypt(JSON.stringify({ generations: [{ secret: newSecret(), from: 0 }] }));
  const text = await secrets.obtain(secretName, first, now());
  await secrets.remove(earlierNames);
  return text;
}

/** Oldest first, as they are stored. */
function parse(text: string): readonly Generation[] {
  const value: unknown = JSON.parse(text);
  if (
    typeof value === 'object' &&
    value !== null &&
    'generations' in value &&
    Array.isArray(value.generations) &&
    value.generations.length > 0 &&
    value.generations.every(isGeneration)
  )
    return value.generations;
  throw new Error('The secrets of the sign-in are not in their form.');
}

function isGeneration(value: unknown): value is Generation {
  return (
    typeof value === 'object' &&
    value !== null &&
    'secret' in value &&
    typeof value.secret === 'string' &&
    'from' in value &&
    typeof value.from === 'number'
  );
}

/**
 * The newest one that signs; then the upcoming one, which another process may already sign with by its clock; then the
 * older ones.
 */
function inForce(generations: readonly Generation[], now: number): SecretGenerations {
  const signs = Math.max(
    0,
    generations.findLastIndex(({ from }) => from <= now),
  );
  const older = generations.slice(0, signs).filter((_one, index) => stillVerifies(generations, index, now));
  const [first, ...others] = [...generations.slice(signs), ...older.reverse()].map(({ secret }) => secret);
  if (first === undefined) throw new Error('There is no secret for the sign-in.');
  return [first, ...others];
}

function stillVerifies(generations: readonly Generation[], index: number, now: number): boolean {
  const successor = generations[index + 1];
  return successor === undefined || now - successor.from < verifiesAfterwardsMs;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
