// The client and the login of the demonstration: their names, and the allowed redirect addresses.

export const demoClientId = 'demo';
export const demoLogin = 'demo';

/** For each, any port of this machine is accepted (RFC 8252, 7.3). */
const loopbacks = ['http://127.0.0.1', 'http://[::1]', 'http://localhost'] as const;

/** Programs on this machine, then the tools that people commonly try an interface with: Postman, Insomnia. */
export const demoRedirects: readonly string[] = [
  ...loopbacks.flatMap((origin) => [`${origin}/callback`, `${origin}/`, origin]),
  'https://oauth.pstmn.io/v1/callback',
  'https://oauth.pstmn.io/v1/browser-callback',
  'https://app.insomnia.rest/oauth/redirect',
];

/**
 * Name of the secret in storage that records when the demonstration warehouse was filled; absent in other databases.
 */
export const demoMark = 'demo-instant';
