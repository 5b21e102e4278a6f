// What the authorization server remembers, in the database: written so that whoever reads the table can use none of it.
import type { Kysely, Selectable } from 'kysely';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { OidcPayloadTable, Tables } from '../store/tables.ts';
import { idHash } from './grants.ts';
import { forgetOldest } from './payload-cleanup.ts';

/**
 * Makes the storage of one kind of thing (`Session`, `RefreshToken`, …), as `oidc-provider` wants it.
 * Ids are what browsers and clients hold: only their hashes are stored, and a payload is stored without its id.
 * @param now milliseconds since 1970
 */
export function createOidcStore(db: Kysely<Tables>, model: string, now: () => number): Adapter {
  let nameless = 0;
  return {
    async upsert(id, payload, expiresIn) {
      if (expiresIn === undefined) throw new Error(`A ${model} without an end cannot be stored.`);
      const row = {
        payload: withoutId(payload, id),
        grant_id: payload.grantId ?? null,
        uid: payload.uid ?? null,
        account_id: payload.accountId ?? null,
        client_id: payload.clientId ?? null,
        expires_at: now() + expiresIn * 1000,
      };
      await db
        .insertInto('oidc_payload')
        .values({ model, id_hash: idHash(id), ...row, consumed_at: null })
        .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(row))
        .execute();
      if (row.account_id !== null) return;
      nameless += 1;
      if (nameless % sweptEvery === 0) await forgetOldest(db, model, mostNameless);
    },
    async find(id) {
      const row = await db
        .selectFrom('oidc_payload')
        .selectAll()
        .where('model', '=', model)
        .where('id_hash', '=', idHash(id))
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return row && payloadOf(row, id);
    },
    async findByUid(uid) {
      const row = await db
        .selectFrom('oidc_payload')
        .selectAll()
        .where('model', '=', model)
        .where('uid', '=', uid)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      // Nobody knows its id any more: it can be looked at, not saved.
      return row && payloadOf(row, '');
    },
    findByUserCode: async () => undefined,
    async consume(id) {
      // One statement, because simultaneous requests have all read the same unused code before the first of them uses
      // it up.
      const used = await db
        .updateTable('oidc_payload')
        .set({ consumed_at: now() })
        .where('model', '=', model)
        .where('id_hash', '=', idHash(id))
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      if (used.numUpdatedRows !== 1n)
        throw new errors.InvalidGrant(`${model} was used by another request at the same moment`);
    },
    async destroy(id) {
      await db.deleteFrom('oidc_payload').where('model', '=', model).where('id_hash', '=', idHash(id)).execute();
    },
    async revokeByGrantId(grantId) {
      await db.deleteFrom('oidc_payload').where('model', '=', model).where('grant_id', '=', grantId).execute();
    },
  };
}

/**
 * Rows of one kind that belong to nobody: sign-ins that were begun, and nobody has signed in. Anybody can make them
 * from as many addresses as they have, and none may fill the disk: 10 000 of at most some 20 kB. The oldest go; whoever
 * signs in while so many are made has less time for it.
 */
const mostNameless = 10_000;
/** Counted by each process for itself, so that not every sign-in has to look. */
const sweptEvery = 200;

/** Raw control characters never occur in JSON text, so this one stands for the id and for nothing else. */
const blank = '\u0001';

/**
 * Some kinds repeat their own id (`jti`, an address to return to); an interaction also holds the id of the session,
 * which nothing reads.
 */
function withoutId(payload: AdapterPayload, id: string): string {
  const { cookie: _unused, ...session } = payload.session ?? {};
  return JSON.stringify(payload.session === undefined ? payload : { ...payload, session }).replaceAll(id, blank);
}

function payloadOf(row: Selectable<OidcPayloadTable>, id: string): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(row.payload.replaceAll(blank, id));
  return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / 1000) };
}
