// Clients over HTTP: listed, registered, changed, given a new secret, disabled, removed.
import { type ChangedClient, changeClient } from '../../auth/client-changes.ts';
import {
  addClient,
  type Client,
  disableClient,
  enableClient,
  findClient,
  pageOfClients,
  removeClient,
  rotateSecret,
} from '../../auth/clients.ts';
import type { Answer, Call } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { Store } from '../../store/store.ts';
import { administrationEntry, asCommanded, type FieldKinds, fieldsOf, pageOf, told } from './request.ts';

interface ClientDependencies {
  readonly store: Pick<Store, 'activities' | 'clients'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `GET /platform/clients`: by id, including disabled ones, without their secrets. */
export function listAllClients({ store }: ClientDependencies): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    const given = singleParameters(query, ['after', 'limit']);
    const { items, after } = await pageOf(
      given,
      (page) => pageOfClients(store, page),
      ({ id }) => id,
    );
    return told({ clients: items.map(published), after });
  };
}

/** `GET /platform/clients/{clientId}`. @throws Problem `resource-not-found` */
export function readClient({ store }: ClientDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    return told(published(await clientOf(store, call)));
  };
}

/**
 * `POST /platform/clients`: registers one; the secret of a confidential client is shown in this answer only.
 * @throws Problem `validation-failed`
 */
export function registerClient({ store, now }: ClientDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const {
      name = '',
      redirectUris = [],
      activityCodes = [],
      ...more
    } = await fieldsOf(
      call,
      { name: 'text', redirectUris: 'texts', activityCodes: 'texts', confidential: 'flag', ...flags },
      ['name'],
    );
    const { readOnly = false, confidential = false, service = false, pkceRequired = true, platform = false } = more;
    const { client, secret } = await asCommanded(
      addClient(
        store,
        { name, redirectUris, activityCodes, readOnly, confidential, service, pkceRequired, platform },
        now(),
        undefined,
        entryOf(call, 'client.add'),
      ),
    );
    return told({ ...published(client), secret });
  };
}

/**
 * `POST /platform/clients/{clientId}/change`: replaces the given members.
 * @throws Problem `resource-not-found`, `validation-failed`
 */
export function changeOneClient({ store }: ClientDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const { redirectUris, activityCodes, ...wanted } = await fieldsOf(call, {
      ...{ name: 'text', redirectUris: 'texts', activityCodes: 'texts' },
      ...flags,
    });
    const before = await clientOf(store, call);
    const wantedChange = {
      ...wanted,
      ...(redirectUris !== undefined && {
        addedRedirects: redirectUris.filter((uri) => !before.redirectUris.includes(uri)),
        removedRedirects: before.redirectUris.filter((uri) => !redirectUris.includes(uri)),
      }),
      ...(activityCodes !== undefined && {
        addedActivities: activityCodes.filter((code) => !before.activityCodes.includes(code)),
        removedActivities: before.activityCodes.filter((code) => !activityCodes.includes(code)),
      }),
    };
    const { after } = await asCommanded(
      changeClient(store, before.id, wantedChange, (changed) => {
        const details = differences(changed);
        return details === null ? null : entryOf(call, 'client.change', details)(changed.after);
      }),
    );
    return told(published(after));
  };
}

/**
 * `POST /platform/clients/{clientId}/rotate-secret`: a new secret, shown in this answer only.
 * @throws Problem `resource-not-found`; `validation-failed` for a public client, and if the secret before the old one
 * that is to be kept is still good
 */
export function rotateClientSecret({ store, now }: ClientDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const { keepOldHours } = await fieldsOf(call, { keepOldHours: 'number' });
    if (keepOldHours !== undefined && (keepOldHours < 1 || keepOldHours > maxKeptHours)) {
      const detail = `keepOldHours must be from 1 to ${maxKeptHours}.`;
      throw new Problem('validation-failed', detail, { errors: { keepOldHours: [detail] } });
    }
    const { id } = await clientOf(store, call);
    const at = now();
    const kept = keepOldHours === undefined ? null : { until: at + keepOldHours * 3_600_000, now: at };
    const oldSecretUntil = kept === null ? null : formatInstant(kept.until);
    const { client, secret } = await asCommanded(
      rotateSecret(store, id, kept, entryOf(call, 'client.rotate-secret', { oldSecretUntil })),
    );
    return told({ ...published(client), secret, oldSecretUntil });
  };
}

/** Four weeks. */
const maxKeptHours = 672;

/** `POST /platform/clients/{clientId}/disable`, `…/enable` and `…/remove`. @throws Problem `resource-not-found` */
export function endClient(action: 'disable' | 'enable' | 'remove') {
  return ({ store, now }: ClientDependencies) =>
    async (call: Call): Promise<Answer> => {
      singleParameters(call.query, []);
      const { id } = await clientOf(store, call);
      const entry = entryOf(call, `client.${action}`);
      const work = {
        disable: () => disableClient(store, id, now(), entry),
        enable: () => enableClient(store, id, entry),
        remove: () => removeClient(store, id, entry),
      };
      return told(published(await asCommanded(work[action]())));
    };
}

const flags = {
  ...{ readOnly: 'flag', service: 'flag', pkceRequired: 'flag', platform: 'flag' },
} as const satisfies FieldKinds;

async function clientOf(store: ClientDependencies['store'], { params: { clientId = '' } }: Call): Promise<Client> {
  const known = /^[\x21-\x7e]{1,100}$/.test(clientId) ? await findClient(store, clientId) : null;
  if (known === null) throw new Problem('resource-not-found', 'There is no client with this id.');
  return known;
}

function entryOf(call: Call, action: string, details: unknown = null): (client: Client) => NewAuditEntry {
  return ({ id: target, activityCodes }) => administrationEntry(call, { action, target, activityCodes, details });
}

/** The changes, by field: before and after. Null: none. */
function differences({ before, after }: ChangedClient): Readonly<Record<string, unknown>> | null {
  const fields = ['name', 'redirectUris', 'activityCodes', 'readOnly', 'service', 'pkceRequired', 'platform'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((field) => [field, { before: before[field], after: after[field] }]));
}

function published(client: Client) {
  return {
    ...client,
    disabledAt: client.disabledAt === null ? null : formatInstant(client.disabledAt),
    createdAt: formatInstant(client.createdAt),
  };
}
