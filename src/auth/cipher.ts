// How private keys and secrets are stored: in clear text, or encrypted under the operator's secret.
import { createHmac, hash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { LRUCache } from 'lru-cache';
import { createGrowingCache } from '../model/growing-cache.ts';
import { OperatorError } from '../model/operator-error.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
const minSecretLength = 32;

/** Encrypts and decrypts stored texts. */
export interface Cipher {
  /** False: texts are stored in clear text, because no secret is configured. */
  readonly encrypts: boolean;
  encrypt(text: string): Promise<string>;
  /** Accepts encrypted text and clear text. Throws an OperatorError when the secret is missing or wrong. */
  decrypt(stored: string): Promise<string>;
  /** Whether a text is stored as `encrypt` would store it now: encrypted under the current secret. */
  isCurrent(stored: string): Promise<boolean>;
}

/**
 * @param secret value of SECRET_KEY, or null when none is configured
 * @param subject what is encrypted, for errors: the beginning of a sentence in the plural
 * @param previous value of SECRET_KEY_PREVIOUS: used for decryption only
 * @throws OperatorError when a secret is too short to be of use
 *
 * The envelope is a compact JWE (RFC 7516: `dir`, AES-256-GCM) whose header carries the salt of the derived key and, as
 * `kid`, a fingerprint of that key, so that a wrong secret can be told from damaged data.
 */
export function createCipher(secret: string | null, subject = 'The keys', previous: string | null = null): Cipher {
  if (secret === null)
    return {
      encrypts: false,
      encrypt: async (text) => text,
      decrypt: (stored) => readPlain(stored, subject),
      isCurrent: async (stored) => !isEnvelope(stored),
    };
  requireLength('SECRET_KEY', secret);
  if (previous !== null) requireLength('SECRET_KEY_PREVIOUS', previous);
  const { salt, keys } = derivedKeysOf(secret);
  const known = [keys, ...(previous === null ? [] : [derivedKeysOf(previous).keys])];
  return {
    encrypts: true,
    encrypt: async (text) => toEnvelope(await keys(salt), salt, text),
    decrypt: async (stored) => (isEnvelope(stored) ? fromEnvelope(known, stored, subject) : stored),
    isCurrent: async (stored) => isEnvelope(stored) && Buffer.isBuffer(await keyFor([keys], stored)),
  };
}

function requireLength(name: string, secret: string): void {
  if (secret.length >= minSecretLength) return;
  throw new OperatorError(
    `${name} has ${secret.length} characters, at least ${minSecretLength} are needed.`,
    'Make one with `openssl rand -base64 32`.',
  );
}

async function readPlain(stored: string, subject: string): Promise<string> {
  if (!isEnvelope(stored)) return stored;
  throw new OperatorError(
    `${subject} in the database are encrypted, and SECRET_KEY is not set.`,
    'Set SECRET_KEY to the secret that this database was first used with.',
  );
}

/** Clear text is a JSON object; the encoded header of a JWE never starts with a brace. */
function isEnvelope(stored: string): boolean {
  return !stored.startsWith('{');
}

async function toEnvelope({ key, fingerprint }: DerivedKey, salt: Buffer, text: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({
      alg: 'dir',
      enc: 'A256GCM',
      cty: 'jwk+json',
      kid: fingerprint,
      salt: salt.toString('base64url'),
    })
    .encrypt(key);
}

async function fromEnvelope(known: readonly DerivedKeys[], stored: string, subject: string): Promise<string> {
  const damaged = new OperatorError(
    `${subject} in the database are damaged.`,
    'Restore them from a backup of the database.',
  );
  const key = await keyFor(known, stored);
  if (key === 'damaged') throw damaged;
  if (key === null)
    throw new OperatorError(
      `${subject} in the database were encrypted with another secret than ${
        known.length === 1 ? 'SECRET_KEY' : 'SECRET_KEY and SECRET_KEY_PREVIOUS'
      }.`,
      'Set SECRET_KEY to the secret that this database was last used with.',
    );
  try {
    const { plaintext } = await compactDecrypt(stored, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return Buffer.from(plaintext).toString();
  } catch {
    throw damaged;
  }
}

/** The key that an envelope names; null when it is not a known one. */
async function keyFor(known: readonly DerivedKeys[], stored: string): Promise<Buffer | 'damaged' | null> {
  let salt: unknown;
  let expected: unknown;
  try {
    ({ salt, kid: expected } = decodeProtectedHeader(stored));
  } catch {
    return 'damaged';
  }
  if (typeof salt !== 'string') return 'damaged';
  for (const keys of known) {
    const { key, fingerprint } = await keys(Buffer.from(salt, 'base64url'));
    if (fingerprint === expected) return key;
  }
  return null;
}

interface DerivedKey {
  readonly key: Buffer;
  readonly fingerprint: string;
}
type DerivedKeys = (salt: Buffer) => Promise<DerivedKey>;

/** What a process has derived from one secret. */
interface KnownSecret {
  /** The salt of everything that this process stores. */
  readonly salt: Buffer;
  readonly keys: DerivedKeys;
}

/**
 * How many salts are cached with their keys, some hundred bytes each. Everything stored by one process has the same
 * salt, so its key should be derived only once per start; but each command that stores something is a process. If the
 * salts of all carrier accounts had no room, each list of them would derive every key again.
 */
const maxKeys = 10_000;
/**
 * By the hash of the secret: everything that this process encrypts under one secret needs one key derivation, which
 * takes a tenth of a second. Normally a secret and its predecessor are in use; a few more cost nothing.
 */
const secrets = new LRUCache<string, KnownSecret>({ max: 4 });

function derivedKeysOf(secret: string): KnownSecret {
  const name = hash('sha256', secret, 'base64url');
  const known = secrets.get(name) ?? { salt: randomBytes(16), keys: createDerivedKeys(secret) };
  secrets.set(name, known);
  return known;
}

function createDerivedKeys(secret: string): DerivedKeys {
  const kept = createGrowingCache<string, Promise<DerivedKey>>(maxKeys);
  return (salt) => {
    const name = salt.toString('base64url');
    const known = kept.get(name);
    if (known !== undefined) return known;
    const derived = keyOf(secret, salt);
    derived.catch(() => kept.delete(name));
    kept.set(name, derived);
    return derived;
  };
}

/** scrypt rather than a plain hash, because the entropy of a secret that a person chose is unknown. */
async function keyOf(secret: string, salt: Buffer): Promise<DerivedKey> {
  const key = await derive(secret, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 });
  return { key, fingerprint: createHmac('sha256', key).update('fingerprint').digest('base64url').slice(0, 11) };
}
