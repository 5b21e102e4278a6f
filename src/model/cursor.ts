// Cursors: opaque, signed text that says where a list continues and fits only one query of one endpoint.
import { hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { createHmacSha256, type Hmac } from './hmac.ts';
import { isValuePosition } from './plan.ts';
import type { ChangePosition, StoredValue, ValuePosition, WalkStarts } from './plan.ts';
import { Problem } from './problem.ts';
import { textBlock } from './text-block.ts';

/** One decoded query parameter. */
export type QueryPair = readonly [name: string, value: string];

/** What cursors are signed and verified with. */
export interface CursorKey {
  /** Random, and the same on every machine that serves this database. A key object is cheaper to use than text. */
  readonly secret: KeyObject | string;
  /**
   * Name of the history that change numbers belong to (`Store.history`): a cursor of another history cannot be served.
   */
  readonly history: string;
}

/** The content of a cursor. */
export interface CursorContent {
  /** Operation id. */
  readonly endpoint: string;
  /** See `hashQuery`. */
  readonly queryHash: string;
  /** The query to continue, or null when it is too long to carry: the client then repeats it. */
  readonly query: readonly QueryPair[] | null;
  /** Activities that the list was read for. */
  readonly activities: readonly string[];
  /** In change order, a position for each of the activities; null in value order: from the start. */
  readonly position: ChangePosition | ValuePosition | null;
  /** See `ListPlan.walkStarts`. */
  readonly walkStarts: WalkStarts | null;
}

/** Shorter queries (bytes of JSON) are always carried; with the longest place a cursor stays below 4 kB. */
const maxShortQuery = 1000;
/**
 * The longest cursor (characters) that carries a longer query. It is in two headers of a response, and clients and
 * proxies accept some 8 kB of them.
 */
const maxCarryingCursor = 3000;

/** Whether a cursor may carry its query; otherwise the client has to repeat it beside the cursor. */
export function mayCarry(query: readonly QueryPair[], cursor: string): boolean {
  return cursor.length <= maxCarryingCursor || Buffer.byteLength(JSON.stringify(query)) <= maxShortQuery;
}

/** Makes the text of a cursor: letters, digits, `-` and `_`. */
export function signCursor(content: CursorContent, key: CursorKey): string {
  const { endpoint, queryHash, query } = content;
  const place = placeOf(content);
  const version = isChangePosition(place) ? changeVersion : placeVersion;
  const text = Buffer.from(JSON.stringify([version, historyTag(key.history), endpoint, queryHash, query ?? 0, place]));
  const payload = text.length > maxPlainText ? deflateSync(text) : text;
  const cursor = Buffer.concat([sign(payload, key.secret), payload]).toString('base64url');
  signed.set(cursor, { secret: key.secret, history: key.history, content });
  return cursor;
}

/**
 * Reads a cursor.
 * @throws Problem `invalid-cursor` unless it is exactly what `signCursor` made; `cursor-mismatch` when it was made for
 *   another endpoint; `cursor-expired` when it was made in an earlier cursor format or for another history
 */
export function readCursor(text: string, endpoint: string, key: CursorKey): CursorContent {
  const own = signed.get(text);
  if (own?.secret === key.secret && own.history === key.history && own.content.endpoint === endpoint)
    return own.content;
  const bytes = Buffer.from(text, 'base64url');
  const payload = bytes.subarray(macLength);
  // The decoder ignores foreign characters and spare bits, so many texts would decode to the same bytes.
  if (bytes.toString('base64url') !== text || bytes.length <= macLength) throw invalidCursor();
  if (!timingSafeEqual(sign(payload, key.secret), bytes.subarray(0, macLength))) throw invalidCursor();
  const parts: unknown = JSON.parse((payload[0] === compressed ? inflated(payload) : payload).toString());
  if (!Array.isArray(parts)) throw invalidCursor();
  const [madeBy, madeIn, madeFor, queryHash, query, place]: unknown[] = parts;
  if ((madeBy !== changeVersion && madeBy !== placeVersion) || madeIn !== historyTag(key.history))
    throw expiredCursor();
  if (typeof queryHash !== 'string') throw invalidCursor();
  if (madeFor !== endpoint)
    throw mismatchedCursor('The cursor is one of another list: send it there, or start anew without it.');
  const carried = Array.isArray(query) && query.every(isPair) ? query : null;
  // The first version encoded positions in value order differently.
  if (madeBy === changeVersion && Array.isArray(place)) throw expiredCursor();
  return { endpoint, queryHash, query: carried, ...readPlace(place) };
}

/**
 * The cursors that this process signed most recently: in a walk, a cursor comes back at once, and then costs only a
 * look-up. The cache is small because objects that survive two collections of the young generation are copied and kept
 * until the old one is collected; with thousands of entries that cost more than it saved.
 */
const signed = new LRUCache<string, CursorKey & { readonly content: CursorContent }>({ max: 100 });

/** Fingerprint (16 characters) of what a cursor is bound to besides endpoint and activities; any JSON value. */
export function hashQuery(value: unknown): string {
  const text = JSON.stringify(value);
  let hashed = text.length > maxKnownQuery ? undefined : hashes.get(text);
  if (hashed === undefined) {
    hashed = hash('sha256', text, 'base64url').slice(0, 16);
    if (text.length <= maxKnownQuery) hashes.set(text, hashed);
  }
  return hashed;
}

/** Clients repeat the same few queries. */
const hashes = new LRUCache<string, string>({ max: 1000 });
const maxKnownQuery = 500;

/** The 400 for text that this service did not issue as a cursor. */
export function invalidCursor(): Problem {
  return cursorProblem(
    'invalid-cursor',
    textBlock`
      The cursor is not one that this service gave out: use the text of Link or Sync-Cursor unchanged, or leave it out
      to start anew.
    `,
  );
}

/** The 400 for a cursor that belongs to another endpoint or query, or to other activities. */
export function mismatchedCursor(detail: string): Problem {
  return cursorProblem('cursor-mismatch', detail);
}

/** The 410 for a cursor whose position can no longer be served, such as one beyond the last change. */
export function expiredCursor(): Problem {
  return cursorProblem(
    'cursor-expired',
    'The cursor can no longer be served: read the list again from its start and keep the new cursors.',
  );
}

/**
 * Raised when the format of the payload changes. Clients keep positions in change order for ever; the others last for
 * one walk.
 */
const changeVersion = 1;
const placeVersion = 2;
const macLength = 16;
/**
 * Longer text is compressed: positions in 500 activities have to fit in a URL, and twice in the headers of one
 * response.
 */
const maxPlainText = 1500;
/** The most bytes that a compressed cursor may expand to: positions in thousands of activities. */
const maxInflatedBytes = 262_144;
/** The first byte of compressed text (RFC 1950, section 2.2); JSON never starts with it. */
const compressed = 0x78;

function cursorProblem(slug: 'invalid-cursor' | 'cursor-mismatch' | 'cursor-expired', detail: string): Problem {
  return new Problem(slug, detail, { parameter: 'cursor', errors: { cursor: [detail] } });
}

function sign(payload: Buffer, secret: KeyObject | string): Buffer {
  let hmac = hmacs.get(secret);
  if (hmac === undefined) {
    hmac = createHmacSha256(secret);
    hmacs.set(secret, hmac);
  }
  return hmac(payload).subarray(0, macLength);
}

/** A server has only one secret. */
const hmacs = new LRUCache<KeyObject | string, Hmac>({ max: 10 });

/** The signed payload is ours and short; it is bounded nevertheless, because 8 kB could expand to 8 MB. */
function inflated(payload: Buffer): Buffer {
  try {
    return inflateSync(payload, { maxOutputLength: maxInflatedBytes });
  } catch {
    throw invalidCursor();
  }
}

const historyTags = new LRUCache<string, string>({ max: 100 });

function historyTag(history: string): string {
  let tag = historyTags.get(history);
  if (tag === undefined) {
    tag = hashQuery(history).slice(0, 8);
    historyTags.set(history, tag);
  }
  return tag;
}

function isPair(value: unknown): value is QueryPair {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

function isChangePosition(value: unknown): value is ChangePosition {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(Number.isSafeInteger)
  );
}

/**
 * How a cursor encodes its place: a plain position in change order, the same within an image, or a position in value
 * order.
 */
type Place = ChangePosition | ImagePlace | ValuePlace;
type ImagePlace = readonly [position: ChangePosition, images: WalkStarts];
type ValuePlace = readonly [activities: readonly string[], last: LastRecord | null, images: WalkStarts | null];
type LastRecord = readonly [values: readonly (StoredValue | null)[], activity: string, tieBreaker: StoredValue];

function placeOf({ activities, position, walkStarts }: CursorContent): Place {
  if (position === null) return [activities, null, walkStarts];
  if (isValuePosition(position))
    return [activities, [position.values, position.activity, position.tieBreaker], walkStarts];
  return walkStarts === null ? position : [position, walkStarts];
}

function readPlace(place: unknown): Pick<CursorContent, 'activities' | 'position' | 'walkStarts'> {
  if (isChangePosition(place)) return { activities: Object.keys(place), position: place, walkStarts: null };
  if (isImagePlace(place)) return { activities: Object.keys(place[0]), position: place[0], walkStarts: place[1] };
  if (!isValuePlace(place)) throw invalidCursor();
  const [activities, last, walkStarts] = place;
  return { activities, position: last && { values: last[0], activity: last[1], tieBreaker: last[2] }, walkStarts };
}

function isImagePlace(value: unknown): value is ImagePlace {
  return Array.isArray(value) && value.length === 2 && value.every(isChangePosition);
}

function isValuePlace(value: unknown): value is ValuePlace {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [activities, last, images]: unknown[] = value;
  if (!Array.isArray(activities) || !activities.every((activity) => typeof activity === 'string')) return false;
  return (images === null || isChangePosition(images)) && (last === null || isLastRecord(last));
}

function isLastRecord(value: unknown): value is LastRecord {
  if (!Array.isArray(value)) return false;
  const [values, activity, tieBreaker]: unknown[] = value;
  const tied = isStoredOrNull(tieBreaker) && tieBreaker !== null;
  return Array.isArray(values) && values.every(isStoredOrNull) && typeof activity === 'string' && tied;
}

function isStoredOrNull(value: unknown): value is StoredValue | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
