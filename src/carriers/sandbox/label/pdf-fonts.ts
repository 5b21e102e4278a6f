// The fonts of a PDF: numbers the glyphs that are used, and embeds them with the characters that they show.
import type { FontFile } from '../fonts/font-file.ts';
import type { Glyph } from '../fonts/shaping.ts';
import { subsetOf } from '../fonts/subset.ts';

/** What fonts need of a document. */
type PdfDocument = Pick<PDFKit.PDFDocument, 'ref'>;

/** The fonts of one document, in order of use. */
export interface PdfFonts {
  /** The name of a glyph's font in the pages, and the glyph's number in it. */
  readonly use: (glyph: Glyph) => { readonly font: string; readonly code: number };
  /** The fonts by their names in the pages, for every page. */
  readonly resources: () => Readonly<Record<string, PDFKit.PDFKitReference>>;
  /** Writes the fonts, once nothing more is drawn. */
  readonly end: () => void;
}

interface Used {
  readonly name: string;
  readonly font: FontFile;
  readonly reference: PDFKit.PDFKitReference;
  readonly codes: Map<string, number>;
  readonly glyphs: Glyph[];
}

export function createPdfFonts(document: PdfDocument): PdfFonts {
  const fonts = new Map<FontFile, Used>();
  const usedOf = (font: FontFile): Used => {
    const known = fonts.get(font);
    if (known !== undefined) return known;
    const used = {
      name: `F${fonts.size + 1}`,
      font,
      reference: document.ref({}),
      codes: new Map<string, number>(),
      glyphs: [],
    };
    fonts.set(font, used);
    return used;
  };
  return {
    use: (glyph) => {
      const { name, codes, glyphs } = usedOf(glyph.font);
      // A glyph that shows different characters gets a number for each, so that text copied from the page is unchanged.
      const key = `${glyph.id} ${glyph.text}`;
      const code = codes.get(key) ?? glyphs.push(glyph);
      codes.set(key, code);
      return { font: name, code };
    },
    resources: () => Object.fromEntries([...fonts.values()].map(({ name, reference }) => [name, reference])),
    end: () => {
      for (const used of fonts.values()) embed(document, used);
    },
  };
}

function embed(document: PdfDocument, { font, reference, glyphs }: Used): void {
  // Six letters before the name mark a subset of the font.
  const name = `LABELS+${font.name}`;
  const thousandth = (value: number): number => Math.round((value * 1000) / font.unitsPerEm);
  const file = stream(document, subsetOf(font, [0, ...glyphs.map(({ id }) => id)]));
  const head = font.table('head');
  const descriptor = object(document, {
    Type: 'FontDescriptor',
    FontName: name,
    Flags: 4,
    ItalicAngle: 0,
    StemV: 80,
    FontFile2: file,
    FontBBox: [36, 38, 40, 42].map((at) => thousandth(head.readInt16BE(at))),
    Ascent: thousandth(font.ascent),
    Descent: thousandth(font.descent),
    CapHeight: thousandth(font.ascent),
  });
  const descendant = object(document, {
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: name,
    CIDToGIDMap: 'Identity',
    FontDescriptor: descriptor,
    CIDSystemInfo: { Registry: Buffer.from('Adobe'), Ordering: Buffer.from('Identity'), Supplement: 0 },
    W: [0, [0, ...glyphs.map(({ id }) => thousandth(font.advanceOf(id)))]],
  });
  Object.assign(reference.data, {
    Type: 'Font',
    Subtype: 'Type0',
    BaseFont: name,
    Encoding: 'Identity-H',
    DescendantFonts: [descendant],
    ToUnicode: stream(document, Buffer.from(characterMap(glyphs))),
  });
  reference.end(undefined);
}

function object(document: PdfDocument, data: object): PDFKit.PDFKitReference {
  const reference = document.ref(data);
  reference.end(undefined);
  return reference;
}

function stream(document: PdfDocument, bytes: Buffer): PDFKit.PDFKitReference {
  const reference = document.ref({});
  reference.end(bytes);
  return reference;
}

/** Maximum entries of one section of a character map. */
const sectionLength = 100;

/** Which characters the glyph of each number shows (PDF 1.7, 9.10.3). */
function characterMap(glyphs: readonly Glyph[]): string {
  const entries = glyphs.map(
    ({ text }, index) => `<${hex(index + 1)}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`,
  );
  const sections = Array.from({ length: Math.ceil(entries.length / sectionLength) }, (_, index) => {
    const part = entries.slice(index * sectionLength, (index + 1) * sectionLength);
    return `${part.length} beginbfchar\n${part.join('\n')}\nendbfchar\n`;
  });
  return `/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange
${sections.join('')}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`;
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0');
}
