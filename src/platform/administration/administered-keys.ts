// Platform keys over HTTP: listed, created, revoked.
import {
  addPlatformKey,
  pageOfPlatformKeys,
  type PlatformKey,
  revokePlatformKey,
  standardRoles,
} from '../../auth/platform-keys.ts';
import type { Answer, Call } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { Store } from '../../store/store.ts';
import { administrationEntry, asCommanded, fieldsOf, pageOf, told } from './request.ts';

interface KeyDependencies {
  readonly store: Pick<Store, 'activities' | 'platformKeys'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `GET /platform/keys`: by id, including revoked ones, without their secrets. */
export function listKeys({ store }: KeyDependencies): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    const given = singleParameters(query, ['after', 'limit']);
    const { items, after } = await pageOf(
      given,
      (page) => pageOfPlatformKeys(store, page),
      ({ id }) => id,
    );
    return told({ keys: items.map(published), after });
  };
}

/**
 * `POST /platform/keys`: creates one; its text is shown in this answer only.
 * @throws Problem `validation-failed`
 */
export function addKey({ store, now }: KeyDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const {
      name = '',
      activityCodes,
      everyActivity,
      roles,
    } = await fieldsOf(call, { name: 'text', activityCodes: 'texts', everyActivity: 'flag', roles: 'texts' }, ['name']);
    if ((everyActivity === true) === (activityCodes !== undefined)) {
      const detail = 'Say what the key opens: either activityCodes, or everyActivity true.';
      throw new Problem('validation-failed', detail, { errors: { activityCodes: [detail] } });
    }
    const wanted = { name, activityCodes: activityCodes ?? null, roles: roles ?? standardRoles };
    const { key, text } = await asCommanded(
      addPlatformKey(store, wanted, now(), (added) =>
        administrationEntry(call, {
          ...{ action: 'key.add', target: added.id, activityCodes: added.activityCodes ?? [] },
          details: { name: added.name, all: added.activityCodes === null, roles: added.roles },
        }),
      ),
    );
    return told({ ...published(key), key: text });
  };
}

/**
 * `POST /platform/keys/{keyId}/revoke`: it is no longer accepted from the next request on. Repeating this changes
 * nothing.
 * @throws Problem `resource-not-found`
 */
export function revokeKey({ store, now }: KeyDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const id = call.params.keyId ?? '';
    const known = /^[0-9a-z]{12}$/.test(id) ? await store.platformKeys.byId(id) : null;
    if (known === null) throw new Problem('resource-not-found', 'There is no key with this id.');
    const key = await asCommanded(
      revokePlatformKey(store, id, now(), ({ activityCodes }) =>
        administrationEntry(call, { action: 'key.revoke', target: id, activityCodes: activityCodes ?? [] }),
      ),
    );
    return told(published(key));
  };
}

function published(key: PlatformKey) {
  const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return {
    ...key,
    createdAt: instant(key.createdAt),
    lastUsedAt: instant(key.lastUsedAt),
    revokedAt: instant(key.revokedAt),
  };
}
