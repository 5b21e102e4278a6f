// The tables of access: clients, users, keys, sign-ins, attempts at passwords.
import { boolean, instant, integer, oneOf, optional, table, text, texts } from '../table.ts';

export const oauthClientTable = table('oauth_client', {
  columns: {
    id: text,
    name: text,
    redirectUris: texts,
    activityCodes: texts,
    readOnly: boolean,
    confidential: boolean,
    createdAt: instant,
    /** Null for public clients. */
    secretHash: optional(text),
    disabledAt: optional(instant),
    /** It may act for itself, with the grant `client_credentials`. */
    service: { ...boolean, default: '0' },
    pkceRequired: { ...boolean, default: '1' },
    /** Operators may let it act for them at the platform interface. */
    platform: { ...boolean, default: '0' },
    /** The secret of before, while both are good; null: none is. */
    previousSecretHash: optional(text),
    /** Until when, milliseconds since 1970. */
    previousSecretUntil: optional(instant),
  },
  key: ['id'],
});

export const userAccountTable = table('user_account', {
  columns: {
    /** UUIDv7: the `sub` of its tokens. */
    id: text,
    /** Unique, lower case. */
    login: text,
    passwordHash: text,
    activityCodes: texts,
    operator: boolean,
    /** What an operator may do at the platform interface. */
    operatorRoles: { ...texts, default: '[]' },
    createdAt: instant,
    disabledAt: optional(instant),
    /** When all that the user was signed in to last ended. */
    signedOutAt: optional(instant),
    /** The operator wants a second factor of this user. */
    secondFactorRequired: { ...boolean, default: '0' },
    /**
     * JSON text with the secret of the second factor (RFC 6238), in the clear, or encrypted under SECRET_KEY. Null:
     * there is none.
     */
    totpSecret: optional(text),
    /** Step of the last code that was taken: none is taken twice. */
    totpStep: optional(integer),
    /** Hashes of the recovery codes that are left. */
    recoveryCodes: { ...texts, default: '[]' },
    /** Name of the identity provider at which the user signs in; null: here, with a password. */
    identityProvider: optional(text),
  },
  key: ['id'],
  unique: [['login']],
});

export const signingKeyTable = table('signing_key', {
  columns: {
    kid: text,
    alg: oneOf('ES256', 'RS256'),
    publicJwk: text,
    /** In the clear, or encrypted under SECRET_KEY. */
    privateJwk: text,
    /** 1, 2, 3, … per alg, unique with it: processes that make a key at once make one. */
    generation: integer,
    createdAt: instant,
    /**
     * Instant from which it signs no longer (it may lie ahead, so that every process knows the successor first);
     * it verifies for a while after. Null: no end is set.
     */
    retiredAt: optional(instant),
  },
  key: ['kid'],
  unique: [['alg', 'generation']],
});

/** What the authorization server keeps: sessions, sign-ins under way, grants, codes, refresh tokens. */
export const oidcPayloadTable = table('oidc_payload', {
  columns: {
    /** `Session`, `Grant`, `RefreshToken`, …. */
    model: text,
    /** SHA-256 of the id: whoever reads this table can use none of what is kept. */
    idHash: text,
    /** JSON text in which the id is blanked out. */
    payload: text,
    grantId: optional(text),
    /** Second name of a session, which is no secret; of a revoked access token, the grant that it was made under. */
    uid: optional(text),
    accountId: optional(text),
    clientId: optional(text),
    /** Instant at which it was used up: a code, a refresh token. */
    consumedAt: optional(instant),
    expiresAt: instant,
  },
  key: ['model', 'idHash'],
  indexes: [['grantId'], ['uid'], ['accountId'], ['clientId'], ['expiresAt']],
});

/** Attempts to sign in, counted in windows. */
export const loginAttemptTable = table('login_attempt', {
  columns: {
    scope: oneOf('pair', 'address', 'network', 'browser', 'code'),
    keyHash: text,
    count: integer,
    windowStart: instant,
  },
  key: ['scope', 'keyHash'],
  indexes: [['windowStart']],
});

/** Key of a program on the warehouse side. */
export const platformKeyTable = table('platform_key', {
  columns: {
    id: text,
    name: text,
    secretHash: text,
    /** Null: all, also those to come. */
    activityCodes: optional(texts),
    createdAt: instant,
    revokedAt: optional(instant),
    lastUsedAt: optional(instant),
    /** Those that are there opened all that there was. */
    roles: { ...texts, default: '["outbox","audit"]' },
  },
  key: ['id'],
});
