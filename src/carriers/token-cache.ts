// Keeps access tokens between exchanges: each stays in memory until shortly before it expires, for requests with
// the same credentials.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { tokenIn } from './access-token.ts';
import type { CarrierAnswer, CarrierRequest } from './carrier.ts';
import { parseJson, textAt } from './json.ts';

/** Answers that hold access tokens, by the request for them. */
export interface TokenCache {
  /** Null if there is no valid one, or the request wants a new one. */
  readonly get: (request: CarrierRequest) => CarrierAnswer | null;
  /** Keeps the answer to a request for a token; ignores any other. */
  readonly set: (request: CarrierRequest, answer: CarrierAnswer) => void;
}

/** Accounts whose tokens are kept. */
const maxTokens = 1000;
/**
 * A token is dropped this long before it expires, or a tenth of its life if that is shorter, so that it does not expire
 * in transit.
 */
const reserveSeconds = 60;
/** The longest life of a token, whatever the carrier says: a day. */
const maxSeconds = 86_400;

/** @param now monotonic milliseconds */
export function createTokenCache(now: () => number): TokenCache {
  const answers = new LRUCache<string, CarrierAnswer>({ max: maxTokens, ttl: 1, ttlResolution: 0, perf: { now } });
  return {
    get: (request) => (request.token === 'kept' ? (answers.get(keyOf(request)) ?? null) : null),
    set: (request, answer) => {
      if (request.token === undefined) return;
      const seconds = secondsOf(answer);
      const ttl = 1000 * (seconds - Math.min(reserveSeconds, seconds / 10));
      answers.set(keyOf(request), seconds > 0 ? answer : undefined, { ttl });
    },
  };
}

/** The credentials are part of the key: other or changed credentials have another token. Only the hash is kept. */
function keyOf({ method, url, headers, body }: CarrierRequest): string {
  return hash('sha256', JSON.stringify([method, url, headers, body]), 'base64url');
}

/**
 * How long the token of an answer is valid (RFC 6749, 5.1); 0 if the answer does not say, or holds none. Some carriers
 * write the number as a text.
 */
function secondsOf(answer: CarrierAnswer): number {
  const seconds = Number(textAt(parseJson(answer.body), 'expires_in'));
  return tokenIn(answer) !== null && seconds > 0 ? Math.min(seconds, maxSeconds) : 0;
}
