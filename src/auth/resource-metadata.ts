// The documents by which a refused client finds the authorization server (RFC 9728).
import { contentType, jsonTypes } from '../http/negotiate.ts';
import { publicRoute, type Route } from '../http/route.ts';
import { resourceMetadataUrl } from './bearer.ts';
import { apiScope, platformScope } from './tokens.ts';

interface Facts {
  /** Both without a slash at the end. */
  readonly baseUrl: string;
  readonly platformUrl: string;
  /** Issuers whose tokens the client interface accepts, exactly as in their `iss`. */
  readonly issuers: readonly string[];
  /** Issuers whose operators' tokens the platform interface accepts. */
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

/** One document; it says nothing about warehouse programs, whose keys are issued by no server. */
function metadataRoute(resource: string, operationId: string, facts: Readonly<Record<string, unknown>>): Route {
  const body = JSON.stringify({
    ...{ resource, ...facts, bearer_methods_supported: ['header'] },
    resource_documentation: `${resource}/docs`,
  });
  return {
    ...publicRoute,
    produces: jsonTypes,
    path: new URL(resourceMetadataUrl(resource)).pathname,
    operationId,
    summary: 'Where tokens come from',
    description: 'The OAuth 2.0 protected-resource metadata of this interface.',
    // Open to scripts of every origin, like the authorization server's metadata.
    handle: async () => ({
      status: 200,
      headers: { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' },
      body,
      type: contentType('application/json'),
    }),
  };
}
