// What is kept of a refused record, so that it can be corrected and replayed.
import type { CheckContext } from '../model/reasons.ts';
import type { Reason } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { naturalKeyReader } from '../model/withdrawal.ts';
import type { RefusedEntry } from '../store/feed-contract.ts';
import { namingPart } from './check-records.ts';
import type { SourceRecord } from './record-splitter.ts';

/** Longer texts are not kept, in UTF-16 units: they could not be corrected by hand either. */
const maxKeptCharacters = 4 * 1024 * 1024;

/**
 * Makes the entry of a record with this number in its message. Its natural key is that of a record, or of a line that
 * withdraws one, that is faulty elsewhere, so that a later line of the same record is known.
 */
export function refusedEntries(
  resource: Resource,
  context: CheckContext,
): (number: number, source: SourceRecord, reasons: readonly Reason[]) => RefusedEntry {
  const readKey = naturalKeyReader(resource);
  return (number, source, reasons) => {
    const text = source.text !== null && source.text.length <= maxKeptCharacters ? source.text : null;
    const { line, element = null } = source;
    const naturalKey = source.ok ? readKey(namingPart(source.value), context) : null;
    return { number, line, element, reasons, naturalKey, kind: source.ok ? 'record' : 'text', text };
  };
}
