// The faults of the demonstration: what a client sees of each, and the page that shows it.
import type { OperatorWord } from '../words/en.ts';

interface FaultPlace {
  readonly word: OperatorWord;
  /** Parts of the address of the page. */
  readonly parts: readonly string[];
  /** Narrows an operator's page. @param activity code */
  readonly parameters?: (activity: string) => Readonly<Record<string, string>>;
}

const ofActivity = (activity: string): Readonly<Record<string, string>> => ({ activity });
const reconciled = { parts: ['operator', 'reconciliation'], parameters: ofActivity } as const;

/** By name; a server may know more. */
export const faultPlaces: Readonly<Record<string, FaultPlace | undefined>> = {
  'late-image': { word: 'fault-late-image', parts: ['stock'] },
  'misdated-image': { word: 'fault-misdated-image', ...reconciled },
  'lost-movement': { word: 'fault-lost-movement', ...reconciled },
  'late-movement': { word: 'fault-late-movement', ...reconciled },
  'lost-grade-change': { word: 'fault-lost-grade-change', ...reconciled },
  'movement-without-direction': { word: 'fault-movement-without-direction', ...reconciled },
  'duplicate-message': {
    ...{ word: 'fault-duplicate-message', parts: ['operator', 'messages'], parameters: ofActivity },
  },
  'out-of-order': {
    ...{ word: 'fault-out-of-order', parts: ['operator', 'lines'] },
    parameters: (activity) => ({ activity, resource: 'orders' }),
  },
  'short-pick': { word: 'fault-short-pick', parts: ['order-reports'] },
  'damaged-reception': { word: 'fault-damaged-reception', parts: ['movements'] },
  'carrier-down': { word: 'fault-carrier-down', parts: ['ship'] },
};
