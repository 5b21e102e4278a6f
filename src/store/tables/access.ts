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
    /** It may act on its own behalf, with the grant `client_credentials`. */
    service: { ...boolean, default: '0' },
    pkceRequired: { ...boolean, default: '1' },
    /** It may act on behalf of operators at the platform interface. */
    platform: { ...boolean, default: '0' },
    /** The previous secret, while both are valid; null: there is none. */
    previousSecretHash: optional(text),
    /** Until when the previous secret is valid, milliseconds since 1970. */
    previousSecretUntil: optional(instant),
  },
  key: ['id'],
});

export const userAccountTable = table('user_account', {
  columns: {
    /** UUIDv7: the `sub` of the user's tokens. */
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
    /** When everything the user was signed in to last ended. */
    signedOutAt: optional(instant),
    /** The operator requires a second factor of this user. */
    secondFactorRequired: { ...boolean, default: '0' },
    /**
     * JSON text with the secret of the second factor (RFC 6238), in plain text or encrypted under SECRET_KEY. Null:
     * there is none.
     */
    totpSecret: optional(text),
    /** Time step of the last code that was accepted: no code is accepted twice. */
    totpStep: optional(integer),
    /** Hashes of the unused recovery codes. */
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
    /** In plain text, or encrypted under SECRET_KEY. */
    privateJwk: text,
    /** 1, 2, 3, … per alg, unique with it: processes that make a key at the same time make only one. */
    generation: integer,
    createdAt: instant,
    /**
     * Instant from which it no longer signs (it may lie ahead, so that every process knows the successor first); it
     * verifies for a while after. Null: no end is set.
     */
    retiredAt: optional(instant),
  },
  key: ['kid'],
  unique: [['alg', 'generation']],
});

/** The stored state of the authorization server: sessions, sign-ins in progress, grants, codes, refresh tokens. */
export const oidcPayloadTable = table('oidc_payload', {
  columns: {
    /** `Session`, `Grant`, `RefreshToken`, …. */
    model: text,
    /** SHA-256 of the id, so that a reader of this table cannot use what is stored. */
    idHash: text,
    /** JSON text with the id blanked out. */
    payload: text,
    grantId: optional(text),
    /**
     * Second name of a session, which is not secret; for a revoked access token, the grant that it was issued under.
     */
    uid: optional(text),
    accountId: optional(text),
    clientId: optional(text),
    /** Instant at which a code or refresh token was used. */
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
    /** Null: all, including future ones. */
    activityCodes: optional(texts),
    createdAt: instant,
    revokedAt: optional(instant),
    lastUsedAt: optional(instant),
    /** Existing keys gave access to everything there was. */
    roles: { ...texts, default: '["outbox","audit"]' },
  },
  key: ['id'],
});
