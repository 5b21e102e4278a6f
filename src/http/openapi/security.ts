// How principals authenticate, as the description shows it.
import type { Json } from '../openapi.ts';
import type { Route } from '../route.ts';

type Access = Route['access'];

/** The requirement of the whole document: that of its first route that is not public. */
export function securityOf(routes: readonly Route[]): readonly Json[] {
  return requirements[commonAccess(routes)];
}

/** The requirement of a route, if it differs. */
export function ownSecurity(route: Route, routes: readonly Route[]): Json {
  return route.access === commonAccess(routes) ? {} : { security: requirements[route.access] };
}

/**
 * The schemes that the routes need.
 * @throws Error when a route needs tokens and no issuer is given: a bug
 */
export function securitySchemes(routes: readonly Route[], authUrl: string | undefined): Json {
  const wanted = (access: Access): boolean => routes.some((route) => route.access === access);
  if (wanted('token') && authUrl === undefined)
    throw new Error('The routes want access tokens: say where the authorization server is.');
  return { ...(wanted('token') ? tokenSchemes(authUrl ?? '') : {}), ...(wanted('platform-key') ? keySchemes : {}) };
}

const requirements: Readonly<Record<Access, readonly Json[]>> = {
  token: [{ oauth2: ['svc_connect'] }, { bearer: [] }],
  'platform-key': [{ platformKey: [] }],
  public: [],
};

function commonAccess(routes: readonly Route[]): Access {
  return routes.find((route) => route.access !== 'public')?.access ?? 'public';
}

const keySchemes: Json = {
  platformKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A platform key in the header `Authorization: Bearer <PLATFORM_KEY>`. The operator makes one for each ' +
      'program of the warehouse side, for some activities or for all, with the roles that it needs. Each ' +
      'operation names the role that it asks for. In its place operators send the access token of their sign-in, ' +
      'which they get with the scope `svc_platform` and the address of this interface as `resource`.',
  },
};

function tokenSchemes(authUrl: string): Json {
  const endpoint = `${authUrl}/connect`;
  return {
    oauth2: {
      type: 'oauth2',
      description:
        'Authorization code flow with PKCE (S256); for a client that is registered to act for itself, client ' +
        'credentials. Access tokens are valid for an hour; refresh tokens renew those of a code.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${endpoint}/authorize`,
          tokenUrl: `${endpoint}/token`,
          refreshUrl: `${endpoint}/token`,
          scopes: { svc_connect: 'Use the interface, for the activities that the client and the user both have.' },
        },
        clientCredentials: {
          tokenUrl: `${endpoint}/token`,
          scopes: { svc_connect: 'Use the interface, for the activities of the client.' },
        },
      },
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token in the header `Authorization: Bearer <ACCESS_TOKEN>`: a JWT as RFC 9068 profiles it, ' +
        'issued and checked by the rules of RFC 8725.',
    },
  };
}
