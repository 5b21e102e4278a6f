// Creates articles: reads and checks the items of a request, judges them in one transaction with what is there, and
// writes.
import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Answer, AuditedFailure, BodyLimits, Call, Handling } from '../http/route.ts';
import { operationResult } from '../model/operation.ts';
import { readChoice, singleParameters } from '../model/parameters.ts';
import type { IncomingRecord, Reason } from '../model/record.ts';
import { publishedLength, shortestNested } from '../model/published-length.ts';
import { Problem } from '../model/problem.ts';
import type { Pause } from '../model/record-reader.ts';
import { isShown, pointer } from '../model/reasons.ts';
import {
  resolve,
  type Resolution,
  readOnlyJudge,
  readOnlyKeeper,
  type SubmissionMode,
  type SubmittedItem,
  submissionReader,
} from '../model/submission.ts';
import { textBlock } from '../model/text-block.ts';
import { article } from '../resources/index.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store, WriteResult, WriteUnit } from '../store/store.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';
import { createMutex } from '../store/mutex.ts';
import { repeatable, type RepeatableRequest } from './idempotency.ts';
import { type ArrayBody, type ArrayRule, type ReadElement, readArrayBody } from './json-body.ts';
import { operationAnswer, operationAudit } from './operation-result.ts';

export interface SubmitDependencies {
  readonly store: Store;
  /** Lengths of codes of digits that are taken for a GTIN: see `CheckContext`. */
  readonly gtinLengths?: readonly number[];
}

/** Articles of one request (decision D16). */
export const maxArticles = 500;

/** Of the body (decision D42). */
const maxBodyBytes = 10 * 1_048_576;
/** Of all articles of a request as they are published, which near empty barcodes and variants by themselves are not. */
const maxPublishedBytes = 128 * 1_048_576;

const articlesRule: ArrayRule = {
  noun: 'articles',
  max: maxArticles,
  maxObjects: Math.floor(maxBodyBytes / shortestNested(article)),
};

/** Requests of more take hundreds of megabytes of memory while they are worked on: one at a time. */
const manyObjects = 50_000;

/** What the audit trail calls it. */
const action = 'articles.submit';

/** What `POST /articles` takes in its body. */
export const articlesBody: BodyLimits = {
  types: ['application/json'],
  limit: maxBodyBytes,
  encodings: ['gzip', 'zstd'],
};

/**
 * Makes the handler.
 * @returns handler that throws Problem `unknown-parameter`, `invalid-parameter`, those of `repeatable`, `readArrayBody`
 * and `Call.body`
 */
export function submitArticles(dependencies: SubmitDependencies): Handling {
  const oneAtATime = createMutex();
  const handle = async (call: Call): Promise<Answer | AuditedFailure> => {
    const mode = readMode(call);
    const body = await call.body();
    const fingerprint = (): string => hash('sha256', body, 'base64url');
    return repeatable(dependencies, call, { fingerprint }, async (request) => {
      const turn = cooperativeYield('outside');
      const array = await readArrayBody(body, articlesRule, turn);
      const work = async (): Promise<Answer | AuditedFailure> => {
        const activities = await ownActivities(dependencies.store, call.principal.activityCodes);
        const read = submissionReader(article, activities, array.length, dependencies.gtinLengths);
        const items = await readItems(array, read, turn);
        if (array.objects > manyObjects) requireRoom(items);
        return submit({ call, mode, request, items });
      };
      return array.objects > manyObjects ? oneAtATime(work) : work();
    });
  };
  return { action, repeatable: true, handle };
}

interface Mode extends SubmissionMode {
  readonly dryRun: boolean;
}

function readMode(call: Call): Mode {
  const given = singleParameters(call.query, ['onExisting', 'atomic', 'dryRun']);
  const isTrue = (name: string): boolean => readChoice(name, given.get(name), ['true', 'false'], 'false') === 'true';
  return {
    onExisting: readChoice('onExisting', given.get('onExisting'), ['replace', 'reject', 'skip'], 'replace'),
    atomic: isTrue('atomic'),
    dryRun: isTrue('dryRun'),
  };
}

/** Name by code of the client's activities that exist. */
async function ownActivities(store: Store, codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const own = new Set(codes);
  return new Map(
    (await store.activities.list()).filter(({ code }) => own.has(code)).map(({ code, name }) => [code, name]),
  );
}

async function readItems(
  array: ArrayBody,
  read: ReturnType<typeof submissionReader>,
  turn: Pause,
): Promise<readonly SubmittedItem[]> {
  const items: SubmittedItem[] = [];
  for (let index = 0; index < array.length; index++) {
    await turn();
    const element = await array.read(index);
    // What has been parsed is checked in a stretch of its own.
    await turn();
    const faults = faultsOf(element, index);
    if (element.kind === 'unread')
      items.push({ key: `#${index}`, activity: null, reasons: faults, unlisted: 0, accepted: null });
    else if (array.isLong(index))
      items.push(refuseTooLarge(await read.inTurns(element.value, index, faults, turn), index));
    else items.push(read(element.value, index, faults));
  }
  return items;
}

/** @throws Problem `validation-failed` where the articles together are too long to be written at once */
function requireRoom(items: readonly SubmittedItem[]): void {
  const length = items.reduce(
    (sum, { accepted }) => sum + (accepted === null ? 0 : publishedLength(article)(accepted.record.value)),
    0,
  );
  if (length <= maxPublishedBytes) return;
  throw new Problem(
    'validation-failed',
    textBlock`
      As they are published, with every property of their barcodes and variants, the articles have ${length} bytes
      together; a request may have ${maxPublishedBytes}. Send fewer at a time.
    `,
  );
}

/** An article that was read fits in a request, so that it can be edited and sent back. */
function refuseTooLarge(item: SubmittedItem, index: number): SubmittedItem {
  if (item.accepted === null) return item;
  const length = publishedLength(article)(item.accepted.record.value);
  if (length <= maxBodyBytes) return item;
  const detail = textBlock`
    As it is published, with every property of its barcodes and variants, the article has ${length} bytes; it may have
    ${maxBodyBytes}.
  `;
  return { ...item, reasons: [{ code: 'too-large', pointer: `/${index}`, detail }], accepted: null };
}

function faultsOf(element: ReadElement, index: number): readonly Reason[] {
  switch (element.kind) {
    case 'value':
      return [];
    case 'unread':
      return [{ code: element.code, pointer: `/${index}`, detail: element.detail }];
    case 'repeated': {
      const path = element.path.every((step) => typeof step === 'number' || isShown(step)) ? element.path : [];
      const place = pointer([index, ...path]);
      return [
        { code: 'duplicate-property', pointer: place.length > 300 ? `/${index}` : place, detail: element.detail },
      ];
    }
  }
}

interface Submission {
  readonly call: Call;
  readonly mode: Mode;
  readonly request: RepeatableRequest;
  readonly items: readonly SubmittedItem[];
}

/**
 * Resolves the items with what is stored and writes, all in one transaction; where no item can pass it locks no
 * activity.
 */
async function submit(submission: Submission): Promise<Answer | AuditedFailure> {
  const { request, mode, items } = submission;
  const activities = [...new Set(items.flatMap(({ accepted }) => accepted?.activity ?? []))].toSorted();
  return request.write(activities, async (unit) => {
    const operationId = uuidv7();
    const stored = await storedTexts(unit, items);
    const resolution = resolve(article, await judgeReadOnly(items, stored), stored, mode);
    const results = mode.dryRun ? [] : await write(unit, resolution, stored, operationId);
    const { answer, entry } = outcomeOf(submission, resolution, operationId, results);
    if (!mode.dryRun) await unit.audit(entry);
    return answer;
  });
}

type StoredTexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

async function storedTexts(unit: WriteUnit, items: readonly SubmittedItem[]): Promise<StoredTexts> {
  const accepted = Map.groupBy(
    items.flatMap((item) => item.accepted ?? []),
    ({ activity }) => activity,
  );
  const stored = new Map<string, ReadonlyMap<string, string>>();
  let bytesLeft = maxPublishedBytes;
  for (const [activity, own] of accepted) {
    const keys = own.map(({ record }) => record.naturalKey);
    const bodies = await unit.stored(article, activity, keys, bytesLeft);
    for (const body of bodies.values()) bytesLeft -= body.length;
    stored.set(activity, bodies);
  }
  return stored;
}

async function judgeReadOnly(items: readonly SubmittedItem[], stored: StoredTexts): Promise<readonly SubmittedItem[]> {
  const judge = readOnlyJudge(article, items.length);
  const turn = cooperativeYield('inTransaction');
  const judged: SubmittedItem[] = [];
  for (const item of items) {
    await turn();
    const { accepted } = item;
    judged.push(accepted === null ? item : judge(item, stored.get(accepted.activity)?.get(accepted.record.naturalKey)));
  }
  return judged;
}

async function write(
  unit: WriteUnit,
  { writes }: Resolution,
  stored: StoredTexts,
  operationId: string,
): Promise<readonly WriteResult[]> {
  const keepReadOnly = readOnlyKeeper(article);
  const turn = cooperativeYield('inTransaction');
  const results: WriteResult[] = [];
  for (const [activity, own] of Map.groupBy(writes, (each) => each.activity)) {
    const records: IncomingRecord[] = [];
    for (const { record } of own) {
      await turn();
      const before = stored.get(activity)?.get(record.naturalKey);
      records.push(before === undefined ? record : keepReadOnly(record, before));
    }
    results.push(...(await unit.write(article, activity, records, operationId)));
  }
  return results;
}

function outcomeOf(
  { call, mode, items }: Submission,
  resolution: Resolution,
  operationId: string,
  results: readonly WriteResult[],
): { readonly answer: Answer; readonly entry: NewAuditEntry } {
  const result = operationResult(operationId, resolution);
  // Those of refused items too: the answer names them, and only who has all of them may read it.
  const named = [...new Set(items.flatMap(({ activity }) => activity ?? []))].toSorted();
  // Whoever has but one activity means that one, as in a request that is refused as a whole.
  const activityCodes =
    named.length === 0 && call.principal.activityCodes.length === 1 ? call.principal.activityCodes : named;
  const count = (outcome: WriteResult['outcome']): number => results.filter((each) => each.outcome === outcome).length;
  const details = {
    onExisting: mode.onExisting,
    atomic: mode.atomic,
    items: items.length,
    passed: resolution.passed.length,
    new: count('new'),
    changed: count('changed'),
    unchanged: count('unchanged'),
  };
  return {
    answer: operationAnswer(result),
    entry: operationAudit(call, { action, activityCodes, target: null, details }, result),
  };
}
