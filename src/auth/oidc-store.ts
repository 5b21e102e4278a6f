// What the authorization server keeps, in the database: written so that whoever reads the table can use none of it.
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { StoredPayload } from '../store/oidc-payloads.ts';
import type { Store } from '../store/store.ts';
import { idHash } from './grants.ts';

/**
 * Makes the storage of one kind of thing (`Session`, `RefreshToken`, …), as `oidc-provider` wants it.
 * Ids are what browsers and clients hold: only their hashes are stored, and a payload is stored without its id.
 * @param now milliseconds since 1970
 * @param asSeen what is made of a stored thing that was found by its id
 */
export function createOidcStore(
  { oidcPayloads }: Pick<Store, 'oidcPayloads'>,
  model: string,
  now: () => number,
  asSeen: (stored: StoredPayload, id: string) => Promise<StoredPayload> = async (stored) => stored,
): Adapter {
  let nameless = 0;
  return {
    async upsert(id, payload, expiresIn) {
      if (expiresIn === undefined) throw new Error(`A ${model} without an end cannot be stored.`);
      await oidcPayloads.put({
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
      if (nameless % cleanedEvery === 0) await oidcPayloads.removeOldest(model, maxNameless);
    },
    async find(id) {
      const stored = await oidcPayloads.find({ model, idHash: idHash(id) }, now());
      return stored === null ? undefined : payloadOf(await asSeen(stored, id), id);
    },
    async findByUid(uid) {
      const stored = await oidcPayloads.findByUid(model, uid, now());
      // Nobody knows its id any more: it can be looked at, not saved.
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
 * Rows of one kind that belong to nobody: sign-ins that were begun, and nobody has signed in. Anybody can make them
 * from as many addresses as they have, and none may fill the disk: 10 000 of at most some 20 kB. The oldest go; whoever
 * signs in while so many are made has less time for it.
 */
const maxNameless = 10_000;
/** Counted by each process for itself, so that not every sign-in has to look. */
const cleanedEvery = 200;

/** Raw control characters never occur in JSON text, so this one stands for the id and for nothing else. */
const blank = '\u0001';

/**
 * Some kinds repeat their own id (`jti`, an address to return to); an interaction also holds the id of the session,
 * which nothing reads.
 */
export function withoutId(payload: AdapterPayload, id: string): string {
  const { cookie: _unused, ...session } = payload.session ?? {};
  return JSON.stringify(payload.session === undefined ? payload : { ...payload, session }).replaceAll(id, blank);
}

export function payloadOf(stored: StoredPayload, id: string): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(stored.payload.replaceAll(blank, id));
  return stored.consumedAt === null ? payload : { ...payload, consumed: Math.floor(stored.consumedAt / 1000) };
}
