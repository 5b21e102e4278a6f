// What a route and its handler look like to the request pipeline: plain values in, plain values out.
import type { Readable } from 'node:stream';
import type { QueryPair } from '../model/cursor.ts';
import type { Problem, ProblemSlug } from '../model/problem.ts';

/**
 * Who calls: a client with an access token, of a user or of its own (decisions D32 to D34), a program of the
 * platform with its key, or an operator who signed in.
 */
export interface Principal {
  readonly kind: 'client' | 'platform-key' | 'operator';
  /** Id of the client or of the key; of the user, where that is an operator. */
  readonly clientId: string;
  /**
   * The user on whose behalf the client calls; null where it acts for itself. The name of a key; the login of an
   * operator.
   */
  readonly subject: string | null;
  /** Activities that every query is limited to; sorted, empty only where `everything` is nothing so far. */
  readonly activityCodes: readonly string[];
  readonly readOnly: boolean;
  /** What a key or an operator may do; absent for a client. */
  readonly roles?: readonly string[];
  /** A key or an operator for every activity, those to come included, and so also for what concerns none. */
  readonly everything?: true;
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
  readonly principal: Principal;
  readonly requestId: string;
  /** Address of the client, behind trusted proxies the one that they report. */
  readonly address: string;
  /**
   * Waits until it is the client's turn to have work done. To be called by the handler of a route with `turn: 'own'`,
   * once it knows that the answer costs something, and before it reads a stream; elsewhere it was called before, and by
   * `body`.
   * @returns whether it had to wait: what was read before may be out of date
   * @throws Problem 429 or 503 where it would wait too long
   */
  readonly turn: () => Promise<boolean>;
  /** True once the client has closed the connection: nobody will read the answer. */
  readonly isGone: () => boolean;
  /** Aborted when the client closes the connection, for work that can be ended then. */
  readonly gone: AbortSignal;
  /**
   * The whole body, its `Content-Encoding` undone; empty where none was sent. Only on a route with `body`, and only
   * once. Rejects with Problem 400 (cut, broken encoding), 408 (too slow) or 413.
   */
  readonly body: () => Promise<Buffer>;
  /**
   * The body as it arrives, for what must not be held whole. It is destroyed with the problems of `body`, such as 413
   * where it is longer than the route allows; what is not read when the handler has answered is dropped. Once, and
   * instead of `body`.
   */
  readonly bodyStream: () => Readable;
}

/** A write of a known principal that ended in a problem. */
export interface RefusedWrite {
  /** `Route.action`. */
  readonly action: string;
  readonly call: Call;
  readonly problem: Problem;
}

/**
 * One answer. A `Buffer` or text body is sent as it is; `null` is no body. A stream is for what must not be held whole:
 * it is sent uncompressed, wants its `content-length` among the headers, and is destroyed where nobody reads it.
 * `type` null means: the media type that negotiation chose (JSON text).
 */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | Readable | null;
  readonly type: string | null;
}

/** The answer to a request that came to nothing and of which the audit trail has an entry already. */
export interface AuditedFailure {
  /** A Problem, or whatever else went wrong, which the client hears of as 500. */
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

/** What a route takes in its body. Anything else is refused with 415, a longer one with 413. */
export interface BodyLimits {
  /** Media types; `application/*+json` stands for all that end so. The first one is shown in examples. */
  readonly types: readonly string[];
  /** Most bytes, after decoding. */
  readonly limit: number;
  /** What somebody does whose body is longer, as a sentence. */
  readonly whenTooLong?: string;
  /**
   * How often longer a body may be once it is decompressed, beyond so many bytes. For long bodies that are read as they
   * arrive, so that a short one cannot make for work without end.
   */
  readonly expansion?: { readonly max: number; readonly freeBytes: number };
  /** Codings of `Content-Encoding` that are undone. */
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

/**
 * One row of a route table. Paths are relative to where they are mounted, parameters in braces as the interface
 * writes them.
 */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /**
   * `token`: bearer token with scope `svc_connect`; `platform-key`: key of the WMS side, or token of
   * an operator, as bearer too; `public`: none.
   */
  readonly access: 'token' | 'platform-key' | 'public';
  /** The role that a platform key or an operator needs here; absent: any of them will do. */
  readonly role?: string;
  /** Answers also where there is no activity yet. */
  readonly withoutActivity?: true;
  /** Which rate limit it counts against (decision D41); `platform` is that of the WMS side. */
  readonly rate: 'read' | 'write' | 'label' | 'platform' | 'probe';
  /** Media types that the answer can have, first one preferred. */
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Name of the record whose array is the 200 answer, or null where it is something else. */
  readonly listOf: string | null;
  /** Answers carry an `ETag`, and `If-None-Match` may make them 304; so it is with every list. */
  readonly conditional?: true;
  /** What it takes in its body; absent: none. */
  readonly body?: BodyRule;
  /**
   * What the audit trail calls its work, where it writes: `ServerOptions.onRefusedWrite` hears of what is refused here.
   */
  readonly action?: string;
  /**
   * When its work waits for the client's turn. Absent: before the handler, or when all of the body has arrived; `own`:
   * when its handler says so.
   */
  readonly turn?: 'own';
  /** Its time is that of somebody else's server: it keeps no place among the writes while it waits for that. */
  readonly asksCarrier?: true;
  /** Takes an `Idempotency-Key`: the same request again gets the stored answer. */
  readonly repeatable?: true;
  /**
   * The answer where all went well and it is neither a list nor a text: name of the component schema, and an example.
   * `status` 202: it is asked for, and is going to be done; 200 when absent.
   */
  readonly answers?: { readonly schema: string; readonly example: unknown; readonly status?: 202 };
  /** Headers of the 200 answer that no other route has, by name; without a schema texts of at most 255 characters. */
  readonly answerHeaders?: Readonly<
    Record<
      string,
      { readonly meaning: string; readonly example: string; readonly schema?: Readonly<Record<string, unknown>> }
    >
  >;
  /** Further statuses that it can give, with the kinds of problem. */
  readonly refusals?: Readonly<Record<number, readonly ProblemSlug[]>>;
  /** A 500 has no body (interface 7.2). */
  readonly silent500?: true;
  /**
   * Gives the answer, or throws the problem that the client is told. One that is returned has its entry in the audit
   * trail; one that is thrown gets it where the route has an `action`.
   */
  readonly handle: (call: Call) => Promise<Answer | AuditedFailure>;
}

/** What a route says of itself in the reference, beside its row in the table. */
export interface RouteDescription
  extends Pick<Route, 'summary' | 'description' | 'parameters'>,
    Partial<Pick<Route, 'produces' | 'listOf' | 'answers' | 'answerHeaders' | 'refusals'>> {
  readonly body?: Pick<BodyRule, 'schema' | 'example'>;
}

/** A route table under one prefix (`/v1`, or '' for none). */
export interface Mount {
  readonly prefix: string;
  readonly routes: readonly Route[];
}

/** A handler, and what the request pipeline has to know of it. */
export type Handling = Pick<Route, 'handle' | 'action' | 'repeatable' | 'turn' | 'silent500'>;

/** Where the interface and its authorization server are, as clients see it; without a slash at the end. */
export interface Addresses {
  readonly baseUrl: string;
  readonly authUrl: string;
}
