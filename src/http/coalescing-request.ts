// The request as Node's parser fills it: small pieces of a body are combined as they arrive, and their number is
// bounded.
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { discardRest } from './discard-input.ts';

/**
 * The allowed number of pieces in a body: a chunk of the chunked coding is one, and so is each part of it in a separate
 * packet. Each costs the server some microseconds whatever its size. Programs write through a buffer, and proxies
 * forward pieces of hundreds of bytes; a slow connection may deliver small ones, but not many in a short time.
 *
 * Every body has the first `freeOfEach`, and earns more by its bytes and by time. Beyond these it gets some more, at
 * most `free`, out of a pool that all bodies share: many connections that begin at the same moment cost no more
 * together than a few.
 */
export const pieces = {
  freeOfEach: 64,
  free: 1024,
  bytesForOneMore: 256,
  msForOneMore: 10,
  /** For all bodies together: initially, and per millisecond; 12 ms, and a thirtieth, of a processor. */
  shared: 8192,
  sharedPerMs: 20,
} as const;

/** Codes of the errors that a request gets, as the event `clientError`, when its body comes in more pieces. */
export const tooManyPieces = 'TOO_MANY_PIECES';
/** The body itself was within its limit, but the pieces of all bodies together were too many. */
export const tooManyTogether = 'TOO_MANY_PIECES_TOGETHER';

/**
 * A class because Node requires one (option `IncomingMessage` of its server). By default, Node creates a buffer for
 * each piece: half a kilobyte of memory for a byte.
 */
export class CoalescingRequest extends IncomingMessage {
  /** Space for the pieces collected next; what precedes it has been passed on. */
  #block: Buffer = noBytes;
  #gathered = 0;
  #isDue = false;
  #pieces = 0;
  #bytes = 0;
  /** Pieces taken from the shared pool. */
  #shared = 0;
  #isRefused = false;
  readonly #since = performance.now();

  constructor(socket: Socket) {
    super(socket);
  }

  /** Called by the parser with each piece, and with null at the end. */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    if (!Buffer.isBuffer(piece)) {
      this.#passOn();
      return super.push(piece, encoding);
    }
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (this.#isRefused) return true;
    if (this.#pieces > pieces.freeOfEach) {
      const code = this.#refusal();
      if (code !== null) return this.#refuse(code);
    }
    if (piece.length >= smallPieceBytes && this.#gathered === 0) return super.push(piece);
    if (this.#gathered + piece.length > this.#block.length) {
      this.#passOn();
      if (piece.length > this.#block.length) this.#block = Buffer.allocUnsafeSlow(Math.max(blockLength, piece.length));
    }
    this.#block.set(piece, this.#gathered);
    this.#gathered += piece.length;
    // The parser can be told to stop only here, by the return value of its own call.
    if (this.readableLength >= this.readableHighWaterMark) return this.#passOn();
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        this.#passOn();
      });
    }
    return true;
  }

  #passOn(): boolean {
    if (this.#gathered === 0) return true;
    const gathered = this.#block.subarray(0, this.#gathered);
    this.#block = this.#block.subarray(this.#gathered);
    this.#gathered = 0;
    return super.push(gathered);
  }

  /** Why the body must end here; null: it may continue. */
  #refusal(): typeof tooManyPieces | typeof tooManyTogether | null {
    const beyond = this.#pieces - pieces.freeOfEach - this.#bytes / pieces.bytesForOneMore;
    if (beyond <= 0) return null;
    const now = performance.now();
    const hasFree = beyond - this.#shared - (now - this.#since) / pieces.msForOneMore <= 0;
    if (hasFree) return null;
    if (this.#shared >= pieces.free - pieces.freeOfEach) return tooManyPieces;
    if (!takeShared(now)) return tooManyTogether;
    this.#shared += 1;
    return null;
  }

  /** The reader of the body responds; no more of it is read. */
  #refuse(code: string): boolean {
    this.#isRefused = true;
    discardRest(this.socket);
    const error = Object.assign(new Error('a body comes in too many pieces'), { code });
    if (!this.emit('clientError', error)) this.socket.destroy();
    return true;
  }

  /** Discarding the rest of a body would otherwise start reading again. */
  override _read(size: number): void {
    if (!this.#isRefused) super._read(size);
  }
}

let sharedLeft: number = pieces.shared;
let sharedSince = 0;

/** Takes one piece from the shared pool; false when none is left. @param now milliseconds */
function takeShared(now: number): boolean {
  sharedLeft = Math.min(pieces.shared, sharedLeft + (now - sharedSince) * pieces.sharedPerMs);
  sharedSince = now;
  if (sharedLeft < 1) return false;
  sharedLeft -= 1;
  return true;
}

const noBytes = Buffer.alloc(0);
/** Bytes. */
const smallPieceBytes = 1024;
const blockLength = 4096;
