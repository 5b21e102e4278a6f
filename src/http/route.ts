// What a route and its handler look like to the wire: plain values in, plain values out.
import type { QueryPair } from '../model/cursor.ts';

/** Who calls, as the access token says (decisions D32, D33). */
export interface Caller {
  readonly clientId: string;
  /** Subject of the token: the user on whose behalf the client calls. */
  readonly subject: string;
  /** Activities that every query is limited to; sorted, never empty. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
}

/** One request, as a handler sees it. */
export interface Call {
  readonly method: string;
  /** Path without the query, percent-encoded as received. */
  readonly path: string;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Decoded query parameters in the order of the request; a repeated name occurs repeatedly. */
  readonly query: readonly QueryPair[];
  /** Raw query text without `?`. */
  readonly queryText: string;
  /** Header by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Throws the 401 problem on a public route. */
  readonly caller: Caller;
  readonly requestId: string;
}

/**
 * One answer. A `Buffer` or text body is sent as it is; `null` is no body.
 * `type` null means: the media type that negotiation chose (JSON text).
 */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
  readonly type: string | null;
}

/** A documented query parameter, header or path parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly meaning: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required?: true;
  readonly example?: unknown;
}

/** One row of a route table. Paths are relative to the face they are mounted on, parameters in braces as the interface writes them. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** `token`: bearer token with scope `svc_connect`; `public`: none. */
  readonly access: 'token' | 'public';
  /** Which rate limit it counts against (decision D41). */
  readonly rate: 'read' | 'write' | 'label' | 'none';
  /** Media types that the answer can have, first one preferred. */
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Name of the record whose array is the 200 answer, or null where it is something else. */
  readonly listOf: string | null;
  /** Answers carry an `ETag`, and `If-None-Match` may make them 304; so it is with every list. */
  readonly conditional?: true;
  /** A 500 has no body (interface 7.2). */
  readonly silent500?: true;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** A route table under one prefix (`/v1`, or '' for none). */
export interface Face {
  readonly prefix: string;
  readonly routes: readonly Route[];
}

/** Where the interface and its authorization server are, as clients see it; without a slash at the end. */
export interface Addresses { readonly baseUrl: string; readonly authUrl: string }
