// The keys that sign and verify tokens: created once per database, shared by all processes, rotated without a gap.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { NewSigningKey, StoredSigningKey } from '../store/signing-keys.ts';
import type { Store } from '../store/store.ts';
import type { Cipher } from './cipher.ts';

type SigningAlgorithm = StoredSigningKey['alg'];

/** One half of a key pair, ready for use. */
export interface TokenKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly key: CryptoKey;
}

/**
 * The keys of one database as one process knows them; every method may read the database, whose exceptions it passes
 * on.
 */
export interface KeyRing {
  /** The private key that currently signs. Throws an OperatorError when it cannot be decrypted. */
  signingKey(alg: SigningAlgorithm): Promise<TokenKey>;
  /** The public key with this id, or null when there is none: tokens that name it are not ours. */
  verificationKey(kid: string): Promise<TokenKey | null>;
  /** All public keys that verify, as a JWK set (RFC 7517); creates the first keys when there are none. */
  publicKeys(): Promise<JSONWebKeySet>;
  /**
   * All keys that verify, with their private parts; the current signing keys come first. The same object until a key is
   * added, retires, or starts to sign. Throws an OperatorError when one cannot be decrypted.
   */
  privateKeys(): Promise<JSONWebKeySet>;
}

type KeyStorage = Pick<Store, 'signingKeys'>;

interface KeyRingOptions {
  readonly store: KeyStorage;
  readonly cipher: Cipher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface KnownKey extends TokenKey {
  readonly publicJwk: JWK;
  readonly privateText: string;
  readonly generation: number;
  readonly retiredAt: number | null;
}

/** After this time, every process has read what another one has stored. */
export const rereadAfterMs = 60_000;
/** An unknown key id makes the ring read again, but not as often as somebody may invent ids. */
const missCooldownMs = 10_000;
/** The longest life of an access token (24 h), plus an hour for clock differences. */
export const verifiesAfterRetirementMs = 25 * 3_600_000;
/** The time from storing a key until it signs: twice the interval at which every process reads the keys. */
export const publishedBeforeMs = 2 * rereadAfterMs;

/** Opens the key ring of a database; nothing is read before the first use. */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { cipher, now } = options;
  const stored = createStoredKeys(options);
  let missedAt = Number.NEGATIVE_INFINITY;
  let signer: TokenKey | null = null;
  let privateSet: { readonly kids: string; readonly set: JSONWebKeySet } | null = null;

  const signs = (one: KnownKey): boolean => one.retiredAt === null || one.retiredAt > now();
  const signers = (): readonly KnownKey[] =>
    stored
      .known()
      .filter(signs)
      .toSorted((a, b) => (a.retiredAt ?? Number.POSITIVE_INFINITY) - (b.retiredAt ?? Number.POSITIVE_INFINITY));
  const signerOf = (alg: SigningAlgorithm): KnownKey | undefined => signers().find((one) => one.alg === alg);

  const ensure = async (): Promise<void> => {
    await stored.refresh();
    if (signerOf('ES256') && signerOf('RS256')) return;
    await createKeys(options, Math.max(0, ...stored.known().map((one) => one.generation)) + 1);
    await stored.reread();
  };

  const verifies = (one: KnownKey): boolean =>
    one.retiredAt === null || now() - one.retiredAt < verifiesAfterRetirementMs;

  return {
    async signingKey(alg) {
      await ensure();
      const current = signerOf(alg);
      if (!current) throw new Error(`No ${alg} key signs, although one was just made.`);
      if (signer?.kid !== current.kid) {
        const { kid, privateText } = current;
        signer = { kid, alg, key: await importKey(JSON.parse(await cipher.decrypt(privateText)), alg) };
      }
      return signer;
    },
    async verificationKey(kid) {
      await stored.refresh();
      if (!stored.known().some((one) => one.kid === kid) && isPast(now(), missedAt, missCooldownMs)) {
        missedAt = now();
        await stored.reread();
      }
      return stored.known().find((one) => one.kid === kid && verifies(one)) ?? null;
    },
    async publicKeys() {
      await ensure();
      return {
        keys: stored
          .known()
          .filter(verifies)
          .map((one) => one.publicJwk),
      };
    },
    async privateKeys() {
      await ensure();
      const ordered = [...signers(), ...stored.known().filter((one) => !signs(one) && verifies(one))];
      const kids = ordered.map((one) => one.kid).join();
      if (privateSet?.kids !== kids) {
        const opened = new Map(privateSet?.set.keys.map((jwk) => [jwk.kid, jwk]));
        const keys = await Promise.all(
          ordered.map(async (one) => opened.get(one.kid) ?? JSON.parse(await cipher.decrypt(one.privateText))),
        );
        privateSet = { kids, set: { keys } };
      }
      return privateSet.set;
    },
  };
}

/** A clock that was set back counts as past, otherwise the ring would not change until it has caught up. */
function isPast(now: number, since: number, limitMs: number): boolean {
  const age = now - since;
  return age < 0 || age >= limitMs;
}

/** The keys of the database as this process last read them. */
interface StoredKeys {
  readonly known: () => readonly KnownKey[];
  /** Reads them again when that was long ago. */
  readonly refresh: () => Promise<void>;
  readonly reread: () => Promise<void>;
}

function createStoredKeys({ store, now }: KeyRingOptions): StoredKeys {
  let known: readonly KnownKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const startedAt = now();
    const stored = await store.signingKeys.list();
    const before = new Map(known.map((one) => [one.kid, one]));
    known = await Promise.all(
      stored.map(async ({ kid, alg, publicJwk: publicText, privateJwk, generation, retiredAt }) => {
        const publicJwk: JWK = JSON.parse(publicText);
        const key = before.get(kid)?.key ?? (await importKey(publicJwk, alg));
        return { kid, alg, key, publicJwk, privateText: privateJwk, generation, retiredAt };
      }),
    );
    readAt = startedAt;
  };

  const reread = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };

  return {
    known: () => known,
    reread,
    refresh: async () => {
      if (isPast(now(), readAt, rereadAfterMs)) await reread();
    },
  };
}

/**
 * Encrypts private keys stored in clear text, once a secret is configured.
 * @returns how many were encrypted
 */
export async function encryptStoredKeys({ signingKeys }: KeyStorage, cipher: Cipher): Promise<number> {
  if (!cipher.encrypts) return 0;
  const plain = (await signingKeys.list()).filter(({ privateJwk }) => privateJwk.startsWith('{'));
  for (const { kid, privateJwk } of plain)
    await signingKeys.replacePrivate(kid, privateJwk, await cipher.encrypt(privateJwk));
  return plain.length;
}

/**
 * Creates the next pair of each kind and sets the end of the current ones, far enough ahead that every process has read
 * the new keys before the first token is signed with them. Tokens signed with the old ones remain valid for their whole
 * life.
 * @returns the ids of the new keys, and the instant from which they sign, milliseconds
 * @throws OperatorError when another rotation is under way
 */
export async function rotateKeys(
  { store, cipher, now }: KeyRingOptions,
  entryOf?: EntryOf<readonly string[]>,
): Promise<{ readonly kids: readonly string[]; readonly signsFrom: number }> {
  const pairs = await newPairs(cipher);
  const kids = pairs.map(({ kid }) => kid);
  const signsFrom = await store.signingKeys.rotate(pairs, publishedBeforeMs, now, entryOf && (() => entryOf(kids)));
  if (signsFrom === null)
    throw new OperatorError(
      'Another rotation of the keys is under way.',
      'Wait two minutes, and rotate again if it is still wanted.',
    );
  return { kids, signsFrom };
}

/**
 * Creates a pair of each kind; several processes that start at once may get here, and one of them succeeds in storing
 * its pairs.
 */
async function createKeys({ store, cipher, now }: KeyRingOptions, generation: number): Promise<void> {
  const createdAt = now();
  await store.signingKeys.addMissing(await newPairs(cipher), generation, createdAt);
}

function newPairs(cipher: Cipher): Promise<readonly NewSigningKey[]> {
  return Promise.all([newKey('ES256', cipher), newKey('RS256', cipher)]);
}

async function newKey(alg: SigningAlgorithm, cipher: Cipher): Promise<NewSigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const publicPart = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicPart);
  const facts = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    publicJwk: JSON.stringify({ ...publicPart, ...facts }),
    privateJwk: await cipher.encrypt(JSON.stringify({ ...(await exportJWK(pair.privateKey)), ...facts })),
  };
}

async function importKey(jwk: JWK, alg: SigningAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error(`The stored key ${jwk.kid ?? ''} is symmetric.`);
  return key;
}
