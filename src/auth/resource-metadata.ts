// The document that a refused client finds the authorization server by (RFC 9728).
import { jsonTypes } from '../http/negotiate.ts';
import type { Route } from '../http/route.ts';
import { resourceMetadataUrl } from './bearer.ts';
import { apiScope } from './tokens.ts';

/**
 * The one route, to be mounted without a prefix.
 * @param baseUrl without a slash at the end
 * @param issuers whose tokens are accepted, exactly as in their `iss`
 */
export function resourceMetadataRoutes({
  baseUrl,
  issuers,
}: {
  readonly baseUrl: string;
  readonly issuers: readonly string[];
}): readonly Route[] {
  const body = JSON.stringify({
    resource: baseUrl,
    authorization_servers: issuers,
    scopes_supported: [apiScope],
    bearer_methods_supported: ['header'],
    resource_name: 'Logistics Connect',
    resource_documentation: `${baseUrl}/docs`,
  });
  return [
    {
      method: 'GET',
      access: 'public',
      rate: 'read',
      listOf: null,
      parameters: [],
      produces: jsonTypes,
      path: new URL(resourceMetadataUrl(baseUrl)).pathname,
      operationId: 'getProtectedResource',
      summary: 'Where tokens come from',
      description: 'The OAuth 2.0 protected-resource metadata of the client interface.',
      // Open to scripts of every origin, as the metadata of the authorization server is.
      handle: async () => ({
        status: 200,
        headers: { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' },
        body,
        type: 'application/json',
      }),
    },
  ];
}
