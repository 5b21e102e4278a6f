// How the secrets of carrier accounts are stored: always encrypted, under SECRET_KEY or under a key file beside the
// embedded database.
import { hasCode } from '../model/error-code.ts';
import { textBlock } from '../model/text-block.ts';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { createCipher, type Cipher } from './cipher.ts';

export interface AccountCipherSettings {
  readonly secretKey: string | null;
  /** None when absent. */
  readonly secretKeyPrevious?: string | null;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}

/** Name of the key file in DATA_DIR. */
export const keyFile = 'secret.key';

/**
 * The cipher for secrets that others entrusted to us. Without SECRET_KEY, the embedded database gets a key file of its
 * own, created when the first secret is stored, so that a copy of the database alone reveals nothing. A database shared
 * by several machines has no such place. Secrets stored under the key file can still be decrypted once SECRET_KEY is
 * set.
 */
export function createAccountCipher({
  secretKey,
  secretKeyPrevious = null,
  dataDir,
  databaseUrl,
}: AccountCipherSettings): Cipher {
  const path = join(dataDir, keyFile);
  const byFile = (): Cipher | null =>
    databaseUrl === null && existsSync(path) ? createCipher(readKey(path), subject) : null;
  const bySecret = secretKey === null ? null : createCipher(secretKey, subject, secretKeyPrevious);
  return {
    encrypts: true,
    encrypt: async (text) => {
      if (bySecret !== null) return bySecret.encrypt(text);
      if (databaseUrl !== null)
        throw new OperatorError(
          'Secrets of carrier accounts are stored encrypted, and SECRET_KEY is not set.',
          'Set SECRET_KEY, the same for every process of this database. Make one with `openssl rand -base64 32`.',
        );
      if (!existsSync(path)) makeKey(path);
      return createCipher(readKey(path), subject).encrypt(text);
    },
    decrypt: async (stored) => {
      const ciphers = [bySecret, byFile()].filter((cipher) => cipher !== null);
      if (ciphers.length === 0) {
        throw new OperatorError(
          `The secrets of the carrier account are encrypted, and neither SECRET_KEY nor ${path} is there.`,
          'Set SECRET_KEY to the secret that they were stored with, or restore the key file from the backup.',
        );
      }
      return decryptWithAny(ciphers, stored);
    },
    isCurrent: async (stored) => (bySecret ?? byFile())?.isCurrent(stored) ?? false,
  };
}

const subject = 'The secrets of the carrier account';
const keyLength = 43;

/** Decrypts with the first cipher that fits; if none does, the first one reports why. */
async function decryptWithAny(ciphers: readonly Cipher[], stored: string): Promise<string> {
  const failures: unknown[] = [];
  for (const cipher of ciphers) {
    try {
      return await cipher.decrypt(stored);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

function readKey(path: string): string {
  const key = readFileSync(path, 'utf8').trim();
  if (key.length !== keyLength)
    throw new OperatorError(
      `The key file ${path} is damaged.`,
      textBlock`
        Restore it from the backup. Without it the secrets of carrier accounts cannot be read: enter them again after
        removing the file.
      `,
    );
  return key;
}

/** Creates the file atomically; two processes that create it at once end up with the same one. */
function makeKey(path: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Restores permissions that the umask removed.
    chmodSync(temporary, 0o600);
    linkSync(temporary, path);
  } catch (error) {
    // The file system has no hard links: here the last of two simultaneous writers wins.
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS')) renameSync(temporary, path);
    else if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
}

/** What is encrypted with the key is committed next: a power cut must not lose the directory entry. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } catch (error) {
    // Some network file systems cannot sync directories.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP')) throw error;
  } finally {
    closeSync(handle);
  }
}
