// The Authorization header: extracting the token (RFC 6750, 2.1) and refusing requests with a challenge (RFC 6750, 3).
import { Problem } from '../model/problem.ts';
import { apiScope } from './tokens.ts';

/** Longer tokens are refused before anything is parsed. */
const maxTokenLength = 8192;

/** The refusals of one protected resource. Each makes a Problem to throw. */
export interface Challenges {
  /** No token: no error code (RFC 6750, 3.1), because nothing that was sent is wrong. */
  missing(): Problem;
  /** @param description sentence in printable ASCII without quotes or backslashes, for the header */
  invalid(description: string): Problem;
  insufficientScope(): Problem;
}

/**
 * Address of the protected-resource metadata that challenges point to: the well-known part goes between host and path
 * (RFC 9728, 3.1).
 */
export function resourceMetadataUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
}

/**
 * @param metadataUrl address of the protected-resource metadata
 * @param realm and scope of the resource; default: those of the client interface
 */
export function createChallenges(metadataUrl: string, realm = 'logistics', scope = apiScope): Challenges {
  const metadata = `resource_metadata="${metadataUrl}"`;
  const challenge = (...parameters: readonly string[]): Readonly<Record<string, string>> => ({
    'WWW-Authenticate': `Bearer ${[`realm="${realm}"`, ...parameters, metadata].join(', ')}`,
  });
  return {
    missing: () =>
      new Problem('missing-token', 'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.', {}, challenge()),
    invalid: (description) =>
      new Problem(
        'invalid-token',
        `${description}.`,
        {},
        challenge('error="invalid_token"', `error_description="${description}"`),
      ),
    insufficientScope: () =>
      new Problem(
        'insufficient-scope',
        `The access token lacks the scope ${scope}: ask for it at the authorization server.`,
        {},
        challenge('error="insufficient_scope"', `scope="${scope}"`),
      ),
  };
}

/**
 * Extracts the token from the header. Faults of the header itself are 401 too (decision D41), although RFC 6750, 3.1,
 * proposes 400.
 * @param authorization value of the header; several header lines arrive joined by commas
 * @throws Problem when there is no token, more than one, or one that is too long or has invalid characters
 */
export function bearerToken(
  authorization: string | undefined,
  challenges: Pick<Challenges, 'missing' | 'invalid'>,
): string {
  const header = authorization?.trim() ?? '';
  const scheme = /^bearer(?= |$)/i.exec(header);
  if (!scheme) {
    if (/,\s*bearer /i.test(header)) throw challenges.invalid('More than one Authorization header was sent');
    throw challenges.missing();
  }
  const token = header.slice(scheme[0].length).trim();
  if (token === '') throw challenges.missing();
  if (token.length > maxTokenLength) throw challenges.invalid(`The token is longer than ${maxTokenLength} characters`);
  if (/[\s,]/.test(token)) throw challenges.invalid('The Authorization header must hold exactly one token');
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw challenges.invalid('The token has characters that no token has');
  return token;
}
