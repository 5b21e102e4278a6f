// The faults that may be requested from the demonstration warehouse; each happens once, at the next suitable moment.

/** Faults for testing a connector. */
export const demoFaults = {
  'late-image': 'the next nightly stock image arrives five hours late',
  'misdated-image': 'an image is taken at three, after the trucks were loaded, and says that it was ten past two',
  'lost-movement': 'one movement of the next message never arrives: stock and movements no longer add up',
  'late-movement': 'a shipment is booked after the next stock image, under the time at which it left',
  'lost-grade-change': 'of the two movements by which goods are blocked next, one never arrives',
  'movement-without-direction': 'a movement of the next message does not say whether it came in or went out',
  'duplicate-message': 'the next message arrives twice',
  'out-of-order': 'the next message of orders arrives after a later one about the same order',
  'short-pick': 'a piece is not found when the next order is picked: its report says less than ordered',
  'damaged-reception': 'a part of what is received next is damaged: it comes in and is blocked',
  'carrier-down': 'the sandbox carrier cannot be reached for ten minutes',
} as const;

export type DemoFault = keyof typeof demoFaults;

export function isDemoFault(name: string): name is DemoFault {
  return Object.hasOwn(demoFaults, name);
}

/** The faults requested for one activity that have not happened yet. */
export interface PendingFaults {
  readonly add: (fault: DemoFault, at: number) => void;
  /** Whether a fault requested no later than `latest` is waiting. */
  readonly waits: (fault: DemoFault, latest?: number) => boolean;
  /** Takes a waiting fault; false: there is none. */
  readonly take: (fault: DemoFault, latest?: number) => boolean;
  readonly list: () => readonly DemoFault[];
}

export function createPendingFaults(): PendingFaults {
  const pending: { readonly fault: DemoFault; readonly at: number }[] = [];
  const find = (fault: DemoFault, latest: number): number =>
    pending.findIndex((found) => found.fault === fault && found.at <= latest);
  return {
    add: (fault, at) => void pending.push({ fault, at }),
    waits: (fault, latest = Number.POSITIVE_INFINITY) => find(fault, latest) >= 0,
    take: (fault, latest = Number.POSITIVE_INFINITY) => {
      const index = find(fault, latest);
      if (index < 0) return false;
      pending.splice(index, 1);
      return true;
    },
    list: () => pending.map(({ fault }) => fault),
  };
}
