// Draws the pages of a PDF as images, by pdf.js, which is loaded together with this file (decision 63).
import { getDocument, GlobalWorkerOptions, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import decoderAddress from 'pdfjs-dist/wasm/jbig2_nowasm_fallback.js?url';
// Lies beside the other decoder, where pdf.js looks for it by its name.
import 'pdfjs-dist/wasm/openjpeg_nowasm_fallback.js?url';

/** As fine as the finest of usual label printers. */
const dotsPerInch = 300;
/** The unit of PDF. */
const pointsPerInch = 72;
/** Browsers of phones draw nothing on a larger canvas. A sheet of A4 has 8.7 million in this resolution. */
const maxDots = 16_000_000;

/**
 * The pages in their order, as a printer draws them.
 * @returns `data:` URLs of PNG images
 * @throws what pdf.js says of a file that is damaged, no PDF, or wants a password
 */
export async function pagesOfPdf(pdf: Blob): Promise<readonly string[]> {
  GlobalWorkerOptions.workerSrc = workerAddress;
  const task = getDocument({
    data: new Uint8Array(await pdf.arrayBuffer()),
    // The policy of the page forbids WebAssembly; the same decoders in JavaScript are slower, and fast enough.
    useWasm: false,
    wasmUrl: new URL('.', new URL(decoderAddress, document.baseURI)).href,
    // A label without one of its parts would be worse than none.
    stopAtErrors: true,
  });
  try {
    const opened = await task.promise;
    const pages: string[] = [];
    for (let number = 1; number <= opened.numPages; number += 1)
      pages.push(await imageOf(await opened.getPage(number)));
    return pages;
  } finally {
    await task.destroy();
  }
}

async function imageOf(page: PDFPageProxy): Promise<string> {
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(dotsPerInch / pointsPerInch, Math.sqrt(maxDots / (width * height)));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  // For a printer, and so not one frame of the screen after another, which would stand still in a hidden tab.
  await page.render({ canvas, viewport, intent: 'print' }).promise;
  return canvas.toDataURL();
}
