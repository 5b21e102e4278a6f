// The administration rows of the route table: access management.
import type { BodyLimits, Route } from '../../http/route.ts';
import {
  addAccount,
  type AdministeredAccountDependencies,
  changeAccount,
  listCarriers,
  readAccount,
  removeAccount,
} from './administered-accounts.ts';
import { addActivity, changeActivity, listActivities } from './administered-activities.ts';
import {
  changeOneClient,
  endClient,
  listAllClients,
  readClient,
  registerClient,
  rotateClientSecret,
} from './administered-clients.ts';
import type { administrationDescriptions } from './descriptions.ts';
import { addKey, listKeys, revokeKey } from './administered-keys.ts';
import { administrationBody } from './request.ts';
import { endProgram, endUserSession, listSessions, signOutUser } from './user-sessions.ts';
import {
  addOneUser,
  changeOneUser,
  endUser,
  inviteUser,
  listAllUsers,
  readUser,
  resetSecondFactor,
  type UserDependencies,
} from './administered-users.ts';

export type AdministrationDependencies = UserDependencies &
  Parameters<typeof addKey>[0] &
  AdministeredAccountDependencies;

type Row = readonly [
  Route['method'],
  string,
  keyof typeof administrationDescriptions,
  'administration',
  BodyLimits | null,
  Pick<Route, 'action' | 'withoutActivity'>,
  (dependencies: AdministrationDependencies) => Route['handle'],
];

const [role, body] = ['administration', administrationBody] as const;
const reading = { withoutActivity: true } as const;
/** @param action its name in the audit trail, also for refused requests */
const writing = (action: string): Pick<Route, 'action' | 'withoutActivity'> => ({ action, withoutActivity: true });
const accounts = '/shippings/accounts';
const account = `${accounts}/{context}/{carrier}`;
const [activity, user, client] = ['/activities/{activityCode}', '/users/{userId}', '/clients/{clientId}'] as const;

/**
 * Method, path, operation, role, body, name in the audit trail, handler. The documentation of each route is in
 * `descriptions.ts`.
 */
export const administrationRows: readonly Row[] = [
  ['GET', '/activities', 'listActivities', role, null, reading, listActivities],
  ['POST', '/activities', 'addActivity', role, body, writing('activity.add'), addActivity],
  ['POST', `${activity}/change`, 'changeActivity', role, body, writing('activity.change'), changeActivity],
  ['GET', '/users', 'listUsers', role, null, reading, listAllUsers],
  ['POST', '/users', 'addUser', role, body, writing('user.add'), addOneUser],
  ['GET', user, 'getUser', role, null, reading, readUser],
  ['POST', `${user}/change`, 'changeUser', role, body, writing('user.change'), changeOneUser],
  ['POST', `${user}/invite`, 'inviteUser', role, null, writing('user.invite'), inviteUser],
  ['POST', `${user}/reset-second-factor`, 'resetSecondFactor', role, null, writing('user.change'), resetSecondFactor],
  ['POST', `${user}/disable`, 'disableUser', role, null, writing('user.disable'), endUser('disable')],
  ['POST', `${user}/enable`, 'enableUser', role, null, writing('user.enable'), endUser('enable')],
  ['POST', `${user}/remove`, 'removeUser', role, null, writing('user.remove'), endUser('remove')],
  ['GET', `${user}/sessions`, 'listSessions', role, null, reading, listSessions],
  ['POST', `${user}/sessions/{sessionId}/end`, 'endSession', role, null, writing('user.session.end'), endUserSession],
  ['POST', `${user}/programs/{clientId}/end`, 'endProgram', role, null, writing('user.program.end'), endProgram],
  ['POST', `${user}/sign-out`, 'signOutUser', role, null, writing('user.sign-out'), signOutUser],
  ['GET', '/clients', 'listClients', role, null, reading, listAllClients],
  ['POST', '/clients', 'registerClient', role, body, writing('client.add'), registerClient],
  ['GET', client, 'getClient', role, null, reading, readClient],
  ['POST', `${client}/change`, 'changeClient', role, body, writing('client.change'), changeOneClient],
  ['POST', `${client}/rotate-secret`, 'rotateSecret', role, body, writing('client.rotate-secret'), rotateClientSecret],
  ['POST', `${client}/disable`, 'disableClient', role, null, writing('client.disable'), endClient('disable')],
  ['POST', `${client}/enable`, 'enableClient', role, null, writing('client.enable'), endClient('enable')],
  ['POST', `${client}/remove`, 'removeClient', role, null, writing('client.remove'), endClient('remove')],
  ['GET', '/keys', 'listKeys', role, null, reading, listKeys],
  ['POST', '/keys', 'addKey', role, body, writing('key.add'), addKey],
  ['POST', '/keys/{keyId}/revoke', 'revokeKey', role, null, writing('key.revoke'), revokeKey],
  ['GET', '/shippings/carriers', 'listCarriers', role, null, reading, listCarriers],
  ['POST', accounts, 'addCarrierAccount', role, body, writing('carrier-account.add'), addAccount],
  ['GET', account, 'getCarrierAccount', role, null, reading, readAccount],
  ['POST', `${account}/change`, 'changeCarrierAccount', role, body, writing('carrier-account.change'), changeAccount],
  ['POST', `${account}/remove`, 'removeCarrierAccount', role, null, writing('carrier-account.remove'), removeAccount],
];
