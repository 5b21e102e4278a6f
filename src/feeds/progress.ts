// Shows a person the progress of an import, and its results: a bar on a terminal, plain lines elsewhere.
import { textBlock } from '../model/text-block.ts';
import { Presets, SingleBar } from 'cli-progress';
import type { ImportProgress, ImportSummary } from './import.ts';

/** Where progress is written: a terminal or any other text output. */
type ProgressOutput = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface ProgressReport {
  readonly update: (progress: ImportProgress) => void;
  /** Moves off the line of the bar. */
  readonly stop: () => void;
}

/** Interval between two plain lines. */
const lineEveryMs = 5000;

/**
 * Reports to `output`, usually standard error, so that standard output contains only the summary.
 * @param title what is imported, such as `orders of ACM`
 * @param now clock, milliseconds
 */
export function reportProgress(output: ProgressOutput, title: string, now: () => number = Date.now): ProgressReport {
  return output.isTTY === true ? bar(output, title) : lines(output, title, now);
}

/** The summary as lines of text for a person. */
export function summaryText(summary: ImportSummary): string {
  const told = [
    textBlock`
      ${summary.resource} of ${summary.activity}: ${count(summary.read)} read, ${count(summary.new)} new,
      ${count(summary.changed)} changed, ${count(summary.unchanged)} unchanged,
      ${count(summary.refused)} refused${warned(summary)}
    `,
    textBlock`
      message ${summary.message}, ${summary.seconds.toFixed(1)} s, ${count(Math.round(summary.rowsPerSecond))} rows per
      second
    `,
  ];
  for (const image of summary.images ?? [])
    told.push(`image of ${image.at}: ${count(image.rows)} ${image.rows === 1 ? 'row' : 'rows'}, ${image.outcome}`);
  for (const { line, detail } of summary.warnings) told.push(`warning, line ${line}: ${detail}`);
  if (summary.read === 0 && (summary.images ?? []).length === 0)
    told.push(`The file holds no records.${summary.images === null ? '' : emptyStock}`);
  if (summary.truncated) told.push('The file was cut off: records may be missing. Import the complete file.');
  else if (summary.damaged && !summary.written)
    told.push('Part of the file is damaged: records may be missing. Import the file anew, as it was written.');
  if (!summary.written) told.push('Nothing was written.');
  if (summary.refusedFile !== null) told.push(`Refused lines, with their reasons: ${summary.refusedFile}`);
  return `${told.join('\n')}\n`;
}

function warned({ warned: records }: ImportSummary): string {
  return records === 0 ? '' : `, ${count(records)} taken with a warning`;
}

const emptyStock = ' If the activity has no stock, give the date of the image with --extraction-date.';

/** The summary as one line of JSON. */
export function summaryJson(summary: ImportSummary): string {
  const rounded = {
    ...summary,
    // The name of before.
    rejected: summary.refusedFile,
    seconds: Math.round(summary.seconds * 1000) / 1000,
    rowsPerSecond: Math.round(summary.rowsPerSecond),
  };
  return `${JSON.stringify(rounded)}\n`;
}

function bar(output: ProgressOutput, title: string): ProgressReport {
  let shown: SingleBar | null = null;
  return {
    update({ pass, bytes, totalBytes, read, refused }) {
      // Without a length, no share can be shown.
      const share = totalBytes === null ? '' : ' {bar} {percentage} %';
      const told = { pass, read: count(read), refused: count(refused) };
      const total = Math.max(totalBytes ?? bytes, 1);
      if (shown === null) {
        shown = new SingleBar(
          {
            stream: output,
            format: `${title}${share} | {read} read, {refused} refused | {pass}`,
            hideCursor: true,
            clearOnComplete: true,
          },
          Presets.shades_classic,
        );
        shown.start(total, 0, told);
      }
      shown.setTotal(total);
      shown.update(Math.min(bytes, total), told);
    },
    stop: () => shown?.stop(),
  };
}

function lines(output: ProgressOutput, title: string, now: () => number): ProgressReport {
  let last = now();
  return {
    update({ pass, bytes, totalBytes, read, refused }) {
      if (now() - last < lineEveryMs) return;
      last = now();
      const share = totalBytes === null || totalBytes === 0 ? '' : `, ${Math.floor((100 * bytes) / totalBytes)} %`;
      output.write(`${title}: ${pass}, ${count(read)} read, ${count(refused)} refused${share}\n`);
    },
    stop: () => undefined,
  };
}

/** A whole number with thousands separators, the same on every machine. */
function count(value: number): string {
  return value.toLocaleString('en-GB');
}
