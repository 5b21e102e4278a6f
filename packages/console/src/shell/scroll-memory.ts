// Where on a page somebody was: kept with its entry of the history, so that back and reload lead to the same place.

/** Somebody who scrolls is told of to the history at most so often; browsers refuse more than some hundred a minute. */
const pauseMs = 200;
/** A page that is as long as before has been shown within this time, or is not as long any more. */
const maxRestoreMs = 3000;

/** Begins to keep places. @returns ends it */
export function rememberScroll(): () => void {
  window.history.scrollRestoration = 'manual';
  let timer: number | undefined;
  let kept = window.location.href;
  const keep = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // What is scrolled while a page changes is not the place on the page that was left.
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

/** Goes to the place at which this entry of the history was left, or to the top where it is a new one. */
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
    // The page may not be as long yet.
    if (Math.abs(window.scrollY - place) > 2 && performance.now() < until) frame = requestAnimationFrame(step);
  };
  step();
  for (const kind of ['wheel', 'touchstart', 'keydown'] as const)
    window.addEventListener(kind, end, { once: true, passive: true });
  return end;
}
