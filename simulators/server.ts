// A local HTTP server for simulators of carriers: reads whole requests, sends a function's answers, and fails on
// demand.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { JsonValue } from '../src/carriers/json.ts';

export interface SimulatorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SimulatorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything except text and bytes is sent as JSON. */
  readonly body: string | Buffer | JsonValue;
}

interface SimulatorServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A local server that speaks a carrier's protocol, for tests and for trying out the adapter. */
export interface Simulator extends SimulatorServer {
  /** Settings of an account that uses it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Words that make any simulator fail, anywhere in a request's address or body. */
export const faultWords = {
  FAULT429: 'too many requests',
  FAULT500: 'an error of the server, as HTML',
  FAULT503: 'away',
  FAULTTEXT: 'status 200 with something that is not JSON',
  FAULTEMPTY: 'status 200 without a body',
  FAULTSHAPE: 'status 200 with JSON of another shape',
  FAULTHALF: 'an answer that breaks off half way',
  FAULTMUTE: 'no answer at all',
} as const;

/**
 * Starts a server on the loopback address.
 * @param answer must not throw for anything that a client can send
 * @param port 0: any free one
 */
export async function serveSimulator(
  answer: (request: SimulatorRequest) => SimulatorAnswer,
  port = 0,
): Promise<SimulatorServer> {
  const server = createServer((incoming, response) => {
    readRequest(incoming)
      .then((request) => send(response, request, answer))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closed(server) };
}

const maxBodyBytes = 1024 * 1024;
const html = '<html><head><title>Error</title></head><body><h1>Internal Server Error</h1></body></html>';

async function readRequest(incoming: IncomingMessage): Promise<SimulatorRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw new Error('the body is too large for a simulator');
    chunks.push(bytes);
  }
  const url = new URL(`http://127.0.0.1${incoming.url ?? '/'}`);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.concat(chunks),
  };
}

function send(
  response: ServerResponse,
  request: SimulatorRequest,
  answer: (request: SimulatorRequest) => SimulatorAnswer,
): void {
  const text = `${request.path}?${request.query}${request.body.toString('latin1')}`;
  const word = Object.keys(faultWords).find((fault) => text.includes(fault));
  if (word === 'FAULTMUTE') return;
  const fault = word === undefined || word === 'FAULTHALF' ? null : faultAnswer(word);
  const { status, headers = {}, body } = fault ?? answer(request);
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  response.writeHead(status, {
    ...(isRaw ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': String(bytes.length),
    ...headers,
  });
  if (word === 'FAULTHALF') response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
  else response.end(bytes);
}

function faultAnswer(word: string): SimulatorAnswer {
  const asHtml = { 'Content-Type': 'text/html' };
  if (word === 'FAULT429') return { status: 429, headers: { 'Retry-After': '60' }, body: '' };
  if (word === 'FAULT500') return { status: 500, headers: asHtml, body: html };
  if (word === 'FAULT503')
    return { status: 503, headers: asHtml, body: html.replace('Internal Server Error', 'Service Unavailable') };
  if (word === 'FAULTEMPTY') return { status: 200, body: '' };
  if (word === 'FAULTSHAPE')
    return { status: 200, body: [[{ shipment: 7, tracking: 'yes', items: { b64: [] } }], null] };
  return { status: 200, headers: asHtml, body: html };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the simulator has no port');
  return address.port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
