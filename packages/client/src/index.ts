// A typed client of Logistics Connect for Node and browsers, without dependencies.
export type { AdministrationClient, ClientAction, UserAction } from './administration.ts';
export { type RetryPolicy, usualRetries } from './attempts.ts';
export { type Client, createClient, type WriteOptions, type Written } from './client.ts';
export { isWithdrawn, type StockImage } from './copies.ts';
export type { ProblemSlug } from './generated/problem-slugs.ts';
export type { ChangedRecords, List, Page } from './lists.ts';
export type { DemonstrationClient } from './demonstration.ts';
export { createPlatformClient, type PlatformClient } from './platform.ts';
export { AuthorizationError, ConnectionError, type ProblemDetails, ProblemError } from './problem.ts';
export type { ShippingDeskClient } from './shipping-desk.ts';
export { beginSignIn, finishSignIn, type PendingSignIn } from './sign-in.ts';
export { revokeToken, type TokenEndpoint, type Tokens } from './token-endpoint.ts';
export {
  clientCredentials,
  storedSignIn,
  type StoredSignInOptions,
  type TokenSource,
  type TokenStore,
} from './token-source.ts';
export type { CallOptions, ConnectionOptions, Query, QueryValue } from './transport.ts';
export type * from './types.ts';
export type { Progress } from './upload.ts';
