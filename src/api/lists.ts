// The handler of every list: revision → 304 or cached page, else plan → store → answer with its cursors.
import { hash, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matches, notModified } from '../http/conditional.ts';
import { costKeyOf } from '../http/cost-key.ts';
import type { Answer, Call, Handling } from '../http/route.ts';
import { compositeKey } from '../model/composite-key.ts';
import { createGrowingCache } from '../model/growing-cache.ts';
import { thenMaybe, type MaybePromise } from '../model/maybe-promise.ts';
import { formatInstant } from '../model/instant.ts';
import { type ListRequest, type PlannedList, planList } from '../model/list.ts';
import { formOf } from '../model/body-form.ts';
import { accessOf } from '../store/access-path.ts';
import type { Reader } from '../store/engine.ts';
import type { Revision, Store } from '../store/store.ts';
import { type ListEndpoint, listEndpoint } from './list-endpoints.ts';
import { parentValueOf, requireParent } from './list-parents.ts';

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

/** One list. */
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
  /** The tag of an empty list of a parent, which may become unknown while the list stays. Null: there is no parent. */
  readonly emptyEtag: string | null;
}

/**
 * The page at the expected revision, read together with the current revision: with a distant engine, this saves a round
 * trip. Null when the revision is another one, and when no page is needed, or one that may take long.
 */
async function expectedAnswer(asked: ListCall, expected: Revision): Promise<Answer | null> {
  const { list, call } = asked;
  const version = versionOf(asked, expected);
  if (heldTag(call, version) !== null || list.pages.has(version.text)) return null;
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
  const held = heldTag(call, version);
  // A client that has the tag was answered before; `*` matches any version, but not a request that has to be refused.
  const isAny = call.header('if-none-match')?.trim() === '*';
  if (held === version.etag && !isAny) return unchanged(held);
  const known = list.pages.get(version.text);
  if (known === undefined) return newAnswer(asked, version, isAny ? null : held);
  return isAny ? unchanged(version.etag) : known;
}

/** The tag of the version that the client names; null when it names another one, or none. */
function heldTag(call: Call, { etag, emptyEtag }: Version): string | null {
  const condition = call.header('if-none-match');
  if (matches(condition, etag)) return etag;
  return emptyEtag !== null && matches(condition, emptyEtag) ? emptyEtag : null;
}

function unchanged(etag: string): Answer {
  return notModified(etag, { 'Cache-Control': cacheControl });
}

/** @param held the tag of an empty page that the client has: only its parent is looked up */
async function newAnswer(asked: ListCall, version: Version, held: string | null): Promise<Answer> {
  // The page has to include what was written while the request waited for its turn.
  if ((await asked.call.turn()) && !isSame(await revisionOf(asked), version.revision)) return currentAnswer(asked);
  const planned = planList(listRequest(asked));
  if (held !== null) {
    await checkParent(asked, planned);
    return unchanged(held);
  }
  const answer = await freshAnswer(asked, version, planned);
  keep(asked.list, version, answer);
  const { ETag: etag = version.etag } = answer.headers;
  return matches(asked.call.header('if-none-match'), etag) ? unchanged(etag) : answer;
}

function revisionOf({ list, call }: ListCall): MaybePromise<Revision> {
  return list.store.lists.revision(list.endpoint.resource, call.principal.activityCodes);
}

function versionOf({ list, call }: ListCall, revision: Revision): Version {
  const address = addressOf(list.path, call);
  const asked = compositeKey(address, call.queryText, list.store.history, formOf(list.endpoint.resource));
  const text = asked + revisionText(revision);
  const tag = hash('sha1', text, 'base64url');
  return { address, revision, text, etag: `W/"${tag}"`, emptyEtag: list.endpoint.parent && `W/"${tag}-0"` };
}

/**
 * Caches pages that are requested for a second time and depend neither on the time of the request nor on a parent: a
 * walk through a list would only evict everything else.
 */
function keep({ seen, pages }: List, { text, etag, emptyEtag }: Version, answer: PageAnswer): void {
  const { headers } = answer;
  if (headers['Sync-Covered-Until'] !== undefined || headers.ETag === emptyEtag) return;
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
  asked: ListCall,
  { address, revision, etag, emptyEtag }: Version,
  planned: PlannedList,
): Promise<PageAnswer> {
  const { list, call } = asked;
  const { store, baseUrl } = list;
  const { plan, continuation } = planned;
  // Read before the page: what is written between the two is on the page and will be delivered again, never missed.
  const covered = plan.updatedSince === null ? null : await store.lists.coveredUntil(call.principal.activityCodes);
  const page = await store.lists.page(plan, revision, new CallReader(call));
  if (page.count === 0) await checkParent(asked, planned);
  const { syncCursor, nextQuery } = continuation(page);
  const headers: Record<string, string> = {
    ETag: page.count === 0 ? (emptyEtag ?? etag) : etag,
    'Cache-Control': cacheControl,
  };
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

async function checkParent({ list, call, parentValue }: ListCall, { activities }: PlannedList): Promise<void> {
  const isNarrowed = activities !== call.principal.activityCodes;
  await requireParent(list.store, list.endpoint.parent, parentValue, { activities, isNarrowed });
}

function addressOf(path: string, call: Call): string {
  if (!path.includes('{')) return path;
  return path.replace(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(call.params[name] ?? ''));
}
