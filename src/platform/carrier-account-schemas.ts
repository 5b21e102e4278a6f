// Schemas and an example of carrier accounts, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, whole } from './schema-parts.ts';

const use = (what: string): Json => ({
  type: ['object', 'null'],
  description: `Whether it can be used for ${what}; null: the carrier has no such thing here, or it is not known.`,
  properties: { lacks: orNull('The settings that it lacks; null: none.', 1024) },
  required: ['lacks'],
});

const facts = {
  activityCode: text('Activity.', 3),
  context: text('Its name in paths.', 40),
  carrier: text('Carrier, as paths name it.', 40),
  title: text('What the carrier is called.', 60),
};
const state = {
  dailyLimit: { ...whole('Labels that it may make in a day; null: any number.'), type: ['integer', 'null'] },
  createdAt: instant('When it was added.'),
  labels: use('labels'),
  tracking: use('tracking'),
  fault: orNull('Why it cannot be used at all; null: it can be.', 1024),
};
const list = (description: string, items: Json): Json => ({ type: 'array', maxItems: 100, description, items });
const pairs = (description: string): Json => ({
  ...{ type: 'object', description, additionalProperties: text('A text.', 65_536) },
});
const flag = (description: string): Json => ({ type: 'boolean', description });

/** Schemas by name. */
export const carrierAccountSchemas: Readonly<Record<string, Json>> = {
  CarrierAccountList: record('Accounts at carriers.', {
    accounts: {
      type: 'array',
      maxItems: 1000,
      description: 'By activity, context and carrier.',
      items: record('An account.', {
        ...facts,
        settings: list('Names of settings.', text('A name.', 60)),
        ...state,
      }),
    },
    more: { type: 'boolean', description: 'There are more than these.' },
  }),
  AdministeredAccount: record('An account, for administration.', {
    ...facts,
    settings: pairs('Values of the settings that are no secrets, by name.'),
    ...state,
    secrets: list('Names of the secrets that it has.', text('A name.', 60)),
    sender: pairs('What a label request may leave out.'),
    lastLabelAt: { ...orNull('When a label was last made with it; null: never.', 24), format: 'date-time' },
    inUse: flag('That was in the last 30 days: parcels may be on their way.'),
  }),
  CarrierSettings: record('What is to be known of accounts.', {
    carriers: list(
      'In the order of the documentation.',
      record('A carrier.', {
        carrier: text('Its name in paths.', 40),
        title: text('What it is called.', 60),
        settings: list(
          'What an account has.',
          record('A setting.', {
            name: text('Its name.', 60),
            meaning: text('What it is.', 1024),
            secret: flag('Stored encrypted, and told by no answer.'),
            required: flag('An account without it is refused.'),
            rare: flag('Few accounts have it.'),
            otherwise: orNull('What it is when it is not given; empty: nothing; null: it is required.'),
            choices: { ...list('What it may be; null: any text.', text('A choice.')), type: ['array', 'null'] },
          }),
        ),
      }),
    ),
    senderFields: list(
      'The fields of a sender.',
      record('A field.', { name: text('Its name.', 60), maxLength: whole('The most characters.') }),
    ),
  }),
  CarrierAccountTest: record('What the carrier says of an account.', {
    activityCode: text('Activity.', 3),
    context: text('Its name in paths.', 40),
    carrier: text('Carrier, as paths name it.', 40),
    works: {
      type: ['boolean', 'null'],
      description: 'Whether it works; null: the carrier has nothing that could be asked without making a parcel.',
    },
    detail: text('What the carrier says, or what the account lacks.', 2000),
  }),
};

export const accountTestExample = {
  activityCode: 'AUR',
  context: 'aurora',
  carrier: 'colissimo',
  works: false,
  detail: 'Colissimo does not accept the contract number and password.',
} as const;

export const carrierAccountsExample = {
  accounts: [
    {
      activityCode: 'AUR',
      context: 'aurora',
      carrier: 'colissimo',
      title: 'Colissimo',
      settings: ['contractNumber'],
      dailyLimit: 2000,
      createdAt: '2026-03-02T08:05:09.120Z',
      labels: { lacks: null },
      tracking: { lacks: 'apiKey' },
      fault: null,
    },
  ],
  more: false,
} as const;
