// What every page of the console may use: its settings, and the session of whoever is signed in.
import { createContext, useContext } from 'react';
import type { Session } from './session.ts';
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

function given<T>(value: T | null): T {
  if (value === null) throw new Error('This is shown outside of its frame.');
  return value;
}
