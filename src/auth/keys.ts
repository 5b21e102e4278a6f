// The keys that sign and verify tokens: made once per database, shared by all processes, replaced without a gap.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import type { Kysely } from 'kysely';
import { OperatorError } from '../model/operator-error.ts';
import type { Tables } from '../store/tables.ts';
import type { Cipher } from './cipher.ts';

type SigningAlgorithm = 'ES256' | 'RS256';

/** One half of a key pair, ready for use. */
export interface TokenKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly key: CryptoKey;
}

/**
 * The keys of one database as one process knows them; every method may read the database and throws what that throws.
 */
export interface KeyRing {
  /** The private key that signs now. Throws an OperatorError when it cannot be decrypted. */
  signingKey(alg: SigningAlgorithm): Promise<TokenKey>;
  /** The public key with this id, or null when there is none: tokens under it are not ours. */
  verificationKey(kid: string): Promise<TokenKey | null>;
  /** All public keys that verify, as a JWK set (RFC 7517); makes the first keys when there are none. */
  publicKeys(): Promise<JSONWebKeySet>;
  /**
   * All keys that verify, private parts included, the ones that sign now first. The same object until a key is added,
   * retires, or becomes the one that signs. Throws an OperatorError when one cannot be decrypted.
   */
  privateKeys(): Promise<JSONWebKeySet>;
}

export interface KeyRingOptions {
  readonly db: Kysely<Tables>;
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

/** After so long every process has read again what another one has stored, milliseconds. */
export const rereadAfter = 60_000;
/** An unknown key id makes the ring look again, but not at the pace of whoever invents key ids. */
const missCooldown = 10_000;
/** The longest life of an access token (24 h) and an hour for clocks that differ. */
const verifiesAfterRetirement = 25 * 3_600_000;
/**
 * From when it is stored until it signs, milliseconds: twice the time after which every process reads the keys again.
 */
export const publishedBefore = 2 * rereadAfter;

/** Opens the key ring of a database; nothing is read before the first use. */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { db, cipher, now } = options;
  let known: readonly KnownKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let missedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let signer: TokenKey | null = null;
  let privateSet: { readonly kids: string; readonly set: JSONWebKeySet } | null = null;

  const read = async (): Promise<void> => {
    const startedAt = now();
    const rows = await db.selectFrom('signing_key').selectAll().orderBy('created_at').orderBy('kid').execute();
    const before = new Map(known.map((one) => [one.kid, one]));
    known = await Promise.all(
      rows.map(async (row) => {
        const publicJwk: JWK = JSON.parse(row.public_jwk);
        return {
          kid: row.kid,
          alg: row.alg,
          key: before.get(row.kid)?.key ?? (await importKey(publicJwk, row.alg)),
          publicJwk,
          privateText: row.private_jwk,
          generation: row.generation,
          retiredAt: row.retired_at,
        };
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

  /** A clock that was set back counts as old, or the ring would stand still until it has caught up. */
  const isPast = (since: number, limit: number): boolean => {
    const age = now() - since;
    return age < 0 || age >= limit;
  };

  const refresh = async (): Promise<void> => {
    if (isPast(readAt, rereadAfter)) await reread();
  };

  const signs = (one: KnownKey): boolean => one.retiredAt === null || one.retiredAt > now();
  const signers = (): readonly KnownKey[] =>
    known
      .filter(signs)
      .toSorted((a, b) => (a.retiredAt ?? Number.POSITIVE_INFINITY) - (b.retiredAt ?? Number.POSITIVE_INFINITY));
  const signerRow = (alg: SigningAlgorithm): KnownKey | undefined => signers().find((one) => one.alg === alg);

  const ensure = async (): Promise<void> => {
    await refresh();
    if (signerRow('ES256') && signerRow('RS256')) return;
    await createKeys(options, Math.max(0, ...known.map((one) => one.generation)) + 1);
    await reread();
  };

  const verifies = (one: KnownKey): boolean =>
    one.retiredAt === null || now() - one.retiredAt < verifiesAfterRetirement;

  return {
    async signingKey(alg) {
      await ensure();
      const row = signerRow(alg);
      if (!row) throw new Error(`No ${alg} key signs, although one was just made.`);
      if (signer?.kid !== row.kid) {
        signer = { kid: row.kid, alg, key: await importKey(JSON.parse(await cipher.decrypt(row.privateText)), alg) };
      }
      return signer;
    },
    async verificationKey(kid) {
      await refresh();
      if (!known.some((one) => one.kid === kid) && isPast(missedAt, missCooldown)) {
        missedAt = now();
        await reread();
      }
      return known.find((one) => one.kid === kid && verifies(one)) ?? null;
    },
    async publicKeys() {
      await ensure();
      return { keys: known.filter(verifies).map((one) => one.publicJwk) };
    },
    async privateKeys() {
      await ensure();
      const ordered = [...signers(), ...known.filter((one) => !signs(one) && verifies(one))];
      const kids = ordered.map((one) => one.kid).join();
      if (privateSet?.kids !== kids) {
        const opened = new Map(privateSet?.set.keys.map((jwk) => [jwk.kid, jwk]));
        privateSet = {
          kids,
          set: {
            keys: await Promise.all(
              ordered.map(async (one) => opened.get(one.kid) ?? JSON.parse(await cipher.decrypt(one.privateText))),
            ),
          },
        };
      }
      return privateSet.set;
    },
  };
}

/**
 * Encrypts the private keys that lie in the clear, once a secret is configured.
 * @returns how many were encrypted
 */
export async function encryptStoredKeys(db: Kysely<Tables>, cipher: Cipher): Promise<number> {
  if (!cipher.encrypts) return 0;
  const plain = await db
    .selectFrom('signing_key')
    .select(['kid', 'private_jwk'])
    .where('private_jwk', 'like', '{%')
    .execute();
  for (const row of plain) {
    await db
      .updateTable('signing_key')
      .set({ private_jwk: await cipher.encrypt(row.private_jwk) })
      .where('kid', '=', row.kid)
      .where('private_jwk', '=', row.private_jwk)
      .execute();
  }
  return plain.length;
}

/**
 * Makes the next pair of each kind and sets the end of the present ones, so far ahead that every process has read the
 * new keys before the first token under them. Tokens under the old ones stay valid for their whole life.
 * @returns the ids of the new keys, and the instant from which they sign, milliseconds
 * @throws OperatorError when another rotation is under way
 */
export async function rotateKeys({
  db,
  cipher,
  now,
}: KeyRingOptions): Promise<{ readonly kids: readonly string[]; readonly signsFrom: number }> {
  const made = await Promise.all([newKey('ES256', cipher), newKey('RS256', cipher)]);
  return db.transaction().execute(async (transaction) => {
    const createdAt = now();
    const signsFrom = createdAt + publishedBefore;
    const { generation } = await transaction
      .selectFrom('signing_key')
      .select((row) => row.fn.max('generation').as('generation'))
      .executeTakeFirstOrThrow();
    const busy = await transaction
      .selectFrom('signing_key')
      .select('kid')
      .where('retired_at', '>', createdAt)
      .executeTakeFirst();
    const inserted = busy
      ? null
      : await transaction
          .insertInto('signing_key')
          .values(
            made.map((row) => ({ ...row, generation: (generation ?? 0) + 1, created_at: createdAt, retired_at: null })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
    if (inserted?.numInsertedOrUpdatedRows !== 2n)
      throw new OperatorError(
        'Another rotation of the keys is under way.',
        'Wait two minutes, and rotate again if it is still wanted.',
      );
    const kids = made.map((row) => row.kid);
    await transaction
      .updateTable('signing_key')
      .set({ retired_at: signsFrom })
      .where('retired_at', 'is', null)
      .where('kid', 'not in', kids)
      .execute();
    return { kids, signsFrom };
  });
}

/**
 * Makes a pair of each kind. Processes that start at once may all come here: both pairs are one statement, and whoever
 * saw the same last generation writes the same next one, which is unique: the first gets in, the others are a no-op.
 */
async function createKeys({ db, cipher, now }: KeyRingOptions, generation: number): Promise<void> {
  const createdAt = now();
  const rows = await Promise.all([newKey('ES256', cipher), newKey('RS256', cipher)]);
  await db
    .insertInto('signing_key')
    .values(rows.map((row) => ({ ...row, generation, created_at: createdAt, retired_at: null })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function newKey(
  alg: SigningAlgorithm,
  cipher: Cipher,
): Promise<{ kid: string; alg: SigningAlgorithm; public_jwk: string; private_jwk: string }> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const publicPart = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicPart);
  const facts = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    public_jwk: JSON.stringify({ ...publicPart, ...facts }),
    private_jwk: await cipher.encrypt(JSON.stringify({ ...(await exportJWK(pair.privateKey)), ...facts })),
  };
}

async function importKey(jwk: JWK, alg: SigningAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error(`The stored key ${jwk.kid ?? ''} is symmetric.`);
  return key;
}
