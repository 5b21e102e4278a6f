// One request to an interface of the service: address, token, retries, and its answer or problem.
import { attempts, type Repeatability, type RetryPolicy, usualRetries } from './attempts.ts';
import { ConnectionError, problemOf } from './problem.ts';
import type { TokenSource } from './token-source.ts';
import { sendUpload, type Progress } from './upload.ts';

/** The address of an interface, and how to send requests to it. */
export interface ConnectionOptions {
  /** Provides the bearer token of each request; a string is sent unchanged. */
  readonly token: TokenSource | string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Overrides the defaults: 4 attempts, pauses of a minute in total. */
  readonly retries?: Partial<RetryPolicy>;
  /** For one attempt, milliseconds; uploads get ten times as long. Default: two minutes. */
  readonly timeoutMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, including its retries; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as `X-Request-Id`, which identifies the request in the log of the service. */
  readonly requestId?: string | undefined;
}

export type QueryValue = string | number | boolean | null | undefined;
/** A list of values is sent as repeated parameters; null and undefined are left out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** A request. */
interface Asked extends CallOptions {
  readonly method: 'GET' | 'POST';
  /** Path under the base URL, beginning with a slash; or the complete address of a page, which must be under it too. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly content: string | Blob };
  readonly onProgress?: Progress | undefined;
  readonly repeatability: Repeatability;
}

/** A complete answer that is no problem: a status below 400. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends requests to one interface. */
export interface Transport {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /**
   * @throws ProblemError, ConnectionError, AuthorizationError, or the reason of the signal; TypeError when `.` or `..`
   *   is a part of the path
   */
  readonly ask: (asked: Asked) => Promise<Answered>;
  /** Like `ask`, for what is too large to hold in memory: the answer once its headers have arrived, its body unread. */
  readonly open: (asked: Asked) => Promise<Response>;
}

/** @param baseUrl of the interface, with or without a slash at the end */
export function createTransport(baseUrl: string, options: ConnectionOptions): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  const connection: Connection = {
    ...{ base, timeoutMs: 120_000, fetch: globalThis.fetch.bind(globalThis) },
    ...options,
    retries: { ...usualRetries, ...options.retries },
  };
  return {
    baseUrl: base,
    ask: (asked) => answered(connection, asked, wholeAnswer),
    open: (asked) => answered(connection, asked, async (response) => response),
  };
}

interface Connection extends Required<Omit<ConnectionOptions, 'retries'>> {
  readonly base: string;
  readonly retries: RetryPolicy;
}

type Read<T> = (response: Response) => Promise<T>;

/** A token that is refused is replaced once. */
async function answered<T>(connection: Connection, asked: Asked, read: Read<T>): Promise<T> {
  const url = addressOf(connection.base, asked);
  let token = await bearerOf(connection, asked);
  for (let renewed = false; ; renewed = true) {
    const result = await attempts(connection.retries, asked.repeatability, asked.signal, () =>
      attempt(connection, url, asked, token, read),
    );
    if (result.read !== null) return result.read.value;
    const next = result.status === 401 && !renewed ? await bearerOf(connection, asked, token) : token;
    if (next === token) throw problemOf(result.status, result.problem, result.headers);
    token = next;
  }
}

interface Attempted<T> {
  readonly status: number;
  readonly headers: Headers;
  /** What was read; null: the answer is a problem. */
  readonly read: { readonly value: T } | null;
  /** Text of the problem. */
  readonly problem: string;
}

async function attempt<T>(
  { fetch, timeoutMs }: Connection,
  url: string,
  asked: Asked,
  token: string,
  read: Read<T>,
): Promise<Attempted<T>> {
  const limit = AbortSignal.timeout(asked.onProgress === undefined ? timeoutMs : timeoutMs * 10);
  const signal = asked.signal === undefined ? limit : AbortSignal.any([asked.signal, limit]);
  const request = { method: asked.method, headers: headersOf(asked, token), body: asked.body?.content ?? null, signal };
  try {
    const response =
      asked.onProgress !== undefined && request.body instanceof Blob
        ? await sendUpload(url, { ...request, body: request.body }, asked.onProgress, fetch)
        : await fetch(url, { ...request, redirect: 'error', cache: 'no-store', credentials: 'omit' });
    const { status, headers } = response;
    return status < 400
      ? { status, headers, read: { value: await read(response) }, problem: '' }
      : { status, headers, read: null, problem: await response.text() };
  } catch (error) {
    if (asked.signal?.aborted) throw asked.signal.reason;
    const reason = limit.aborted ? `no answer within ${timeoutMs} ms` : String(error);
    throw new ConnectionError(`${asked.method} ${url}: ${reason}`, { cause: error });
  }
}

async function wholeAnswer(response: Response): Promise<Answered> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends the token to nobody else: an address from an answer is followed only under the base URL. */
function addressOf(base: string, { path, query = {} }: Asked): string {
  // Encoding leaves an id `..` as it is, and `URL` would make the address of something else of it.
  const [names = ''] = path.split(/[?#]/, 1);
  const part = names.split('/').find((name) => name === '.' || name === '..');
  if (part !== undefined) throw new TypeError(`"${part}" cannot be a part of the path ${path}: it names nothing.`);
  const url = new URL(path.startsWith('/') ? base + path : path);
  if (url.href !== base && !url.href.startsWith(`${base}/`))
    throw new ConnectionError(`${url.href} is not below ${base}: it is not followed.`);
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== null && each !== undefined) url.searchParams.append(name, String(each));
  return url.href;
}

function headersOf(asked: Asked, token: string): Record<string, string> {
  return {
    accept: 'application/json',
    ...asked.headers,
    authorization: `Bearer ${token}`,
    ...(asked.body !== undefined && { 'content-type': asked.body.type }),
    ...(asked.requestId !== undefined && { 'x-request-id': asked.requestId }),
  };
}

/** @param refused a token that the service has just refused */
async function bearerOf({ token }: Connection, { signal }: Asked, refused?: string): Promise<string> {
  return typeof token === 'string' ? token : token.token({ refused, signal });
}
