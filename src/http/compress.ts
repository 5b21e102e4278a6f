// Response compression: the coding that the client accepts, and the compressed bytes.
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';
import { createFairQueue } from '../model/fair-queue.ts';
import { maxAcceptLength, memoize } from './memoize.ts';

/** Shorter bodies are sent uncompressed: they fit in one packet anyway. */
export const minCompressedBytes = 1024;

type Coding = 'zstd' | 'br' | 'gzip';

/** The coding for an `Accept-Encoding`, or null for none. */
export type CodingChoice = (acceptEncoding: string | undefined) => Coding | null;

const codings: readonly string[] = ['zstd', 'br', 'gzip'];
const offered = [...codings, 'identity'];

/**
 * Makes the choice: the highest quality, and among equals zstd before br before gzip. Without the header there is no
 * compression (RFC 9110, section 12.5.3, would allow it; a client that does not ask may not support it).
 * @returns a function that caches its result per header text
 */
export function codingChoice(): CodingChoice {
  const choose = memoize((header) => {
    const negotiator: PreferringNegotiator = new Negotiator({
      headers: { 'accept-encoding': header.slice(0, maxAcceptLength) },
    });
    const best = negotiator.encodings(offered, { preferred: offered })[0];
    return best === 'zstd' || best === 'br' || best === 'gzip' ? best : null;
  });
  return (header) => (header === undefined ? null : choose(header));
}

/**
 * Compresses at the level above which more effort hardly shrinks a page (figures: decision 28). A body that is kept is
 * compressed only once per coding, and at a higher level.
 */
function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  const known = kept.get(body);
  if (known === undefined) return compressors[coding](body, quick[coding]);
  const made = known.get(coding) ?? compressors[coding](body, thorough[coding]).then(keep);
  known.set(coding, made);
  // The next request tries again.
  made.catch(() => known.delete(coding));
  return made;
}

/** Compresses for a client; null when so many are waiting that the response is better sent uncompressed. */
export type Compression = (costKey: string, body: Buffer, coding: Coding) => Promise<Buffer | null>;

/**
 * Makes the compression of one server: it leaves a processor for everything else, and its turns go round the clients.
 */
export function fairCompression(): Compression {
  const places = Math.max(1, availableParallelism() - 1);
  const queue = createFairQueue({
    places,
    maxPerClient: places,
    maxWaiting: 64,
    maxWaitingPerClient: 16,
    maxWaitMs: 1000,
  });
  return async (costKey, body, coding) => {
    if (kept.has(body)) return compress(body, coding);
    const leave = await queue.enter(costKey).catch(() => null);
    if (leave === null) return null;
    return compress(body, coding).finally(leave);
  };
}

/** Marks a body that is sent repeatedly for as long as the program runs. @returns the body */
export function keep(body: Buffer): Buffer {
  if (!kept.has(body)) kept.set(body, new Map());
  return body;
}

/** True for bodies that are in memory anyway, however many responses use them. */
export function isKept(body: Buffer | string): boolean {
  return typeof body !== 'string' && kept.has(body);
}

/** The compressed forms of each body, by coding. */
const kept = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

/** True for media types that compress well: JSON, XML and text, not images, PDF or archives. */
export function compressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|javascript)\b/.test(type);
}

const toZstd = promisify<Buffer, object, Buffer>(zstdCompress);
const toBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const toGzip = promisify<Buffer, object, Buffer>(gzip);

/** Compression levels. */
const quick: Readonly<Record<Coding, number>> = { zstd: 3, br: 2, gzip: 3 };
const thorough: Readonly<Record<Coding, number>> = { zstd: 9, br: 5, gzip: 9 };

const compressors = {
  zstd: (body: Buffer, level: number) => toZstd(body, { params: { [constants.ZSTD_c_compressionLevel]: level } }),
  br: (body: Buffer, level: number) =>
    toBrotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer, level: number) => toGzip(body, { level }),
} as const;

/** `negotiator` 1.x takes the server's preferences as a second argument, which its published types lack. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}
