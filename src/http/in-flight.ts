// Counts the bytes that bodies and responses hold in memory, for each client and in total, and refuses requests for
// which there is no room.
import { Shed } from './load-shedding.ts';

/** Bytes; 0: no limit. */
export interface InFlightLimits {
  readonly client: number;
  readonly process: number;
}

/** What one request holds; it is released all at once. */
export interface Holding {
  /** @throws Shed `client-bytes` or `process-bytes`; the amount held is then unchanged */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}

export interface InFlight {
  /** @param costKey person, client, key or address */
  readonly holding: (costKey: string) => Holding;
  /**
   * Counts a response that is already in memory and can no longer be refused.
   * @returns a function that releases it
   */
  readonly add: (costKey: string, bytes: number) => () => void;
  /** To be called before starting work whose response needs memory. @throws Shed when there is no room left */
  readonly check: (costKey: string) => void;
  /** Bytes held at present. */
  readonly total: () => number;
}

export function createInFlight({ client, process }: InFlightLimits): InFlight {
  const held = new Map<string, number>();
  let total = 0;
  const change = (costKey: string, bytes: number): void => {
    total += bytes;
    const left = (held.get(costKey) ?? 0) + bytes;
    if (left > 0) held.set(costKey, left);
    else held.delete(costKey);
  };
  const require = (costKey: string, bytes: number): void => {
    if (client > 0 && (held.get(costKey) ?? 0) + bytes > client) throw new Shed('client-bytes');
    if (process > 0 && total + bytes > process) throw new Shed('process-bytes');
  };
  const add = (costKey: string, bytes: number): (() => void) => {
    change(costKey, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) change(costKey, -bytes);
      isHeld = false;
    };
  };
  return {
    add,
    check: (costKey) => {
      if (total > 0) require(costKey, 1);
    },
    total: () => total,
    holding: (costKey) => {
      let own = 0;
      return {
        take: (bytes) => {
          require(costKey, bytes);
          change(costKey, bytes);
          own += bytes;
        },
        release: () => {
          if (own > 0) change(costKey, -own);
          own = 0;
        },
      };
    },
  };
}
