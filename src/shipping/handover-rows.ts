// The content of a handover list: a row for each parcel, without names and streets, and the text above and below the
// rows, in French and English: the driver signs it.
import type { HandedLabel } from '../store/handover-labels.ts';
import type { Handover } from '../store/handovers.ts';
import { dayAndHour } from '../carriers/paris-time.ts';
import { textBlock } from '../model/text-block.ts';
import { requestOf } from './parcel-path.ts';

/** The data of a list. */
export interface ListOf {
  readonly list: Handover;
  /** In row order. */
  readonly labels: readonly HandedLabel[];
  readonly carrierTitle: string;
  /** What the carrier said; null: it is told nothing. */
  readonly said: string | null;
  /** The sender details that the account has. */
  readonly sender: Readonly<Record<string, string>>;
}

export interface HandoverRow {
  /** Counted from 1. */
  readonly place: string;
  readonly number: string;
  readonly reference: string;
  /** Country and postcode. */
  readonly destination: string;
  readonly weight: string;
}

export interface ListHead {
  readonly title: string;
  readonly lines: readonly string[];
  readonly totals: string;
}

/** A row for each parcel, in the order of the labels. The weight of a shipment is shown with its first parcel. */
export function handoverRows(labels: readonly HandedLabel[]): readonly HandoverRow[] {
  let place = 0;
  return labels.flatMap((label) => {
    const { parcelNumbers, nDossier } = label;
    const request = requestOf(label);
    return parcelNumbers.map((number, index) => ({
      place: String(++place),
      number,
      reference: parcelNumbers.length > 1 ? `${nDossier ?? ''} ${index + 1}/${parcelNumbers.length}` : (nDossier ?? ''),
      destination: request === null ? '' : `${request.destCountry} ${request.destZip}`.trim(),
      weight: request === null || index > 0 ? '' : kilograms(Number(request.weight)),
    }));
  });
}

/** Title, lines and totals of a list. */
export function listHead({ list, labels, carrierTitle, said, sender }: ListOf, rows: readonly HandoverRow[]): ListHead {
  const { activity, context, day, id, createdAt } = list;
  const made = dayAndHour(createdAt);
  const grams = labels.reduce((sum, label) => sum + Number(requestOf(label)?.weight ?? 0), 0);
  const from = [sender.expAddr1, sender.expAddr2, `${sender.expZip ?? ''} ${sender.expCity ?? ''}`.trim()]
    .filter((text) => text !== undefined && text !== '')
    .join(', ');
  return {
    title: `Bordereau de remise / Handover list ${carrierTitle}`,
    lines: [
      `Étiquettes du / Labels of ${day}, activity ${activity}, context ${context}`,
      ...(from === '' ? [] : [`De / From ${from}`]),
      `Liste / List ${id}, ${made.date} ${made.hour} (Paris)`,
      ...(said === null ? [] : [said]),
    ],
    totals: textBlock`
      ${counted(labels.length, 'expédition')}, ${rows.length} colis, ${kilograms(grams).replace('.', ',')} /
      ${counted(labels.length, 'shipment')}, ${counted(rows.length, 'parcel')}, ${kilograms(grams)}
    `,
  };
}

function kilograms(grams: number): string {
  return `${(grams / 1000).toFixed(3)} kg`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
