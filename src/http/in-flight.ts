// Counts the bytes that bodies and answers hold in memory, for each client and for all together, and refuses more than
// there is room for.
import { Shed } from './shed.ts';

/** Bytes; 0: no limit. */
export interface InFlightLimits {
  readonly client: number;
  readonly process: number;
}

/** What one request holds; it gives everything back at once. */
export interface Holding {
  /** @throws Shed `client-bytes` or `process-bytes`; then nothing more is held than before */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}

export interface InFlight {
  /** @param who client, key or address */
  readonly holding: (who: string) => Holding;
  /**
   * Counts what is in memory already and cannot be refused any more: an answer.
   * @returns what gives it back
   */
  readonly add: (who: string, bytes: number) => () => void;
  /** To be asked before work is begun whose answer needs memory. @throws Shed where there is no room left */
  readonly check: (who: string) => void;
  /** Bytes held at the moment. */
  readonly total: () => number;
}

export function createInFlight({ client, process }: InFlightLimits): InFlight {
  const held = new Map<string, number>();
  let total = 0;
  const change = (who: string, bytes: number): void => {
    total += bytes;
    const left = (held.get(who) ?? 0) + bytes;
    if (left > 0) held.set(who, left);
    else held.delete(who);
  };
  const require = (who: string, bytes: number): void => {
    if (client > 0 && (held.get(who) ?? 0) + bytes > client) throw new Shed('client-bytes');
    if (process > 0 && total + bytes > process) throw new Shed('process-bytes');
  };
  const add = (who: string, bytes: number): (() => void) => {
    change(who, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) change(who, -bytes);
      isHeld = false;
    };
  };
  return {
    add,
    check: (who) => {
      if (total > 0) require(who, 1);
    },
    total: () => total,
    holding: (who) => {
      let own = 0;
      return {
        take: (bytes) => {
          require(who, bytes);
          change(who, bytes);
          own += bytes;
        },
        release: () => {
          if (own > 0) change(who, -own);
          own = 0;
        },
      };
    },
  };
}
