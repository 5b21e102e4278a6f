// Reads the body of one request, at once or as it arrives: never more than its route accepts, and not more slowly than
// is tolerable.
import { textBlock } from '../model/text-block.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import { Problem } from '../model/problem.ts';
import { createReadTimeout, type Pace, tooSlow } from './body-pace.ts';
import { announcesBody, bodyExpands, bodyTooLong, codingOf } from './body-rules.ts';
import type { Holding } from './in-flight.ts';
import { pieces, tooManyPieces, tooManyTogether } from './coalescing-request.ts';
import { Shed } from './load-shedding.ts';
import { expectsContinue } from './unread-body.ts';
import type { BodyRule } from './route.ts';

export interface RequestBody {
  /**
   * @throws Problem 400 when the body was truncated, its coding is broken or its pieces are too small, 408 when it came
   *   too slowly, 413, 503 when the pieces of all bodies are too many, and those of `Holding.take`
   */
  readonly whole: () => Promise<Buffer>;
  /** The stream fails with the same problems. Without a listener they are lost, which is harmless. */
  readonly stream: () => Readable;
  /** Bytes of it that have arrived, as they were sent: before they are decoded. */
  readonly arrived: () => number;
  /**
   * Stops reading for good.
   * @returns whether the connection is still usable: false when the body was not valid HTTP
   */
  readonly leave: () => boolean;
  /** Releases the memory held for the body, once nobody uses it any more. */
  readonly release: () => void;
}

/**
 * Makes the reader of a request's body. Nothing is read, and no `100 Continue` sent, before somebody asks for it.
 * @param holdingOf the memory allowance of the client, requested when the body is
 */
export function requestBody(
  request: IncomingMessage,
  response: ServerResponse,
  rule: BodyRule,
  pace: Pace,
  holdingOf: () => Holding,
): RequestBody {
  let taken: Readable | null = null;
  let fault: Problem | null = null;
  let holding: Holding | null = null;
  let arrived = 0;
  const hold = (bytes: number): void => {
    holding ??= holdingOf();
    holding.take(bytes);
  };
  // Node's own limit for a whole request is the same for all routes; here the pace counts.
  request.on('clientError', (error: { readonly code?: string }) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    fault ??= faultOf(error.code);
    taken?.destroy(fault);
  });
  const coding = announcesBody(request.headers) ? codingOf(request.headers) : null;
  const stream = (): Readable => {
    if (taken !== null) throw new Error('A body can be read only once.');
    if (announcesBody(request.headers)) hold(streamBufferBytes);
    const count = (bytes: number): void => {
      arrived += bytes;
    };
    taken = harmless(arriving(request, response, rule, pace, count));
    if (fault !== null) taken.destroy(fault);
    return coding === null ? taken : harmless(Readable.from(inflated(taken, coding, rule), { objectMode: false }));
  };
  return {
    stream,
    arrived: () => arrived,
    whole: () =>
      gathered(stream(), {
        // Zstandard refers back to as much of the output as there is, and keeps it for that purpose, but not beyond the
        // end: what it held is enough for the copy.
        arriving: (bytes) => hold(coding === 'zstd' ? 2 * bytes : bytes),
        copied: (bytes) => hold(coding === 'zstd' ? 0 : bytes),
      }),
    leave: () => {
      taken?.destroy();
      return fault === null;
    },
    release: () => holding?.release(),
  };
}

/** The most bytes that the streams of a body hold, including the state of a decoder. */
const streamBufferBytes = 131_072;

/**
 * Collects a stream in one buffer. What arrived is copied at the end, and others have their turn meanwhile: a buffer
 * that grew with it would be copied into a longer one at once, with those of all bodies that arrive at the same time.
 * @param hold called before memory is taken: for bytes that arrive, and once more for the copy of all of them
 */
async function gathered(
  source: Readable,
  hold: { readonly arriving: (bytes: number) => void; readonly copied: (bytes: number) => void },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    hold.arriving(chunk.length);
    bytes += chunk.length;
    chunks.push(chunk);
  }
  const [first = noBytes] = chunks;
  if (chunks.length <= 1) return first;
  hold.copied(bytes);
  const body = Buffer.allocUnsafeSlow(bytes);
  const turn = cooperativeYield('outside');
  let length = 0;
  for (const chunk of chunks) {
    length += chunk.copy(body, length);
    await turn();
  }
  return body;
}

const noBytes = Buffer.alloc(0);

/**
 * The raw bytes of a body. A separate stream, because Node closes the connection when that of a request is destroyed,
 * and then no answer could be sent.
 */
function arriving(
  request: IncomingMessage,
  response: ServerResponse,
  rule: BodyRule,
  pace: Pace,
  count: (bytes: number) => void,
): Readable {
  let received = 0;
  const readTimeout = createReadTimeout(pace, () => stream.destroy(tooSlow(pace)));
  const take = (chunk: Buffer): void => {
    received += chunk.length;
    count(chunk.length);
    readTimeout.pause(chunk.length);
    if (received > rule.limit) stream.destroy(bodyTooLong(rule));
    else if (stream.push(chunk)) readTimeout.wait();
    else request.pause();
  };
  const end = (): void => {
    stream.push(null);
    readTimeout.pause(0);
  };
  const cut = (): void => {
    if (!request.readableEnded) stream.destroy(cutOff());
  };
  const listeners = [
    ['data', take],
    ['end', end],
    ['error', cut],
    ['close', cut],
  ] as const;
  let begun = false;
  const begin = (): void => {
    begun = true;
    for (const [event, listener] of listeners) request.on(event, listener);
    if (request.destroyed) cut();
    else if (expectsContinue(request) && !response.headersSent) response.writeContinue();
  };
  const stream = new Readable({
    highWaterMark: 65_536,
    read: () => {
      if (!begun) begin();
      readTimeout.wait();
      request.resume();
    },
    destroy: (error, done) => {
      readTimeout.pause(0);
      for (const [event, listener] of listeners) request.off(event, listener);
      request.pause();
      done(error);
    },
  });
  return stream;
}

/**
 * Decodes the content coding of a body; stops when the output is longer than allowed, not after decompressing all of
 * it.
 */
async function* inflated(source: Readable, coding: 'gzip' | 'zstd', rule: BodyRule): AsyncGenerator<Buffer> {
  const { limit, expansion } = rule;
  const decoder =
    coding === 'gzip'
      ? createGunzip()
      : createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: maxWindowLog } });
  let received = 0;
  source.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  pipeline(source, decoder, () => {});
  let length = 0;
  try {
    for await (const chunk of decoder) {
      length += chunk.length;
      if (length > limit) throw bodyTooLong(rule);
      if (expansion !== undefined && length > expansion.freeBytes + expansion.max * received)
        throw bodyExpands(expansion.max);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem(
          'invalid-request',
          `The body cannot be read: it is not ${coding}, or not all of it, as Content-Encoding says.`,
        );
  }
  // Node ends silently when it cannot continue, for instance at a second frame of zstd in the same packet.
  if (decoder.bytesWritten < received)
    throw new Problem(
      'invalid-request',
      `Something follows the end of the ${coding} data. Compress the body in one piece.`,
    );
}

/** Logarithm of 8 MiB, the most memory that a sender may require of a receiver (RFC 9659, section 3). */
const maxWindowLog = 23;

/** The stream may fail before anybody listens; a later listener still gets the error. */
function harmless(stream: Readable): Readable {
  return stream.on('error', () => {});
}

const closing = { connection: 'close' };

/** @param code of the error that ended the body */
function faultOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_INVALID_EOF_STATE':
      return cutOff();
    case tooManyPieces:
      return tooSmallPieces();
    case tooManyTogether:
      return new Shed('process-pieces');
    default:
      return brokenChunks();
  }
}

function cutOff(): Problem {
  return new Problem(
    'invalid-request',
    'The body ended before it was complete: the connection was cut, or Content-Length is wrong.',
    {},
    closing,
  );
}

function brokenChunks(): Problem {
  return new Problem('invalid-request', 'The body cannot be read: its chunks are not valid HTTP/1.1.', {}, closing);
}

function tooSmallPieces(): Problem {
  return new Problem(
    'invalid-request',
    textBlock`
      The body comes in too many small pieces: ${pieces.free} are allowed, and one more for every
      ${pieces.bytesForOneMore} bytes. Write it through a buffer.
    `,
    {},
    closing,
  );
}
