// Files of one inbox that could not be taken: when each is tried again, and whether the files behind it wait for it.
import { MessageRunning } from '../receive.ts';
import { FileChanged } from './dropped-file.ts';
import type { ReadyFile } from './inbox.ts';
import { NotMoved } from './take-file.ts';

/** By the file's key. */
export type PostponedFiles = Map<string, PostponedFile>;

interface PostponedFile {
  readonly tries: number;
  /** By a monotonic clock. */
  readonly untilMs: number;
  /** The files behind it wait, so that records are written in the order of names. */
  readonly holdsFeed: boolean;
  /** The reason that was reported; null: none yet. */
  readonly told: string | null;
}

/** Delay before a file that could not be taken is tried again; doubled each time if nothing waits for it. */
const retryAfterMs = 10_000;
const maxRetryAfterMs = 300_000;
/** A file that changed during every read is reported after this many attempts: some minutes have passed by then. */
const changesToTell = 5;

/** Files are identified by name: one that keeps changing is still the same file. */
export function keyOf({ name }: Pick<ReadyFile, 'name'>): string {
  return name.toString('latin1');
}

/**
 * The files of an inbox that may be tried now, in order. Forgets those that no longer exist.
 * @param nowMs a monotonic clock
 */
export function dueFiles(postponed: PostponedFiles, files: readonly ReadyFile[], nowMs: number): readonly ReadyFile[] {
  const names = new Set(files.map(keyOf));
  for (const name of postponed.keys()) if (!names.has(name)) postponed.delete(name);
  const isWaiting = (file: ReadyFile): boolean => (postponed.get(keyOf(file))?.untilMs ?? 0) > nowMs;
  const held = files.findIndex((file) => isWaiting(file) && postponed.get(keyOf(file))?.holdsFeed === true);
  return files.slice(0, held === -1 ? files.length : held).filter((file) => !isWaiting(file));
}

/**
 * Records that a file could not be taken.
 * @returns whether to report it: once for each file and reason; and whether the files behind it wait
 */
export function postpone(
  postponed: PostponedFiles,
  file: ReadyFile,
  error: unknown,
  nowMs: number,
): { readonly isNew: boolean; readonly holdsFeed: boolean } {
  const before = postponed.get(keyOf(file));
  const tries = (before?.tries ?? 0) + 1;
  const cause = error instanceof Error ? error.cause : null;
  const isChanged = error instanceof FileChanged || cause instanceof FileChanged;
  // A file that is still being written is not complete; the records of one that was not moved have been written.
  const holdsFeed = !isChanged && !(error instanceof NotMoved);
  const waitMs = holdsFeed ? retryAfterMs : Math.min(retryAfterMs * 2 ** (tries - 1), maxRetryAfterMs);
  // These are normal: another process is working on it, or it is still being written.
  const isUsual = error instanceof MessageRunning || (isChanged && tries < changesToTell);
  const reason = error instanceof Error ? error.message : String(error);
  const told = isUsual ? (before?.told ?? null) : reason;
  postponed.set(keyOf(file), { tries, untilMs: nowMs + waitMs, holdsFeed, told });
  return { isNew: told !== null && told !== before?.told, holdsFeed };
}
