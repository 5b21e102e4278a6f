// What every page of the console may use: its settings, and the session of the signed-in user.
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import { isEndingOpen, isSignedIn, operatorRoles, type Session, type SignInKind, watchSession } from './session.ts';
import type { Settings } from './settings.ts';

export const SettingsContext = createContext<Settings | null>(null);
export const SessionContext = createContext<Session | null>(null);

export function useSettings(): Settings {
  return given(useContext(SettingsContext));
}

/** Only below the sign-in. */
export function useSession(): Session {
  return given(useContext(SessionContext));
}

/** Whether somebody has signed in, on any page of the browser. */
export function useSignedIn(kind: SignInKind): boolean {
  return useSyncExternalStore(watchSession, () => isSignedIn(kind));
}

/** Whether somebody has signed out and the service could not be notified. */
export function useEndingOpen(): boolean {
  return useSyncExternalStore(watchSession, isEndingOpen);
}

/** Roles of the signed-in operator; null: nobody is signed in, or the roles are not known yet. */
export function useOperatorRoles(): readonly string[] | null {
  const text = useSyncExternalStore(watchSession, operatorRoles);
  return useMemo(() => text?.split(' ').filter((role) => role !== '') ?? null, [text]);
}

function given<T>(value: T | null): T {
  if (value === null) throw new Error('This is shown outside of its frame.');
  return value;
}
