// One handler for all nine lists: revision → 304 or known page, else plan → store → answer with its cursors.
import { hash, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matches, notModified } from '../http/conditional.ts';
import type { Answer, Call, Handling } from '../http/route.ts';
import { compositeKey } from '../model/composite-key.ts';
import { readText } from '../model/filter-values.ts';
import { formatInstant } from '../model/instant.ts';
import { type ListRequest, planList } from '../model/list.ts';
import { Problem } from '../model/problem.ts';
import { formOf } from '../model/body-form.ts';
import { characters } from '../model/text.ts';
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
  const { store, pages } = dependencies;
  const endpoint = listEndpoint(operation);
  const seen = new LRUCache<string, true>({ max: 1000 });
  const handle = async (call: Call): Promise<Answer> => {
    const { activityCodes } = call.principal;
    const parentValue = parentValueOf(endpoint, call);
    const revision = await store.lists.revision(endpoint.resource, activityCodes);
    const address = addressOf(path, call);
    const asked = compositeKey(address, call.queryText, store.history, formOf(endpoint.resource));
    const version = asked + revisionText(revision);
    const etag = `W/"${hash('sha1', version, 'base64url')}"`;
    const condition = call.header('if-none-match');
    const unchanged = matches(condition, etag);
    // Who has the tag was answered before; `*` fits whatever there is, but not a request that is to be refused.
    if (unchanged && condition?.trim() !== '*') return notModified(etag, { 'Cache-Control': cacheControl });
    const known = pages.get(version);
    // What was written while the request waited for its turn is to be on its page.
    if (known === undefined && (await call.turn())) {
      const isSame = (await store.lists.revision(endpoint.resource, activityCodes)) === revision;
      if (!isSame) return handle(call);
    }
    const answer =
      known ?? (await freshAnswer(dependencies, call, { operation, endpoint, address, parentValue, revision, etag }));
    // Kept is what is asked for a second time, and does not depend on the time of asking: a walk through a list would
    // only push everything else out.
    if (known === undefined && answer.headers['Sync-Covered-Until'] === undefined) {
      if (seen.has(etag)) pages.set(version, answer);
      else seen.set(etag, true);
    }
    return unchanged ? notModified(etag, { 'Cache-Control': cacheControl }) : answer;
  };
  return { turn: 'own', handle, ...(endpoint.silent500 && { silent500: true }) };
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

/** A list request whose page is not known yet. */
interface FreshRequest {
  readonly operation: string;
  readonly endpoint: ListEndpoint;
  /** Path below the base URL, encoded. */
  readonly address: string;
  /** Value that the path names the parent by; '' where there is none. */
  readonly parentValue: string;
  readonly revision: Revision;
  readonly etag: string;
}

async function freshAnswer(dependencies: ListDependencies, call: Call, fresh: FreshRequest): Promise<PageAnswer> {
  const { store, baseUrl } = dependencies;
  const { endpoint, address, parentValue, revision, etag } = fresh;
  const { activityCodes } = call.principal;
  const { plan, activities, continuation } = planList(listRequest(dependencies, call, fresh));
  // Before the page: what is written between the two is on the page and will be asked for again, never missed.
  const covered = plan.updatedSince === null ? null : await store.lists.coveredUntil(activityCodes);
  const page = await store.lists.page(plan, revision, {
    client: call.principal.clientId,
    // Made only for a read that may take long.
    get gone() {
      return call.gone;
    },
  });
  if (page.count === 0 && endpoint.parent !== null)
    await requireParent(store, endpoint.parent, parentValue, { activities, isNarrowed: activities !== activityCodes });
  const { syncCursor, nextQuery } = continuation(page);
  const headers: Record<string, string> = { ETag: etag, 'Cache-Control': cacheControl };
  if (syncCursor !== null) headers['Sync-Cursor'] = syncCursor;
  if (nextQuery !== null) headers.Link = `<${baseUrl}${address}?${nextQuery}>; rel="next"`;
  if (covered !== null) headers['Sync-Covered-Until'] = formatInstant(covered);
  return { status: 200, headers, body: page.bytes, type: null };
}

function listRequest(
  { store, cursorSecret, now }: ListDependencies,
  call: Call,
  { operation, endpoint: { resource, parent }, parentValue }: FreshRequest,
): ListRequest {
  return {
    resource,
    endpoint: operation,
    activities: call.principal.activityCodes,
    fixed: parent === null ? [] : [{ op: '==', selector: parent.field, value: parentValue }],
    query: call.query,
    now: now(),
    secret: cursorSecret,
    history: store.history,
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
