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
