// What all routes about feeds have in common.

/** Keys with the role `feed`, at the rate of the platform, and answers in JSON. */
export const feedRoute = {
  access: 'platform-key',
  role: 'feed',
  rate: 'platform',
  listOf: null,
  produces: ['application/json'],
} as const;
