// The identity providers at which a company's people sign in (OpenID Connect): how an operator describes them, and the
// faults of a description.
import { type ClaimPath, claimPathSchema } from '../claim-path.ts';
import { platformRoles } from '../platform-roles.ts';
import { createRequire } from 'node:module';

/** What the members of a group may do. */
interface GroupAccess {
  /** Codes of the activities in whose client interface they may act. */
  readonly activities: readonly string[];
  /** Roles at the platform interface: any role makes them operators. */
  readonly roles: readonly string[];
}

export interface IdentityProvider {
  /** Short name chosen by the operator: used in addresses, in lists, and as a prefix of its people's logins. */
  readonly name: string;
  /** The label of the button. */
  readonly title: string;
  /** Exactly as in `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The signature algorithm of ID tokens. */
  readonly algorithm: string;
  readonly scopes: readonly string[];
  /** The claim of ID tokens that names groups: a list, or a single string such as Google's `hd`. */
  readonly groupsClaim: ClaimPath;
  /** The claim that becomes part of the login here, for display in lists. */
  readonly loginClaim: string;
  /** By the name of the group; people who are in none of them are refused. */
  readonly groups: Readonly<Record<string, GroupAccess>>;
}

/**
 * Parses the value of IDENTITY_PROVIDERS.
 * @param text JSON text: a list of providers
 * @throws Error that lists all faults, without quoting a value
 */
export function parseIdentityProviders(text: string): readonly IdentityProvider[] {
  const refuse = (faults: readonly string[]): never => {
    throw new Error(`is not right (docs/identity-providers.md describes it): ${faults.join('; ')}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes part of the text, which contains a secret.
    return refuse(['it is no JSON']);
  }
  // Every command reads the settings, and few use this one: loading the library on demand keeps the others fast.
  const { Ajv }: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const isList = new Ajv({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true }).compile<
    IdentityProvider[]
  >(schema);
  if (!isList(value))
    return refuse(
      (isList.errors ?? []).map(({ instancePath, message, params }) => {
        const place = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.');
        const unknown: unknown = params.additionalProperty;
        return typeof unknown === 'string' ? `${place} has an unknown member "${unknown}"` : `${place} ${message}`;
      }),
    );
  const names = value.map(({ name }) => name);
  const faults = [
    ...new Set(names.filter((name, place) => names.indexOf(name) !== place).map((name) => `${name} is there twice`)),
    ...value
      .filter(({ issuer }) => !isSafe(issuer))
      .map(({ name }) => `the issuer of ${name} must be an https address; http only on this machine`),
    ...value.filter(({ scopes }) => !scopes.includes('openid')).map(({ name }) => `${name} needs the scope openid`),
  ];
  return faults.length > 0 ? refuse(faults) : value;
}

const text = { type: 'string', minLength: 1, maxLength: 2048 } as const;
const list = (items: object): object => ({ type: 'array', items, default: [] });

const schema = {
  type: 'array',
  maxItems: 10,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'title', 'issuer', 'clientId', 'clientSecret', 'groups'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,19}$' },
      title: { ...text, maxLength: 60 },
      issuer: text,
      clientId: text,
      clientSecret: text,
      // Signatures only: with a shared secret, everyone who can verify a token could also forge one.
      algorithm: { enum: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'], default: 'RS256' },
      scopes: { type: 'array', items: { ...text, pattern: '^\\S+$' }, default: ['openid', 'profile', 'email'] },
      groupsClaim: { ...claimPathSchema, default: 'groups' },
      loginClaim: { ...text, default: 'preferred_username' },
      groups: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          properties: {
            activities: list({ type: 'string', pattern: '^[A-Z0-9]{1,3}$' }),
            roles: list({ enum: platformRoles }),
          },
        },
      },
    },
  },
};

function isSafe(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '' || url.search !== '') return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname))
  );
}
