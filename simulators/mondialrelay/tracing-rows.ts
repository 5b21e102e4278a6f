// The history of a parcel as version 1 prints it: Paris time, two-digit years, a table that always has fifteen rows.
import type { ParcelState } from './parcels.ts';

/** Wording, date, hour, place, number and country of the relay. */
type Row = readonly string[];

interface TracingRows {
  readonly wording: string;
  readonly relay: string;
  readonly relayNumber: string;
  readonly rows: readonly Row[];
}

const tableLength = 15;
const hour = 3_600_000;
const relay = { relay: 'EYBENS', relayNumber: '048607' };
const nowhere = { relay: '', relayNumber: '' };

/** The wording of each state, with its steps: hours after the parcel was created, wording, place, relay. */
const histories: Readonly<
  Record<
    ParcelState,
    {
      readonly wording: string;
      readonly place: typeof relay;
      readonly steps: readonly (readonly [after: number, wording: string, where: string, relay?: true])[];
    }
  >
> = {
  80: { wording: 'COLIS ENREGISTRÉ', place: nowhere, steps: [[0, 'RÉCEPTION DES DONNÉES', '']] },
  81: {
    wording: 'COLIS PRIS EN CHARGE',
    place: relay,
    steps: [
      [0, 'RÉCEPTION DES DONNÉES', ''],
      [20, 'PRISE EN CHARGE EN AGENCE', 'GRENOBLE'],
    ],
  },
  82: {
    wording: 'COLIS LIVRÉ',
    place: relay,
    steps: [
      [0, 'RÉCEPTION DES DONNÉES', ''],
      [20, 'PRISE EN CHARGE EN AGENCE', 'GRENOBLE'],
      [46, 'DISPONIBLE AU POINT RELAIS', 'EYBENS', true],
      [70, 'COLIS LIVRÉ', 'EYBENS', true],
    ],
  },
  83: {
    wording: 'INCIDENT',
    place: nowhere,
    steps: [
      [0, 'RÉCEPTION DES DONNÉES', ''],
      [20, 'PRISE EN CHARGE EN AGENCE', 'GRENOBLE'],
      [44, 'ANOMALIE', 'GRENOBLE'],
    ],
  },
  0: {
    wording: 'COLIS PRIS EN CHARGE',
    place: relay,
    steps: [
      [0, 'RÉCEPTION DES DONNÉES', ''],
      [20, 'PRISE EN CHARGE EN AGENCE', 'GRENOBLE'],
    ],
  },
};

/** The table of a parcel. That of a delivered one begins with its last step: the carrier keeps no order. */
export function tracingRows(state: ParcelState, since: number): TracingRows {
  const { wording, place, steps } = histories[state];
  const filled = steps.map(
    ([after, step, where, atRelay]): Row => [
      step,
      ...localTime(since + after * hour),
      where,
      ...(atRelay === true ? [relay.relayNumber, 'FR'] : ['', '']),
    ],
  );
  const ordered = state === '82' ? filled.toReversed() : filled;
  const empty = Array.from({ length: tableLength - ordered.length }, (): Row => ['', '', '', '', '', '']);
  return { wording, ...place, rows: [...ordered, ...empty] };
}

const paris = new Intl.DateTimeFormat('fr-FR', {
  timeZone: 'Europe/Paris',
  day: '2-digit',
  month: '2-digit',
  year: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** dd/MM/yy and HH:mm. */
function localTime(instant: number): readonly [date: string, hour: string] {
  const parts = Object.fromEntries(paris.formatToParts(instant).map(({ type, value }) => [type, value]));
  return [`${parts.day}/${parts.month}/${parts.year}`, `${parts.hour}:${parts.minute}`];
}
