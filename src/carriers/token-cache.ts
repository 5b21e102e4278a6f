// In charge of access tokens between conversations: each is kept in memory until shortly before it ends, for those who
// would ask the same.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { tokenIn } from './access-token.ts';
import type { WireAnswer, WireRequest } from './carrier.ts';
import { parseJson, textAt } from './json.ts';

/** Answers that hold access tokens, by the request that they were given to. */
export interface TokenCache {
  /** Null where there is none that is good, or the request wants a new one. */
  readonly get: (request: WireRequest) => WireAnswer | null;
  /** Keeps the answer to a request for a token; anything else is let go. */
  readonly set: (request: WireRequest, answer: WireAnswer) => void;
}

/** Accounts whose tokens are kept. */
const maxTokens = 1000;
/** A token is given up so long before it ends, so that it does not end on the way; of short ones a tenth. */
const reserveSeconds = 60;
/** However long a carrier says: a day. */
const maxSeconds = 86_400;

/** @param now milliseconds that only ever grow */
export function createTokenCache(now: () => number): TokenCache {
  const answers = new LRUCache<string, WireAnswer>({ max: maxTokens, ttl: 1, ttlResolution: 0, perf: { now } });
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

/** The credentials are part of it: whoever has others, or changes them, has another token. Only the hash is kept. */
function keyOf({ method, url, headers, body }: WireRequest): string {
  return hash('sha256', JSON.stringify([method, url, headers, body]), 'base64url');
}

/**
 * How long the token of an answer is good (RFC 6749, 5.1); 0 where it does not say so, or holds none. Some write the
 * number as a text.
 */
function secondsOf(answer: WireAnswer): number {
  const seconds = Number(textAt(parseJson(answer.body), 'expires_in'));
  return tokenIn(answer) !== null && seconds > 0 ? Math.min(seconds, maxSeconds) : 0;
}
