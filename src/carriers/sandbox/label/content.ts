// The text of a label, block by block: the same for every output.
import type { LabelRequest } from '../../../model/shipping.ts';
import type { LabelTask } from '../../carrier.ts';
import { dayAndHour } from '../../paris-time.ts';
import { printable, type Weight } from '../fonts/fonts.ts';
import { collectionModes, countryName, deliveryModes } from '../modes.ts';
import { expeditionNumber, readableExpedition, readableSscc, parcelSscc } from '../numbers.ts';
import type { BlockName } from './blocks.ts';

/** A paragraph of a block, on one line if it fits. */
export interface Paragraph {
  readonly text: string;
  readonly weight: Weight;
  /** Size of its letters, relative to that of the block. */
  readonly scale: number;
}

/** The label of one parcel. */
export interface LabelContent {
  readonly text: Readonly<Record<BlockName, readonly Paragraph[]>>;
  /** 18 digits. */
  readonly sscc: string;
  readonly expeditionNumber: string;
}

/**
 * The labels of a shipment, one per parcel.
 * @throws CarrierError `configuration` if the account has no number left
 */
export function contentsOf(task: LabelTask): readonly LabelContent[] {
  const { companyPrefix = '' } = task.account.settings;
  const number = expeditionNumber(companyPrefix, task.sequence);
  const count = Number(task.request.nbPackage);
  const common = { ...sharedText(task.request), date: [paragraph(dayAndHour(task.now).date)] };
  return Array.from({ length: count }, (_, index) => {
    const code = parcelSscc(companyPrefix, task.sequence, index + 1);
    return {
      text: {
        ...common,
        parcel: [paragraph(`${index + 1} / ${count}`, 'bold')],
        expedition: [paragraph(readableExpedition(number, companyPrefix), 'bold')],
        sscc: [paragraph(readableSscc(code, companyPrefix))],
      },
      sscc: code,
      expeditionNumber: number,
    };
  });
}

type SharedText = Readonly<Record<Exclude<BlockName, 'date' | 'parcel' | 'expedition' | 'sscc'>, readonly Paragraph[]>>;

/**
 * The text on all labels of a shipment that depends only on its request: the same request gives the same lists of
 * paragraphs, so that they are set once.
 */
export function sharedText(request: LabelRequest): SharedText {
  const known = shared.get(request);
  if (known !== undefined) return known;
  const text = textOf(request);
  shared.set(request, text);
  return text;
}

/** Kept no longer than the request itself. */
const shared = new WeakMap<LabelRequest, SharedText>();

function textOf(request: LabelRequest): SharedText {
  return {
    warning: [paragraph('SANDBOX — NOT VALID FOR SHIPPING', 'bold')],
    sender: addressOf(
      [request.expAddr1, request.expAddr2, `${request.expZip} ${request.expCity}`, request.expCountry, request.expTel1],
      1,
    ),
    service: serviceOf(request),
    recipient: addressOf(
      [
        request.destAddr1,
        request.destAddr2,
        `${request.destZip} ${request.destCity}`,
        request.destCountry,
        request.destTel1,
      ],
      1.1,
    ),
    instruction: paragraphs([request.instruction]),
    delivery: deliveryOf(request),
    weight: [
      paragraph(kilograms(request.weight), 'bold'),
      ...(Number(request.nbPackage) > 1 ? [paragraph('of all parcels', 'regular', 0.6)] : []),
    ],
    cash: [Number(request.crtValue) > 0 ? paragraph(`${euros(request.crtValue)} EUR`, 'bold') : paragraph('none')],
    reference: paragraphs([request.nDossier]),
    customer: paragraphs([request.nClient]),
  };
}

function paragraph(text: string, weight: Weight = 'regular', scale = 1): Paragraph {
  return { text, weight, scale };
}

/** The texts that are not empty. */
function paragraphs(texts: readonly string[]): readonly Paragraph[] {
  return texts
    .map(printable)
    .filter((text) => text !== '')
    .map((text) => paragraph(text));
}

/** Name and town stand out: the eye looks for them first. */
function addressOf(
  [name = '', street = '', town = '', country = '', telephone = '']: readonly string[],
  townScale: number,
): readonly Paragraph[] {
  return [
    paragraph(printable(name), 'bold'),
    ...paragraphs([street]),
    paragraph(printable(town), 'bold', townScale),
    paragraph((countryName(country) ?? printable(country)).toUpperCase()),
    ...paragraphs([telephone]).map(({ text }) => paragraph(`Tel. ${text}`, 'regular', 0.75)),
  ].filter(({ text }) => text !== '');
}

function serviceOf({ modeLiv, modeCol, pickupPointCountry, pickupPoint }: LabelRequest): readonly Paragraph[] {
  const collection = collectionModes[modeCol];
  const point = collection?.point === true ? ` ${pickupPointCountry} ${pickupPoint}` : '';
  return [
    paragraph(printable(modeLiv), 'bold', 2.4),
    paragraph(deliveryModes[modeLiv]?.name ?? ''),
    paragraph(printable(`${modeCol} ${collection?.name ?? ''}${point}`), 'regular', 0.7),
  ];
}

function deliveryOf({ modeLiv, shippingPickupPointCountry, shippingPickupPoint }: LabelRequest): readonly Paragraph[] {
  const mode = deliveryModes[modeLiv];
  if (mode?.point !== true) return [paragraph(mode?.name ?? '', 'bold')];
  return [paragraph(printable(`${mode.name} ${shippingPickupPointCountry} ${shippingPickupPoint}`), 'bold')];
}

function kilograms(grams: string): string {
  return `${(Number(grams) / 1000).toFixed(3)} kg`;
}

function euros(cents: string): string {
  return (Number(cents) / 100).toFixed(2);
}
