// Forged, damaged, borrowed and stale tokens, one attack a row: none may get in, and each gets the right refusal.
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { JWK } from 'jose';
import fc from '../contract/properties.ts';
import { Problem } from '../../src/model/problem.ts';
import { authUrl, baseUrl, openService } from './fixture.ts';
import type { Service } from './fixture.ts';
import { forgeEs256, forgeHs256, foreignKey, stolenKey, unsigned } from './forge.ts';
import { refusalOf } from './refusal.ts';
import { joined } from '../contract/joined.ts';
import { rounds } from '../contract/rounds.ts';

interface Attacker {
  readonly service: Service;
  readonly kid: string;
  readonly rsaKid: string;
  readonly key: KeyObject;
  readonly publicJwk: JWK;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly seconds: number;
  readonly genuine: string;
}

type Attack = readonly [name: string, token: (attacker: Attacker) => string];

const without = (value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
const signed =
  (changes: Readonly<Record<string, unknown>>) =>
  ({ header, payload, key }: Attacker): string =>
    forgeEs256(header, { ...payload, ...changes }, key);
const headed =
  (changes: Readonly<Record<string, unknown>>) =>
  ({ header, payload, key }: Attacker): string =>
    forgeEs256({ ...header, ...changes }, payload, key);
const pem = (jwk: JWK): string =>
  createPublicKey({ key: { ...jwk }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
const lacking = ['iss', 'aud', 'exp', 'iat', 'sub', 'client_id', 'jti', 'grant_id'].map(
  (claim): Attack => [
    `without the claim ${claim}`,
    ({ header, payload, key }) => forgeEs256(header, without(payload, claim), key),
  ],
);

const attacks: readonly Attack[] = [
  ['alg none', ({ header, payload }) => unsigned({ ...header, alg: 'none' }, payload)],
  ['alg none in capitals', ({ header, payload }) => unsigned({ ...header, alg: 'NONE' }, payload)],
  ['ES256 without a signature', ({ header, payload }) => unsigned(header, payload)],
  [
    'HS256 with the public key as PEM',
    ({ header, payload, publicJwk }) => forgeHs256({ ...header, alg: 'HS256' }, payload, pem(publicJwk)),
  ],
  [
    'HS256 with the public key as JSON',
    ({ header, payload, publicJwk }) => forgeHs256({ ...header, alg: 'HS256' }, payload, JSON.stringify(publicJwk)),
  ],
  ['another key under our key id', ({ header, payload }) => forgeEs256(header, payload, foreignKey())],
  [
    'another key in the header',
    ({ header, payload }) => {
      const key = foreignKey();
      return forgeEs256({ ...header, jwk: createPublicKey(key).export({ format: 'jwk' }) }, payload, key);
    },
  ],
  [
    'another key by address',
    ({ header, payload }) =>
      forgeEs256({ ...header, kid: 'theirs', jku: 'https://evil.example/jwks' }, payload, foreignKey()),
  ],
  ['unknown key id', headed({ kid: 'unknown' })],
  ['key id that is a name of every object', headed({ kid: '__proto__' })],
  ['no key id', ({ header, payload, key }) => forgeEs256(without(header, 'kid'), payload, key)],
  ['key id that is no text', headed({ kid: 7 })],
  ['RS256 under the key id of the ES256 key', headed({ alg: 'RS256' })],
  [
    'ES256 under the key id of the RS256 key',
    ({ header, payload, key, rsaKid }) => forgeEs256({ ...header, kid: rsaKid }, payload, key),
  ],
  ['signature in another encoding', ({ header, payload, key }) => forgeEs256(header, payload, key, 'der')],
  [
    'payload changed after signing',
    ({ genuine, payload }) => {
      const [head, , signature] = genuine.split('.');
      return (
        `${head}.` +
        `${Buffer.from(JSON.stringify({ ...payload, activityCodes: ['AAA', 'BBB', 'CCC'] })).toString('base64url')}.` +
        `${signature}`
      );
    },
  ],
  ['critical extension that nobody knows', headed({ crit: ['exp2'], exp2: 1 })],
  ['unencoded payload', headed({ crit: ['b64'], b64: false })],
  ['ID token', headed({ typ: 'JWT' })],
  ['no type', ({ header, payload, key }) => forgeEs256(without(header, 'typ'), payload, key)],
  [
    'expired',
    ({ header, payload, key, seconds }) =>
      forgeEs256(header, { ...payload, iat: seconds - 3606, exp: seconds - 6 }, key),
  ],
  ['expiry as text', signed({ exp: '9999999999' })],
  ['expiry null', signed({ exp: null })],
  ['not valid yet', ({ header, payload, key, seconds }) => forgeEs256(header, { ...payload, nbf: seconds + 60 }, key)],
  [
    'issued in the future',
    ({ header, payload, key, seconds }) => forgeEs256(header, { ...payload, iat: seconds + 60 }, key),
  ],
  [
    'issued more than a day ago, expiring never',
    ({ header, payload, key, seconds }) =>
      forgeEs256(header, { ...payload, iat: seconds - 90_000, exp: seconds + 9e8 }, key),
  ],
  ['another issuer', signed({ iss: 'https://evil.example' })],
  ['our issuer with a slash', signed({ iss: `${authUrl}/` })],
  ['list of issuers', signed({ iss: [authUrl] })],
  ['another audience', signed({ aud: 'https://auth.example/v2' })],
  ['our audience in another case', signed({ aud: baseUrl.toUpperCase() })],
  [
    'audience of an ID token: the client',
    ({ header, payload, key, service }) => forgeEs256(header, { ...payload, aud: service.client.id }, key),
  ],
  ...lacking,
  ['empty subject', signed({ sub: '' })],
  ['subject that is no text', signed({ sub: 7 })],
  ['grant that nobody has', signed({ grant_id: 'x'.repeat(32) })],
  ['grant that is no text', signed({ grant_id: true })],
  ['client that is a list', signed({ client_id: ['a'] })],
  ['payload that is a list', ({ header, key }) => forgeEs256(header, '[]', key)],
  ['payload null', ({ header, key }) => forgeEs256(header, 'null', key)],
  ['payload that is no JSON', ({ header, key }) => forgeEs256(header, '{', key)],
  ['five parts, as if encrypted', ({ genuine }) => `${genuine}.a.b`],
  ['one part', () => 'abc'],
  ['dots only', () => '...'],
  ['characters that no token has', () => 'ab"c'],
  ['a megabyte', () => `e${'y'.repeat(1_000_000)}`],
  ['just over the longest', ({ genuine }) => genuine.padEnd(8193, 'A')],
];

describe('attacks on the bearer check', () => {
  const setUp = async (service: Service): Promise<Attacker> => {
    const { kid, key } = await stolenKey(service.keys);
    const jwks = await service.keys.publicKeys();
    const genuine = await service.issue();
    const [head = '', body = ''] = genuine.split('.');
    const parse = (text: string): Record<string, unknown> => JSON.parse(Buffer.from(text, 'base64url').toString());
    return {
      service,
      kid,
      key,
      genuine,
      rsaKid: jwks.keys.find((one) => one.alg === 'RS256')?.kid ?? '',
      publicJwk: jwks.keys.find((one) => one.kid === kid) ?? {},
      header: parse(head),
      payload: parse(body),
      seconds: Math.floor(service.clock.now() / 1000),
    };
  };

  it('are refused as 401 invalid_token, each of them', async (t) => {
    const attacker = await setUp(await openService(t));
    for (const [name, token] of attacks) {
      await t.test(name, async () => {
        const refusal = await refusalOf(attacker.service.verify(`Bearer ${token(attacker)}`));
        assert.equal(refusal.slug, 'invalid-token');
        assert.equal(refusal.status, 401);
        assert.match(
          refusal.challenge ?? '',
          joined(
            /^Bearer realm="logistics", error="invalid_token", error_description="[\x20\x21\x23-\x5b\x5d-\x7e]+", /,
            /resource_metadata="https:\/\/auth\.example\/\.well-known\/oauth-protected-resource\/v1"$/,
          ),
        );
      });
    }
    assert.deepEqual(attacker.service.storageErrors, []);
  });

  it('are made from a token that gets in when nothing is changed', async (t) => {
    const attacker = await setUp(await openService(t));
    const { service, header, payload, key } = attacker;
    assert.deepEqual((await service.verify(`Bearer ${forgeEs256(header, payload, key)}`)).activityCodes, ['BBB']);
    const listed = forgeEs256(header, { ...payload, aud: ['https://other.example', baseUrl] }, key);
    assert.equal((await service.verify(`Bearer ${listed}`)).subject, service.user.id);
    for (const typ of ['AT+JWT', 'application/at+jwt']) {
      assert.equal(
        (await service.verify(`Bearer ${forgeEs256({ ...header, typ }, payload, key)}`)).subject,
        service.user.id,
      );
    }
  });

  describe('by a header that is out of form', () => {
    const rows: readonly (readonly [
      name: string,
      header: (token: string) => string | undefined,
      slug: string,
      error: string | null,
    ])[] = [
      ['no header', () => undefined, 'missing-token', null],
      ['empty header', () => '', 'missing-token', null],
      ['scheme alone', () => 'Bearer', 'missing-token', null],
      ['scheme and blanks', () => 'Bearer   ', 'missing-token', null],
      ['another scheme', (token) => `Basic ${token}`, 'missing-token', null],
      ['no scheme', (token) => token, 'missing-token', null],
      ['scheme that only begins like ours', (token) => `Bearers ${token}`, 'missing-token', null],
      ['tab after the scheme', (token) => `Bearer\t${token}`, 'missing-token', null],
      ['two tokens', (token) => `Bearer ${token} ${token}`, 'invalid-token', 'invalid_token'],
      ['two headers', (token) => `Bearer ${token}, Bearer ${token}`, 'invalid-token', 'invalid_token'],
      [
        'another scheme first, ours in a second header',
        (token) => `Basic YTpi, Bearer ${token}`,
        'invalid-token',
        'invalid_token',
      ],
    ];
    for (const [name, header, slug, error] of rows) {
      it(`${name}: ${slug}`, async (t) => {
        const service = await openService(t);
        const refusal = await refusalOf(service.verify(header(await service.issue())));
        assert.equal(refusal.slug, slug);
        if (error === null)
          assert.equal(
            refusal.challenge,
            'Bearer realm="logistics", resource_metadata="https://auth.example/.well-known/oauth-protected-resource' +
              '/v1"',
          );
        else assert.match(refusal.challenge ?? '', new RegExp(`error="${error}"`));
      });
    }

    for (const prefix of ['bearer ', 'BEARER ', 'Bearer    ', '  Bearer ']) {
      it(`but "${prefix}" is in form`, async (t) => {
        const service = await openService(t);
        assert.equal((await service.verify(`${prefix}${await service.issue()}  `)).subject, service.user.id);
      });
    }
  });

  describe('by chance', () => {
    let pieces: readonly string[] = [];
    before(() => {
      pieces = ['Bearer ', 'bearer ', '.', ',', ' ', '=', 'eyJhbGciOiJFUzI1NiJ9', 'e30', '\0', 'é'];
    });

    it('never end in anything but a refusal', async (t) => {
      const service = await openService(t);
      const genuine = await service.issue();
      const header = fc
        .array(fc.oneof(fc.constantFrom(...pieces, ...genuine.split('.')), fc.string({ maxLength: 12 })), {
          maxLength: 8,
        })
        .map((list) => list.join(''));
      await fc.assert(
        fc.asyncProperty(header, async (text) => {
          const error: unknown = await service.verify(text).then(
            () => null,
            (reason: unknown) => reason,
          );
          assert.ok(error instanceof Problem, String(error));
          assert.ok(['missing-token', 'invalid-token'].includes(error.slug));
        }),
        { numRuns: rounds(500) },
      );
    });
  });
});
