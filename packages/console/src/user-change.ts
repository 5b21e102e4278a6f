// Keeps what one user has read and begun from the next one at the same browser.
import type { QueryClient } from '@tanstack/react-query';
import { isSigningOut, type SignInKind, signInKinds, userOf, watchSession, watchSignOutElsewhere } from './session.ts';

/** Cached, but not read from the service: secrets that are stored nowhere else (`operator/administration`). */
export const unsavedKey = 'unsaved';

/** Lines of a file that is still to be saved, or has been. */
export interface Unsaved {
  readonly lines: readonly string[];
  readonly isSaved: boolean;
}

/** How many secrets and links a sign-out would forget that are in no file yet. */
export function unsavedCount(queries: QueryClient): number {
  const kept = queries.getQueriesData<Unsaved>({ queryKey: [unsavedKey] });
  return kept.reduce((sum, [, file]) => sum + (file === undefined || file.isSaved ? 0 : file.lines.length), 0);
}

/** What operators read from the platform interface is cached under this. */
const operatorKey = 'platform';

/**
 * From now on nothing that was read outlives its sign-in, and nothing that was begun outlives a sign-out, on whichever
 * page of the browser, or the sign-in of somebody else. A sign-in that ends by itself keeps what was begun.
 */
export function forgetPreviousUsers(queries: QueryClient): void {
  const forgetEverything = (): void => {
    sessionStorage.clear();
    queries.clear();
  };
  let before = signInKinds.map(userOf);
  const look = (): void => {
    const now = signInKinds.map(userOf);
    const gone = signInKinds.filter((_kind, index) => before[index] !== null && before[index] !== now[index]);
    before = now;
    for (const kind of gone) queries.removeQueries({ predicate: ({ queryKey }) => isReadBy(kind, queryKey[0]) });
    if ((gone.length > 0 && isSigningOut()) || isAnotherUser()) forgetEverything();
    rememberUsers();
  };
  look();
  watchSession(look);
  watchSignOutElsewhere(forgetEverything);
}

function isReadBy(kind: SignInKind, key: unknown): boolean {
  const isOperators = key === operatorKey;
  return kind === 'operator' ? isOperators : !isOperators && key !== unsavedKey;
}

/** Whether somebody else was signed in on this page before. */
function isAnotherUser(): boolean {
  return signInKinds.some((kind) => {
    const [last, now] = [sessionStorage.getItem(nameOf(kind)), userOf(kind)];
    return last !== null && now !== null && last !== now;
  });
}

function rememberUsers(): void {
  for (const kind of signInKinds) {
    const user = userOf(kind);
    if (user !== null) sessionStorage.setItem(nameOf(kind), user);
  }
}

function nameOf(kind: SignInKind): string {
  return `console-user-${kind}`;
}
