// Adjusts V8's garbage collection where its defaults do not suit a server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage of this thread, which blocks it for some hundred milliseconds. To be used after one-time work:
 * V8 otherwise keeps the garbage of a busy minute while the process is idle, possibly for hours.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose_gc');
  if (typeof collect === 'function') collect();
}

/**
 * Limits what is new in threads that are started from now on to 24 MB. What is new in the main thread may take twice as
 * much (the launcher), because requests that wait there are copied each time it is full.
 */
export function limitYoungMemoryOfThreads(): void {
  setFlagsFromString('--max-semi-space-size=8');
}

/**
 * Lets the heap grow to three times the live memory before a full collection. V8 counts the bytes of response pages on
 * their way out, some 40 kB each, as part of the heap. By default, a server of 30 MB does a full collection five times
 * a second, which takes a third as long as all the work for its clients.
 */
export function collectAllSeldom(): void {
  setFlagsFromString('--heap-growing-percent=200');
}
