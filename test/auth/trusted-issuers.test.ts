// What an operator can say of another issuer, and what is refused before it can do harm.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTrustedIssuers } from '../../src/auth/trusted-issuers.ts';

describe('the description of an issuer', () => {
  const good = {
    name: 'keycloak',
    issuer: 'https://id.example/realms/x',
    audiences: ['logistics'],
    activities: { claim: 'activities' },
  };

  it('has defaults that fit RFC 9068', () => {
    assert.deepEqual(parseTrustedIssuers(JSON.stringify([good])), [
      {
        ...good,
        jwksUri: null,
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
        typ: 'at+jwt',
        scopeClaims: ['scope', 'scp'],
        requiredScope: 'svc_connect',
        clientClaims: ['client_id', 'azp', 'appid'],
        subjectClaim: 'sub',
        readOnly: false,
        maxTokenAge: 86_400,
      },
    ]);
  });

  const wrong: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    ['no JSON', 'https://id.example', /JSON/],
    ['no list', JSON.stringify(good), /the value must be array/],
    ['mistyped member', JSON.stringify([{ ...good, audience: 'x' }]), /0 has an unknown member "audience"/],
    [
      'missing audience',
      JSON.stringify([{ ...good, audiences: undefined }]),
      /must have required property 'audiences'/,
    ],
    ['no audience', JSON.stringify([{ ...good, audiences: [] }]), /0\.audiences must NOT have fewer than 1 items/],
    [
      'shared secrets',
      JSON.stringify([{ ...good, algorithms: ['HS256'] }]),
      /0\.algorithms\.0 must be equal to one of the allowed values/,
    ],
    ['no signature', JSON.stringify([{ ...good, algorithms: ['none'] }]), /0\.algorithms\.0/],
    [
      'plain http',
      JSON.stringify([{ ...good, issuer: 'http://id.example' }]),
      /http:\/\/id\.example must be an https address/,
    ],
    [
      'keys over plain http',
      JSON.stringify([{ ...good, jwksUri: 'http://id.example/keys' }]),
      /keys must be an https address/,
    ],
    ['no mapping', JSON.stringify([{ ...good, activities: {} }]), /0\.activities needs either a claim/],
    [
      'two mappings',
      JSON.stringify([{ ...good, activities: { claim: 'x', by: 'client', table: {} } }]),
      /0\.activities needs either a claim/,
    ],
    [
      'code that is none',
      JSON.stringify([{ ...good, activities: { by: 'client', table: { x: ['aaa'] } } }]),
      /0\.activities needs either a claim/,
    ],
    [
      'issuer twice',
      JSON.stringify([good, { ...good, name: 'other' }]),
      /the issuer https:\/\/id\.example\/realms\/x is there twice/,
    ],
    [
      'name twice',
      JSON.stringify([good, { ...good, issuer: 'https://other.example' }]),
      /the name keycloak is there twice/,
    ],
    ['name with a colon', JSON.stringify([{ ...good, name: 'a:b' }]), /0\.name must match pattern/],
  ];
  for (const [name, text, message] of wrong)
    it(`is refused with the reason: ${name}`, () => assert.throws(() => parseTrustedIssuers(text), message));
});
