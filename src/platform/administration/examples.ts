// Example responses of administration, for its description.

const at = '2026-03-02T14:05:09.120Z';

export const activity = { code: 'AUR', name: 'Aurora', createdAt: at, lastWriteAt: null } as const;

export const user = {
  id: '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01',
  login: 'mia@shop.example',
  activityCodes: ['AUR'],
  operator: false,
  disabledAt: null,
  createdAt: at,
  signedOutAt: null,
  secondFactorRequired: false,
  secondFactor: true,
  identityProvider: null,
  roles: [],
} as const;

export const invitation = {
  address: 'https://logistics.example/account/invitation?token=Zk3x2bW1nQq0T5c9sVd7yR4uJ8hE6pLmA1oI0gKfNwC',
  expiresAt: '2026-03-05T14:05:09.120Z',
} as const;

export const signedInExample = {
  sessions: [{ id: 'v3Jc0yq2Tn5e8Rk1', since: at, until: '2026-03-02T22:05:09.000Z', secondFactor: true }],
  programs: [
    {
      clientId: 'console',
      name: 'Console',
      readOnly: false,
      activityCodes: ['AUR'],
      since: at,
      lastUsedAt: null,
    },
  ],
} as const;

export const client = {
  id: 'web-shop-7x0k2m9qpe',
  name: 'Web shop',
  redirectUris: ['https://shop.example/callback'],
  activityCodes: ['AUR'],
  readOnly: false,
  confidential: true,
  service: false,
  pkceRequired: true,
  platform: false,
  disabledAt: null,
  createdAt: at,
} as const;

export const secret = 'lcs_k2Jq7m0wYx3bN9rT5vC1dE8fG4hL6pS0aZ2uI7oQyVw';

export const key = {
  id: '7x0k2m9qpe3d',
  name: 'WMS Lyon',
  activityCodes: ['AUR'],
  roles: ['outbox'],
  createdAt: at,
  lastUsedAt: null,
  revokedAt: null,
} as const;

export const keyText = 'lck_7x0k2m9qpe3d_k2Jq7m0wYx3bN9rT5vC1dE8fG4hL6pS0aZ2uI7oQyVw';

export const carrierAccount = {
  activityCode: 'AUR',
  context: 'aurora',
  carrier: 'chronopost',
  title: 'Chronopost',
  settings: { accountNumber: '19869502' },
  dailyLimit: 2000,
  createdAt: at,
  labels: { lacks: null },
  tracking: { lacks: null },
  fault: null,
  secrets: ['password'],
  sender: { expAddr1: 'Aurora', expZip: '59810', expCity: 'Lesquin', expCountry: 'FR' },
  lastLabelAt: null,
  inUse: false,
} as const;

export const carriers = {
  carriers: [
    {
      carrier: 'chronopost',
      title: 'Chronopost',
      settings: [
        {
          name: 'accountNumber',
          meaning: 'Number of your contract with Chronopost, digits.',
          secret: false,
          required: true,
          rare: false,
          otherwise: null,
          choices: null,
        },
      ],
    },
  ],
  senderFields: [{ name: 'expZip', maxLength: 10 }],
} as const;
