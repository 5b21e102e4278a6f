// Schemas of the request bodies of administration, for its description.
import { platformRoles } from '../../auth/platform-roles.ts';
import type { Json } from '../../http/openapi.ts';
import { text } from '../schema-parts.ts';

const flag = (description: string): Json => ({ type: 'boolean', description });
const texts = (description: string, item: Json): Json => ({ type: 'array', maxItems: 1000, description, items: item });
const activityCodes = texts('Codes of activities.', text('A code.', 3));
const roles = texts('Of an operator.', text('A role.', 20, { enum: [...platformRoles] }));
const object = (properties: Readonly<Record<string, Json>>, required: readonly string[] = []): Json => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...(required.length > 0 && { required }),
});

const name = text('1 to 30 characters.', 30);
export const newActivity = {
  schema: object({ code: text('1 to 3 letters A to Z or digits.', 3), name }, ['code', 'name']),
  example: { code: 'AUR', name: 'Aurora' },
};
export const activityChange = { schema: object({ name }, ['name']), example: { name: 'Aurora Home' } };

const userProperties = {
  login: text('A name or an e-mail address.', 100),
  activityCodes,
  operator: flag('Runs the service, and may be without activities.'),
  roles,
  secondFactorRequired: flag('Has to have a second factor.'),
};
export const newUser = {
  schema: object({ ...userProperties, invite: flag('Makes an invitation at once.') }, ['login']),
  example: { login: 'mia@shop.example', activityCodes: ['AUR'], invite: true },
};
export const userChange = { schema: object(userProperties), example: { activityCodes: ['AUR', 'NOR'] } };

const clientProperties = {
  name: text('What people see when they are asked for consent.', 60),
  redirectUris: texts('Where the browser may be sent back to.', text('An address.', 2048)),
  activityCodes,
  readOnly: flag('Its writes are refused.'),
  service: flag('It may act for itself, without a person.'),
  pkceRequired: flag('Its sign-ins need PKCE; true when absent.'),
  platform: flag('Operators may let it act for them at the platform interface.'),
};
export const newClient = {
  schema: object({ ...clientProperties, confidential: flag('It can keep a secret.') }, ['name']),
  example: {
    name: 'Web shop',
    redirectUris: ['https://shop.example/callback'],
    activityCodes: ['AUR'],
    confidential: true,
  },
};
export const clientChange = { schema: object(clientProperties), example: { readOnly: true } };
export const rotation = {
  schema: object({
    keepOldHours: { type: 'integer', format: 'int32', minimum: 1, maximum: 672, description: 'Four weeks at most.' },
  }),
  example: { keepOldHours: 48 },
};

export const newKey = {
  schema: object(
    {
      name: text('What lists and the audit trail call it.', 60),
      activityCodes,
      everyActivity: flag('In place of `activityCodes`: all, also those to come.'),
      roles: texts('`outbox` alone when absent.', text('A role.', 20, { enum: [...platformRoles] })),
    },
    ['name'],
  ),
  example: { name: 'WMS Lyon', activityCodes: ['AUR'], roles: ['outbox'] },
};

const pairs = (description: string): Json => ({
  ...{ type: 'object', description, additionalProperties: text('A text.', 65_536) },
});
const accountProperties = {
  settings: pairs('Settings of the carrier by name, secrets among them; an empty text stands for the default.'),
  sender: pairs('Fields of the sender that a label request may leave out, by name; an empty text stands for none.'),
  dailyLimit: {
    ...{ type: ['integer', 'null'], format: 'int32', minimum: 0, maximum: 1_000_000 },
    description: 'Most labels from midnight to midnight in UTC; null: any number.',
  },
};
export const newAccount = {
  schema: object(
    {
      activityCode: text('Activity whose clients may ship with it.', 3),
      context: text('Its name in paths: 1 to 40 lower-case letters, digits, dots, dashes and underscores.', 40),
      carrier: text('Carrier, as paths name it.', 40),
      ...accountProperties,
    },
    ['activityCode', 'context', 'carrier'],
  ),
  example: {
    activityCode: 'AUR',
    context: 'aurora',
    carrier: 'chronopost',
    settings: { accountNumber: '19869502', password: '…' },
    sender: { expAddr1: 'Aurora', expZip: '59810', expCity: 'Lesquin', expCountry: 'FR' },
    dailyLimit: 2000,
  },
};
export const accountChange = { schema: object(accountProperties), example: { settings: { password: '…' } } };
