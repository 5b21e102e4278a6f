// The client and the login of the demonstration: what they are called, and where people may be sent back to.

export const demoClientId = 'demo';
export const demoLogin = 'demo';

/** At each, any port of this machine will do (RFC 8252, 7.3). */
const loopbacks = ['http://127.0.0.1', 'http://[::1]', 'http://localhost'] as const;

/** Programs on this machine, then what the tools that people try an interface with use: Postman, Insomnia. */
export const demoRedirects: readonly string[] = [
  ...loopbacks.flatMap((origin) => [`${origin}/callback`, `${origin}/`, origin]),
  'https://oauth.pstmn.io/v1/callback',
  'https://oauth.pstmn.io/v1/browser-callback',
  'https://app.insomnia.rest/oauth/redirect',
];

/** Name of the secret in storage that says when the demonstration warehouse was filled; absent in other databases. */
export const demoMark = 'demo-instant';
