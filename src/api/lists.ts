// One handler for all nine lists: revision → 304 or known page, else plan → store → answer with its cursors.
import { hash, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matches, notModified } from '../http/conditional.ts';
import type { Answer, Call, Handling } from '../http/route.ts';
import { compositeKey } from '../model/composite-key.ts';
import { readText } from '../model/filter-values.ts';
import { formatInstant } from '../model/instant.ts';
import { type ListRequest, type PlannedList, planList } from '../model/list.ts';
import { Problem } from '../model/problem.ts';
import { formOf } from '../model/body-form.ts';
import { characters } from '../model/text.ts';
import { accessOf } from '../store/access-path.ts';
import type { Reader } from '../store/engine.ts';
import type { Revision, Store } from '../store/store.ts';
import { type ListEndpoint, listEndpoint, type Parent } from './list-endpoints.ts';

/** What the lists need. */
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

/** An answer whose body is held whole. */
type PageAnswer = Answer & { readonly body: Buffer };

type PageCache = LRUCache<string, PageAnswer>;

/** A cache of rendered pages. Its keys contain the revision, so that an entry can never be out of date. */
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
 * @param path of the list as the route table has it
 * @returns handler that throws the Problems of `planList`, and `not-found` for an unknown parent
 */
export function listHandling(dependencies: ListDependencies, path: string, operation: string): Handling {
  const endpoint = listEndpoint(operation);
  const list: List = { ...dependencies, path, operation, endpoint, seen: new LRUCache({ max: 1000 }) };
  return {
    turn: 'own',
    handle: async (call) => {
      const asked: Asked = { list, call, parentValue: parentValueOf(endpoint, call) };
      return (await expectedAnswer(asked)) ?? currentAnswer(asked);
    },
    ...(endpoint.silent500 && { silent500: true }),
  };
}

/** One of the nine lists. */
interface List extends ListDependencies {
  readonly path: string;
  readonly operation: string;
  readonly endpoint: ListEndpoint;
  /** Tags of pages that were read once. */
  readonly seen: LRUCache<string, true>;
}

/** One request for a list. */
interface Asked {
  readonly list: List;
  readonly call: Call;
  /** Value that the path names the parent by; '' where there is none. */
  readonly parentValue: string;
}

/** What a request asks for, as of a revision. */
interface Version {
  /** Path below the base URL, encoded. */
  readonly address: string;
  readonly revision: Revision;
  /** Differs with whatever the answer depends on. */
  readonly text: string;
  readonly etag: string;
}

/**
 * The page of the revision that is expected, asked for together with the one that there is: where the engine is far
 * away, for the price of one of the two. Null where that is another one, and where no page is wanted, or one that may
 * take long.
 */
async function expectedAnswer(asked: Asked): Promise<Answer | null> {
  const { list, call } = asked;
  const expected = list.store.lists.expectedRevision(list.endpoint.resource, call.principal.activityCodes);
  if (expected === null) return null;
  const version = versionOf(asked, expected);
  if (matches(call.header('if-none-match'), version.etag) || list.pages.has(version.text)) return null;
  const planned = planList(listRequest(asked));
  if (accessOf(planned.plan) !== 'index') return null;
  await call.turn();
  const reading = freshAnswer(asked, version, planned);
  // It may not be wanted.
  reading.catch(() => undefined);
  if (!isSame(await revisionOf(asked), expected)) return null;
  const answer = await reading;
  keep(list, version, answer);
  return answer;
}

/** The page of the revision that there is, or that there is nothing new. */
async function currentAnswer(asked: Asked): Promise<Answer> {
  const { list, call } = asked;
  const version = versionOf(asked, await revisionOf(asked));
  const condition = call.header('if-none-match');
  const unchanged = matches(condition, version.etag);
  // Who has the tag was answered before; `*` fits whatever there is, but not a request that is to be refused.
  if (unchanged && condition?.trim() !== '*') return notModified(version.etag, { 'Cache-Control': cacheControl });
  const known = list.pages.get(version.text);
  // What was written while the request waited for its turn is to be on its page.
  if (known === undefined && (await call.turn()) && !isSame(await revisionOf(asked), version.revision))
    return currentAnswer(asked);
  const answer = known ?? (await freshAnswer(asked, version, planList(listRequest(asked))));
  if (known === undefined) keep(list, version, answer);
  return unchanged ? notModified(version.etag, { 'Cache-Control': cacheControl }) : answer;
}

function revisionOf({ list, call }: Asked): Promise<Revision> {
  return list.store.lists.revision(list.endpoint.resource, call.principal.activityCodes);
}

function versionOf({ list, call }: Asked, revision: Revision): Version {
  const address = addressOf(list.path, call);
  const asked = compositeKey(address, call.queryText, list.store.history, formOf(list.endpoint.resource));
  const text = asked + revisionText(revision);
  return { address, revision, text, etag: `W/"${hash('sha1', text, 'base64url')}"` };
}

/**
 * Keeps what is asked for a second time, and does not depend on the time of asking: a walk through a list would only
 * push everything else out.
 */
function keep({ seen, pages }: List, { text, etag }: Version, answer: PageAnswer): void {
  if (answer.headers['Sync-Covered-Until'] !== undefined) return;
  if (seen.has(etag)) pages.set(text, answer);
  else seen.set(etag, true);
}

const cacheControl = 'private, no-cache';

/** Storage gives the same object as long as nothing is written. */
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
  { list: { store, baseUrl, endpoint }, call, parentValue }: Asked,
  { address, revision, etag }: Version,
  { plan, activities, continuation }: PlannedList,
): Promise<PageAnswer> {
  const { activityCodes } = call.principal;
  // Before the page: what is written between the two is on the page and will be asked for again, never missed.
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
 * Who reads a page; the signal is made only for a read that may take long. A class, because an object literal with an
 * accessor has a shape of its own each time: old memory, in which the accessor keeps the request and all that hangs on
 * it until old memory is collected.
 */
class CallReader implements Reader {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get client(): string {
    return this.#call.principal.clientId;
  }

  get gone(): AbortSignal {
    return this.#call.gone;
  }
}

function listRequest({ list, call, parentValue }: Asked): ListRequest {
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

/** @throws Problem when the text can name no record at all: too long, or with characters that no record holds */
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

/** The answer is the same for a record that does not exist and for somebody else's (decision D18). */
function unknownParent({ noun, parameter }: Parent, where = 'among the activities of this token'): Problem {
  return new Problem('resource-not-found', `There is no ${noun} with this ${parameter} ${where}.`);
}

function addressOf(path: string, call: Call): string {
  if (!path.includes('{')) return path;
  return path.replace(/\{(\w+)\}/g, (_text, name: string) => encodeURIComponent(call.params[name] ?? ''));
}
