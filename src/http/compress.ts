// Response compression: which coding the client asked for, and the compressed bytes.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';
import { remembering } from './memo.ts';

/** Bodies of fewer bytes are sent as they are: they fit in one packet anyway. */
export const compressionThreshold = 1024;

export type Coding = 'zstd' | 'br' | 'gzip';

/** The coding for an `Accept-Encoding`, or null for none. */
export type CodingChoice = (acceptEncoding: string | undefined) => Coding | null;

const codings: readonly string[] = ['zstd', 'br', 'gzip'];
const offered = [...codings, 'identity'];

/**
 * Makes the choice: the highest quality, and among equals zstd before br before gzip. Without the header there is no
 * compression (RFC 9110, section 12.5.3, would allow it; a client that does not ask may not cope).
 * @returns a function that remembers its answer per header text
 */
export function codingChoice(): CodingChoice {
  const choose = remembering((header) => {
    const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': header } });
    const best = negotiator.encodings(offered, { preferred: offered })[0];
    return best === 'zstd' || best === 'br' || best === 'gzip' ? best : null;
  });
  return (header) => (header === undefined ? null : choose(header));
}

/** Compresses at the level where a page of some 300 kB costs about as much time as it saves on the way. */
export function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  return compressors[coding](body);
}

/** True for media types that shrink: JSON, XML and text, not images, PDF or archives. */
export function compressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|javascript)\b/.test(type);
}

const toZstd = promisify<Buffer, object, Buffer>(zstdCompress);
const toBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const toGzip = promisify<Buffer, object, Buffer>(gzip);

const compressors = {
  zstd: (body: Buffer) => toZstd(body, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: (body: Buffer) =>
    toBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body: Buffer) => toGzip(body, { level: 6 }),
} as const;

/** `negotiator` 1.x takes the server's order as a second argument, which its published types do not know yet. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}
