// What every page of the console may use: its settings, and the session of whoever is signed in.
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

/** Whether somebody has signed in, whichever page of the browser they did it in. */
export function useSignedIn(kind: SignInKind): boolean {
  return useSyncExternalStore(watchSession, () => isSignedIn(kind));
}

/** Whether somebody has signed out and the service could not be told. */
export function useEndingOpen(): boolean {
  return useSyncExternalStore(watchSession, isEndingOpen);
}

/** Roles of whoever is signed in as an operator; null: nobody is, or they are not known yet. */
export function useOperatorRoles(): readonly string[] | null {
  const text = useSyncExternalStore(watchSession, operatorRoles);
  return useMemo(() => text?.split(' ').filter((role) => role !== '') ?? null, [text]);
}

function given<T>(value: T | null): T {
  if (value === null) throw new Error('This is shown outside of its frame.');
  return value;
}
