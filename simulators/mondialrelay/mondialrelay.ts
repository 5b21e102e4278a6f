// A local server that speaks both interfaces of Mondial Relay, as strict as the carrier, with its traps.
import { serveSimulator, type Simulator, type SimulatorAnswer, type SimulatorRequest } from '../server.ts';
import { createParcels, type Parcels, type ParcelState, type SimulatedParcel, simulatorAccount } from './parcels.ts';
import { labelPdf, restService } from './rest-service.ts';
import { soapService, stickerPdf } from './soap-service.ts';

export interface MondialRelaySimulator extends Simulator {
  /** The same account with version 2 in its sandbox. */
  readonly sandboxSettings: Readonly<Record<string, string>>;
  /** What has been created so far. */
  readonly parcels: () => readonly SimulatedParcel[];
  /** Sets the state of a parcel from now on; throws for an unknown parcel. */
  readonly move: (expeditionNumber: string, state: ParcelState) => void;
}

interface MondialRelaySimulatorOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 0: any free one. */
  readonly port?: number;
}

/**
 * Starts the simulator on the loopback address. It knows one account, the parcels that it created, and those of
 * `sampleParcels`. It refuses postcode 00000 of the recipient and relay 0; shipments numbered NOPDF have no PDF, those
 * numbered NOLINK no link (version 1). A word of `faultWords` in a shipment's number or in the path makes it fail.
 */
export async function startMondialRelaySimulator({
  now = Date.now,
  port = 0,
}: MondialRelaySimulatorOptions = {}): Promise<MondialRelaySimulator> {
  const parcels = createParcels(now);
  const server = await serveSimulator((request) => answerTo(request, parcels), port);
  const settings = { ...simulatorAccount, environment: server.url, v1Url: `${server.url}/Web_Services.asmx` };
  return {
    settings,
    sandboxSettings: { ...settings, environment: `${server.url}/sandbox` },
    url: server.url,
    close: server.close,
    parcels: parcels.all,
    move: parcels.move,
  };
}

function answerTo(request: SimulatorRequest, parcels: Parcels): SimulatorAnswer {
  const { method, path } = request;
  if (method === 'GET' && path === '/ww2/PDF/StickerMaker2.aspx') return stickerPdf(request, parcels);
  if (method === 'GET' && path.endsWith('/etiquette/GetStickersExpeditionsAnonyme2')) return labelPdf(request, parcels);
  if (method === 'POST' && path.endsWith('/Web_Services.asmx')) return soapService(request, parcels);
  if (method === 'POST' && path.endsWith('/api/shipment')) {
    return restService(request, {
      origin: `http://${request.headers.host ?? ''}`,
      isSandbox: path.startsWith('/sandbox/'),
      parcels,
    });
  }
  return { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html><body>Not Found</body></html>' };
}
