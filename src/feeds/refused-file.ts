// The refused lines of an import, in a form that a person can correct and the import command can read again.
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { jsonLine } from '../model/json-line.ts';
import { OperatorError } from '../model/operator-error.ts';
import { isRunning } from '../model/running-process.ts';
import type { FileHandle } from 'node:fs/promises';
import { openPrivate } from '../store/private-files.ts';
import type { Reason } from '../model/record.ts';
import type { SourceRecord } from './read-records.ts';

/** Receives the refused lines of one import. */
export interface RefusedLines {
  readonly add: (source: SourceRecord, reasons: readonly Reason[]) => void;
  /** Writes what was added since the last call. */
  readonly flush: () => Promise<void>;
  /** Gives the file its final name, or removes an older one when nothing was refused; returns its name or null. */
  readonly finish: () => Promise<string | null>;
  /** Discards everything; an older file stays. */
  readonly discard: () => Promise<void>;
}

/**
 * Refused lines go to a file of newline-delimited JSON, one object each: `line` of the imported file, or for a JSON
 * array the number of the `element`, all `reasons`, and the original as `record` (JSON) or `text` (not JSON; null when
 * it was too long). The file appears atomically at the end. Only its owner can read it: refused orders contain personal
 * data.
 * @param path the file; an older one is replaced, or removed when nothing is refused. Anything other than a regular
 *   file (`/dev/stderr`) is written directly.
 * @throws OperatorError from flush or finish when the file cannot be written
 */
export function refusedFile(path: string): RefusedLines {
  const unfinished = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  let handle: FileHandle | null = null;
  let direct = false;
  let waiting: string[] = [];

  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new OperatorError(
        `The refused lines cannot be written to ${path}: ${error instanceof Error ? error.message : String(error)}.`,
        'Choose another file with --refused FILE.',
        { cause: error },
      );
    }
  };

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    await told(async () => {
      if (handle === null) {
        direct = await isDevice(path);
        handle = direct ? await open(path, 'a') : await openPrivate(unfinished, 'wx');
      }
      await handle.writeFile(text);
    });
  };

  return {
    add: (source, reasons) => {
      waiting.push(`${refusedLine(source, reasons)}\n`);
    },
    flush,
    async finish() {
      await flush();
      await removeAbandoned(path, unfinished);
      if (handle === null) {
        if (!(await isDevice(path))) await told(() => rm(path, { force: true }));
        return null;
      }
      await handle.close();
      if (!direct) await told(() => rename(unfinished, path));
      return path;
    },
    async discard() {
      await handle?.close();
      if (handle !== null && !direct) await rm(unfinished, { force: true });
    },
  };
}

/** The content of a line of such a file: the corrected record, or null when the value is not such a line. */
export function unwrapRefused(value: unknown): { readonly record: unknown } | { readonly text: string | null } | null {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('line' in value) ||
    !('reasons' in value) ||
    !Array.isArray(value.reasons)
  )
    return null;
  if ('record' in value) return { record: value.record };
  if (!('text' in value)) return null;
  return { text: typeof value.text === 'string' ? value.text : null };
}

function refusedLine(source: SourceRecord, reasons: readonly Reason[]): string {
  const head = { line: source.line, element: source.element ?? null, reasons: JSON.stringify(reasons) };
  return refusedText(source.ok ? { ...head, record: source.text } : { ...head, text: source.text });
}

/**
 * A line of such a file, without its end.
 * @param reasons JSON text
 * @param record JSON text of the original; `text` if it is not JSON, null if it was too long to keep
 */
export function refusedText({
  line,
  element,
  reasons,
  ...original
}: { readonly line: number; readonly element: number | null; readonly reasons: string } & (
  | { readonly record: string | null }
  | { readonly text: string | null }
)): string {
  const number = element === null ? '' : `,"element":${element}`;
  const head = `{"line":${line}${number},"reasons":${reasons}`;
  if ('text' in original) return `${head},"text":${JSON.stringify(original.text)}}`;
  return `${head},"record":${jsonLine((original.record ?? 'null').trim())}}`;
}

/**
 * Removes unfinished files of killed imports of the same file: they may contain personal data, and nothing else would
 * remove them.
 */
async function removeAbandoned(path: string, own: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    const [, writer] = (name.startsWith(start) && /^(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(start.length))) || [];
    if (writer === undefined || join(folder, name) === own || isAtWork(Number(writer))) continue;
    // A file that cannot be removed must not make the import fail.
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** Whether another process with this id is running. */
function isAtWork(id: number): boolean {
  return id !== process.pid && isRunning(id);
}

async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}
