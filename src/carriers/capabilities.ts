// What each carrier can do here, as data: one table for commands and pages.
import type { Carrier } from './carrier.ts';
import { isSupported, type Supported } from './desk.ts';

/** What a carrier can do, in the words that commands and pages use. */
export const capabilityNames = [
  'labels',
  'labels again',
  'tracking',
  'account test',
  'points',
  'dry run',
  'void',
  'end of day',
] as const;

type CapabilityName = (typeof capabilityNames)[number];

interface Capability {
  readonly name: CapabilityName;
  readonly offered: boolean;
  /** What an operator does instead, if that is known; '' otherwise. */
  readonly instead: string;
}

/** What a carrier can do, in the order of `capabilityNames`. */
export function capabilitiesOf({
  createLabel,
  fetchLabel,
  track,
  probe,
  desk,
}: Pick<Carrier, 'createLabel' | 'fetchLabel' | 'track' | 'probe' | 'desk'>): readonly Capability[] {
  const plain = (name: CapabilityName, operation: unknown): Capability => ({
    name,
    offered: operation !== null,
    instead: '',
  });
  return [
    plain('labels', createLabel),
    plain('labels again', fetchLabel),
    plain('tracking', track),
    plain('account test', probe),
    ofDesk('points', desk.findPoints),
    ofDesk('dry run', desk.dryRun),
    ofDesk('void', desk.voidLabel),
    ofDesk('end of day', desk.handover.close),
  ];
}

function ofDesk<Of extends (task: never) => unknown>(name: CapabilityName, way: Supported<Of>): Capability {
  return isSupported(way) ? { name, offered: true, instead: '' } : { name, offered: false, instead: way.instead };
}
