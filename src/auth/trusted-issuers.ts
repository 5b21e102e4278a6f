// Other authorization servers whose tokens are accepted: how an operator describes them, and the faults of a
// description.
import { textBlock } from '../model/text-block.ts';
import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv';
import { type ClaimPath, claimPathSchema } from './claim-path.ts';

/**
 * Where the activities of a token come from. A value that is missing or has an unexpected form grants nothing. A claim
 * holds codes as a list or a single string; with a prefix, only strings that begin with it count, and the prefix is
 * removed. A table of the operator may say `*` for all activities; a claim may not.
 */
export type ActivityMapping =
  | { readonly claim: ClaimPath; readonly prefix?: string }
  | { readonly by: 'client' | 'subject'; readonly table: Readonly<Record<string, readonly string[]>> };

export interface TrustedIssuer {
  /**
   * Short name chosen by the operator. It is prefixed to the names of its clients and people, so that none can be
   * mistaken for ours.
   */
  readonly name: string;
  /** Exactly as in `iss`. */
  readonly issuer: string;
  /** Address of its keys; null: taken from its metadata. */
  readonly jwksUri: string | null;
  /** `aud` must name one of them: this interface as that issuer calls it. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /**
   * `at+jwt`: only tokens that say they are access tokens (RFC 9068). `JWT`: also others, unless they look like ID
   * tokens.
   */
  readonly typ: 'at+jwt' | 'JWT';
  readonly scopeClaims: readonly ClaimPath[];
  readonly requiredScope: string;
  /** The first one present names the client. */
  readonly clientClaims: readonly string[];
  readonly subjectClaim: string;
  readonly activities: ActivityMapping;
  /** Clients that may not write, as that issuer names them; true: all of them. */
  readonly readOnly: boolean | readonly string[];
  /**
   * Seconds after `iat`. We cannot see whom that issuer has disabled, so this bounds how long a disabled person can
   * continue; within it, only removing the issuer or the client from the settings stops them.
   */
  readonly maxTokenAge: number;
}

/**
 * Parses the value of TRUSTED_ISSUERS.
 * @param text JSON text: a list of issuers
 * @throws Error that lists all faults
 */
export function parseTrustedIssuers(text: string): readonly TrustedIssuer[] {
  const refuse = (faults: readonly string[]): never => {
    throw new Error(`is not right (docs/external-issuers.md describes it): ${faults.join('; ')}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse([error instanceof Error ? error.message : 'it is no JSON']);
  }
  // Every command reads the settings, and few use this one: loading the library on demand keeps the others fast.
  const { Ajv }: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  const isList = new Ajv({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true }).compile<
    TrustedIssuer[]
  >(schema);
  if (!isList(value))
    return refuse((isList.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/oneOf/')).map(faultOf));
  const faults = [
    ...doubled(value.map(({ issuer }) => issuer)).map((issuer) => `the issuer ${issuer} is there twice`),
    ...doubled(value.map(({ name }) => name)).map((name) => `the name ${name} is there twice`),
    ...value
      .flatMap(({ issuer, jwksUri }) => [issuer, ...(jwksUri === null ? [] : [jwksUri])])
      .filter((address) => !isSafe(address))
      .map((address) => `${address} must be an https address; http only on this machine`),
  ];
  return faults.length > 0 ? refuse(faults) : value;
}

/** Signatures only: with a shared secret, everyone who can verify a token could also forge one. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

const text = { type: 'string', minLength: 1, maxLength: 2048 };
const texts = { type: 'array', items: text, minItems: 1 };

const schema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'issuer', 'audiences', 'activities'],
    properties: {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,19}$' },
      issuer: text,
      jwksUri: { ...text, type: ['string', 'null'], default: null },
      audiences: texts,
      algorithms: { ...texts, items: { enum: algorithms }, default: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] },
      typ: { enum: ['at+jwt', 'JWT'], default: 'at+jwt' },
      scopeClaims: { type: 'array', items: claimPathSchema, minItems: 1, default: ['scope', 'scp'] },
      requiredScope: { ...text, pattern: '^\\S+$', default: 'svc_connect' },
      clientClaims: { ...texts, default: ['client_id', 'azp', 'appid'] },
      subjectClaim: { ...text, default: 'sub' },
      activities: {
        type: 'object',
        oneOf: [
          { additionalProperties: false, required: ['claim'], properties: { claim: claimPathSchema, prefix: text } },
          {
            additionalProperties: false,
            required: ['by', 'table'],
            properties: {
              by: { enum: ['client', 'subject'] },
              table: {
                type: 'object',
                additionalProperties: { type: 'array', items: { type: 'string', pattern: '^([A-Z0-9]{1,3}|\\*)$' } },
              },
            },
          },
        ],
      },
      readOnly: { type: ['boolean', 'array'], items: text, default: false },
      maxTokenAge: { type: 'integer', minimum: 60, maximum: 86_400, default: 86_400 },
    },
  },
} as const;

function faultOf({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'oneOf')
    return textBlock`
      ${place} needs either a claim, with or without a prefix, or "by" (client or subject) and a table of lists of
      activity codes
    `;
  const name: unknown = keyword === 'additionalProperties' ? params.additionalProperty : undefined;
  return typeof name === 'string' ? `${place} has an unknown member "${name}"` : `${place} ${message ?? 'is wrong'}`;
}

function doubled(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function isSafe(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname))
  );
}
