// Writes a response to the socket: type, compression, and HEAD as GET without the body.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { compressible, minCompressedBytes, isKept } from './compress.ts';
import type { Answer } from './route.ts';
import type { AnswerWatch } from './unread-answers.ts';

/** A coding, and the function that applies it to a body: it returns null when there is no time for it. */
export interface Compressed {
  readonly coding: string;
  readonly make: (body: Buffer) => Promise<Buffer | null>;
}

/**
 * Sends a response. The headers of a HEAD response are those of GET, including `Content-Length` (RFC 9110, section
 * 9.3.2).
 * @param type `Content-Type` when the answer leaves it to negotiation
 * @param compressed compresses the body as the client asked, or null
 * @param watch supervises responses that the client does not read at once
 * @returns a promise only when the body has to be compressed first, or is a stream; it then lasts until everything is
 *   sent or the connection is gone, because the framework would otherwise consider the request unanswered
 */
export function send(
  reply: FastifyReply,
  answer: Answer,
  type: string | null,
  compressed: Compressed | null,
  watch: AnswerWatch,
): void | Promise<void> {
  reply.code(answer.status);
  reply.headers(answer.headers);
  const { body } = answer;
  if (body === null) {
    if (answer.status !== 304 && answer.status !== 204) reply.header('content-length', '0');
    reply.send();
    watch(reply.raw, 0, false);
    return;
  }
  const sentType = answer.type ?? type;
  if (sentType !== null) reply.header('content-type', sentType);
  if (body instanceof Readable) {
    const over = new Promise<void>((resolve) => {
      reply.raw.once('close', resolve);
    });
    finish(reply, body);
    watch(reply.raw, Number(reply.getHeader('content-length') ?? 0), true);
    return over;
  }
  if (
    compressed === null ||
    body.length < minCompressedBytes ||
    answer.headers['content-encoding'] !== undefined ||
    !compressible(sentType ?? '')
  ) {
    finish(reply, body);
    watch(reply.raw, isKept(body) ? 0 : body.length, false);
    return;
  }
  const plain = Buffer.isBuffer(body) ? body : Buffer.from(body);
  return compressed.make(plain).then((made) => {
    const bytes = made ?? plain;
    if (made !== null) reply.header('content-encoding', compressed.coding);
    const etag = answer.headers.etag;
    // Compressed bytes differ from the plain ones, so a strong tag would be wrong for one of them.
    if (made !== null && etag?.startsWith('"')) reply.header('etag', `W/${etag}`);
    finish(reply, bytes);
    watch(reply.raw, isKept(bytes) ? 0 : bytes.length, false);
  });
}

function finish(reply: FastifyReply, body: Buffer | string | Readable): void {
  if (reply.request.method === 'HEAD') {
    if (body instanceof Readable) body.destroy();
    else reply.header('content-length', String(Buffer.byteLength(body)));
    reply.send();
    return;
  }
  try {
    reply.send(body);
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}
