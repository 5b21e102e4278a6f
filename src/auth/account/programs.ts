// The programs that a person has allowed: read from their grants, and withdrawn.
import type { AdapterPayload } from 'oidc-provider';
import type { StoredPayload } from '../../store/oidc-payloads.ts';
import type { Store } from '../../store/store.ts';
import { sharedActivities } from '../activity-access.ts';
import { consentedActivities } from '../consent.ts';
import { idHash } from '../grants.ts';
import { payloadOf } from '../oidc-store.ts';
import { type ActingUser, entryOf } from '../second-factor.ts';
import type { User } from '../users.ts';

/** A client that may act for a person. */
export interface Program {
  readonly clientId: string;
  readonly name: string;
  readonly readOnly: boolean;
  /** The current ones: consented to, and still held by both client and person. */
  readonly activityCodes: readonly string[];
  /** When it was first allowed, milliseconds since 1970; null: the operator issued a token for it. */
  readonly since: number | null;
  /** When it last got a new token; null: it still has its first one. */
  readonly lastUsedAt: number | null;
}

type ProgramStorage = Pick<Store, 'clients' | 'oidcPayloads'>;

/** Sorted by name; one entry per client, however often it was allowed. */
export async function programsOf(store: ProgramStorage, user: User, now: number): Promise<readonly Program[]> {
  const [grants, refreshes] = await Promise.all([
    store.oidcPayloads.grantsOf(user.id, now),
    store.oidcPayloads.lastRefreshes(user.id),
  ]);
  const usedAt = new Map([...refreshes].map(([grantId, at]) => [idHash(grantId), at]));
  const byClient = Map.groupBy(grants, ({ clientId }) => clientId ?? '');
  const programs = await Promise.all(
    [...byClient].map(([clientId, own]) => programOf(store, user, { clientId, grants: own, usedAt })),
  );
  return programs.filter((one) => one !== null).toSorted((a, b) => a.name.localeCompare(b.name));
}

/**
 * Ends everything that a person allowed a client, in every process within half a minute.
 * @returns the ended grants whose ids are known; null: there was nothing
 */
export async function withdraw(
  store: ProgramStorage,
  acting: ActingUser,
  clientId: string,
): Promise<readonly string[] | null> {
  // No client has such an id, and PostgreSQL does not accept text with U+0000 even in a query.
  if (clientId.includes('\0')) return null;
  const audit = { ...entryOf('program.withdraw', acting), target: clientId };
  return store.oidcPayloads.endProgram(acting.user.id, clientId, audit);
}

async function programOf(
  { clients }: ProgramStorage,
  user: User,
  {
    clientId,
    grants,
    usedAt,
  }: {
    readonly clientId: string;
    readonly grants: readonly StoredPayload[];
    readonly usedAt: ReadonlyMap<string, number>;
  },
): Promise<Program | null> {
  const client = await clients.active(clientId);
  if (client === null) return null;
  const facts = grants.map(factsIn);
  const consented = facts.flatMap(({ codes }) => codes ?? client.activityCodes);
  const since = facts.flatMap((one) => one.since ?? []);
  const uses = grants.flatMap(({ idHash: hash }) => usedAt.get(hash) ?? []);
  return {
    clientId,
    name: client.name,
    readOnly: client.readOnly,
    activityCodes: sharedActivities(consented, client.activityCodes, user.activityCodes),
    since: since.length === 0 ? null : Math.min(...since),
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
  };
}

/** The content of a stored grant; `codes` is null when nobody was asked for consent. */
function factsIn(stored: StoredPayload): { readonly since: number | null; readonly codes: readonly string[] | null } {
  const { iat, rar }: AdapterPayload = payloadOf(stored, '');
  return {
    since: typeof iat === 'number' ? iat * 1000 : null,
    codes: Array.isArray(rar) ? consentedActivities({ rar }) : null,
  };
}
