// A route and its handler as the request pipeline sees them: plain values in, plain values out.
import type { Readable } from 'node:stream';
import type { QueryPair } from '../model/cursor.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Problem, ProblemSlug } from '../model/problem.ts';

/**
 * The caller: a client with an access token, on behalf of a user or of its own (decisions D32 to D34), a program of the
 * platform with its key, or an operator who signed in.
 */
export interface Principal {
  readonly kind: 'client' | 'platform-key' | 'operator';
  /** Id of the client or of the key; for an operator, that of the user. */
  readonly clientId: string;
  /**
   * The user on whose behalf the client calls; null when it acts for itself. The name of a key; the login of an
   * operator.
   */
  readonly subject: string | null;
  /** Activities that every query is limited to; sorted, empty only with `everything` when there are none yet. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  /** Permissions of a key or an operator; absent for a client. */
  readonly roles?: readonly string[];
  /** A key or an operator for every activity, including future ones, and so also for data that concerns none. */
  readonly everything?: true;
}

/** One request, as seen by its handler. */
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
  readonly principal: Principal;
  /**
   * Checks once more that the caller may do this, by what is known of its key or token now; `principal` is then what it
   * opens now. To be called before what took long to arrive, or to wait for, is written or read: access may have ended
   * meanwhile. Less than a second after a check, the caller is not checked again. That a token has expired meanwhile
   * does not matter: the request came in time. What a GET answers is confirmed by the request pipeline.
   * @param activities that must still be open
   * @throws Problem 401, 403 or 503, as at the beginning of the request
   */
  readonly confirmAccess: (...activities: readonly string[]) => Promise<void>;
  readonly requestId: string;
  /** Address of the client; behind trusted proxies, the one that they report. */
  readonly address: string;
  /**
   * Waits for the client's turn to have work done. To be called by the handler of a route with `turn: 'own'`, once it
   * knows that the answer costs something, and before it reads a stream; for other routes it was called earlier, and by
   * `body`.
   * @returns whether it had to wait: what was read before may be stale
   * @throws Problem 429 or 503 when it would wait too long
   */
  readonly turn: () => Promise<boolean>;
  /**
   * To be called before the request waits for something outside of this server: it then counts for its client alone,
   * and keeps nobody else out.
   */
  readonly standAside: () => void;
  /** True once the client has closed the connection: nobody will read the response. */
  readonly isGone: () => boolean;
  /** Aborted when the client closes the connection, for work that can be stopped then. */
  readonly gone: AbortSignal;
  /**
   * The whole body with its `Content-Encoding` decoded; empty when none was sent. Only on a route with `body`, and only
   * once. Rejects with Problem 400 (truncated, broken encoding), 408 (too slow) or 413.
   */
  readonly body: () => Promise<Buffer>;
  /**
   * The body as it arrives, when it must not be held in memory as a whole. It is destroyed with the problems of `body`,
   * such as 413 when it is longer than the route allows; what has not been read when the handler has answered is
   * dropped. Once, and instead of `body`.
   */
  readonly bodyStream: () => Readable;
  /** Bytes of the body that have arrived, as they were sent: before their `Content-Encoding` is decoded. */
  readonly bodyArrived: () => number;
}

/** A write by a known principal that ended in a problem. */
export interface RefusedWrite {
  /** `Route.action`. */
  readonly action: string;
  readonly call: Call;
  readonly problem: Problem;
}

/**
 * A response. A `Buffer` or text body is sent as it is; `null` is no body. A stream is for what must not be held in
 * memory as a whole: it is sent uncompressed, needs its `content-length` among the headers, and is destroyed when
 * nobody reads it. `type` null means the media type chosen by negotiation (JSON text).
 */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | Readable | null;
  readonly type: string | null;
}

/** The response to a failed request that already has an entry in the audit trail. */
export interface AuditedFailure {
  /** A Problem, or any other error, which the client gets as 500. */
  readonly error: unknown;
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

/** The bodies that a route accepts. Anything else is refused with 415, a longer one with 413. */
export interface BodyLimits {
  /** Media types; `application/*+json` stands for all with that suffix. The first one is shown in examples. */
  readonly types: readonly string[];
  /** Maximum number of bytes, after decoding. */
  readonly limit: number;
  /** What to do if the body is longer, as a sentence. */
  readonly whenTooLong?: string;
  /**
   * How much longer a body may become when it is decompressed, after the given number of free bytes. For long bodies
   * that are read as they arrive, so that a short one cannot cause unlimited work.
   */
  readonly expansion?: { readonly max: number; readonly freeBytes: number };
  /** Supported codings of `Content-Encoding`. */
  readonly encodings: readonly ('gzip' | 'zstd')[];
}

export interface BodyRule extends BodyLimits {
  /**
   * JSON Schema of the body, for the description of the route. In that of a form, `contentMediaType` of a property
   * lists the types of its file.
   */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Null: none. */
  readonly example: unknown;
}

/** One row of a route table. Paths are relative to their mount point, parameters in braces as in the interface. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /**
   * `token`: bearer token with scope `svc_connect`; `platform-key`: key of the warehouse side, or token of an operator,
   * as bearer too; `public`: none.
   */
  readonly access: 'token' | 'platform-key' | 'public';
  /** The role that a platform key or an operator needs here; absent: any role. */
  readonly role?: string;
  /** Also usable before there is an activity. */
  readonly withoutActivity?: true;
  /** The rate limit that it counts against (decision D41); `platform` is that of the warehouse side. */
  readonly rate: 'read' | 'write' | 'label' | 'platform' | 'probe';
  /** Possible media types of the response, in order of preference. */
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Name of the record whose array is the 200 response, or null when it is something else. */
  readonly listOf: string | null;
  /** Responses have an `ETag`, and `If-None-Match` may make them 304; lists always do. */
  readonly conditional?: true;
  /** The body that it accepts; absent: none. */
  readonly body?: BodyRule;
  /**
   * Name of its work in the audit trail, if it writes: `ServerOptions.onRefusedWrite` is called with what is refused
   * here.
   */
  readonly action?: string;
  /**
   * When its work waits for the client's turn. Absent: before the handler, or when the whole body has arrived; `own`:
   * when its handler says so.
   */
  readonly turn?: 'own';
  /**
   * Its time is spent in somebody else's server: it occupies no place for writes while it waits for that, and stands
   * aside when that takes long.
   */
  readonly asksCarrier?: true;
  /** Accepts an `Idempotency-Key`: repeating the request returns the stored response. */
  readonly repeatable?: true;
  /**
   * The success response if it is neither a list nor a text: name of the component schema, and an example. `status`
   * 202: accepted, to be carried out later; default: 200.
   */
  readonly answers?: { readonly schema: string; readonly example: unknown; readonly status?: 202 };
  /** Headers of the 200 response that no other route has, by name; by default, strings of at most 255 characters. */
  readonly answerHeaders?: Readonly<
    Record<
      string,
      { readonly meaning: string; readonly example: string; readonly schema?: Readonly<Record<string, unknown>> }
    >
  >;
  /** Further possible statuses, with the kinds of problem. */
  readonly refusals?: Readonly<Record<number, readonly ProblemSlug[]>>;
  /** A 500 has no body (interface 7.2). */
  readonly silent500?: true;
  /**
   * Returns the answer, or throws the problem for the client. A returned problem already has its entry in the audit
   * trail; a thrown one gets it if the route has an `action`.
   */
  readonly handle: (call: Call) => MaybePromise<Answer | AuditedFailure>;
}

/** The reference documentation of a route, in addition to its row in the table. */
export interface RouteDescription
  extends Pick<Route, 'summary' | 'description' | 'parameters'>,
    Partial<Pick<Route, 'produces' | 'listOf' | 'answers' | 'answerHeaders' | 'refusals'>> {
  readonly body?: Pick<BodyRule, 'schema' | 'example'>;
}

/** A route table under a prefix (`/v1`, or '' for none). */
export interface Mount {
  readonly prefix: string;
  readonly routes: readonly Route[];
}

/** A handler, and what the request pipeline needs to know about it. */
export type Handling = Pick<Route, 'handle' | 'action' | 'repeatable' | 'turn' | 'asksCarrier' | 'silent500'>;

/** Public addresses of the interface and its authorization server, without a slash at the end. */
export interface Addresses {
  readonly baseUrl: string;
  readonly authUrl: string;
}

/** What routes have in common that anybody may read, such as descriptions and pages. */
export const publicRoute = { method: 'GET', access: 'public', rate: 'read', listOf: null, parameters: [] } as const;
