// The programs that may ask for tokens: registered, shown and disabled by the operator.
import { textBlock } from '../model/text-block.ts';
import { createHash, randomBytes } from 'node:crypto';
import { OperatorError } from '../model/operator-error.ts';
import { characters, composed, isBeyond, tooManyMarks } from '../model/text.ts';
import type { StoredClient } from '../store/clients.ts';
import type { Store } from '../store/store.ts';
import { existingActivities } from './activity-access.ts';
import { judgeRedirect } from './redirect.ts';

export interface Client {
  readonly id: string;
  readonly name: string;
  /** Empty for a service that no person signs in to. */
  readonly redirectUris: readonly string[];
  /** Sorted, never empty. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  /** It may act for itself, without a person: the grant `client_credentials`. */
  readonly service: boolean;
  /** Its sign-ins need PKCE (S256). */
  readonly pkceRequired: boolean;
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
}

const maxNameLength = 60;
const maxRedirects = 20;
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
  const name = canonicalName(wanted.name);
  const client: Client = {
    id: id ?? newClientId(name),
    name,
    redirectUris: [...new Set(wanted.redirectUris)],
    activityCodes: await existingActivities(store, wanted.activityCodes),
    readOnly: wanted.readOnly,
    confidential: wanted.confidential,
    service: wanted.service === true,
    pkceRequired: wanted.pkceRequired !== false,
    disabledAt: null,
    createdAt: now,
  };
  const secret = wanted.confidential ? newSecret() : null;
  await store.clients.add({ ...client, secretHash: secret === null ? null : clientSecretHash(secret) });
  return { client, secret };
}

/** What is wrong with a new client, as sentences, as far as it can be told without the database. */
export function clientFaults(wanted: NewClient): readonly string[] {
  const faults = [...nameFaults(wanted.name), ...redirectFaults(wanted), ...kindFaults(wanted)];
  if (wanted.activityCodes.length === 0) faults.push('A client needs at least one activity.');
  return faults;
}

/** All clients, disabled ones too, oldest first. */
export async function listClients({ clients }: ClientStorage): Promise<readonly Client[]> {
  return (await clients.list()).map(clientOf);
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
 * Gives a confidential client a new secret; the old one is refused at once, what it got with it stays.
 * @returns the client and the secret, which exists nowhere else: show it once
 * @throws OperatorError when there is no such client, or it is public
 */
export async function rotateSecret(
  store: ClientStorage,
  id: string,
): Promise<{ readonly client: Client; readonly secret: string }> {
  const client = await knownClient(store, id);
  if (!client.confidential)
    throw new OperatorError(
      `The client "${id}" is public: it has no secret.`,
      'Register another one with --confidential.',
    );
  const secret = newSecret();
  await store.clients.changeSecret(id, clientSecretHash(secret));
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

/** A client that may act now, and what is stored of its secret: null for a public one. Null: disabled or gone. */
export async function findActiveClient(
  { clients }: ClientStorage,
  id: string,
): Promise<{ readonly client: Client; readonly secretHash: string | null } | null> {
  const stored = await clients.active(id);
  return stored === null ? null : { client: clientOf(stored), secretHash: stored.secretHash };
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

async function knownClient(store: ClientStorage, id: string): Promise<Client> {
  const client = await findClient(store, id);
  if (client === null) throw new OperatorError(`There is no client "${id}".`, 'See `client list`.');
  return client;
}

/** A name that `nameFaults` takes, as it is stored. */
function canonicalName(name: string): string {
  return (composed(name) ?? name).trim();
}

function nameFaults(given: string): string[] {
  if (isBeyond(given, maxNameLength)) return [`The name is longer than ${maxNameLength} characters.`];
  const name = composed(given)?.trim() ?? null;
  if (name === null) return [`The name ${tooManyMarks}.`];
  if (name === '') return ['A client needs a name: people see it when they are asked for consent.'];
  if (characters(name) > maxNameLength) return [`The name is longer than ${maxNameLength} characters.`];
  // Control and direction characters could make the consent page read as something else.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return ['The name has invisible characters.'];
  return [];
}

function kindFaults({ confidential, service, pkceRequired }: NewClient): string[] {
  if (confidential) return [];
  return [
    ...(service === true ? ['A service proves who it is by a secret: a public client cannot be one.'] : []),
    ...(pkceRequired === false
      ? ['PKCE is all that protects the codes of a public client: add --confidential, or leave out --no-pkce.']
      : []),
  ];
}

function redirectFaults({ redirectUris, confidential, service }: NewClient): string[] {
  if (redirectUris.length === 0)
    return service === true ? [] : ['A client needs at least one redirect address, unless it is a service.'];
  if (redirectUris.length > maxRedirects) return [`A client has at most ${maxRedirects} redirect addresses.`];
  const verdicts = redirectUris.map((address) => ({ address, ...judgeRedirect(address) }));
  const faults = verdicts.flatMap(({ fault }) => (fault === null ? [] : [`The redirect address ${fault}`]));
  if (confidential && verdicts.some(({ address, kind }) => kind === 'native' && !address.startsWith('http:'))) {
    faults.push(
      textBlock`
        A program with a scheme of its own runs on its users' devices and cannot keep a secret: leave out
        --confidential.
      `,
    );
  }
  // The authorization server takes a client with a native address as a native one, and those may not have such an
  // address.
  if (verdicts.some(({ kind }) => kind === 'native') && verdicts.some(({ kind }) => kind === 'web-loopback')) {
    faults.push(
      textBlock`
        Redirect addresses of https on this machine do not go together with http on this machine or a scheme of its own:
        register two clients.
      `,
    );
  }
  return faults;
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

/** In the order in which the commands print the fields. */
function clientOf(stored: StoredClient): Client {
  const { id, name, redirectUris, activityCodes, readOnly, confidential, service, pkceRequired } = stored;
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
    disabledAt,
    createdAt,
  };
}
