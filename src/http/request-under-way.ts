// Tells long work which requests are in progress beside it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { requestUnderWay } from '../model/cooperative-yield.ts';
import { maxShortBodyBytes } from '../model/short-writes.ts';
import { announcesBody } from './body-rules.ts';
import type { Route } from './route.ts';

/** A request in progress. */
interface UnderWay {
  /** To be called with the length of its body, once that is there. */
  readonly bodyArrived: (bytes: number) => void;
  /** To be called when the request has been answered; further calls do nothing. */
  readonly end: () => void;
}

const nothing = (): void => undefined;

/**
 * Feeds and long writes give way to a request where it is short. A body that is received as it arrives may be that of a
 * feed, or as slow as its connection: nothing gives way to it.
 */
export function underWay({ method, turn }: Route, { headers }: IncomingMessage): UnderWay {
  if (method === 'GET') return { bodyArrived: nothing, end: requestUnderWay('read') };
  if (turn === 'own') return { bodyArrived: nothing, end: nothing };
  if (hasShortBody(headers)) return { bodyArrived: nothing, end: requestUnderWay('shortWrite') };
  let end = requestUnderWay('longWrite');
  return {
    bodyArrived: (bytes) => {
      if (bytes > maxShortBodyBytes) return;
      end();
      end = requestUnderWay('shortWrite');
    },
    end: () => end(),
  };
}

/** What a compressed body will be, or one in chunks, is not known before it is there. */
function hasShortBody(headers: IncomingHttpHeaders): boolean {
  if (!announcesBody(headers)) return true;
  return headers['content-encoding'] === undefined && Number(headers['content-length']) <= maxShortBodyBytes;
}
