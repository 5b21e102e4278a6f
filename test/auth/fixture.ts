// A real database with two activities, a clock that stands still, and the parts of auth on top.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { addClient } from '../../src/auth/clients.ts';
import type { Client, NewClient } from '../../src/auth/clients.ts';
import { createKeyRing } from '../../src/auth/keys.ts';
import type { KeyRing } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { createTokenIssuer } from '../../src/auth/tokens.ts';
import type { User } from '../../src/auth/users.ts';
import { createVerifier } from '../../src/auth/verify.ts';
import type { Verifier } from '../../src/auth/verify.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { storeOn } from '../contract/engines.ts';
import { copySqlite } from '../contract/prepared-databases.ts';
import { addPreparedKeys, addPreparedUser } from '../contract/prepared-secrets.ts';

export const authUrl = 'https://auth.example';
export const baseUrl = 'https://auth.example/v1';
export const goodPassword = 'tall ships carry heavy crates';

export interface Clock {
  readonly now: () => number;
  advance(milliseconds: number): void;
}

export function stoppedClock(at = Date.UTC(2026, 0, 31, 8)): Clock {
  let time = at;
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}

interface Database {
  readonly store: Store;
  readonly path: string;
  /** A second connection, as another process has it. */
  again(): Promise<Store>;
}

/** A fresh SQLite database with the activities AAA, BBB and CCC; gone when the test ends. */
export async function openDatabase(t: TestContext): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-auth-'));
  const path = join(folder, 'logistics-connect.db');
  const engines: Engine[] = [];
  t.after(async () => {
    for (const engine of engines) await engine.close();
    rmSync(folder, { recursive: true });
  });
  const open = (): Engine => {
    const engine = openSqlite(path, Date.now);
    engines.push(engine);
    return engine;
  };
  await copySqlite(path);
  const store = await prepare(open());
  return { store, path, again: () => storeOn(open()) };
}

/** Brings a database to the program's version and adds the activities AAA, BBB and CCC. */
export async function prepare(engine: Engine): Promise<Store> {
  const store = await storeOn(engine);
  for (const code of ['AAA', 'BBB', 'CCC']) await store.activities.add(code, `Activity ${code}`);
  return store;
}

export function clientLike(changes: Partial<NewClient> = {}): NewClient {
  return {
    name: 'Web shop',
    redirectUris: ['https://shop.example/callback'],
    activityCodes: ['AAA', 'BBB'],
    readOnly: false,
    confidential: false,
    ...changes,
  };
}

export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: KeyRing;
  readonly client: Client;
  readonly user: User;
  readonly verify: Verifier;
  /** What the verifier reported about storage. */
  readonly storageErrors: unknown[];
  issue(): Promise<string>;
}

/** A database with one client (AAA, BBB) and one user (BBB, CCC), and a verifier for their tokens. */
export async function openService(t: TestContext, changes: Partial<NewClient> = {}): Promise<Service> {
  const { store } = await openDatabase(t);
  const clock = stoppedClock();
  await addPreparedKeys(store, clock.now());
  const keys = createKeyRing({ store, cipher: createCipher(null), now: clock.now });
  const { client } = await addClient(store, clientLike(changes), clock.now());
  const user = await addPreparedUser(
    store,
    { login: 'mia', password: goodPassword, activityCodes: ['CCC', 'BBB'], operator: false },
    clock.now(),
  );
  const issueToken = createTokenIssuer({ store, keys, issuer: authUrl, audience: baseUrl });
  const storageErrors: unknown[] = [];
  const verify = agreeing(
    createVerifier({
      store,
      keys,
      authUrl,
      baseUrl,
      now: clock.now,
      onStorageError: (error) => storageErrors.push(error),
    }),
  );
  return {
    store,
    clock,
    keys,
    client,
    user,
    verify,
    storageErrors,
    issue: async () => (await issueToken({ client, user, now: clock.now() })).accessToken,
  };
}

/**
 * The same verifier, which is held to it each time that it is asked: what it knows at once is what it finds out, and
 * who is refused was not known.
 */
export function agreeing(verify: Verifier): Verifier {
  const { known } = verify;
  const asked: Verifier = Object.assign(
    async (...[authorization, from]: Parameters<Verifier>) => {
      const before = known(authorization);
      const found = await verify(authorization, from).catch((error: unknown) => {
        assert.equal(before, null, 'a header that is refused is known');
        throw error;
      });
      if (before !== null) assert.deepEqual(before, found);
      assert.deepEqual(known(authorization), found);
      return found;
    },
    { known, again: verify.again },
  );
  return asked;
}
