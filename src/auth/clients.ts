// The programs that may ask for tokens: registered, shown and disabled by the operator.
import { createHash, randomBytes } from 'node:crypto';
import { OperatorError } from '../model/operator-error.ts';
import type { StoredClient } from '../store/clients.ts';
import type { Store } from '../store/store.ts';
import type { PageQuery } from '../store/key-pages.ts';
import { existingActivities } from './activity-access.ts';
import { canonicalName, clientFaults } from './client-faults.ts';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Empty for a service that no person signs in to. */
  readonly redirectUris: readonly string[];
  /** Sorted; empty only where it may ask for the platform interface. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  /** It may act for itself, without a person: the grant `client_credentials`. */
  readonly service: boolean;
  /** Its sign-ins need PKCE (S256). */
  readonly pkceRequired: boolean;
  /** Operators may let it act for them at the platform interface. */
  readonly platform: boolean;
  /** Milliseconds, or null while it may be used. */
  readonly disabledAt: number | null;
  readonly createdAt: number;
}

export interface NewClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  /** Needs `confidential`. False when absent. */
  readonly service?: boolean;
  /** False needs `confidential`. True when absent. */
  readonly pkceRequired?: boolean;
  /** False when absent. */
  readonly platform?: boolean;
}

/** Crockford's alphabet: no letter that is read as a digit. */
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Registers a client.
 * @param now milliseconds since 1970
 * @param id a fixed id; a new one when absent
 * @returns the client, and for a confidential one its secret, which exists nowhere else: show it once
 * @throws OperatorError with everything that is wrong
 */
export async function addClient(
  store: Pick<Store, 'activities' | 'clients'>,
  wanted: NewClient,
  now: number,
  id?: string,
): Promise<{ readonly client: Client; readonly secret: string | null }> {
  const faults = clientFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const activityCodes = await existingActivities(store, wanted.activityCodes);
  const { stored, secret } = madeClient({ ...wanted, activityCodes }, now, id);
  await store.clients.add(stored);
  return { client: clientOf(stored), secret };
}

/**
 * A client as it is stored, of what `clientFaults` finds nothing wrong with.
 * @param wanted.activityCodes sorted codes of activities that there are
 */
export function madeClient(
  wanted: NewClient,
  now: number,
  id?: string,
): { readonly stored: StoredClient; readonly secret: string | null } {
  const name = canonicalName(wanted.name);
  const secret = wanted.confidential ? newSecret() : null;
  const stored = {
    id: id ?? newClientId(name),
    name,
    redirectUris: [...new Set(wanted.redirectUris)],
    activityCodes: wanted.activityCodes,
    readOnly: wanted.readOnly,
    confidential: wanted.confidential,
    service: wanted.service === true,
    pkceRequired: wanted.pkceRequired !== false,
    platform: wanted.platform === true,
    disabledAt: null,
    createdAt: now,
    secretHash: secret === null ? null : clientSecretHash(secret),
    ...{ previousSecretHash: null, previousSecretUntil: null },
  };
  return { stored, secret };
}

/** All clients, disabled ones too, oldest first. */
export async function listClients({ clients }: ClientStorage): Promise<readonly Client[]> {
  return (await clients.list()).map(clientOf);
}

/** Some of them, by id. */
export async function pageOfClients({ clients }: ClientStorage, query: PageQuery): Promise<readonly Client[]> {
  return (await clients.page(query)).map(clientOf);
}

/** The client with this id, disabled or not, or null. */
export async function findClient({ clients }: ClientStorage, id: string): Promise<Client | null> {
  const stored = await clients.byId(id);
  return stored === null ? null : clientOf(stored);
}

/**
 * Disables a client: it gets no more tokens, and those it holds stop working (decision D30). Again: no change.
 * @returns the client as it is now
 * @throws OperatorError when there is no such client
 */
export async function disableClient(store: ClientStorage, id: string, now: number): Promise<Client> {
  await store.clients.disable(id, now);
  return knownClient(store, id);
}

/**
 * Lets a disabled client ask for tokens again; what it held before stays ended. Again: no change.
 * @returns the client as it is now
 * @throws OperatorError when there is no such client
 */
export async function enableClient(store: ClientStorage, id: string): Promise<Client> {
  await store.clients.enable(id);
  return knownClient(store, id);
}

/**
 * Gives a confidential client a new secret; what it got with the old one stays.
 * @param previousUntil until when the old one is good beside it, milliseconds since 1970; null: it is refused at once
 * @returns the client and the secret, which exists nowhere else: show it once
 * @throws OperatorError when there is no such client, or it is public
 */
export async function rotateSecret(
  store: ClientStorage,
  id: string,
  previousUntil: number | null = null,
): Promise<{ readonly client: Client; readonly secret: string }> {
  const client = await knownClient(store, id);
  if (!client.confidential)
    throw new OperatorError(
      `The client "${id}" is public: it has no secret.`,
      'Register another one with --confidential.',
    );
  const secret = newSecret();
  await store.clients.changeSecret(id, clientSecretHash(secret), previousUntil);
  return { client, secret };
}

/**
 * Removes a client for good: it gets no more tokens, and those it holds stop working.
 * @returns the client as it was
 * @throws OperatorError when there is no such client
 */
export async function removeClient(store: ClientStorage, id: string): Promise<Client> {
  const client = await knownClient(store, id);
  await store.clients.remove(id);
  return client;
}

/**
 * A client that may act now, and what is stored of its secrets: one, two while an old one is still good, none of a
 * public client. Null: disabled or gone.
 * @param now milliseconds since 1970
 */
export async function findActiveClient(
  { clients }: ClientStorage,
  id: string,
  now: number,
): Promise<{ readonly client: Client; readonly secretHashes: readonly string[] } | null> {
  const stored = await clients.active(id);
  if (stored === null) return null;
  const { secretHash, previousSecretHash, previousSecretUntil } = stored;
  const isGood = previousSecretHash !== null && previousSecretUntil !== null && now < previousSecretUntil;
  return {
    client: clientOf(stored),
    secretHashes: secretHash === null ? [] : [secretHash, ...(isGood ? [previousSecretHash] : [])],
  };
}

/**
 * What is stored of a client's secret. One round of SHA-256 is right here, unlike for passwords: the secret is 256
 * random bits of our own making, so there is nothing to guess, and every token request has to check one.
 */
export function clientSecretHash(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('base64url')}`;
}

function newSecret(): string {
  return `lcs_${randomBytes(32).toString('base64url')}`;
}

type ClientStorage = Pick<Store, 'clients'>;

/** @throws OperatorError when there is no such client */
export async function knownClient(store: ClientStorage, id: string): Promise<Client> {
  const client = await findClient(store, id);
  if (client === null) throw unknownClient(id);
  return client;
}

/** What is said where there is no client with this id. */
export function unknownClient(id: string): OperatorError {
  return new OperatorError(`There is no client "${id}".`, 'See `client list`.');
}

/** A name that people recognise in lists and logs, and 50 random bits so that nobody finds ids by trying. */
function newClientId(name: string): string {
  const readable = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 24)
    .replace(/-+$/, '');
  const random = Array.from(randomBytes(10), (byte) => idAlphabet.charAt(byte & 31)).join('');
  return `${readable || 'client'}-${random}`;
}

/** What is known of a client, without its secret; in the order in which the commands print the fields. */
export function clientOf(stored: StoredClient): Client {
  const { id, name, redirectUris, activityCodes, readOnly, confidential, service, pkceRequired, platform } = stored;
  const { disabledAt, createdAt } = stored;
  return {
    id,
    name,
    redirectUris,
    activityCodes,
    readOnly,
    confidential,
    service,
    pkceRequired,
    platform,
    disabledAt,
    createdAt,
  };
}
