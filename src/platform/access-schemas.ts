// Schemas of users, clients and keys, for the description of the platform interface.
import { platformRoles } from '../auth/platform-roles.ts';
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, uuid } from './schema-parts.ts';

const roles: Json = {
  type: 'array',
  description: 'What may be done at the platform interface.',
  items: text('A role.', 20, { enum: [...platformRoles] }),
};

const flag = (description: string): Json => ({ type: 'boolean', description });
const instantOrNull = (description: string): Json => ({ type: ['string', 'null'], format: 'date-time', description });
const codes: Json = {
  type: 'array',
  description: 'Codes of activities.',
  items: { type: 'string', maxLength: 3 },
};
const uris: Json = {
  type: 'array',
  description: 'Where the browser may be sent back to.',
  items: { type: 'string', maxLength: 2048 },
};
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const listed = (name: string, of: string): Json =>
  record('One page.', {
    [name]: { type: 'array', maxItems: 500, items: ref(of) },
    after: orNull('Where the answer ends, for `after`; null where there is nothing more.', 100),
  });

const user = {
  id: uuid('Id of the user.'),
  login: text('What the user signs in with.', 100),
  activityCodes: codes,
  operator: flag('Runs the service.'),
  disabledAt: instantOrNull('When the user was disabled; null: the user may sign in.'),
  createdAt: instant('When the user was added.'),
  signedOutAt: instantOrNull('When all that the user was signed in to last ended.'),
  secondFactorRequired: flag('Has to have a second factor.'),
  secondFactor: flag('Has one.'),
  identityProvider: orNull('Where the user signs in; null: here, with a password.', 20),
  roles,
};
const client = {
  id: text('Id of the client.', 100),
  name: text('What people see when they are asked for consent.', 60),
  redirectUris: uris,
  activityCodes: codes,
  readOnly: flag('Its writes are refused.'),
  confidential: flag('It keeps a secret.'),
  service: flag('It may act for itself.'),
  pkceRequired: flag('Its sign-ins need PKCE.'),
  platform: flag('Operators may let it act for them at the platform interface.'),
  disabledAt: instantOrNull('When it was disabled; null: it may be used.'),
  createdAt: instant('When it was registered.'),
};
const key = {
  id: text('Id of the key.', 12),
  name: text('What lists and the audit trail call it.', 60),
  activityCodes: {
    type: ['array', 'null'],
    description: 'Activities that it opens; null: all, also those to come.',
    items: { type: 'string', maxLength: 3 },
  },
  roles,
  createdAt: instant('When it was made.'),
  lastUsedAt: instantOrNull('When it was last used, to the minute; null: never.'),
  revokedAt: instantOrNull('When it was revoked; null: it opens what it says.'),
};
const invitation = record('A link at which the person chooses a password.', {
  address: text('The link: good once, and shown this once.', 2048, { format: 'uri' }),
  expiresAt: instant('Until when it is good.'),
});

export const accessSchemas: Readonly<Record<string, Json>> = {
  AdministeredActivity: record('An activity.', {
    code: text('Its code.', 3),
    name: text('Its name.', 30),
    createdAt: instant('When it was added.'),
    lastWriteAt: instantOrNull('When anything of it was last written; null: never.'),
  }),
  ActivityPage: listed('activities', 'AdministeredActivity'),
  AdministeredUser: record('A person who signs in.', user),
  UserPage: listed('users', 'AdministeredUser'),
  InvitedUser: record('A user, and the invitation that was made.', {
    ...user,
    invitation: { anyOf: [invitation, { type: 'null' }] },
  }),
  SignedIn: record('What a user is signed in to.', {
    sessions: {
      type: 'array',
      maxItems: 1000,
      items: record('A session of a browser.', {
        id: text('Names it; opens nothing.', 100),
        since: instantOrNull('When the user signed in there.'),
        until: instant('When it ends by itself.'),
        secondFactor: flag('Begun with a second factor.'),
      }),
    },
    programs: {
      type: 'array',
      items: record('A client that the user has let in.', {
        clientId: text('Its id.', 100),
        name: text('Its name.', 60),
        readOnly: flag('It may read only.'),
        activityCodes: codes,
        since: instantOrNull('When it was let in first.'),
        lastUsedAt: instantOrNull('When it last got a new token.'),
      }),
    },
  }),
  Ended: record('It has ended.', { ended: flag('True.') }),
  AdministeredClient: record('A program that may ask for tokens.', client),
  ClientPage: listed('clients', 'AdministeredClient'),
  RegisteredClient: record('A client that is new.', {
    ...client,
    secret: orNull('Shown this once; null: a public client has none.', 100),
  }),
  RotatedClient: record('A client with another secret.', {
    ...client,
    secret: text('Shown this once.', 100),
    oldSecretUntil: instantOrNull('Until when the old one is good; null: it is refused.'),
  }),
  AdministeredKey: record('A platform key.', key),
  KeyPage: listed('keys', 'AdministeredKey'),
  NewKey: record('A platform key that is new.', { ...key, key: text('Shown this once.', 100) }),
  Me: record('Who somebody is at this interface.', {
    kind: text('A program with a key, or an operator who signed in.', 10, { enum: ['key', 'user'] }),
    id: text('Of the key, or of the user.', 36),
    name: text('Name of the key, or login of the operator.', 100),
    roles,
    activityCodes: {
      type: ['array', 'null'],
      description: 'Activities that are opened; null: all, also those to come.',
      items: { type: 'string', maxLength: 3 },
    },
  }),
};
