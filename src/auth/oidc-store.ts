// Stores the state of the authorization server in the database in such a form that reading the table gives no access.
import type { IncomingMessage } from 'node:http';
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { StoredPayload } from '../store/oidc-payloads.ts';
import type { Store } from '../store/store.ts';
import { idHash } from './grants.ts';

interface OidcStoreOptions {
  /** Transforms a stored entry that was found by its id. */
  readonly asSeen?: (stored: StoredPayload, id: string) => Promise<StoredPayload>;
  /** Whether an entry was stored before: if it has been removed meanwhile, it is not stored again. */
  readonly isKnown?: (id: string) => boolean;
}

/**
 * Makes the storage for one model (`Session`, `RefreshToken`, …) that `oidc-provider` expects. Ids are credentials held
 * by browsers and clients: only their hashes are stored, and payloads are stored without their ids.
 * @param now milliseconds since 1970
 */
export function createOidcStore(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  model: string,
  now: () => number,
  { asSeen = async (stored) => stored, isKnown = () => false }: OidcStoreOptions = {},
): Adapter {
  let nameless = 0;
  return {
    async upsert(id, payload, expiresIn) {
      if (expiresIn === undefined) throw new Error(`A ${model} without an end cannot be stored.`);
      const keep = isKnown(id) ? oidcPayloads.replace : oidcPayloads.put;
      await keep({
        model,
        idHash: idHash(id),
        payload: withoutId(payload, id),
        grantId: payload.grantId ?? null,
        uid: payload.uid ?? null,
        accountId: payload.accountId ?? null,
        clientId: payload.clientId ?? null,
        expiresAt: now() + expiresIn * 1000,
      });
      if (payload.accountId !== undefined) return;
      nameless += 1;
      if (nameless % writesPerCleanup === 0) await oidcPayloads.removeOldest(model, maxNameless);
    },
    async find(id) {
      const stored = await oidcPayloads.find({ model, idHash: idHash(id) }, now());
      return stored === null ? undefined : payloadOf(await asSeen(stored, id), id);
    },
    async findByUid(uid) {
      const stored = await oidcPayloads.findByUid(model, uid, now());
      // Its id is no longer known: the entry can be inspected, not saved.
      return stored === null ? undefined : payloadOf(stored, '');
    },
    findByUserCode: async () => undefined,
    async consume(id) {
      if (!(await oidcPayloads.spend({ model, idHash: idHash(id) }, now())))
        throw new errors.InvalidGrant(`${model} was used by another request at the same moment`);
    },
    destroy: (id) => oidcPayloads.remove({ model, idHash: idHash(id) }),
    revokeByGrantId: (grantId) => oidcPayloads.removeOfGrant(model, grantId),
  };
}

/**
 * Makes the storage for the sessions of browsers. Each request to the provider stores the session that it found, when
 * it is over: one that was ended meanwhile stays ended.
 * @param now milliseconds since 1970
 */
export function createSessionStore(store: Pick<Store, 'oidcPayloads'>, now: () => number): Adapter {
  const found = new WeakMap<IncomingMessage, Set<string>>();
  const ofRequest = (): Set<string> | undefined => {
    const request = Provider.ctx?.req;
    if (request === undefined) return undefined;
    const ids = found.get(request) ?? new Set();
    found.set(request, ids);
    return ids;
  };
  const sessions = createOidcStore(store, 'Session', now, { isKnown: (id) => ofRequest()?.has(id) === true });
  return {
    ...sessions,
    async find(id) {
      const session = await sessions.find(id);
      if (session !== undefined) ofRequest()?.add(id);
      return session;
    },
  };
}

/**
 * The most rows of one model without an owner: sign-ins that were started without anybody signing in. Anybody can
 * create them from any number of addresses, and they must not fill the disk: 10 000 of at most some 20 kB. The oldest
 * are removed; people who sign in during such a flood have less time.
 */
const maxNameless = 10_000;
/** Counted by each process separately, so that not every sign-in has to check. */
const writesPerCleanup = 200;

/** Raw control characters never occur in JSON text, so this one can stand for the id without ambiguity. */
const blank = '\u0001';

/**
 * Some models repeat their own id (`jti`, a return address); an interaction also holds the id of the session, which
 * nothing reads.
 */
export function withoutId(payload: AdapterPayload, id: string): string {
  const { cookie: _unused, ...session } = payload.session ?? {};
  return JSON.stringify(payload.session === undefined ? payload : { ...payload, session }).replaceAll(id, blank);
}

export function payloadOf(stored: StoredPayload, id: string): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(stored.payload.replaceAll(blank, id));
  return stored.consumedAt === null ? payload : { ...payload, consumed: Math.floor(stored.consumedAt / 1000) };
}
