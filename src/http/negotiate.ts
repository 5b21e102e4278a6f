// Chooses the media type of a response: the client's `Accept` against what a route can produce (RFC 9110, section
// 12.5.1).
import Negotiator from 'negotiator';
import { maxAcceptLength, memoize } from './memoize.ts';

/** The media types of every JSON response: the bytes are the same (decision D40). */
export const jsonTypes = ['application/json', 'text/json', 'text/plain'] as const;

/** The media types of errors. */
export const problemTypes = [...jsonTypes, 'application/problem+json'] as const;

/** A choice among fixed media types: the `Content-Type` for an `Accept`, or null when none is acceptable. */
export type TypeChoice = (accept: string | undefined) => string | null;

/**
 * Makes the choice among `offered`, in order of preference. Quality decides, then how specific the client was, then the
 * client's order, then ours. Parameters other than `q` are ignored: `application/json;charset=utf-8` is
 * application/json.
 * @returns a function that returns the complete `Content-Type`, and caches its result per header text
 */
export function typeChoice(offered: readonly string[]): TypeChoice {
  const key = offered.join();
  const choice = choices.get(key) ?? newTypeChoice(offered);
  choices.set(key, choice);
  return choice;
}

/** By what is offered: hundreds of routes offer the same few lists of types. */
const choices = new Map<string, TypeChoice>();

function newTypeChoice(offered: readonly string[]): TypeChoice {
  const first = offered[0] === undefined ? null : contentType(offered[0]);
  const choose = memoize((accept) => {
    const type = new Negotiator({
      headers: { accept: accept.slice(0, maxAcceptLength).replace(foreignParameter, '') },
    }).mediaType(offered);
    return type === undefined ? null : contentType(type);
  });
  return (accept) => (accept === undefined || accept === '' ? first : choose(accept));
}

/** The `Content-Type` of a media type: text is UTF-8. */
export function contentType(type: string): string {
  return /^text\/|[/+]json$|javascript$/.test(type) ? `${type}; charset=utf-8` : type;
}

const foreignParameter = /;\s*(?!q\s*=)[\w!#$%&'*+.^`|~-]+(?:=(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?/gi;
