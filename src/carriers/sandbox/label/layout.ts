// Lays out the content of a label: one list of marks in dots, which every output draws unchanged.
import type { Weight } from '../fonts/fonts.ts';
import {
  type Block,
  type BlockName,
  blocks,
  caption,
  containerBars,
  dotsPerMillimetre,
  expeditionCode,
  padding,
} from './blocks.ts';
import type { LabelContent, Paragraph } from './content.ts';
import { type Line, setLines } from './lines.ts';

/** Something on the label. Positions and lengths in dots from the upper left corner. */
export type Mark = TextMark | BoxMark | BarsMark | CodeMark;

export interface TextMark {
  readonly kind: 'text';
  readonly block: BlockName;
  readonly text: string;
  readonly weight: Weight;
  readonly size: number;
  /** Left end of the baseline, and width of the text. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The horizontal room that it may take. */
  readonly left: number;
  readonly right: number;
  readonly align: Block['align'];
  readonly white: boolean;
}

/** A filled black box. */
interface BoxMark {
  readonly kind: 'box';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An SSCC as GS1-128. */
interface BarsMark {
  readonly kind: 'bars';
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly height: number;
  readonly sscc: string;
}

/** Digits as QR code. */
interface CodeMark {
  readonly kind: 'code';
  readonly x: number;
  readonly y: number;
  readonly module: number;
  readonly digits: string;
}

/** The marks of a label. @throws Error if a text does not fit: `overflowingBlocks` finds those first */
export function marksOf({ text, sscc, expeditionNumber }: LabelContent): readonly Mark[] {
  return [
    ...blockEntries(text).flatMap(([name, paragraphs]) => blockMarks(name, paragraphs)),
    {
      kind: 'bars',
      x: dots(containerBars.x),
      y: dots(containerBars.y),
      module: containerBars.module,
      height: dots(containerBars.height),
      sscc,
    },
    {
      kind: 'code',
      x: dots(expeditionCode.x),
      y: dots(expeditionCode.y),
      module: expeditionCode.module,
      digits: expeditionNumber,
    },
  ];
}

/** The blocks whose text does not fit even in the smallest letters. */
export function overflowingBlocks(text: Partial<LabelContent['text']>): readonly BlockName[] {
  return blockEntries(text)
    .filter(([name, paragraphs]) => linesOf(name, paragraphs) === null)
    .map(([name]) => name);
}

/** The texts of some marks. */
export function textsOfMarks(marks: readonly Mark[]): readonly string[] {
  return marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
}

/** Millimetres as dots. */
export function dots(millimetres: number): number {
  return Math.round(millimetres * dotsPerMillimetre);
}

function blockEntries(text: Partial<LabelContent['text']>): readonly (readonly [BlockName, readonly Paragraph[]])[] {
  return blockNames.flatMap((name) => (text[name] === undefined ? [] : [[name, text[name]]]));
}

const blockNames = Object.keys(blocks).filter((name): name is BlockName => name in blocks);

/** The lines of a block. A text is set once, even if ninety-nine labels show it or the rules have tried it before. */
function linesOf(name: BlockName, paragraphs: readonly Paragraph[]): readonly Line[] | null {
  const known = linesByText.get(paragraphs)?.get(name);
  if (known !== undefined) return known;
  const { largest, smallest } = blocks[name];
  const { width, height } = roomOf(blocks[name]);
  const lines = setLines(paragraphs, { width, height, largest, smallest });
  linesByText.set(paragraphs, new Map([...(linesByText.get(paragraphs) ?? []), [name, lines]]));
  return lines;
}

/** Kept no longer than the paragraphs themselves. */
const linesByText = new WeakMap<readonly Paragraph[], ReadonlyMap<BlockName, readonly Line[] | null>>();

/** The room for a block's text, in dots. */
function roomOf(block: Block): {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
} {
  const line = block.frame === 'filled' ? 0 : block.frame;
  const above = block.caption === '' ? line : line + caption.height;
  return {
    x: dots(block.x) + padding,
    y: dots(block.y) + above,
    width: dots(block.width) - 2 * padding,
    height: dots(block.height) - above - line,
  };
}

function blockMarks(name: BlockName, paragraphs: readonly Paragraph[]): readonly Mark[] {
  const block = blocks[name];
  const room = roomOf(block);
  const lines = linesOf(name, paragraphs);
  if (lines === null) throw new Error(`the text of the block ${name} does not fit`);
  const used = Math.max(0, ...lines.map(({ baseline, size }) => baseline + Math.ceil(size * 0.24)));
  // Short facts are centred in their room, addresses are at its top.
  const top = room.y + (lines.length > 1 && block.align === 'left' ? 0 : Math.floor((room.height - used) / 2));
  const base = {
    kind: 'text',
    block: name,
    left: room.x,
    right: room.x + room.width,
    white: block.frame === 'filled',
  } as const;
  return [
    ...frameOf(block),
    ...(block.caption === ''
      ? []
      : [
          {
            ...base,
            text: block.caption,
            weight: caption.weight,
            size: caption.size,
            x: room.x,
            y: room.y - 4,
            width: room.width,
            align: 'left' as const,
          },
        ]),
    ...lines.map(({ text, weight, size, width, baseline }) => ({
      ...base,
      text,
      weight,
      size,
      width,
      align: block.align,
      y: top + baseline,
      x: block.align === 'center' ? room.x + Math.floor((room.width - width) / 2) : room.x,
    })),
  ];
}

/** The frame of a block as four lines, or the block as a black box. */
function frameOf(block: Block): readonly BoxMark[] {
  const [x, y, width, height] = [dots(block.x), dots(block.y), dots(block.width), dots(block.height)];
  if (block.frame === 'filled') return [{ kind: 'box', x, y, width, height }];
  if (block.frame === 0) return [];
  const line = block.frame;
  return [
    { kind: 'box', x, y, width, height: line },
    { kind: 'box', x, y: y + height - line, width, height: line },
    { kind: 'box', x, y, width: line, height },
    { kind: 'box', x: x + width - line, y, width: line, height },
  ];
}
