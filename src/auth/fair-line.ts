// In charge of waiting in line for something scarce: turns go round the networks and round the addresses in each, and nobody can take all places.
import { addressKey, networkKey } from '../http/address-parts.ts';

/** Where somebody in line comes from. */
export interface Origin { readonly network: string; readonly address: string }

export interface LineBounds {
  /** Works at a time. */
  readonly running: number;
  /** Places in line, of everybody, of one network and of one address. */
  readonly waiting: number;
  readonly perNetwork: number;
  readonly perAddress: number;
}

export interface Line {
  /** Whether somebody from there would be let in now; asked before anything is spent on them. */
  hasPlace(from: Origin): boolean;
  /**
   * Runs a piece of work when its turn comes.
   * @returns what the work gives; `full` without starting it where there is no place, or where its place went to somebody who has fewer
   */
  run<T>(from: Origin, work: () => Promise<T>): Promise<T | 'full'>;
}

/** The origin of a request by its address. */
export function originOf(address: string): Origin {
  return { network: networkKey(address), address: addressKey(address) };
}

interface Waiter { readonly start: (place: 'mine' | 'full') => void }
/** By address. Both kinds of map are in the order of the next turns. */
type Addresses = Map<string, Waiter[]>;

/**
 * Makes a line. Where it is full, whoever has the most places gives one up for somebody who has fewer: first among the networks,
 * then among the addresses of one; so a newcomer is refused only where nobody has more than they would have.
 */
export function createLine(bounds: LineBounds): Line {
  const networks = new Map<string, Addresses>();
  let running = 0;

  const places = (network: string): number => placesOf(networks.get(network));
  const add = ({ network, address }: Origin, waiter: Waiter): void => {
    const addresses = networks.get(network) ?? new Map<string, Waiter[]>();
    networks.set(network, addresses);
    addresses.set(address, [...addresses.get(address) ?? [], waiter]);
  };
  const drop = ({ network, address }: Origin, left: readonly Waiter[]): void => {
    const addresses = networks.get(network);
    addresses?.delete(address);
    if (left.length > 0) addresses?.set(address, [...left]);
    if (addresses?.size === 0) networks.delete(network);
  };
  const next = (): Waiter | undefined => {
    for (const [network, addresses] of networks) {
      for (const [address, [first, ...others]] of addresses) {
        // Both go to the end of their round.
        networks.delete(network);
        networks.set(network, addresses);
        drop({ network, address }, others);
        return first;
      }
    }
    return undefined;
  };

  /** Who has to give up a place for a newcomer: nobody, or nobody can (null). */
  const place = (from: Origin): 'free' | Origin | null => {
    const own = networks.get(from.network)?.get(from.address)?.length ?? 0;
    if (own >= bounds.perAddress) return null;
    const total = [...networks.values()].reduce((sum, addresses) => sum + placesOf(addresses), 0);
    const ownNetwork = places(from.network);
    if (total < bounds.waiting && ownNetwork < bounds.perNetwork) return 'free';
    const richest = mostOf([...networks].map(([network, addresses]) => [network, placesOf(addresses)]));
    const network = ownNetwork < bounds.perNetwork && richest[1] >= ownNetwork + 2 ? richest[0] : from.network;
    const [address, most] = mostOf([...networks.get(network) ?? []].map(([name, waiters]) => [name, waiters.length]));
    if (network === from.network && most < own + 2) return null;
    return { network, address };
  };

  /** Waits until it may run. */
  const enter = (from: Origin): Promise<'mine' | 'full'> => {
    if (running < bounds.running) {
      running += 1;
      return Promise.resolve('mine');
    }
    const given = place(from);
    if (given === null) return Promise.resolve('full');
    if (given !== 'free') {
      const waiters = networks.get(given.network)?.get(given.address) ?? [];
      const last = waiters.pop();
      if (waiters.length === 0) drop(given, []);
      last?.start('full');
    }
    return new Promise((start) => add(from, { start }));
  };

  return {
    hasPlace: (from) => running < bounds.running || place(from) !== null,
    run: async (from, work) => {
      if (await enter(from) === 'full') return 'full';
      try {
        return await work();
      } finally {
        // The place goes straight to the next in line, so that nobody slips in between.
        const waiter = next();
        if (waiter === undefined) running -= 1;
        else waiter.start('mine');
      }
    },
  };
}

function placesOf(addresses: Addresses | undefined): number {
  return [...addresses?.values() ?? []].reduce((sum, waiters) => sum + waiters.length, 0);
}

function mostOf(counts: readonly (readonly [name: string, count: number])[]): readonly [string, number] {
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
}
