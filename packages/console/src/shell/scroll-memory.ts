// The scroll position on a page: stored with its history entry, so that back and reload lead to the same place.

/**
 * The shortest interval for storing the scroll position; browsers refuse more than some hundred history changes a
 * minute.
 */
const pauseMs = 200;
/** A page of the former length has been rendered within this time, or is no longer that long. */
const maxRestoreMs = 3000;

/** Begins to store positions. @returns a function that ends it */
export function rememberScroll(): () => void {
  window.history.scrollRestoration = 'manual';
  let timer: number | undefined;
  let kept = window.location.href;
  const keep = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // Scrolling while a page changes does not concern the page that was left.
    if (window.location.href !== kept) return;
    const state: unknown = window.history.state;
    const own = typeof state === 'object' && state !== null ? state : {};
    window.history.replaceState({ ...own, scrollY: window.scrollY }, '');
  };
  const scrolled = (): void => {
    timer ??= window.setTimeout(keep, pauseMs);
  };
  const moved = (): void => {
    clearTimeout(timer);
    timer = undefined;
    kept = window.location.href;
  };
  window.addEventListener('scroll', scrolled, { passive: true });
  window.addEventListener('click', keep, { capture: true });
  window.addEventListener('pagehide', keep);
  window.addEventListener('hashchange', moved, { capture: true });
  return () => {
    clearTimeout(timer);
    window.removeEventListener('scroll', scrolled);
    window.removeEventListener('click', keep, { capture: true });
    window.removeEventListener('pagehide', keep);
    window.removeEventListener('hashchange', moved, { capture: true });
  };
}

/** Scrolls to the position at which this history entry was left, or to the top for a new one. */
export function restoreScroll(): () => void {
  const state: unknown = window.history.state;
  const place =
    typeof state === 'object' && state !== null && 'scrollY' in state && typeof state.scrollY === 'number'
      ? state.scrollY
      : 0;
  const until = performance.now() + maxRestoreMs;
  let frame: number | undefined;
  const end = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
  };
  const step = (): void => {
    window.scrollTo(0, place);
    // The page may not have its full length yet.
    if (Math.abs(window.scrollY - place) > 2 && performance.now() < until) frame = requestAnimationFrame(step);
  };
  step();
  for (const kind of ['wheel', 'touchstart', 'keydown'] as const)
    window.addEventListener(kind, end, { once: true, passive: true });
  return end;
}
