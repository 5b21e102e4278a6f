// The request as Node's parser fills it: small pieces of a body are put together as they arrive, and their number has a
// bound.
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * In how many pieces a body may come: a chunk of the chunked coding is one, and so is what a packet brings of it. Each
 * costs the server some microseconds whatever its size. Programs write through a buffer, and what comes through a proxy
 * comes in pieces of hundreds of bytes; a slow line may bring small ones, but not many in a short time.
 */
export const pieces = { free: 2048, bytesForOneMore: 256, msForOneMore: 10 } as const;

/** Code of the error that a request is told of, as the event `clientError`, when its body comes in more pieces. */
export const tooManyPieces = 'TOO_MANY_PIECES';

/**
 * A class because this is how Node takes one (option `IncomingMessage` of its server). Left alone, Node makes a buffer
 * of its own for each piece: half a kilobyte of memory for a byte.
 */
export class GatheringRequest extends IncomingMessage {
  /** Room for what is gathered next; what lies in front of it was passed on. */
  #block: Buffer = noBytes;
  #gathered = 0;
  #isDue = false;
  #pieces = 0;
  #bytes = 0;
  #isRefused = false;
  readonly #since = performance.now();

  constructor(socket: Socket) {
    super(socket);
  }

  /** What the parser calls with each piece, and with null at the end. */
  override push(piece: unknown, encoding?: BufferEncoding): boolean {
    if (!Buffer.isBuffer(piece)) {
      this.#passOn();
      return super.push(piece, encoding);
    }
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (this.#pieces > pieces.free && this.#pieces > this.#allowed()) return this.#refuse();
    if (piece.length >= smallPiece && this.#gathered === 0) return super.push(piece);
    if (this.#gathered + piece.length > this.#block.length) {
      this.#passOn();
      if (piece.length > this.#block.length) this.#block = Buffer.allocUnsafeSlow(Math.max(blockLength, piece.length));
    }
    this.#block.set(piece, this.#gathered);
    this.#gathered += piece.length;
    // Only here can the parser be told to stop: what it hears is the answer to its own call.
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

  #allowed(): number {
    const slowly = (performance.now() - this.#since) / pieces.msForOneMore;
    return pieces.free + this.#bytes / pieces.bytesForOneMore + slowly;
  }

  /**
   * Whoever reads the body answers; what goes on arriving is dropped, so that the client can read the answer, but not
   * for long.
   */
  #refuse(): boolean {
    const isAnswered =
      this.#isRefused ||
      this.emit('clientError', Object.assign(new Error('a body comes in too many pieces'), { code: tooManyPieces }));
    if (!isAnswered || this.#pieces > 2 * this.#allowed()) this.socket.destroy();
    this.#isRefused = true;
    return true;
  }
}

const noBytes = Buffer.alloc(0);
/** Bytes. */
const smallPiece = 1024;
const blockLength = 4096;
