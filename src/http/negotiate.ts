// Which media type an answer has: the client's `Accept` against what a route can produce (RFC 9110, section 12.5.1).
import Negotiator from 'negotiator';
import { maxAcceptLength, remembering } from './memo.ts';

/** What every JSON answer can be called: the bytes are the same (decision D40). */
export const jsonTypes = ['application/json', 'text/json', 'text/plain'] as const;

/** What an error can be called. */
export const problemTypes = [...jsonTypes, 'application/problem+json'] as const;

/** A choice among fixed media types: the `Content-Type` for an `Accept`, or null where none is acceptable. */
export type TypeChoice = (accept: string | undefined) => string | null;

/**
 * Makes the choice among `offered`, first one preferred. Quality decides, then how specific the client was, then the
 * client's order, then ours. Parameters other than `q` are ignored: `application/json;charset=utf-8` is
 * application/json.
 * @returns a function that answers with the complete `Content-Type`, and remembers its answer per header text
 */
export function typeChoice(offered: readonly string[]): TypeChoice {
  const first = offered[0] === undefined ? null : contentType(offered[0]);
  const choose = remembering((accept) => {
    const type = new Negotiator({
      headers: { accept: accept.slice(0, maxAcceptLength).replace(foreignParameter, '') },
    }).mediaType(offered);
    return type === undefined ? null : contentType(type);
  });
  return (accept) => (accept === undefined || accept === '' ? first : choose(accept));
}

/** The `Content-Type` of a media type: texts are UTF-8. */
export function contentType(type: string): string {
  return /^text\/|[/+]json$|javascript$/.test(type) ? `${type}; charset=utf-8` : type;
}

const foreignParameter = /;\s*(?!q\s*=)[\w!#$%&'*+.^`|~-]+(?:=(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?/gi;
