// Conditional requests: whether the client already has the current version (RFC 9110, section 13.1.2).
import type { Answer } from './route.ts';

/**
 * True when `If-None-Match` names the entity tag, so that the answer is 304. Weak comparison: `W/` makes no difference.
 * Text that is not an entity tag is ignored.
 * @param ifNoneMatch the header, or undefined when it was not sent
 * @param etag the current tag with its quotes, weak or strong
 */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const current = opaque(etag);
  if (ifNoneMatch === etag || ifNoneMatch === current) return true;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag] of ifNoneMatch.matchAll(entityTag)) if (tag === current) return true;
  return false;
}

/**
 * The 304 response. `headers` are those that the 200 would have and that update a cache: `Cache-Control`, `Link`,
 * `Sync-Cursor` and the like (RFC 9110, section 15.4.5).
 */
export function notModified(etag: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 304, headers: { ...headers, etag }, body: null, type: null };
}

const entityTag = /(?:^|,)\s*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?=,|$)/g;

function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag;
}
