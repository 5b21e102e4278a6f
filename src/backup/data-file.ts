// One file of an archive: lines of JSON, compressed or not, with their number and the SHA-256 of the file as stored.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { hasCode } from '../model/error-code.ts';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';

/** What the manifest says of a file. */
export interface FileFacts {
  /** Number of lines. */
  readonly lines: number;
  /** Size of the file as stored. */
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Size of the chunks of text that are passed on. */
const chunkLength = 256 * 1024;
/** The fastest level: copying a database must not take longer than its disk. */
const compression = { level: 1 } as const;

/** Whether the file name indicates compression. */
function isCompressed(path: string): boolean {
  return path.endsWith('.gz');
}

/**
 * Writes a file that only its owner can read; it is durable when this returns.
 * @param lines texts without line feeds, in groups
 */
export async function writeDataFile(path: string, lines: AsyncIterable<readonly string[]>): Promise<FileFacts> {
  makePrivateFolder(dirname(path));
  const handle = await openPrivate(path, 'wx');
  const counted = { lines: 0 };
  const measured = measuring();
  try {
    const text = Readable.from(chunks(lines, counted), { objectMode: false });
    const output = handle.createWriteStream({ flush: true });
    await (isCompressed(path)
      ? pipeline(text, createGzip(compression), measured.tap, output)
      : pipeline(text, measured.tap, output));
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  return { lines: counted.lines, ...measured.facts() };
}

/**
 * Reads the lines of a file in groups.
 * @param facts what the manifest says
 * @throws OperatorError at the end of the file, or before, when it does not match the manifest
 */
export async function* readDataFile(path: string, facts: FileFacts): AsyncGenerator<readonly string[]> {
  const measured = measuring();
  const stop = new AbortController();
  const source = createReadStream(path, { highWaterMark: chunkLength });
  const unpacked = isCompressed(path) ? createGunzip() : null;
  const ended = (
    unpacked === null
      ? pipeline(source, measured.tap, { signal: stop.signal })
      : pipeline(source, measured.tap, unpacked, { signal: stop.signal })
  ).catch((error: unknown) => error);
  let lines = 0;
  try {
    for await (const group of splitLines(unpacked ?? measured.tap)) {
      lines += group.length;
      yield group;
    }
    const failure = await ended;
    if (failure !== undefined) throw failure;
  } catch (error) {
    throw damaged(path, error);
  } finally {
    stop.abort();
    await ended;
  }
  const found = measured.facts();
  if (found.sha256 !== facts.sha256 || found.bytes !== facts.bytes || lines !== facts.lines) throw damaged(path, null);
}

/** Reads a file to its end. @throws OperatorError when it does not match the manifest */
export async function checkDataFile(path: string, facts: FileFacts): Promise<void> {
  for await (const _ of readDataFile(path, facts));
}

function damaged(path: string, cause: unknown): OperatorError {
  if (cause instanceof OperatorError) return cause;
  return new OperatorError(
    cause !== null && hasCode(cause, 'ENOENT')
      ? `${path} is missing.`
      : `${path} is damaged: it is not what the manifest tells of.`,
    'Nothing was written. Use a whole copy.',
    { cause },
  );
}

async function* chunks(lines: AsyncIterable<readonly string[]>, counted: { lines: number }): AsyncGenerator<Buffer> {
  let text = '';
  for await (const group of lines) {
    for (const line of group) {
      text += `${line}\n`;
      counted.lines += 1;
      if (text.length < chunkLength) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** A stream that counts and hashes what passes through it. */
function measuring(): { readonly tap: Transform; readonly facts: () => Omit<FileFacts, 'lines'> } {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    tap: new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    }),
    facts: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}

const lineFeed = 0x0a;

/** The last line needs a line feed too: without one, it was cut off. */
async function* splitLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  let rest: readonly Buffer[] = [];
  for await (const chunk of bytes) {
    const group: string[] = [];
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      const end = chunk.subarray(start, at);
      group.push(rest.length === 0 ? end.toString() : Buffer.concat([...rest, end]).toString());
      rest = [];
      start = at + 1;
    }
    if (start < chunk.length) rest = [...rest, chunk.subarray(start)];
    if (group.length > 0) yield group;
  }
  if (rest.length > 0) yield [Buffer.concat(rest).toString()];
}
