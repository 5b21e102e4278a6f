// Readers of labels that nobody here wrote: they turn pages and printer code into pictures, and pictures into what
// symbols say.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ready } from 'zpl-renderer-js';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** False, or why pages cannot be turned into pictures here. */
export const noPoppler: false | string =
  isInstalled('pdftoppm') && isInstalled('pdftotext')
    ? false
    : 'poppler-utils is not installed: run .ci/install-label-tools';

/** A symbol as ZXing reads it; the identifier (ISO/IEC 15424) starts with `]C1` for GS1-128. */
interface SymbolRead {
  readonly identifier: string;
  readonly text: string;
}

const reader = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(reader).buffer } });

/** Reads every symbol in a PNG. */
export async function symbolsIn(png: Buffer): Promise<readonly SymbolRead[]> {
  const found = await readBarcodes(new Uint8Array(png), { textMode: 'Plain', tryHarder: true });
  return found
    .filter(({ isValid }) => isValid)
    .map(({ symbologyIdentifier, text }) => ({ identifier: symbologyIdentifier, text }))
    .toSorted((a, b) => a.identifier.localeCompare(b.identifier));
}

/** The labels of some ZPL as PNG, as a printer of 203 dpi draws them. */
export async function printedZpl(zpl: string): Promise<readonly Buffer[]> {
  const { api } = await ready;
  return (await api.zplToBase64MultipleAsync(zpl, 100, 150, 8)).map((base64) => Buffer.from(base64, 'base64'));
}

/** The pages of a PDF as PNG, as a printer of 203 dpi draws them. */
export function printedPdf(pdf: Buffer): readonly Buffer[] {
  return withFile(pdf, (folder, file) => {
    execFileSync('pdftoppm', ['-r', '203.2', '-png', file, join(folder, 'page')]);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.png'))
      .toSorted()
      .map((name) => readFileSync(join(folder, name)));
  });
}

/** The text of each page of a PDF, as somebody would copy it. */
export function pageTexts(pdf: Buffer): readonly string[] {
  return withFile(pdf, (_folder, file) =>
    execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8', maxBuffer: 1 << 28 }),
  )
    .split('\f')
    .slice(0, -1);
}

/** Fonts, pages and size as poppler tells them. */
export function pdfFacts(pdf: Buffer): { readonly fonts: string; readonly info: string } {
  return withFile(pdf, (_folder, file) => ({
    fonts: execFileSync('pdffonts', [file], { encoding: 'utf8' }),
    info: execFileSync('pdfinfo', [file], { encoding: 'utf8' }),
  }));
}

function withFile<T>(pdf: Buffer, use: (folder: string, file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-label-'));
  try {
    const file = join(folder, 'label.pdf');
    writeFileSync(file, pdf);
    return use(folder, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
