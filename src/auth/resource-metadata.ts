// The documents that a refused client finds the authorization server by (RFC 9728).
import { jsonTypes } from '../http/negotiate.ts';
import type { Route } from '../http/route.ts';
import { resourceMetadataUrl } from './bearer.ts';
import { apiScope, platformScope } from './tokens.ts';

interface Facts {
  /** Both without a slash at the end. */
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Whose tokens the client interface takes, exactly as in their `iss`. */
  readonly issuers: readonly string[];
  /** Whose tokens of operators the platform interface takes. */
  readonly operatorIssuers: readonly string[];
}

/** The routes, to be mounted without a prefix. */
export function resourceMetadataRoutes({ baseUrl, platformUrl, issuers, operatorIssuers }: Facts): readonly Route[] {
  return [
    metadataRoute(baseUrl, 'getProtectedResource', {
      authorization_servers: issuers,
      scopes_supported: [apiScope],
      resource_name: 'Logistics Connect',
    }),
    metadataRoute(platformUrl, 'getProtectedPlatform', {
      authorization_servers: operatorIssuers,
      scopes_supported: [platformScope],
      resource_name: 'Logistics Connect: platform interface',
    }),
  ];
}

/** One document; it names no program of the warehouse side, whose key comes from no server. */
function metadataRoute(resource: string, operationId: string, facts: Readonly<Record<string, unknown>>): Route {
  const body = JSON.stringify({
    ...{ resource, ...facts, bearer_methods_supported: ['header'] },
    resource_documentation: `${resource}/docs`,
  });
  return {
    method: 'GET',
    access: 'public',
    rate: 'read',
    listOf: null,
    parameters: [],
    produces: jsonTypes,
    path: new URL(resourceMetadataUrl(resource)).pathname,
    operationId,
    summary: 'Where tokens come from',
    description: 'The OAuth 2.0 protected-resource metadata of this interface.',
    // Open to scripts of every origin, as the metadata of the authorization server is.
    handle: async () => ({
      status: 200,
      headers: { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' },
      body,
      type: 'application/json',
    }),
  };
}
