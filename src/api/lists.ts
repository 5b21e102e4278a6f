// The handler of all nine lists: revision → 304 or cached page, else plan → store → answer with its cursors.
import { hash, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matches, notModified } from '../http/conditional.ts';
import { costKeyOf } from '../http/cost-key.ts';
import type { Answer, Call, Handling } from '../http/route.ts';
import { compositeKey } from '../model/composite-key.ts';
import { createGrowingCache } from '../model/growing-cache.ts';
import { readText } from '../model/filter-values.ts';
import { thenMaybe, type MaybePromise } from '../model/maybe-promise.ts';
import { formatInstant } from '../model/instant.ts';
import { type ListRequest, type PlannedList, planList } from '../model/list.ts';
import { Problem } from '../model/problem.ts';
import { formOf } from '../model/body-form.ts';
import { characters } from '../model/text.ts';
import { accessOf } from '../store/access-path.ts';
import type { Reader } from '../store/engine.ts';
import type { Revision, Store } from '../store/store.ts';
import { type ListEndpoint, listEndpoint, type Parent } from './list-endpoints.ts';

/** What the lists depend on. */
export interface ListDependencies {
  readonly store: Store;
  /** Key of the cursors' signatures. */
  readonly cursorSecret: KeyObject;
  /** Public address of the interface, without a slash at the end. */
  readonly baseUrl: string;
  readonly pages: PageCache;
  /** Milliseconds. */
  readonly now: () => number;
}

/** An answer whose whole body is in memory. */
type PageAnswer = Answer & { readonly body: Buffer };

type PageCache = LRUCache<string, PageAnswer>;

/** A cache of rendered pages. Its keys contain the revision, so that an entry can never be stale. */
export function createPageCache(megabytes: number): PageCache {
  const maxSize = Math.max(megabytes * 1_048_576, 1);
  return new LRUCache({
    maxSize,
    maxEntrySize: maxSize,
    sizeCalculation: (answer, key) => key.length + 1000 + answer.body.length,
  });
}

/**
 * Makes the handler of one list (interface 4.1 to 4.11; decisions D10 to D19, D43, D44).
 * @param path of the list in the route table
 * @returns handler that throws the Problems of `planList`, and `not-found` for an unknown parent
 */
export function listHandling(dependencies: ListDependencies, path: string, operation: string): Handling {
  const { store } = dependencies;
  const endpoint = listEndpoint(operation);
  const list: List = {
    ...dependencies,
    path,
    operation,
    endpoint,
    seen: createGrowingCache(1000),
    last: new WeakMap(),
  };
  return {
    turn: 'own',
    handle: (call) => {
      const asked: ListCall = { list, call, parentValue: parentValueOf(endpoint, call) };
      const expected = store.lists.expectedRevision(endpoint.resource, call.principal.activityCodes);
      if (expected === null) return currentAnswer(asked);
      return thenMaybe(expectedAnswer(asked, expected), (answer) => answer ?? currentAnswer(asked));
    },
    ...(endpoint.silent500 && { silent500: true }),
  };
}

/** One of the nine lists. */
interface List extends ListDependencies {
  readonly path: string;
  readonly operation: string;
  readonly endpoint: ListEndpoint;
  /** Tags of pages that have been read once. */
  readonly seen: LRUCache<string, true>;
  /** The revision that was read last, by the activities of a principal. */
  readonly last: WeakMap<readonly string[], Revision>;
}

/** One request for a list. */
interface ListCall {
  readonly list: List;
  readonly call: Call;
  /** Value by which the path names the parent; '' when there is none. */
  readonly parentValue: string;
}

/** What a request asks for, at a given revision. */
interface Version {
  /** Encoded path relative to the base URL. */
  readonly address: string;
  readonly revision: Revision;
  /** Contains everything that the answer depends on. */
  readonly text: string;
  readonly etag: string;
}

/**
 * The page at the expected revision, read together with the current revision: with a distant engine, this saves a round
 * trip. Null when the revision is another one, and when no page is needed, or one that may take long.
 */
async function expectedAnswer(asked: ListCall, expected: Revision): Promise<Answer | null> {
  const { list, call } = asked;
  const version = versionOf(asked, expected);
  if (matches(call.header('if-none-match'), version.etag) || list.pages.has(version.text)) return null;
  const planned = planList(listRequest(asked));
  if (accessOf(planned.plan) !== 'index') return null;
  await call.turn();
  const reading = freshAnswer(asked, version, planned);
  // The result may not be needed.
  reading.catch(() => undefined);
  if (!isSame(await revisionOf(asked), expected)) return null;
  const answer = await reading;
  keep(list, version, answer);
  return answer;
}

/** The page at the current revision, or the answer that nothing has changed. */
function currentAnswer(asked: ListCall): MaybePromise<Answer> {
  const { list, call } = asked;
  const last = list.last.get(call.principal.activityCodes);
  const before = last === undefined ? null : versionOf(asked, last);
  if (before === null || call.header('if-none-match') !== undefined || list.pages.has(before.text))
    return answerNow(asked, before);
  // Most likely a page has to be read: the revision after the wait for it is the one that counts.
  return call.turn().then(() => answerNow(asked, before));
}

/** @param before what the request asked for at a revision that was read before; null: unknown */
function answerNow(asked: ListCall, before: Version | null): MaybePromise<Answer> {
  return thenMaybe(revisionOf(asked), (revision) => {
    asked.list.last.set(asked.call.principal.activityCodes, revision);
    return answerAt(asked, before?.revision === revision ? before : versionOf(asked, revision));
  });
}

function answerAt(asked: ListCall, version: Version): MaybePromise<Answer> {
  const { list, call } = asked;
  const condition = call.header('if-none-match');
  const unchanged = matches(condition, version.etag);
  // A client that has the tag was answered before; `*` matches any version, but not a request that has to be refused.
  if (unchanged && condition?.trim() !== '*') return notModified(version.etag, { 'Cache-Control': cacheControl });
  const known = list.pages.get(version.text);
  if (known === undefined) return newAnswer(asked, version, unchanged);
  return unchanged ? notModified(version.etag, { 'Cache-Control': cacheControl }) : known;
}

async function newAnswer(asked: ListCall, version: Version, unchanged: boolean): Promise<Answer> {
  // The page has to include what was written while the request waited for its turn.
  if ((await asked.call.turn()) && !isSame(await revisionOf(asked), version.revision)) return currentAnswer(asked);
  const answer = await freshAnswer(asked, version, planList(listRequest(asked)));
  keep(asked.list, version, answer);
  return unchanged ? notModified(version.etag, { 'Cache-Control': cacheControl }) : answer;
}

function revisionOf({ list, call }: ListCall): MaybePromise<Revision> {
  return list.store.lists.revision(list.endpoint.resource, call.principal.activityCodes);
}

function versionOf({ list, call }: ListCall, revision: Revision): Version {
  const address = addressOf(list.path, call);
  const asked = compositeKey(address, call.queryText, list.store.history, formOf(list.endpoint.resource));
  const text = asked + revisionText(revision);
  return { address, revision, text, etag: `W/"${hash('sha1', text, 'base64url')}"` };
}

/**
 * Caches pages that are requested for a second time and do not depend on the time of the request: a walk through a list
 * would only evict everything else.
 */
function keep({ seen, pages }: List, { text, etag }: Version, answer: PageAnswer): void {
  if (answer.headers['Sync-Covered-Until'] !== undefined) return;
  if (seen.has(etag)) pages.set(text, answer);
  else seen.set(etag, true);
}

const cacheControl = 'private, no-cache';

/** Storage returns the same object as long as nothing is written. */
const revisionTexts = new WeakMap<Revision, string>();

function revisionText(revision: Revision): string {
  let text = revisionTexts.get(revision);
  if (text === undefined) {
    text = compositeKey(Object.entries(revision));
    revisionTexts.set(revision, text);
  }
  return text;
}

function isSame(left: Revision, right: Revision): boolean {
  return left === right || revisionText(left) === revisionText(right);
}

async function freshAnswer(
  { list: { store, baseUrl, endpoint }, call, parentValue }: ListCall,
  { address, revision, etag }: Version,
  { plan, activities, continuation }: PlannedList,
): Promise<PageAnswer> {
  const { activityCodes } = call.principal;
  // Read before the page: what is written between the two is on the page and will be delivered again, never missed.
  const covered = plan.updatedSince === null ? null : await store.lists.coveredUntil(activityCodes);
  const page = await store.lists.page(plan, revision, new CallReader(call));
  if (page.count === 0 && endpoint.parent !== null)
    await requireParent(store, endpoint.parent, parentValue, { activities, isNarrowed: activities !== activityCodes });
  const { syncCursor, nextQuery } = continuation(page);
  const headers: Record<string, string> = { ETag: etag, 'Cache-Control': cacheControl };
  if (syncCursor !== null) headers['Sync-Cursor'] = syncCursor;
  if (nextQuery !== null) headers.Link = `<${baseUrl}${address}?${nextQuery}>; rel="next"`;
  if (covered !== null) headers['Sync-Covered-Until'] = formatInstant(covered);
  return { status: 200, headers, body: page.bytes, type: null };
}

/**
 * The reader of a page; creates a signal only for a read that may take long. A class, because every object literal with
 * an accessor has a shape of its own: old-generation memory, in which the accessor retains the request and everything
 * attached to it until that generation is collected.
 */
class CallReader implements Reader {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get client(): string {
    return costKeyOf(this.#call.principal);
  }

  get gone(): AbortSignal {
    return this.#call.gone;
  }
}

function listRequest({ list, call, parentValue }: ListCall): ListRequest {
  const { resource, parent } = list.endpoint;
  return {
    resource,
    endpoint: list.operation,
    activities: call.principal.activityCodes,
    fixed: parent === null ? [] : [{ op: '==', selector: parent.field, value: parentValue }],
    query: call.query,
    now: list.now(),
    secret: list.cursorSecret,
    history: list.store.history,
  };
}

/** @throws Problem when the text cannot name any record: too long, or with characters that no record contains */
function parentValueOf({ parent }: ListEndpoint, call: Call): string {
  if (parent === null) return '';
  const value = readText(call.params[parent.parameter] ?? '');
  if (value === null || characters(value) > parent.max) throw unknownParent(parent);
  return value;
}

async function requireParent(
  store: Store,
  parent: Parent,
  value: string,
  { activities, isNarrowed }: { readonly activities: readonly string[]; readonly isNarrowed: boolean },
): Promise<void> {
  for (const { resource, field } of parent.knownBy) {
    if (await store.lists.exists(resource, activities, field, value)) return;
  }
  throw unknownParent(parent, isNarrowed ? `in activity ${activities.join()}` : undefined);
}

/** The answer is the same for a record that does not exist and for another client's (decision D18). */
function unknownParent({ noun, parameter }: Parent, where = 'among the activities of this token'): Problem {
  return new Problem('resource-not-found', `There is no ${noun} with this ${parameter} ${where}.`);
}

function addressOf(path: string, call: Call): string {
  if (!path.includes('{')) return path;
  return path.replace(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(call.params[name] ?? ''));
}
