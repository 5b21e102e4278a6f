// In charge of how V8 collects garbage, where its own way does not suit a server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects all garbage of this thread, and does nothing else meanwhile: some hundred milliseconds. For what is done
 * once: V8 keeps the garbage of a busy minute for as long as the process has little to do, which may be hours.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose_gc');
  if (typeof collect === 'function') collect();
}

/**
 * Lets memory grow to three times what is alive before all of it is looked through. V8 counts the bytes of pages on
 * their way out as part of it, some 40 kB each: left alone, a server of 30 MB looks through everything five times a
 * second, which takes a third as long as all that it does for its clients.
 */
export function collectAllSeldom(): void {
  setFlagsFromString('--heap-growing-percent=200');
}
