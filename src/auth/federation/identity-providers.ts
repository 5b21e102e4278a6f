// The identity providers at which a company's people sign in (OpenID Connect): how an operator describes them, and what
// is wrong with a description.
import { type ClaimPath, claimPathSchema } from '../claim-path.ts';
import { platformRoles } from '../platform-roles.ts';
import { createRequire } from 'node:module';

/** What the people of a group may do. */
interface GroupAccess {
  /** Codes of activities in whose interface they may act. */
  readonly activities: readonly string[];
  /** Roles at the platform interface: with one of them they are operators. */
  readonly roles: readonly string[];
}

export interface IdentityProvider {
  /** Short name of the operator's choice: in addresses, in lists, before the logins of its people. */
  readonly name: string;
  /** What people read on the button. */
  readonly title: string;
  /** Exactly as in `iss`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** With which ID tokens are signed. */
  readonly algorithm: string;
  readonly scopes: readonly string[];
  /** The claim of ID tokens that names groups: a list, or a single text such as `hd` of Google. */
  readonly groupsClaim: ClaimPath;
  /** The claim that becomes part of the login here, for people who read lists. */
  readonly loginClaim: string;
  /** By the name of the group; who is in none of them does not get in. */
  readonly groups: Readonly<Record<string, GroupAccess>>;
}

/**
 * Reads the value of IDENTITY_PROVIDERS.
 * @param text JSON text: a list of providers
 * @throws Error that says everything that is wrong, without a value
 */
export function parseIdentityProviders(text: string): readonly IdentityProvider[] {
  const refuse = (faults: readonly string[]): never => {
    throw new Error(`is not right (docs/identity-providers.md describes it): ${faults.join('; ')}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says repeats some of the text, and there is a secret in it.
    return refuse(['it is no JSON']);
  }
  // Every command reads the settings, and few have this one: loading the library only here keeps the others quick.
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
      // Signatures only: with a shared secret whoever can verify a token could make one.
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
