// Schemas and an example of carrier accounts, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, whole } from './schema-parts.ts';

const use = (what: string): Json => ({
  type: ['object', 'null'],
  description: `Whether it can be used for ${what}; null: the carrier has no such thing here, or it is not known.`,
  properties: { lacks: orNull('The settings that it lacks; null: none.', 1024) },
  required: ['lacks'],
});

/** Schemas by name. */
export const carrierAccountSchemas: Readonly<Record<string, Json>> = {
  CarrierAccountList: record('Accounts at carriers.', {
    accounts: {
      type: 'array',
      maxItems: 1000,
      description: 'By activity, context and carrier.',
      items: record('An account.', {
        activityCode: text('Activity.', 3),
        context: text('Its name in paths.', 40),
        carrier: text('Carrier, as paths name it.', 40),
        title: text('What the carrier is called.', 60),
        settings: { type: 'array', maxItems: 100, description: 'Names of settings.', items: text('A name.', 60) },
        dailyLimit: { ...whole('Labels that it may make in a day; null: any number.'), type: ['integer', 'null'] },
        createdAt: instant('When it was added.'),
        labels: use('labels'),
        tracking: use('tracking'),
        fault: orNull('Why it cannot be used at all; null: it can be.', 1024),
      }),
    },
    more: { type: 'boolean', description: 'There are more than these.' },
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
