// Administration through the platform interface: activities, people who sign in, clients, keys, carrier accounts.
import { path } from './client.ts';
import type { CallOptions, Query } from './transport.ts';
import type {
  AdministeredAccount,
  AdministeredActivity,
  AdministeredClient,
  AdministeredKey,
  AdministeredUser,
  ActivityPage,
  CarrierSettings,
  ClientPage,
  InvitedUser,
  KeyPage,
  NewKey,
  PlatformBodyOf,
  PlatformQueryOf,
  RegisteredClient,
  RotatedClient,
  SignedIn,
  UserPage,
} from './types.ts';

/** The operations of an administrator. Secrets, keys and links are only in the answer that created them. */
export interface AdministrationClient {
  readonly activities: (query?: PlatformQueryOf<'listActivities'>, options?: CallOptions) => Promise<ActivityPage>;
  readonly addActivity: (body: PlatformBodyOf<'addActivity'>, options?: CallOptions) => Promise<AdministeredActivity>;
  readonly changeActivity: (
    code: string,
    body: PlatformBodyOf<'changeActivity'>,
    options?: CallOptions,
  ) => Promise<AdministeredActivity>;
  readonly users: (query?: PlatformQueryOf<'listUsers'>, options?: CallOptions) => Promise<UserPage>;
  readonly user: (id: string, options?: CallOptions) => Promise<AdministeredUser>;
  readonly addUser: (body: PlatformBodyOf<'addUser'>, options?: CallOptions) => Promise<InvitedUser>;
  readonly changeUser: (
    id: string,
    body: PlatformBodyOf<'changeUser'>,
    options?: CallOptions,
  ) => Promise<AdministeredUser>;
  readonly inviteUser: (id: string, options?: CallOptions) => Promise<InvitedUser>;
  /** Disables, enables or removes a user, or removes the second factor. */
  readonly setUser: (id: string, action: UserAction, options?: CallOptions) => Promise<AdministeredUser>;
  readonly signedIn: (id: string, options?: CallOptions) => Promise<SignedIn>;
  readonly endSession: (id: string, session: string, options?: CallOptions) => Promise<unknown>;
  readonly endProgram: (id: string, client: string, options?: CallOptions) => Promise<unknown>;
  readonly signOutUser: (id: string, options?: CallOptions) => Promise<unknown>;
  readonly clients: (query?: PlatformQueryOf<'listClients'>, options?: CallOptions) => Promise<ClientPage>;
  readonly client: (id: string, options?: CallOptions) => Promise<AdministeredClient>;
  readonly registerClient: (body: PlatformBodyOf<'registerClient'>, options?: CallOptions) => Promise<RegisteredClient>;
  readonly changeClient: (
    id: string,
    body: PlatformBodyOf<'changeClient'>,
    options?: CallOptions,
  ) => Promise<AdministeredClient>;
  readonly rotateSecret: (
    id: string,
    body: PlatformBodyOf<'rotateSecret'>,
    options?: CallOptions,
  ) => Promise<RotatedClient>;
  readonly setClient: (id: string, action: ClientAction, options?: CallOptions) => Promise<AdministeredClient>;
  readonly keys: (query?: PlatformQueryOf<'listKeys'>, options?: CallOptions) => Promise<KeyPage>;
  readonly addKey: (body: PlatformBodyOf<'addKey'>, options?: CallOptions) => Promise<NewKey>;
  readonly revokeKey: (id: string, options?: CallOptions) => Promise<AdministeredKey>;
  /** The settings of accounts at each carrier. */
  readonly carriers: (options?: CallOptions) => Promise<CarrierSettings>;
  readonly carrierAccount: (context: string, carrier: string, options?: CallOptions) => Promise<AdministeredAccount>;
  readonly addCarrierAccount: (
    body: PlatformBodyOf<'addCarrierAccount'>,
    options?: CallOptions,
  ) => Promise<AdministeredAccount>;
  /** Settings that are left out stay, secrets too. */
  readonly changeCarrierAccount: (
    context: string,
    carrier: string,
    body: PlatformBodyOf<'changeCarrierAccount'>,
    options?: CallOptions,
  ) => Promise<AdministeredAccount>;
  readonly removeCarrierAccount: (
    context: string,
    carrier: string,
    query?: PlatformQueryOf<'removeCarrierAccount'>,
    options?: CallOptions,
  ) => Promise<AdministeredAccount>;
}

export type UserAction = 'disable' | 'enable' | 'remove' | 'reset-second-factor';
export type ClientAction = 'disable' | 'enable' | 'remove';

/** Sends requests to the platform interface. */
export interface PlatformRequests {
  readonly get: <T>(path: string, query?: Query, options?: CallOptions) => Promise<T>;
  readonly post: <T>(
    path: string,
    given: { readonly query?: Query | undefined; readonly body?: object },
    options?: CallOptions,
  ) => Promise<T>;
}

export function administrationOf({ get, post }: PlatformRequests): AdministrationClient {
  return {
    activities: (query, options) => get('/activities', query, options),
    addActivity: (body, options) => post('/activities', { body }, options),
    changeActivity: (code, body, options) => post(path`/activities/${code}/change`, { body }, options),
    users: (query, options) => get('/users', query, options),
    user: (id, options) => get(path`/users/${id}`, {}, options),
    addUser: (body, options) => post('/users', { body }, options),
    changeUser: (id, body, options) => post(path`/users/${id}/change`, { body }, options),
    inviteUser: (id, options) => post(path`/users/${id}/invite`, {}, options),
    setUser: (id, action, options) => post(path`/users/${id}/${action}`, {}, options),
    signedIn: (id, options) => get(path`/users/${id}/sessions`, {}, options),
    endSession: (id, session, options) => post(path`/users/${id}/sessions/${session}/end`, {}, options),
    endProgram: (id, client, options) => post(path`/users/${id}/programs/${client}/end`, {}, options),
    signOutUser: (id, options) => post(path`/users/${id}/sign-out`, {}, options),
    clients: (query, options) => get('/clients', query, options),
    client: (id, options) => get(path`/clients/${id}`, {}, options),
    registerClient: (body, options) => post('/clients', { body }, options),
    changeClient: (id, body, options) => post(path`/clients/${id}/change`, { body }, options),
    rotateSecret: (id, body, options) => post(path`/clients/${id}/rotate-secret`, { body }, options),
    setClient: (id, action, options) => post(path`/clients/${id}/${action}`, {}, options),
    keys: (query, options) => get('/keys', query, options),
    addKey: (body, options) => post('/keys', { body }, options),
    revokeKey: (id, options) => post(path`/keys/${id}/revoke`, {}, options),
    carriers: (options) => get('/shippings/carriers', {}, options),
    carrierAccount: (context, carrier, options) => get(path`/shippings/accounts/${context}/${carrier}`, {}, options),
    addCarrierAccount: (body, options) => post('/shippings/accounts', { body }, options),
    changeCarrierAccount: (context, carrier, body, options) =>
      post(path`/shippings/accounts/${context}/${carrier}/change`, { body }, options),
    removeCarrierAccount: (context, carrier, query, options) =>
      post(path`/shippings/accounts/${context}/${carrier}/remove`, { query }, options),
  };
}
