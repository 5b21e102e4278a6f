// Waits on this machine for the browser to come back from signing in (RFC 8252, 7.3).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { languageOf, pageHeaders, returnedPage } from '../../auth/pages/index.ts';

/** The browser is back. */
interface Return {
  /** As it was called, with everything that the authorization server added. */
  readonly url: URL;
  /** Tells the person how it ended; resolves when that is sent. */
  readonly answer: (outcome: 'done' | 'failed') => Promise<void>;
}

interface Loopback {
  readonly redirectUri: string;
  /** Never rejects; stays open when nobody comes. */
  readonly returned: Promise<Return>;
  readonly close: () => Promise<void>;
}

export const callbackPath = '/callback';

/**
 * Listens on a free port of 127.0.0.1.
 * @param state what the returning browser must bring along: anything else that calls is turned away and ends nothing,
 * so that another page or program of this machine cannot break or take over the sign-in
 */
export async function listenOnLoopback(state: string): Promise<Loopback> {
  const back = Promise.withResolvers<Return>();
  let taken = false;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', redirectUri);
    // A foreign host name that leads here would make this listener a part of a foreign site.
    if (url?.pathname !== callbackPath || request.headers.host !== new URL(redirectUri).host)
      send(request, response, 404, 'failed');
    else if (request.method !== 'GET' || taken || url.searchParams.get('state') !== state)
      send(request, response, 400, 'failed');
    else {
      taken = true;
      back.resolve({
        url,
        answer: async (outcome) => {
          const sent = once(response, 'close');
          send(request, response, outcome === 'done' ? 200 : 400, outcome);
          await sent;
        },
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const redirectUri = `http://127.0.0.1:${address.port}${callbackPath}`;
  return {
    redirectUri,
    returned: back.promise,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(request: IncomingMessage, response: ServerResponse, status: number, outcome: 'done' | 'failed'): void {
  const page = returnedPage({ language: languageOf(request.headers['accept-language']), outcome });
  response.writeHead(status, { ...pageHeaders({ formTargets: [] }), connection: 'close' }).end(page);
}
