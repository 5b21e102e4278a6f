// The turn of one request: when its work may begin, and for whom it counts until it ends.
import { Refused } from '../model/fair-queue.ts';
import { Problem } from '../model/problem.ts';
import { type Lane, type Lanes, type Place, tooMany } from './admission-lanes.ts';

/**
 * The kind of a request: a write keeps its place to its end, because other writes would only wait for it in the
 * database. `outside` is a read that spends its time outside of this server, such as at a carrier: once it has lasted
 * for a quarter of a second, it stands aside.
 */
export type RequestKind = 'read' | 'write' | 'outside';

/** The turn of one request. */
export interface Turn {
  /**
   * Waits for the turn; returns at once if it has already come.
   * @param isLong a long write: those have places of their own, because they keep them while they leave time to others
   *   (`api/long-write-turns.ts`)
   * @returns whether it had to wait
   * @throws Shed; Problem 503 when the client has gone away
   */
  readonly take: (isLong?: boolean) => boolean | Promise<boolean>;
  /**
   * Waits until a body may be received, which is subject to turns as well.
   * @returns a function to call when it has arrived
   * @throws like `take`
   */
  readonly intake: () => Promise<() => void>;
  /**
   * To be called when the request begins to wait for something outside of this server: for its client to read the
   * answer, or for something new. It gives its place back, and counts for its client alone: many that only wait are no
   * overload, and keep nobody else out.
   */
  readonly standAside: () => void;
  /** Must be called once, when the request is answered, even if the turn was never taken. */
  readonly end: () => void;
}

/**
 * A request that may have to wait. `gone` is aborted when its client goes away; it is read only if the request does
 * wait.
 */
export interface Waiting {
  readonly gone: AbortSignal;
}

/** A class because one is created for every request: its members cost nothing until they are used. */
export class RequestTurn implements Turn {
  readonly #lanes: Lanes;
  readonly #kind: RequestKind;
  readonly #costKey: string;
  readonly #waiting: Waiting;
  #state: 'new' | 'open' | 'aside' | 'over' = 'new';
  #place: Place | null = null;

  constructor(lanes: Lanes, kind: RequestKind, costKey: string, waiting: Waiting) {
    this.#lanes = lanes;
    this.#kind = kind;
    this.#costKey = costKey;
    this.#waiting = waiting;
  }

  take(isLong = false): boolean | Promise<boolean> {
    if (this.#state !== 'new') return false;
    this.#lanes.open(this.#costKey);
    this.#state = 'open';
    const lane = laneOf(this.#kind, isLong);
    const leave = this.#lanes.lanes[lane].enterAtOnce(this.#costKey);
    if (leave === null) return this.#wait(lane);
    this.#place = this.#placeOf(lane, leave);
    return false;
  }

  async intake(): Promise<() => void> {
    const leave = await this.#enter('intake');
    const place = this.#lanes.placeOf('intake', leave, leave);
    return () => this.#lanes.leave(place);
  }

  standAside(): void {
    if (this.#state !== 'open') return;
    this.#state = 'aside';
    this.#lanes.standAside(this.#costKey);
    this.#leave();
  }

  end(): void {
    if (this.#state !== 'open' && this.#state !== 'aside') return;
    this.#lanes.close(this.#costKey, this.#state === 'aside');
    this.#state = 'over';
    this.#leave();
  }

  #leave(): void {
    if (this.#place !== null) this.#lanes.leave(this.#place);
    this.#place = null;
  }

  #placeOf(lane: Lane, leave: () => void): Place {
    const expire = this.#kind === 'outside' ? () => this.standAside() : leave;
    return this.#lanes.placeOf(lane, leave, expire);
  }

  async #wait(lane: Lane): Promise<boolean> {
    const leave = await this.#enter(lane);
    await this.#lanes.pace();
    const place = this.#placeOf(lane, leave);
    if (this.#state === 'over') this.#lanes.leave(place);
    else this.#place = place;
    return true;
  }

  async #enter(lane: Lane): Promise<() => void> {
    const queue = this.#lanes.lanes[lane];
    try {
      return queue.enterAtOnce(this.#costKey) ?? (await queue.enter(this.#costKey, this.#waiting.gone));
    } catch (error) {
      throw error instanceof Refused ? refusal(error) : error;
    }
  }
}

function laneOf(kind: RequestKind, isLong: boolean): Lane {
  if (kind === 'write') return isLong ? 'longWrite' : 'write';
  return 'read';
}

function refusal({ by, isLate }: Refused): Problem {
  if (isLate) return tooMany.tooLate;
  if (by === 'client') return tooMany.ofClient;
  if (by === 'others') return tooMany.ofAll;
  return new Problem(
    'unavailable',
    by === 'gone' ? 'The client closed the connection.' : 'The service is stopping.',
    {},
    { 'retry-after': '5' },
  );
}
