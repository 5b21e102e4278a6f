// The shipping desk on the platform interface: pick-up points, trials, tests of accounts, handovers.
import type { PlatformRequests } from './administration.ts';
import { path } from './client.ts';
import type { CallOptions } from './transport.ts';
import type {
  CarrierAccountTest,
  HandoverDay,
  LabelRequest,
  LabelTrial,
  PickupPoints,
  PlatformQueryOf,
} from './types.ts';

/** The shipping desk; `context` and `carrier` name a carrier account. */
export interface ShippingDeskClient {
  /** Asks the carrier whether an account works, without creating anything. */
  readonly testAccount: (context: string, carrier: string, options?: CallOptions) => Promise<CarrierAccountTest>;
  /** Pick-up points near an address, nearest first. */
  readonly points: (
    context: string,
    carrier: string,
    query: PlatformQueryOf<'listPickupPoints'>,
    options?: CallOptions,
  ) => Promise<PickupPoints>;
  /** Tries a label request without creating anything. */
  readonly tryLabel: (
    context: string,
    carrier: string,
    request: Partial<LabelRequest>,
    query?: PlatformQueryOf<'tryLabel'>,
    options?: CallOptions,
  ) => Promise<LabelTrial>;
  /** The handover lists of a day, and how many labels are on none. */
  readonly handovers: (
    context: string,
    carrier: string,
    query?: PlatformQueryOf<'getHandoverDay'>,
    options?: CallOptions,
  ) => Promise<HandoverDay>;
  /** Puts the labels of a day that are on no list on new ones; repeating the call makes no second list for them. */
  readonly handOver: (
    context: string,
    carrier: string,
    query?: PlatformQueryOf<'handOverDay'>,
    options?: CallOptions,
  ) => Promise<HandoverDay>;
  /** The paper of a handover list, a PDF. @param address `document` of the list */
  readonly handoverDocument: (address: string, options?: CallOptions) => Promise<Blob>;
}

/** Sends requests to the platform interface, including requests for files. */
type DeskRequests = PlatformRequests & {
  readonly file: (address: string, options?: CallOptions) => Promise<Blob>;
};

export function shippingDeskOf({ get, post, file }: DeskRequests): ShippingDeskClient {
  const handovers = (context: string, carrier: string): string => path`/shippings/handovers/${context}/${carrier}`;
  return {
    testAccount: (context, carrier, options) => post(path`/shippings/accounts/${context}/${carrier}/test`, {}, options),
    points: (context, carrier, query, options) => get(path`/shippings/points/${context}/${carrier}`, query, options),
    tryLabel: (context, carrier, request, query, options) =>
      post(path`/shippings/dry-runs/${context}/${carrier}`, { query, body: request }, options),
    handovers: (context, carrier, query, options) => get(handovers(context, carrier), query, options),
    handOver: (context, carrier, query, options) => post(handovers(context, carrier), { query }, options),
    handoverDocument: file,
  };
}
