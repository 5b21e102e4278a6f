// Where the warehouse side can put text, feeds apart: positions of the outbox, the audit trail, reconciliation and the
// shipping desk.
import { activities, shippingContext } from '../prepared.ts';
import { grownIn, inBody, inQuery, type RequestSurface, underKey } from './surfaces.ts';

const instants = 'from=2026-01-01&to=2026-01-02';
const parcel = {
  ...{ modeCol: 'CCC', modeLiv: 'HOM', weight: '1200', nbPackage: '1', outputType: 'ZplCode' },
  ...{ expAddr1: 'Evil Trading', expAddr2: '4 rue', expCity: 'Lesquin', expZip: '59810', expCountry: 'FR' },
  ...{ destAddr1: 'Camille', destAddr2: '6 place', destCity: 'Paris', destZip: '75004', destCountry: 'FR' },
};

const found: readonly RequestSurface[] = [
  inQuery('position of the outbox', '/platform/outbox?consumer=searched', 'after', [
    `${activities.attacker}:1`,
    `${activities.attacker}:1,${activities.victim}:2`,
  ]),
  inBody('acknowledgement', 'outbox/ack', 64_000, [
    grownIn(`${activities.attacker}:1`, { consumer: 'searched', position: `${activities.attacker}:1` }),
    '{"position":""}',
  ]),
  inQuery('action in the audit trail', '/platform/audit', 'action', ['articles.submit', '%']),
  inQuery('actor in the audit trail', '/platform/audit?since=2026-01-01', 'actor', ['attacker', '\u{1f69a}']),
  inQuery(
    'place of the reconciliation',
    `/platform/reconciliation?activity=${activities.attacker}&${instants}`,
    'after',
    ['A1', 'eyJhIjoxfQ'],
  ),
  inQuery(
    'pick-up points',
    `/platform/shippings/points/${shippingContext}/sandbox?destCountry=FR&destZip=75004`,
    'destCity',
    ['Paris', 'é'],
  ),
  inBody('label that is tried', `shippings/dry-runs/${shippingContext}/sandbox`, 64_000, [
    grownIn('Camille', parcel),
    '{}',
  ]),
];

/** @param key a platform key with the roles of outbox, audit, stock and shipping */
export function warehouseSurfaces(key: string): readonly RequestSurface[] {
  return underKey(key, found);
}
