// What opening a page costs whoever opens it: what goes over the wire, how often the service is asked, and, on the
// clock of the machine that measures, when the page is there, what moves about meanwhile, and how long it is busy.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from './demonstration.ts';

export interface PageFigures {
  /** Bytes over the wire, compressed, with headers. */
  readonly bytes: number;
  readonly requests: number;
  /** Largest Contentful Paint, milliseconds since the page was asked for. */
  readonly largestPaint: number;
  /** Cumulative Layout Shift, without what follows a key or a click. */
  readonly layoutShift: number;
  /** Total Blocking Time: of each task what is above 50 ms, milliseconds. */
  readonly blocking: number;
}

const observers = `
  globalThis.pageFigures = { largestPaint: 0, layoutShift: 0, blocking: 0 };
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => (pageFigures.largestPaint = startTime));
  observe('layout-shift', ({ value, hadRecentInput }) => (pageFigures.layoutShift += hadRecentInput ? 0 : value));
  observe('longtask', ({ duration }) => (pageFigures.blocking += Math.max(0, duration - 50)));
`;

/**
 * Opens an address in a browser that has kept nothing, and waits until all that it asks for is there.
 * @param shown waits until the page shows what it is for
 * @param slower how many times slower the processor is made, such as 4 for that of a telephone
 */
export async function openingFigures(
  context: BrowserContext,
  address: string,
  shown: (page: Page) => Promise<unknown>,
  slower: number,
): Promise<PageFigures> {
  const page = await context.newPage();
  await page.addInitScript(observers);
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  await wire.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const counted = { bytes: 0, requests: 0 };
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  wire.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) counted.requests += 1;
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  await shown(page);
  await page.waitForLoadState('networkidle');
  // The browser tells of a paint when it has time to.
  await until(page, 'pageFigures.largestPaint > 0');
  const seen: Omit<PageFigures, 'bytes' | 'requests'> = await page.evaluate('pageFigures');
  await page.close();
  return { ...seen, ...counted };
}

/** Writes figures as a table where the variable FIGURES_DIR names a folder. */
export function writeFigures(rows: readonly (PageFigures & { readonly page: string; readonly view: string })[]): void {
  const folder = process.env.FIGURES_DIR;
  if (folder === undefined) return;
  const whole = (value: number): string => String(Math.round(value));
  const lines = rows.map(({ page, view, ...of }) =>
    [
      ...[page, view, whole(of.bytes / 1000), of.requests, whole(of.largestPaint), of.layoutShift.toFixed(3)],
      whole(of.blocking),
    ].join(' | '),
  );
  const head = 'page | view | kB | requests | LCP, ms | CLS | TBT, ms';
  const table = [head, '--- | --- | --: | --: | --: | --: | --:', ...lines].map((line) => `| ${line} |\n`).join('');
  writeFileSync(join(folder, 'figures.md'), table);
}
