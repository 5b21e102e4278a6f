// Expected and received quantities of a procurement, by article.
import type { ProcurementReport } from '../../../client/src/index.ts';
import type { AnyRecord } from '../list/list-source.ts';

export interface ReceivedLine {
  readonly articleReference: string;
  readonly expected: number;
  readonly received: number;
  /** Received lot numbers. */
  readonly lots: readonly string[];
}

/** In the order of the lines; unexpected articles come last. */
export function receivedLines(
  procurement: AnyRecord,
  reports: readonly Pick<ProcurementReport, 'entries'>[],
): readonly ReceivedLine[] {
  const expected = new Map<string, number>();
  for (const line of entriesOf(procurement.procurementEntries)) {
    const reference = String(line.articleReference ?? '');
    expected.set(reference, (expected.get(reference) ?? 0) + Number(line.expectedQuantity ?? 0));
  }
  const received = new Map<string, number>();
  const lots = new Map<string, Set<string>>();
  for (const { articleReference, receivedQuantity, details } of reports.flatMap(({ entries }) => entries)) {
    const reference = articleReference ?? '';
    received.set(reference, (received.get(reference) ?? 0) + (receivedQuantity ?? 0));
    const own = lots.get(reference) ?? new Set();
    for (const { receivedLotNumber } of details) if (receivedLotNumber) own.add(receivedLotNumber);
    lots.set(reference, own);
  }
  return [...new Set([...expected.keys(), ...received.keys()])].map((articleReference) => ({
    articleReference,
    expected: expected.get(articleReference) ?? 0,
    received: received.get(articleReference) ?? 0,
    lots: [...(lots.get(articleReference) ?? [])],
  }));
}

function entriesOf(value: unknown): readonly AnyRecord[] {
  return Array.isArray(value) ? value : [];
}
