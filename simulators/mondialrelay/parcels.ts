// The simulator's memory: its parcels, the state of each, and the account that may use it.
import { createHash, randomBytes } from 'node:crypto';

/** The one account that the simulator knows. */
export const simulatorAccount = {
  login: 'BDTEST@business-api.mondialrelay.com',
  password: 'simulator-password',
  customerId: 'BDTEST',
  enseigne: 'BDTEST13',
  brandCode: '11',
  privateKey: 'TestAPI1key',
} as const;

/** STAT of a parcel that is found. */
export type ParcelState = '0' | '80' | '81' | '82' | '83';

/** A parcel created here. */
export interface SimulatedParcel {
  readonly number: string;
  /** Version that created it. */
  readonly version: '1' | '2';
  /** The request, by its names on the wire. */
  readonly sent: Readonly<Record<string, string>>;
  /** Check value of its link in version 2, which nobody can compute. */
  readonly check: string;
  readonly madeAt: number;
}

export interface Parcels {
  readonly make: (version: '1' | '2', sent: Readonly<Record<string, string>>) => SimulatedParcel;
  readonly all: () => readonly SimulatedParcel[];
  readonly find: (number: string) => SimulatedParcel | null;
  /** The state of a parcel, null if no parcel has this number. */
  readonly state: (number: string) => { readonly state: ParcelState; readonly since: number } | null;
  readonly move: (number: string, state: ParcelState) => void;
  readonly now: () => number;
}

/** Parcels that exist from the start, one in each state. */
export const sampleParcels: Readonly<Record<string, ParcelState>> = {
  10000000: '0',
  10000080: '80',
  10000081: '81',
  10000082: '82',
  10000083: '83',
};

export function createParcels(now: () => number): Parcels {
  const known = new Map<string, SimulatedParcel>();
  const states = new Map<string, ParcelState>(Object.entries(sampleParcels));
  // Their whole history is in the past.
  const sampled = now() - 96 * 3_600_000;
  return {
    make(version, sent) {
      const parcel: SimulatedParcel = {
        number: String(50_000_001 + known.size),
        version,
        sent,
        check: randomBytes(16).toString('hex').toUpperCase(),
        madeAt: now(),
      };
      known.set(parcel.number, parcel);
      states.set(parcel.number, '80');
      return parcel;
    },
    all: () => [...known.values()],
    find: (number) => known.get(number) ?? null,
    state(number) {
      const state = states.get(number);
      return state === undefined ? null : { state, since: known.get(number)?.madeAt ?? sampled };
    },
    move(number, state) {
      if (!states.has(number)) throw new Error(`the simulator has no parcel ${number}`);
      states.set(number, state);
    },
    now,
  };
}

/** MD5 in capital hex digits, over the bytes of Latin-1. */
export function latinMd5(text: string): string {
  return createHash('md5').update(text, 'latin1').digest('hex').toUpperCase();
}
