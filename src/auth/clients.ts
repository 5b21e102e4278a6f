// The programs that may request tokens: registered, shown and disabled by the operator.
import { createHash, randomBytes } from 'node:crypto';
import { OperatorError } from '../model/operator-error.ts';
import { formatInstant } from '../model/instant.ts';
import { textBlock } from '../model/text-block.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import type { KeptSecret, StoredClient } from '../store/clients.ts';
import type { Store } from '../store/store.ts';
import type { PageQuery } from '../store/key-pages.ts';
import { existingActivities } from './activity-access.ts';
import { clientFaults } from './client-faults.ts';
import { canonicalName } from './registered-name.ts';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Empty for a service that no person signs in to. */
  readonly redirectUris: readonly string[];
  /** Sorted; empty only if it may request access to the platform interface. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  /** It may act for itself, without a person: the grant `client_credentials`. */
  readonly service: boolean;
  /** Its sign-ins need PKCE (S256). */
  readonly pkceRequired: boolean;
  /** Operators may let it act on their behalf at the platform interface. */
  readonly platform: boolean;
  /** Milliseconds; null while it may be used. */
  readonly disabledAt: number | null;
  readonly createdAt: number;
}

export interface NewClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  /** Requires `confidential`. Default: false. */
  readonly service?: boolean;
  /** False requires `confidential`. Default: true. */
  readonly pkceRequired?: boolean;
  /** Default: false. */
  readonly platform?: boolean;
}

/** Crockford's alphabet: no letters that could be read as digits. */
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Registers a client.
 * @param now milliseconds since 1970
 * @param id a fixed id; default: a new one
 * @returns the client, and for a confidential one its secret, which is stored nowhere else: show it once
 * @throws OperatorError that lists all faults
 */
export async function addClient(
  store: Pick<Store, 'activities' | 'clients'>,
  wanted: NewClient,
  now: number,
  id?: string,
  entryOf?: EntryOf<Client>,
): Promise<{ readonly client: Client; readonly secret: string | null }> {
  const faults = clientFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const activityCodes = await existingActivities(store, wanted.activityCodes);
  const { stored, secret } = madeClient({ ...wanted, activityCodes }, now, id);
  await store.clients.add(stored, entryOfClient(entryOf));
  return { client: clientOf(stored), secret };
}

/**
 * The stored form of a client in which `clientFaults` finds no fault.
 * @param wanted.activityCodes sorted codes of existing activities
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

/** All clients, including disabled ones, oldest first. */
export async function listClients({ clients }: ClientStorage): Promise<readonly Client[]> {
  return (await clients.list()).map(clientOf);
}

/** A page of clients, by id. */
export async function pageOfClients({ clients }: ClientStorage, query: PageQuery): Promise<readonly Client[]> {
  return (await clients.page(query)).map(clientOf);
}

/** The client with this id, disabled or not, or null. */
export async function findClient({ clients }: ClientStorage, id: string): Promise<Client | null> {
  const stored = await clients.byId(id);
  return stored === null ? null : clientOf(stored);
}

/**
 * Disables a client: it gets no more tokens, and those it has stop working (decision D30). Repeating this changes
 * nothing.
 * @returns the client as it is now
 * @throws OperatorError when there is no such client
 */
export async function disableClient(
  store: ClientStorage,
  id: string,
  now: number,
  entryOf?: EntryOf<Client>,
): Promise<Client> {
  return existing(await store.clients.disable(id, now, entryOfClient(entryOf)), id);
}

/**
 * Lets a disabled client request tokens again; its earlier tokens remain ended. Repeating this changes nothing.
 * @returns the client as it is now
 * @throws OperatorError when there is no such client
 */
export async function enableClient(store: ClientStorage, id: string, entryOf?: EntryOf<Client>): Promise<Client> {
  return existing(await store.clients.enable(id, entryOfClient(entryOf)), id);
}

/**
 * Gives a confidential client a new secret; what it obtained with the old one remains valid.
 * @param kept until when the old secret is accepted too, milliseconds since 1970; null: it is refused at once
 * @returns the client and the secret, which is stored nowhere else: show it once
 * @throws OperatorError when there is no such client, or it is public; or when the old secret is to be kept while the
 * one before it is still accepted: one of the two would be refused at once, and it may be the one in use
 */
export async function rotateSecret(
  store: ClientStorage,
  id: string,
  kept: KeptSecret | null = null,
  entryOf?: EntryOf<Client>,
): Promise<{ readonly client: Client; readonly secret: string }> {
  const client = await knownClient(store, id);
  if (!client.confidential)
    throw new OperatorError(
      `The client "${id}" is public: it has no secret.`,
      'Register another one with --confidential.',
    );
  const secret = newSecret();
  const earlierUntil = await store.clients.changeSecret(id, clientSecretHash(secret), kept, entryOfClient(entryOf));
  if (earlierUntil !== null)
    throw new OperatorError(textBlock`
      The secret was changed before, and the earlier one stays good until ${formatInstant(earlierUntil)}. Wait until
      then, or change it without keeping the old one, which refuses both at once.
    `);
  return { client, secret };
}

/**
 * Takes back a new secret that nobody has seen, where the old one was kept: that one is good again without end.
 * @returns false, with nothing changed, if the secret has been changed since, or the old one was not kept
 */
export function takeBackSecret(
  { clients }: ClientStorage,
  id: string,
  secret: string,
  entryOf?: EntryOf<Client>,
): Promise<boolean> {
  return clients.takeBackSecret(id, clientSecretHash(secret), entryOfClient(entryOf));
}

/**
 * Removes a client for good: it gets no more tokens, and those it has stop working.
 * @returns the client as it was
 * @throws OperatorError when there is no such client
 */
export async function removeClient(store: ClientStorage, id: string, entryOf?: EntryOf<Client>): Promise<Client> {
  return existing(await store.clients.remove(id, entryOfClient(entryOf)), id);
}

/**
 * A client that may act now, with what is stored of its secrets: one, two while an old one is still valid, none for a
 * public client. Null: disabled or removed.
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
 * What is stored of a client's secret. One round of SHA-256 is sufficient here, unlike for passwords: the secret
 * consists of 256 random bits that we generated, so it cannot be guessed, and every token request has to check one.
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

/** @throws OperatorError when there is none */
function existing(client: StoredClient | null, id: string): Client {
  if (client === null) throw unknownClient(id);
  return clientOf(client);
}

/** The same for the stored form of the client. */
function entryOfClient(entryOf: EntryOf<Client> | undefined): EntryOf<StoredClient> | undefined {
  return entryOf && ((stored) => entryOf(clientOf(stored)));
}

/** The error when there is no client with this id. */
export function unknownClient(id: string): OperatorError {
  return new OperatorError(`There is no client "${id}".`, 'See `client list`.');
}

/** A name that people recognise in lists and logs, and 50 random bits so that ids cannot be guessed. */
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

/** A client without its secret; the fields are in the order in which the commands print them. */
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
