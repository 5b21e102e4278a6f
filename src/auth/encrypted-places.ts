// Everything in the database that is encrypted under SECRET_KEY, and how to re-encrypt it under another secret.
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';
import { type AccountCipherSettings, createAccountCipher } from './account-cipher.ts';
import { type Cipher, createCipher } from './cipher.ts';
import { encryptedSecrets } from './sign-in-secrets.ts';

type Storage = Pick<Store, 'carrierAccounts' | 'secondFactors' | 'secrets' | 'signingKeys'>;

/** One stored text. */
interface EncryptedText {
  /** What it is, for display. */
  readonly name: string;
  readonly stored: string;
  /** Stores a new text, unless it was replaced meanwhile. Returns whether it did. */
  readonly replace: (text: string) => Promise<boolean>;
}

/** One kind of encrypted data. Every new kind has to be added to `encryptedPlaces`. */
interface EncryptedPlace {
  /** In the plural. */
  readonly what: string;
  readonly cipher: Cipher;
  readonly read: () => Promise<readonly EncryptedText[]>;
}

export function encryptedPlaces(store: Storage, settings: AccountCipherSettings): readonly EncryptedPlace[] {
  const { signingKeys, secrets, secondFactors, carrierAccounts } = store;
  const cipher = createCipher(settings.secretKey, 'The keys', settings.secretKeyPrevious ?? null);
  return [
    {
      what: 'signing keys',
      cipher,
      read: async () =>
        (await signingKeys.list()).map(({ kid, privateJwk }) => ({
          name: kid,
          stored: privateJwk,
          replace: (text) => signingKeys.replacePrivate(kid, privateJwk, text),
        })),
    },
    {
      what: 'secrets of sign-ins and refresh tokens',
      cipher,
      read: async () => {
        const found = await Promise.all(
          encryptedSecrets.map(async (name) => ({ name, stored: await secrets.read(name) })),
        );
        return found.flatMap(({ name, stored }) =>
          stored === null ? [] : [{ name, stored, replace: (text: string) => secrets.replace(name, stored, text) }],
        );
      },
    },
    {
      what: 'second factors',
      cipher,
      read: async () =>
        (await secondFactors.list()).map(({ id, totpSecret }) => ({
          name: id,
          stored: totpSecret,
          replace: (text) => secondFactors.replaceSecret(id, totpSecret, text),
        })),
    },
    {
      what: 'carrier accounts',
      cipher: createAccountCipher(settings),
      read: async () =>
        (await carrierAccounts.list()).flatMap(({ id, context, carrier, secrets: stored }) =>
          stored === null
            ? []
            : [
                {
                  name: `${context}/${carrier}`,
                  stored,
                  replace: (text: string) => carrierAccounts.replaceSecrets(id, stored, text),
                },
              ],
        ),
    },
  ];
}

/** How many texts of one kind there are, and how many of them are not under the current secret. */
export interface EncryptedCount {
  readonly what: string;
  readonly all: number;
  readonly other: number;
}

export async function countEncrypted(places: readonly EncryptedPlace[]): Promise<readonly EncryptedCount[]> {
  const counts: EncryptedCount[] = [];
  for (const { what, cipher, read } of places) {
    const texts = await read();
    let other = 0;
    for (const { stored } of texts) if (!(await cipher.isCurrent(stored))) other += 1;
    counts.push({ what, all: texts.length, other });
  }
  return counts;
}

/**
 * Encrypts everything under the current secret. Nothing is stored until everything could be read. Each text is stored
 * by itself, and only if it can be decrypted again, so that an interruption loses nothing and the same call continues.
 * Servers may run meanwhile, provided they know both secrets.
 * @returns how many texts of each kind were re-encrypted (`other`), out of how many
 * @throws OperatorError that names what cannot be read; nothing was changed then
 */
export async function encryptAnew(places: readonly EncryptedPlace[]): Promise<readonly EncryptedCount[]> {
  const unreadable: string[] = [];
  for (const { what, cipher, read } of places)
    for (const { name, stored } of await read())
      await cipher.decrypt(stored).catch((error: unknown) => {
        if (!(error instanceof OperatorError)) throw error;
        unreadable.push(`${what}: ${name}`);
      });
  if (unreadable.length > 0)
    throw new OperatorError(
      `Neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens ${unreadable.length} of the secrets: ${named(unreadable)}.`,
      'Set SECRET_KEY_PREVIOUS to the passphrase that this database was used with. Nothing was changed.',
    );
  const counts: EncryptedCount[] = [];
  for (const { what, cipher, read } of places) {
    const texts = await read();
    let other = 0;
    for (const text of texts) other += await encryptText(text, cipher);
    counts.push({ what, all: texts.length, other });
  }
  return counts;
}

const maxNamed = 10;

function named(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return names.slice(0, maxNamed).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Returns how many texts it stored. */
async function encryptText({ name, stored, replace }: EncryptedText, cipher: Cipher): Promise<number> {
  if (await cipher.isCurrent(stored)) return 0;
  const clear = await cipher.decrypt(stored);
  const encrypted = await cipher.encrypt(clear);
  if ((await cipher.decrypt(encrypted)) !== clear) throw new Error(`${name} could not be read again`);
  return (await replace(encrypted)) ? 1 : 0;
}
