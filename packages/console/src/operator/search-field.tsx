// The search term of a list, kept in the address.
import { TextInput } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import { goTo, placeAddress, usePlace } from '../route.ts';
import { useOperatorWords } from './words/words.ts';

/** Delay between the last keystroke and the search. */
const pauseMs = 250;

/** The search term in lower case; '': none. */
export function useSearched(): string {
  return (usePlace().parameters.get('search') ?? '').trim().toLowerCase();
}

/** @param texts of a row, one of which has to contain the search term */
export function holds(searched: string, texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(searched));
}

export function SearchField(): ReactElement {
  const say = useOperatorWords();
  const { parts, parameters } = usePlace();
  const known = parameters.get('search') ?? '';
  const [typed, setTyped] = useState(known);
  useEffect(() => setTyped(known), [known]);
  const address = placeAddress(parts, { ...Object.fromEntries(parameters), search: typed });
  useEffect(() => {
    if (typed === known) return undefined;
    const timer = setTimeout(() => goTo(address, true), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, known, address]);
  return (
    <TextInput
      type="search"
      aria-label={say('search')}
      placeholder={say('search')}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      maw={220}
    />
  );
}
