// What takes a processor long to make and is no subject of most tests: key pairs and hashes of passwords. The program
// itself makes them once in a process, at the full cost, and each database is given the same.
import { v7 as uuidv7 } from 'uuid';
import { createCipher } from '../../src/auth/cipher.ts';
import { createKeyRing } from '../../src/auth/keys.ts';
import { hashPassword } from '../../src/auth/passwords.ts';
import { knownRoles } from '../../src/auth/platform-roles.ts';
import type { NewUser, User } from '../../src/auth/users.ts';
import { noSecondFactor } from '../../src/store/second-factors.ts';
import type { NewSigningKey } from '../../src/store/signing-keys.ts';
import type { Store } from '../../src/store/store.ts';

let pairs: Promise<readonly NewSigningKey[]> | null = null;
const hashes = new Map<string, Promise<string>>();

/** Gives a new database the keys that sign tokens, which its first process would make otherwise. */
export async function addPreparedKeys(store: Pick<Store, 'signingKeys'>, now: number): Promise<void> {
  pairs ??= makePairs();
  await store.signingKeys.addMissing(await pairs, 1, now);
}

/** Adds a user like `addUser`, whose rules are not asked: the tests of users prove them. */
export async function addPreparedUser(store: Pick<Store, 'users'>, wanted: NewUser, now: number): Promise<User> {
  const { password, login, activityCodes, operator } = wanted;
  const passwordHash = await (hashes.get(password) ?? remember(password));
  const id = uuidv7({ msecs: now });
  const user = { id, login, activityCodes: activityCodes.toSorted(), operator, disabledAt: null, createdAt: now };
  const secondFactorRequired = wanted.secondFactorRequired ?? false;
  const operatorRoles = knownRoles(wanted.operatorRoles ?? []);
  const added: User = {
    ...user,
    operatorRoles,
    signedOutAt: null,
    secondFactorRequired,
    secondFactor: false,
    identityProvider: null,
  };
  if (!(await store.users.add({ ...added, ...noSecondFactor, passwordHash })))
    throw new Error(`there is a user "${login}" already`);
  return added;
}

function remember(password: string): Promise<string> {
  const made = hashPassword(password);
  hashes.set(password, made);
  return made;
}

/** By a key ring whose storage is a variable. */
async function makePairs(): Promise<readonly NewSigningKey[]> {
  let made: readonly NewSigningKey[] = [];
  const signingKeys: Store['signingKeys'] = {
    list: async () => made.map((key) => ({ ...key, generation: 1, createdAt: 0, retiredAt: null })),
    addMissing: async (keys) => {
      made = keys;
    },
    rotate: async () => null,
    replacePrivate: async () => false,
  };
  await createKeyRing({ store: { signingKeys }, cipher: createCipher(null), now: Date.now }).publicKeys();
  return made;
}
