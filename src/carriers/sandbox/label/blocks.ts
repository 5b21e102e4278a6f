// The label as data: where each block is on 100 by 150 mm, how its text is set, and where the symbols are.
import type { Weight } from '../fonts/fonts.ts';

/** Dots per millimetre: a printer of 203 dpi. Everything on the label begins and ends on a dot. */
export const dotsPerMillimetre = 8;

export const labelSize = { width: 100, height: 150 } as const;

export type BlockName =
  | 'warning'
  | 'sender'
  | 'service'
  | 'recipient'
  | 'instruction'
  | 'delivery'
  | 'parcel'
  | 'weight'
  | 'date'
  | 'cash'
  | 'reference'
  | 'customer'
  | 'expedition'
  | 'sscc';

/** A block of text. Positions and lengths in millimetres, font sizes in dots to the em (28 dots are 10 points). */
export interface Block {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The caption above the text; '' none. */
  readonly caption: string;
  /** Between these sizes the text is set as large as it fits. */
  readonly largest: number;
  readonly smallest: number;
  readonly align: 'left' | 'center';
  /** Thickness of the frame in dots; `filled`: white letters on black. */
  readonly frame: 0 | 2 | 4 | 'filled';
}

/** Free space between the edge of a block and its text, in dots. */
export const padding = 8;

/** Captions: their font size and height, in dots. */
export const caption = { size: 14, height: 18, weight: 'bold' } as const satisfies {
  readonly size: number;
  readonly height: number;
  readonly weight: Weight;
};

const text = { smallest: 14, align: 'left', frame: 2 } as const;

/** Every block, from top to bottom. The sizes suit a label of 10 by 15 cm read from an arm's length. */
export const blocks: Readonly<Record<BlockName, Block>> = {
  warning: {
    x: 3,
    y: 3,
    width: 94,
    height: 8,
    caption: '',
    largest: 36,
    smallest: 28,
    align: 'center',
    frame: 'filled',
  },
  sender: { ...text, x: 3, y: 12, width: 58, height: 20, caption: 'FROM', largest: 25 },
  service: { ...text, x: 62, y: 12, width: 35, height: 20, caption: 'SERVICE', largest: 25, align: 'center' },
  recipient: { ...text, x: 3, y: 33, width: 94, height: 29, caption: 'TO', largest: 40, frame: 4 },
  instruction: { ...text, x: 3, y: 63, width: 94, height: 11.5, caption: 'INSTRUCTION', largest: 28 },
  delivery: { ...text, x: 3, y: 75.5, width: 42, height: 9.5, caption: 'DELIVERY', largest: 36 },
  parcel: { ...text, x: 46, y: 75.5, width: 23, height: 9.5, caption: 'PARCEL', largest: 44, align: 'center' },
  weight: { ...text, x: 3, y: 86, width: 21, height: 8.5, caption: 'WEIGHT', largest: 32 },
  date: { ...text, x: 25, y: 86, width: 20, height: 8.5, caption: 'SHIP DATE', largest: 28 },
  cash: { ...text, x: 46, y: 86, width: 23, height: 8.5, caption: 'CASH ON DELIVERY', largest: 32 },
  reference: { ...text, x: 3, y: 95.5, width: 33, height: 10.5, caption: 'SHIPMENT REFERENCE', largest: 28 },
  customer: { ...text, x: 37, y: 95.5, width: 32, height: 10.5, caption: 'CUSTOMER', largest: 28 },
  expedition: { ...text, x: 70, y: 98.5, width: 28, height: 6.5, caption: '', largest: 25, align: 'center', frame: 0 },
  sscc: { ...text, x: 3, y: 141, width: 94, height: 7, caption: '', largest: 40, align: 'center', frame: 0 },
};

/**
 * The serial shipping container code as GS1-128: modules of 4 dots (0.5 mm), 156 of them, 32 mm high as GS1 asks of a
 * logistic unit; 11 mm on either side stay free, 10 modules are needed.
 */
export const containerBars = { x: 11, y: 107.5, module: 4, modules: 156, height: 32 } as const;

/**
 * The expedition number as QR code of version 1: modules of 6 dots, 21 of them; 4 modules on each side must stay free.
 */
export const expeditionCode = { x: 75.5, y: 79.5, module: 6, modules: 21 } as const;
