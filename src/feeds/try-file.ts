// Shows what importing a file would do, without a database: counts, the first records as they would be published (with
// what is unpublished, as in an export), and what is refused.
import { basename } from 'node:path';
import type { Reason } from '../model/record.ts';
import { createRenderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { isObject } from '../model/scalar.ts';
import { openSeenKeys } from '../store/seen-keys.ts';
import { checkLines } from './check-records.ts';
import type { Mapping } from './mapping/compile.ts';
import type { MappedLineCounts, LineWarning } from './mapping/counts.ts';
import { readMessageFacts } from './mapping/message-facts.ts';
import { readMapped } from './mapping/read-mapped.ts';
import { batchesOf } from './message-batches.ts';
import { refuseOtherKinds } from './message-fault.ts';
import { type PlaceInFile, placeInFile } from './record-splitter.ts';
import { jsonReading, type SourceRecord } from './read-records.ts';

/** How a file becomes records: by a mapping, or none if it already has the format of the interface. */
export type TriedWay = { readonly mapping: Mapping } | { readonly resource: Resource };

interface TryOptions {
  readonly way: TriedWay;
  readonly path: string;
  /** The file's bytes from its start, on each call. */
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly activity: string;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths: readonly number[];
  /** The most records, refused lines and warnings that are shown per resource. */
  readonly shown: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface TriedFile {
  /** What the file says about itself. */
  readonly message: {
    readonly id: string | null;
    readonly sequence: number | null;
    readonly extractionDate: string | null;
  };
  /** Why the file would be refused as a whole; usually none. */
  readonly faults: readonly Reason[];
  readonly resources: readonly TriedResource[];
}

/** The result for one resource: `read` is the sum of `taken`, `again`, `withdrawn` and `refused`. */
export interface TriedResource {
  readonly resource: string;
  readonly read: number;
  readonly taken: number;
  /** Records that repeat what an earlier one of the file said. */
  readonly again: number;
  readonly withdrawn: number;
  readonly refused: number;
  readonly warned: number;
  /** Lines of the file by outcome; null for a file without a mapping. */
  readonly lines: MappedLineCounts | null;
  /** The first records, as they would be published; behind that, what is unpublished. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly refusedLines: readonly TriedLine[];
  readonly warnings: readonly LineWarning[];
}

interface TriedLine extends PlaceInFile {
  readonly reasons: readonly Reason[];
  /** As in the file, or the record that was made of it. */
  readonly text: string | null;
}

/**
 * Reads a file like a feed.
 * @throws OperatorError when it does not match the mapping
 */
export async function tryFile(options: TryOptions): Promise<TriedFile> {
  const { way, read, path } = options;
  if (!('mapping' in way)) {
    const found = await tryRecords(options, way.resource, recordsOf(read(), way.resource), () => null);
    return { message: { id: null, sequence: null, extractionDate: null }, faults: [], resources: [found] };
  }
  const name = basename(path);
  const { faults, around, ...message } = await readMessageFacts(way.mapping, read(), name);
  const resources: TriedResource[] = [];
  for (const each of way.mapping.resources) {
    const { records, counts } = readMapped(way.mapping, each, read(), name, around);
    resources.push(await tryRecords(options, each.resource, records, counts));
  }
  return { message, faults, resources };
}

/** @throws MessageFault when the file is of an entirely different kind, as in a feed */
async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  resource: Resource,
): AsyncGenerator<readonly SourceRecord[]> {
  for await (const { records, before } of batchesOf(jsonReading(chunks))) {
    if (before === 0) refuseOtherKinds(records, resource);
    yield records;
  }
}

async function tryRecords(
  { activity, gtinLengths, shown, now }: TryOptions,
  resource: Resource,
  groups: AsyncIterable<readonly SourceRecord[]>,
  lines: () => MappedLineCounts | null,
): Promise<TriedResource> {
  const counts = { read: 0, taken: 0, again: 0, withdrawn: 0, refused: 0, warned: 0 };
  const records: Readonly<Record<string, unknown>>[] = [];
  const refusedLines: TriedLine[] = [];
  const warnings: LineWarning[] = [];
  const seen = openSeenKeys();
  try {
    const check = checkLines(resource, { activity, activityName: '', gtinLengths }, seen);
    const publish = publisher(resource, now);
    for await (const group of groups)
      for (const source of group) {
        counts.read += 1;
        const checked = check(source);
        if (checked.kind === 'withdrawal' || checked.kind === 'image-withdrawal') counts.withdrawn += 1;
        else if (checked.kind === 'again') counts.again += 1;
        else if (checked.kind === 'refused') {
          counts.refused += 1;
          if (refusedLines.length < shown)
            refusedLines.push({ ...placeInFile(source), reasons: checked.reasons, text: source.text });
        } else {
          counts.taken += 1;
          if (records.length < shown) records.push(publish(checked.record));
          if (checked.warnings.length > 0) counts.warned += 1;
          for (const reason of checked.warnings.slice(0, shown - warnings.length))
            warnings.push({ ...placeInFile(source), ...reason });
        }
      }
  } finally {
    seen.close();
  }
  const found = lines();
  const ofLines = found?.warnings.slice(0, shown) ?? [];
  return {
    resource: resource.name,
    ...counts,
    warned: counts.warned + (found?.warned ?? 0),
    lines: found,
    records,
    refusedLines,
    warnings: [...ofLines, ...warnings].slice(0, shown),
  };
}

type Renderable = Parameters<ReturnType<typeof createRenderer>>[0];

/** The ids belong to no record: storage assigns them. */
function publisher(resource: Resource, now: number): (record: Renderable) => Readonly<Record<string, unknown>> {
  const render = createRenderer(resource);
  const unpublishedOf = ({ value }: Renderable): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.keys(resource.unpublished).map((name) => [name, value[name] ?? null]));
  const assign = { number: () => 0, uuid: () => '00000000-0000-0000-0000-000000000000', now };
  return (record) => {
    const published: unknown = JSON.parse(render(record, assign, null).body);
    return { ...(isObject(published) ? published : {}), ...unpublishedOf(record) };
  };
}
