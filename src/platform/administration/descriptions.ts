// The reference documentation of administration.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { accountParameters } from '../../shipping/path-parameters.ts';
import * as examples from './examples.ts';
import * as bodies from './bodies.ts';
import { maxListed } from './request.ts';

const inPath = (name: string, meaning: string, maxLength: number): Parameter => ({
  ...{ name, in: 'path', required: true, meaning, schema: { type: 'string', minLength: 1, maxLength } },
});
const activity = inPath('activityCode', 'Code of the activity.', 3);
const user = inPath('userId', 'Id of the user.', 36);
const client = inPath('clientId', 'Id of the client.', 100);
const key = inPath('keyId', 'Id of the key.', 12);
const session = inPath('sessionId', 'Id of the session.', 100);
const page: readonly Parameter[] = [
  { name: 'after', in: 'query', meaning: '`after` of the answer before.', schema: { type: 'string', maxLength: 100 } },
  {
    ...{ name: 'limit', in: 'query', meaning: 'Most entries of the answer.' },
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxListed, default: maxListed },
  },
];
const inActivity: Parameter = {
  ...{ name: 'activity', in: 'query', meaning: 'Only users who may act in this activity.' },
  schema: { type: 'string', maxLength: 3 },
};

const missing = { 404: ['resource-not-found'] } as const;
const users = { schema: 'AdministeredUser', example: examples.user };
const clients = { schema: 'AdministeredClient', example: examples.client };
const account = { schema: 'AdministeredAccount', example: examples.carrierAccount };
const evenInUse: Parameter = {
  ...{ name: 'evenInUse', in: 'query', schema: { type: 'boolean', default: false } },
  meaning: 'Removes it although a label was made with it in the last 30 days.',
};
const ended = { schema: 'Ended', example: { ended: true } };
const onUser = { parameters: [user], answers: users, refusals: missing } as const;
const onClient = { parameters: [client], answers: clients, refusals: missing } as const;

/** By operation name. */
export const administrationDescriptions = {
  listActivities: {
    ...{ summary: 'Activities', parameters: page, description: 'All activities, by code.' },
    answers: { schema: 'ActivityPage', example: { activities: [examples.activity], after: null } },
  },
  addActivity: {
    ...{ summary: 'Add an activity', parameters: [], body: bodies.newActivity },
    description: 'Adds an activity; the same again changes nothing. A code that has another name is refused.',
    answers: { schema: 'AdministeredActivity', example: examples.activity },
  },
  changeActivity: {
    ...{ summary: 'Rename an activity', parameters: [activity], body: bodies.activityChange, refusals: missing },
    description: 'Gives an activity another name; records that are stored keep the one that they were written with.',
    answers: { schema: 'AdministeredActivity', example: examples.activity },
  },
  listUsers: {
    ...{ summary: 'Users', parameters: [inActivity, ...page] },
    description: 'All people who sign in, by login, disabled ones too.',
    answers: { schema: 'UserPage', example: { users: [examples.user], after: null } },
  },
  addUser: {
    ...{ summary: 'Add a user', parameters: [], body: bodies.newUser },
    description:
      'Adds a user without a password that anybody knows. With `invite` the answer has a link, this once, at which ' +
      'the person gives themselves one.',
    answers: { schema: 'InvitedUser', example: { ...examples.user, invitation: examples.invitation } },
  },
  getUser: { summary: 'A user', description: 'One user.', ...onUser },
  changeUser: {
    ...{ summary: 'Change a user', body: bodies.userChange, ...onUser },
    description:
      'What is given takes the place of what there was; what is left out stays. Roles that are taken away end at the ' +
      'next request, activities within a minute.',
  },
  inviteUser: {
    ...{ summary: 'Invite a user', parameters: [user], refusals: missing },
    description:
      'Makes a link, good once and for three days, at which the person gives themselves a password: for who is new, ' +
      'and for who has forgotten it. The answer has it, this once; links of before are good no more. When it is ' +
      'used, all that the user was signed in to ends.',
    answers: { schema: 'InvitedUser', example: { ...examples.user, invitation: examples.invitation } },
  },
  resetSecondFactor: {
    ...{ summary: 'Take a second factor away', ...onUser },
    description: 'Takes the second factor of a user away, with the recovery codes. Again: no change.',
  },
  disableUser: {
    ...{ summary: 'Disable a user', ...onUser },
    description: 'No more sign-in, and all that the user is signed in to ends. Again: no change.',
  },
  enableUser: {
    ...{ summary: 'Enable a user', ...onUser },
    description: 'Lets a disabled user sign in again; what had ended stays ended. Again: no change.',
  },
  removeUser: {
    ...{ summary: 'Remove a user', ...onUser },
    description: 'Removes a user for good. The audit trail keeps what was done under the id.',
  },
  listSessions: {
    ...{ summary: 'What a user is signed in to', parameters: [user], refusals: missing },
    description: 'Sessions of browsers at the sign-in of this service, and programs that the user has let in.',
    answers: { schema: 'SignedIn', example: examples.signedInExample },
  },
  endSession: {
    ...{ summary: 'End a session', parameters: [user, session], answers: ended, refusals: missing },
    description: 'Ends one session, and with it the tokens for the platform interface that came from it.',
  },
  endProgram: {
    ...{ summary: 'Withdraw a program', parameters: [user, client], answers: ended, refusals: missing },
    description: 'Ends all that a user let a client have, within a minute.',
  },
  signOutUser: {
    ...{ summary: 'Sign a user out everywhere', parameters: [user], answers: ended, refusals: missing },
    description: 'Ends all sessions and programs of a user. Again: ends what has begun since.',
  },
  listClients: {
    ...{ summary: 'Clients', parameters: page, description: 'All clients, by id, disabled ones too.' },
    answers: { schema: 'ClientPage', example: { clients: [examples.client], after: null } },
  },
  registerClient: {
    ...{ summary: 'Register a client', parameters: [], body: bodies.newClient },
    description: 'Registers a client. The secret of a confidential one is in the answer, this once.',
    answers: { schema: 'RegisteredClient', example: { ...examples.client, secret: examples.secret } },
  },
  getClient: { summary: 'A client', description: 'One client.', ...onClient },
  changeClient: {
    ...{ summary: 'Change a client', body: bodies.clientChange, ...onClient },
    description: 'What is given takes the place of what there was; what is left out stays.',
  },
  rotateSecret: {
    ...{ summary: 'Give a client another secret', parameters: [client], body: bodies.rotation, refusals: missing },
    description:
      'The new secret is in the answer, this once. The old one is refused at once, or with `keepOldHours` good for ' +
      'so long beside it. Until then it can be changed again only without `keepOldHours`, which refuses both old ones.',
    answers: {
      schema: 'RotatedClient',
      example: { ...examples.client, secret: examples.secret, oldSecretUntil: '2026-03-04T14:05:09.120Z' },
    },
  },
  disableClient: {
    ...{ summary: 'Disable a client', ...onClient },
    description: 'It gets no more tokens, and those that it has stop within a minute. Again: no change.',
  },
  enableClient: {
    ...{ summary: 'Enable a client', ...onClient },
    description: 'Lets a disabled client ask for tokens again. Again: no change.',
  },
  removeClient: { summary: 'Remove a client', description: 'Removes a client for good.', ...onClient },
  listKeys: {
    ...{ summary: 'Platform keys', parameters: page, description: 'All keys, by id, revoked ones too.' },
    answers: { schema: 'KeyPage', example: { keys: [examples.key], after: null } },
  },
  addKey: {
    ...{ summary: 'Make a platform key', parameters: [], body: bodies.newKey },
    description: 'Makes a key for a program of the warehouse side. Its text is in the answer, this once.',
    answers: { schema: 'NewKey', example: { ...examples.key, key: examples.keyText } },
  },
  revokeKey: {
    ...{ summary: 'Revoke a platform key', parameters: [key], refusals: missing },
    description: 'From the next request on it opens nothing any more, for good. Again: no change.',
    answers: { schema: 'AdministeredKey', example: examples.key },
  },
  listCarriers: {
    ...{ summary: 'What carriers want to know', parameters: [] },
    description: 'The settings that an account at each carrier has, and the fields of a sender.',
    answers: { schema: 'CarrierSettings', example: examples.carriers },
  },
  addCarrierAccount: {
    ...{ summary: 'Add a carrier account', parameters: [], body: bodies.newAccount, answers: account },
    description:
      'Adds an account, with the checks of `carrier-account add`. It never takes the place of another one. Secrets ' +
      'are stored encrypted, and no answer has them. `errors` names the fields that are wrong, a setting as ' +
      '`settings.NAME`.',
  },
  getCarrierAccount: {
    ...{ summary: 'A carrier account', parameters: accountParameters, answers: account, refusals: missing },
    description: 'An account with its settings, its sender and the names of the secrets that it has; not the secrets.',
  },
  changeCarrierAccount: {
    ...{ summary: 'Change a carrier account', parameters: accountParameters, body: bodies.accountChange },
    ...{ answers: account, refusals: missing },
    description:
      'What is given takes the place of what there was, each setting for itself; what is left out stays, so a secret ' +
      'is entered only to replace it. Where a change leads to another address of the carrier, secrets are entered ' +
      'anew: a stored one is sent to no other. It is used from the next label on.',
  },
  removeCarrierAccount: {
    ...{ summary: 'Remove a carrier account', parameters: [...accountParameters, evenInUse], answers: account },
    refusals: { ...missing, 409: ['account-in-use'] },
    description:
      'Removes an account with its secrets. Labels that were made with it stay: an account of the same context, ' +
      'carrier and activity finds them again.',
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
