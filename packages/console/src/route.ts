// The current place in the console: a path and parameters after the # of the address, so that links, back, forward and
// reload work, and no path of the server's interfaces is occupied.
import { useSyncExternalStore } from 'react';

export interface Place {
  /** Decoded parts of the path: `#/orders/ACM/1` is `['orders', 'ACM', '1']`. */
  readonly parts: readonly string[];
  readonly parameters: URLSearchParams;
}

/** The address of a place, for links. */
export function placeAddress(
  parts: readonly string[],
  parameters: Readonly<Record<string, string | null>> = {},
): string {
  const query = new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== ''),
  );
  const path = `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Goes to a place. @param replace the current place should not remain in the history */
export function goTo(address: string, replace = false): void {
  if (!replace) {
    window.location.hash = address;
    return;
  }
  window.history.replaceState(null, '', address);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(watch, () => window.location.hash);
  return placeOf(hash);
}

export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { parts: path === '' ? [] : path.split('/').map(decoded), parameters: new URLSearchParams(query) };
}

function watch(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
