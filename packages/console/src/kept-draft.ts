// Form input kept in the tab until it is submitted, or until somebody signs out, so that it survives a reload.
import { useState } from 'react';

const prefix = 'console-draft-';

/**
 * A value that survives a reload, and is discarded when its initial value has changed.
 * @param name of the form in the tab, with what it is about
 * @param begun initial JSON value of the form
 * @returns the value, a function that changes it, and one that ends the draft
 */
export function useDraft<T>(name: string, begun: T): readonly [T, (next: T) => void, () => void] {
  const key = prefix + name;
  const from = JSON.stringify(begun);
  const [value, setValue] = useState<T>(() => keptIn<T>(key, from) ?? begun);
  const change = (next: T): void => {
    setValue(next);
    const text = JSON.stringify(next);
    if (text === from) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ from, value: next }));
  };
  const forget = (): void => {
    sessionStorage.removeItem(key);
    setValue(begun);
  };
  return [value, change, forget];
}

/** The members that differ from those that a form began with: the others stay as they are, or as others made them. */
export function changedMembers<T extends object>(wanted: T, begun: T): Partial<T> {
  const before = new Map(Object.entries(begun).map(([name, value]) => [name, JSON.stringify(value)]));
  const differing = Object.entries(wanted).filter(([name, value]) => before.get(name) !== JSON.stringify(value));
  return Object.fromEntries(differing) as Partial<T>;
}

/** Null: nothing is kept, or it had another initial value. */
function keptIn<T>(key: string, from: string): T | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    const fits = typeof kept === 'object' && kept !== null && 'from' in kept && kept.from === from && 'value' in kept;
    // Written only by `change`.
    return fits ? (kept.value as T) : null;
  } catch {
    return null;
  }
}
