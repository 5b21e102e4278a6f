// Waits on this machine for the browser to return from signing in (RFC 8252, 7.3).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { languageOf, pageHeaders, returnedPage } from '../../auth/pages/index.ts';

/** The browser has returned. */
interface Return {
  /** The requested address, with everything that the authorization server added. */
  readonly url: URL;
  /** Shows the person the outcome; resolves when the page has been sent. */
  readonly answer: (outcome: 'done' | 'failed') => Promise<void>;
}

interface Loopback {
  readonly redirectUri: string;
  /** Never rejects; stays pending when nobody returns. */
  readonly returned: Promise<Return>;
  readonly close: () => Promise<void>;
}

export const callbackPath = '/callback';

/**
 * Listens on a free port of 127.0.0.1.
 * @param state expected in the returning request: other requests are refused and end nothing, so that another page or
 *   program on this machine cannot disrupt or take over the sign-in
 */
export async function listenOnLoopback(state: string): Promise<Loopback> {
  const back = Promise.withResolvers<Return>();
  let taken = false;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', redirectUri);
    // A foreign host name that resolves here would make this listener part of a foreign site.
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
