// One request as seen by its handler.
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { QueryPair } from '../model/cursor.ts';
import { Problem } from '../model/problem.ts';
import { waited } from '../model/work.ts';
import type { RequestBody } from './body.ts';
import { maxShortBodyBytes } from '../model/short-writes.ts';
import { announcesBody } from './body-rules.ts';
import { queryPairs } from './query.ts';
import type { Turn } from './request-turn.ts';
import { addressKey } from './address-parts.ts';
import type { Call, Principal } from './route.ts';

/** Requests that take longer are checked again before they write, or are answered what was read. */
const accessHoldsForMs = 1000;

/** Path and query of a request target, both percent-encoded as received; a fragment is removed. */
export function splitTarget(target: string): { readonly path: string; readonly queryText: string } {
  const hash = target.indexOf('#');
  const whole = hash === -1 ? target : target.slice(0, hash);
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  return {
    path: path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, ''),
    queryText: mark === -1 ? '' : whole.slice(mark + 1),
  };
}

/**
 * The `Call` of a request. A class because one is created for every request: its members cost nothing until they are
 * used, whereas an object of closures would be built completely each time.
 */
export class RequestCall implements Call {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly queryText: string;
  readonly requestId: string;
  readonly #request: FastifyRequest;
  readonly #body: RequestBody | null;
  readonly #bodyArrived: (bytes: number) => void;
  #principal: Principal | null = null;
  #again: (() => Promise<Principal>) | null = null;
  /** When the access of the caller was checked last. */
  #checkedAt = 0;
  #costKey: string | null = null;
  #turn: Turn | null = null;
  #query: readonly QueryPair[] | null = null;

  /**
   * @param body null for a route that takes none
   * @param bodyArrived called with the bytes of a whole body once it is there, as they are decoded
   */
  constructor(
    request: FastifyRequest<{ Params: Record<string, string> }>,
    body: RequestBody | null,
    bodyArrived: (bytes: number) => void,
  ) {
    const { path, queryText } = splitTarget(request.raw.url ?? '/');
    this.method = request.method;
    this.path = path;
    this.params = request.params;
    this.queryText = queryText;
    this.requestId = request.id;
    this.#request = request;
    this.#body = body;
    this.#bodyArrived = bodyArrived;
  }

  /**
   * Sets the caller, once the bearer token has been verified, and its turn.
   * @param again checks the same caller again; throws the Problem that it gets if it may not do this any more
   */
  admit(principal: Principal, costKey: string, turn: Turn, again: () => Promise<Principal>): void {
    this.#principal = principal;
    this.#again = again;
    this.#checkedAt = performance.now();
    this.#costKey = costKey;
    this.#turn = turn;
  }

  /** Public routes do not wait for turns. */
  turn(): Promise<boolean> {
    return this.#takeTurn(false);
  }

  /** @param isLong see `Turn.take` */
  async #takeTurn(isLong: boolean): Promise<boolean> {
    const taken = this.#turn === null ? false : this.#turn.take(isLong);
    return typeof taken === 'boolean' ? taken : waited('wait for a turn', taken);
  }

  standAside(): void {
    this.#turn?.standAside();
  }

  /** Must be called when the request is answered. */
  endTurn(): void {
    this.#turn?.end();
  }

  /** Whom its costs count for: the principal, or the address of an anonymous caller. */
  get costKey(): string {
    return this.#costKey ?? addressKey(this.#request.ip);
  }

  /** Whether the caller is known. */
  get hasPrincipal(): boolean {
    return this.#principal !== null;
  }

  /** The caller has not been identified. */
  get isAnonymous(): boolean {
    return this.#principal === null;
  }

  get principal(): Principal {
    if (this.#principal === null)
      throw new Problem('missing-token', 'This needs an access token, but the endpoint takes none.');
    return this.#principal;
  }

  /** Whether the caller was checked so long ago that its access may have ended. */
  get isCheckedLongAgo(): boolean {
    return this.#again !== null && performance.now() - this.#checkedAt >= accessHoldsForMs;
  }

  async confirmAccess(...activities: readonly string[]): Promise<void> {
    if (this.#again !== null && this.isCheckedLongAgo) {
      this.#principal = await this.#again();
      this.#checkedAt = performance.now();
    }
    const open = this.#principal?.activityCodes ?? [];
    const withdrawn = activities.find((activity) => !open.includes(activity));
    if (withdrawn !== undefined)
      throw new Problem(
        'activity-forbidden',
        `The activity ${withdrawn} was withdrawn while the request was under way.`,
      );
  }

  get query(): readonly QueryPair[] {
    this.#query ??= queryPairs(this.queryText);
    return this.#query;
  }

  get address(): string {
    return this.#request.ip;
  }

  isGone(): boolean {
    return this.#request.raw.socket.destroyed;
  }

  get gone(): AbortSignal {
    return endOf(this.#request.raw.socket);
  }

  async body(): Promise<Buffer> {
    const reader = this.#reader();
    const arrived = isLong(this.#request) ? await this.#turn?.intake() : undefined;
    const bytes = await reader.whole().finally(arrived);
    this.#bodyArrived(bytes.length);
    await this.#takeTurn(bytes.length > maxShortBodyBytes);
    await this.confirmAccess();
    return bytes;
  }

  bodyStream(): Readable {
    return this.#reader().stream();
  }

  bodyArrived(): number {
    return this.#reader().arrived();
  }

  #reader(): RequestBody {
    if (this.#body === null) throw new Error('The route says that it takes no body.');
    return this.#body;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  }
}

/** Longer than what arrives with the header fields, or soon after. */
function isLong({ headers }: FastifyRequest): boolean {
  return announcesBody(headers) && !(Number(headers['content-length']) <= 65_536);
}

/** One signal per connection, shared by all requests on it. */
const ends = new WeakMap<Socket, AbortSignal>();

function endOf(socket: Socket): AbortSignal {
  const known = ends.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  ends.set(socket, controller.signal);
  return controller.signal;
}
