// A queue for a scarce resource: turns go round the networks and round the addresses in each, and nobody can take all
// places.
import { addressKey, networkKey } from '../http/address-parts.ts';

/** Where a request in the queue comes from. */
interface Origin {
  readonly network: string;
  readonly address: string;
}

export interface AddressQueueLimits {
  /** Pieces of work at a time. */
  readonly maxRunning: number;
  /** Places in the queue: for everybody together, for one network and for one address. */
  readonly maxWaiting: number;
  readonly maxPerNetwork: number;
  readonly maxPerAddress: number;
}

interface AddressQueue {
  /** Whether a request from there would be admitted now; asked before anything is spent on it. */
  hasPlace(from: Origin): boolean;
  /**
   * Runs a piece of work when its turn comes.
   * @returns the result of the work; `full` without starting it when there is no place, or its place went to somebody
   *   with fewer
   */
  run<T>(from: Origin, work: () => Promise<T>): Promise<T | 'full'>;
}

/** The origin of a request by its address. */
export function originOf(address: string): Origin {
  return { network: networkKey(address), address: addressKey(address) };
}

/** Called with `full` when it has to leave. */
type Waiter = (place: 'mine' | 'full') => void;
/** The waiting entries of one network, by address; both maps are in the order of the next turns. */
interface Network {
  readonly addresses: Map<string, Waiter[]>;
  places: number;
}

/**
 * Makes a queue. When it is full, whoever has the most places gives one up for somebody with fewer: first among the
 * networks, then among the addresses of one. A newcomer is thus refused only when nobody has more places than the
 * newcomer would have.
 */
export function createAddressQueue(limits: AddressQueueLimits): AddressQueue {
  const networks = new Map<string, Network>();
  let [running, total] = [0, 0];

  const add = ({ network, address }: Origin, waiter: Waiter): void => {
    const known = networks.get(network) ?? { addresses: new Map<string, Waiter[]>(), places: 0 };
    networks.set(network, known);
    const waiters = known.addresses.get(address);
    if (waiters === undefined) known.addresses.set(address, [waiter]);
    else waiters.push(waiter);
    known.places += 1;
    total += 1;
  };
  /** Removes one entry; the rest of its line goes to the end of the round. */
  const take = ({ network, address }: Origin, which: 'first' | 'last'): Waiter | undefined => {
    const known = networks.get(network);
    const waiters = known?.addresses.get(address);
    const waiter = which === 'first' ? waiters?.shift() : waiters?.pop();
    if (known === undefined || waiters === undefined || waiter === undefined) return undefined;
    known.places -= 1;
    total -= 1;
    known.addresses.delete(address);
    if (waiters.length > 0) known.addresses.set(address, waiters);
    networks.delete(network);
    if (known.places > 0) networks.set(network, known);
    return waiter;
  };
  const next = (): Waiter | undefined => {
    const [network, known] = networks.entries().next().value ?? [];
    const address = known?.addresses.keys().next().value;
    return network === undefined || address === undefined ? undefined : take({ network, address }, 'first');
  };

  /** Who has to give up a place for a newcomer: nobody needs to ('free'), or nobody can (null). */
  const place = (from: Origin): 'free' | Origin | null => {
    const ownNetwork = networks.get(from.network);
    const own = ownNetwork?.addresses.get(from.address)?.length ?? 0;
    const ownPlaces = ownNetwork?.places ?? 0;
    if (own >= limits.maxPerAddress) return null;
    if (total < limits.maxWaiting && ownPlaces < limits.maxPerNetwork) return 'free';
    const richest = mostOf(networks, ({ places }) => places);
    const network = ownPlaces < limits.maxPerNetwork && richest.count >= ownPlaces + 2 ? richest.name : from.network;
    const most = mostOf(networks.get(network)?.addresses ?? new Map<string, Waiter[]>(), ({ length }) => length);
    return network === from.network && most.count < own + 2 ? null : { network, address: most.name };
  };

  /** Waits until the work may run. */
  const enter = (from: Origin): Promise<'mine' | 'full'> => {
    if (running < limits.maxRunning) {
      running += 1;
      return Promise.resolve('mine');
    }
    const given = place(from);
    if (given === null) return Promise.resolve('full');
    if (given !== 'free') take(given, 'last')?.('full');
    return new Promise((waiter) => add(from, waiter));
  };

  return {
    hasPlace: (from) => running < limits.maxRunning || place(from) !== null,
    run: async (from, work) => {
      if ((await enter(from)) === 'full') return 'full';
      try {
        return await work();
      } finally {
        // The place goes directly to the next in line, so that nobody can slip in between.
        const waiter = next();
        if (waiter === undefined) running -= 1;
        else waiter('mine');
      }
    },
  };
}

function mostOf<T>(
  counted: ReadonlyMap<string, T>,
  countOf: (one: T) => number,
): { readonly name: string; readonly count: number } {
  let most = { name: '', count: 0 };
  for (const [name, one] of counted) if (countOf(one) > most.count) most = { name, count: countOf(one) };
  return most;
}
