// Results that are mostly known at once: continuing with them without waiting costs no promise.

/** A result, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a result: at once if it is known, otherwise when it is. */
export function thenMaybe<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}
