// Tells long work which requests are in progress beside it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { requestUnderWay } from '../model/cooperative-yield.ts';
import { maxShortBodyBytes } from '../model/short-writes.ts';
import type { Route } from './route.ts';

/**
 * Feeds and long writes give way to a request where it is short. A body that is received as it arrives may be that of a
 * feed, or as slow as its connection: nothing gives way to it.
 * @returns a function to call when the request has been answered; further calls do nothing
 */
export function underWay({ method, turn }: Route, { headers }: IncomingMessage): () => void {
  if (method === 'GET') return requestUnderWay('read');
  if (turn === 'own') return () => undefined;
  return requestUnderWay(hasShortBody(headers) ? 'shortWrite' : 'longWrite');
}

/** What a compressed body will be is not known yet. */
function hasShortBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-encoding'] === undefined && Number(headers['content-length']) <= maxShortBodyBytes;
}
