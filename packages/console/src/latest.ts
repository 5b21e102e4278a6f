// A function that stays the same while what it does is of the latest drawing, so that fields that have not changed
// need not be drawn anew with each key.
import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * @param latest what a call does: that of the latest drawing
 * @returns the same function in every drawing; to be called by events, not while something is drawn
 */
export function useLatest<Given extends readonly unknown[]>(
  latest: (...given: Given) => void,
): (...given: Given) => void {
  const held = useRef(latest);
  useLayoutEffect(() => {
    held.current = latest;
  });
  return useCallback((...given: Given) => held.current(...given), []);
}
