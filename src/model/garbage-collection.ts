// Adjusts V8's garbage collection where its defaults do not suit a server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage of this thread and returns the memory to the system, which blocks the thread for one or two
 * tenths of a second. To be used after one-time work: V8 otherwise keeps the garbage of a busy minute while the process
 * is idle, possibly for hours. A collection on request alone keeps 30 MB of pages for later.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose_gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
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
