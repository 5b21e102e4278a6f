// Reads version 1's tracking of a parcel into the shape of the interface.
import type { Tracking, TrackingStep } from '../../model/shipping.ts';
import { oldestFirst, type TimedStep } from '../tracking-steps.ts';
import { xmlChild, type XmlElement, xmlValue } from '../xml/element.ts';

/** Values of STAT for a parcel that was found. */
export const tracingStates: readonly string[] = ['0', '80', '81', '82', '83'];

/**
 * Reads the result of WSI2_TracingColisDetaille.
 * @param result with a STAT of `tracingStates`
 */
export function readTracing(result: XmlElement): Tracking {
  const rows = xmlChild(result, 'Tracing')?.children ?? [];
  // The table has a fixed number of rows; empty ones fill it up.
  const steps = oldestFirst(rows.filter((row) => xmlValue(row, 'Libelle') !== '').map(stepOf), 'oldest first');
  return {
    status: statusOf(xmlValue(result, 'STAT'), steps),
    wording1: xmlValue(result, 'Libelle01'),
    wording2: xmlValue(result, 'Libelle02'),
    relayWording: xmlValue(result, 'Relais_Libelle'),
    relayNumber: xmlValue(result, 'Relais_Num'),
    steps,
  };
}

/** 0 only says that the parcel was found: with any event, it is on its way. */
function statusOf(stat: string, steps: readonly TrackingStep[]): Tracking['status'] {
  if (stat === '80' || stat === '81' || stat === '82' || stat === '83') return stat;
  return steps.length > 0 ? '81' : '80';
}

function stepOf(row: XmlElement): TimedStep {
  const { date, at } = dayOf(xmlValue(row, 'Date'));
  const [, hours = '', minutes = ''] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(xmlValue(row, 'Heure')) ?? [];
  const hour = hours === '' ? '' : `${hours.padStart(2, '0')}:${minutes}`;
  return {
    step: {
      wording: xmlValue(row, 'Libelle'),
      date,
      hour,
      location: xmlValue(row, 'Emplacement'),
      relayId: xmlValue(row, 'Relais_Num'),
      relayCountry: xmlValue(row, 'Relais_Pays'),
    },
    at: at === null ? null : at + (Number(hours) * 60 + Number(minutes)) * 60_000,
  };
}

/** dd/MM/yy, of this century; '' if it is no day. */
function dayOf(text: string): { readonly date: string; readonly at: number | null } {
  const [, day = '', month = '', year = ''] = /^(\d\d)\/(\d\d)\/(\d\d)$/.exec(text) ?? [];
  const date = `20${year}-${month}-${day}`;
  const at = Date.parse(`${date}T00:00:00Z`);
  // A 30th of February is read as a day in March.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? { date: '', at: null } : { date, at };
}
