// A carrier that is told of parcels at the end of a day: the simulator of Colissimo behind a door that a test can hold
// shut.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import assert from 'node:assert/strict';
import { startColissimoSimulator } from '../../simulators/colissimo/colissimo.ts';

/** What becomes of a request for a slip in place of going through; null: it goes through. */
type Script = () => Promise<'hang up' | 'lose the answer' | Instead | null>;

interface Instead {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

export interface SlipCarrier {
  /** Settings of an account. */
  readonly settings: Readonly<Record<string, string>>;
  /** The parcel numbers of each slip that was asked for. */
  readonly slips: () => readonly (readonly string[])[];
  readonly play: (script: Script | null) => void;
  readonly close: () => Promise<void>;
}

export async function startSlipCarrier(): Promise<SlipCarrier> {
  const simulator = await startColissimoSimulator();
  const slips: (readonly string[])[] = [];
  let script: Script | null = null;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const isSlip = request.url?.endsWith('generateBordereauByParcelsNumbers') === true;
    if (isSlip) slips.push(JSON.parse(body.toString()).generateBordereauParcelNumberList.parcelsNumbers);
    const instead = isSlip ? ((await script?.()) ?? null) : null;
    if (instead === 'hang up') return void response.socket?.destroy();
    if (instead !== null && instead !== 'lose the answer')
      return void response
        .writeHead(instead.status, { 'content-type': instead.type ?? 'application/json' })
        .end(instead.body);
    const given = await fetch(`${simulator.url}${request.url}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json', apikey: String(request.headers.apikey) },
      body: new Uint8Array(body),
    });
    const bytes = Buffer.from(await given.arrayBuffer());
    if (instead === 'lose the answer') response.socket?.destroy();
    else
      response
        .writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? 'text/plain' })
        .end(bytes);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    settings: { ...simulator.settings, baseUrl: `http://127.0.0.1:${address.port}` },
    slips: () => slips,
    play: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await simulator.close();
    },
  };
}
