// How the secrets of carrier accounts lie in the database: always encrypted, under SECRET_KEY or under a key file beside the embedded database.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { createSeal, type Seal } from './seal.ts';

export interface AccountSealSettings {
  readonly secretKey: string | null;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: string | null;
}

/** Name of the key file in DATA_DIR. */
export const keyFile = 'secret.key';

/**
 * The seal for secrets that others gave us. Without SECRET_KEY the embedded database gets a key file of its own, made when the
 * first secret is stored: a copy of the database alone tells nothing. A database that several machines share has no such place.
 */
export function createAccountSeal({ secretKey, dataDir, databaseUrl }: AccountSealSettings): Seal {
  if (secretKey !== null) return createSeal(secretKey, subject);
  const path = join(dataDir, keyFile);
  return {
    encrypts: true,
    close: async (text) => {
      if (databaseUrl !== null) throw new OperatorError('Secrets of carrier accounts are stored encrypted, and SECRET_KEY is not set.', 'Set SECRET_KEY, the same for every process of this database. Make one with `openssl rand -base64 32`.');
      return createSeal(existsSync(path) ? readKey(path) : makeKey(path), subject).close(text);
    },
    open: async (stored) => {
      if (databaseUrl !== null || !existsSync(path)) {
        throw new OperatorError(`The secrets of the carrier account are encrypted, and neither SECRET_KEY nor ${path} is there.`, 'Set SECRET_KEY to the secret that they were stored with, or restore the key file from the backup.');
      }
      return createSeal(readKey(path), subject).open(stored);
    },
  };
}

const subject = 'The secrets of the carrier account';

function readKey(path: string): string {
  return readFileSync(path, 'utf8').trim();
}

/** Two processes that make it at once end up with the same one. */
function makeKey(path: string): string {
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
  return readKey(path);
}
