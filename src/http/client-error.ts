// Responds to what Node's HTTP parser refuses before there is a request: on the bare socket, in the same form as other
// problems.
import { textBlock } from '../model/text-block.ts';
import type { Socket } from 'node:net';
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { Problem } from '../model/problem.ts';
import type { TypeChoice } from './negotiate.ts';
import { problemAnswer } from './problem-answer.ts';
import { newUuid } from '../model/uuid.ts';

/** What answers on the bare socket need. */
interface Wire {
  readonly baseUrl: string;
  readonly logger: Logger;
  readonly chooseProblemType: TypeChoice;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/**
 * Handler for `clientError`: malformed HTTP (400), headers (431) or URL (414) too large, a request that does not arrive
 * (408). Errors in a body that is being read are passed to its reader, as the event `clientError` of the request.
 */
export function clientErrorHandler(
  wire: Wire,
  limits: { readonly maxUrlBytes: number; readonly maxHeaderBytes: number; readonly requestTimeoutMs: number },
): (error: ParserError, socket: Socket) => void {
  const ending = new WeakSet<Socket>();
  return (error, socket) => {
    const running = runningResponse(socket);
    if (running !== null && !running.headersSent && !running.req.complete && running.req.emit('clientError', error))
      return;
    const isLost = error.code === 'ECONNRESET' || !socket.writable;
    // A request whose body ends nobody knows where is refused for that (`early-refusals.ts`), and gets its answer.
    const isRefused = error.code === 'HPE_INVALID_TRANSFER_ENCODING';
    if (!isLost && running !== null && (running.req.complete || isRefused)) {
      // Each further packet would cause the same error again.
      socket.pause();
      if (!ending.has(socket)) endAfterAnswers(socket, running);
      ending.add(socket);
      return;
    }
    // A response that has begun cannot be followed by another one, and a reset connection cannot be answered.
    if (isLost || running !== null) {
      socket.destroy();
      return;
    }
    refuseOnSocket(wire, socket, parserProblem(error, limits), { method: null, parser: error.code });
  };
}

/** Handler for `connect`: a client takes this server for a proxy. Node would close the connection without a word. */
export function connectHandler(wire: Wire): (request: IncomingMessage, socket: Duplex) => void {
  return ({ method = null }, socket) => {
    // The client would take this for the answer to an earlier request.
    if (runningResponse(socket) !== null) {
      socket.destroy();
      return;
    }
    // The client may be gone already.
    socket.on('error', () => {});
    const problem = new Problem(
      'method-not-allowed',
      'CONNECT is not allowed here: this server is no proxy. Ask it for a path, or correct the proxy in your settings.',
      {},
      { allow: 'GET, HEAD, POST, OPTIONS' },
    );
    refuseOnSocket(wire, socket, problem, { method });
  };
}

/** Writes a problem where there is no response, and ends the connection. */
function refuseOnSocket(
  wire: Wire,
  socket: Duplex,
  problem: Problem,
  facts: { readonly method: string | null; readonly parser?: string | undefined },
): void {
  const requestId = newUuid();
  const { answer, traceId } = problemAnswer(problem, {
    baseUrl: wire.baseUrl,
    requestId,
    path: null,
    traceparent: undefined,
    accept: undefined,
    chooseType: wire.chooseProblemType,
    silent500: false,
  });
  const body = String(answer.body);
  wire.logger.info(
    {
      requestId,
      ...facts,
      route: null,
      status: answer.status,
      bytes: Buffer.byteLength(body),
      problem: problem.slug,
      traceId,
    },
    'request',
  );
  const { allow } = problem.headers;
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
      `Date: ${new Date().toUTCString()}`,
      ...(allow === undefined ? [] : [`Allow: ${allow}`]),
      `Content-Type: ${answer.type ?? ''}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  closeGently(socket);
}

/**
 * What follows a complete request is not one, for instance because Content-Length is too short. That request may have
 * written something, so its client gets the outcome, as do those of other requests before the fault; then the
 * connection ends.
 */
function endAfterAnswers(socket: Socket, running: ServerResponse): void {
  running.once('close', () => {
    const next = runningResponse(socket);
    if (next !== null) endAfterAnswers(socket, next);
    else if (!socket.destroyed) {
      socket.end();
      closeGently(socket);
    }
  });
}

/** Closing at once could reset the connection before the client has read the response. */
function closeGently(socket: Duplex): void {
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** The response in progress on a connection: from when the head of a request has arrived until it is answered. */
export function runningResponse(socket: Duplex): ServerResponse | null {
  return '_httpMessage' in socket && socket._httpMessage instanceof ServerResponse ? socket._httpMessage : null;
}

function parserProblem(
  error: ParserError,
  limits: { readonly maxUrlBytes: number; readonly maxHeaderBytes: number; readonly requestTimeoutMs: number },
): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', `A request has ${limits.requestTimeoutMs / 1000} s to arrive.`);
    case 'HPE_HEADER_OVERFLOW':
      return requestLineLength(error.rawPacket) > limits.maxUrlBytes
        ? new Problem('uri-too-long', `The URL may have ${limits.maxUrlBytes} characters.`)
        : new Problem('headers-too-large', `The header fields together may have ${limits.maxHeaderBytes} bytes.`);
    case 'HPE_INVALID_METHOD':
      return new Problem(
        'invalid-request',
        textBlock`
          The request does not begin with a method of HTTP. Methods are written in capital letters, such as GET or POST,
          and those of a path are listed in Allow when it is asked with OPTIONS.
        `,
      );
    default:
      return new Problem(
        'invalid-request',
        textBlock`
          The request is not valid HTTP/1.1. Spaces in a URL are written %20, line breaks in header values are not
          possible.
        `,
      );
  }
}

/** Length of the request line if the packet starts with one, otherwise 0. */
function requestLineLength(packet: unknown): number {
  if (!Buffer.isBuffer(packet) || !/^[A-Z-]+ \//.test(packet.toString('latin1', 0, 24))) return 0;
  const end = packet.indexOf('\r\n');
  return end === -1 ? packet.length : end;
}
