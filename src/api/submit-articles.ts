// Creates articles: reads and checks the items of a request, compares them in one transaction with what is stored, and
// writes.
import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Answer, AuditedFailure, BodyLimits, Call, Handling } from '../http/route.ts';
import { operationResult } from '../model/operation.ts';
import { readChoice, singleParameters } from '../model/parameters.ts';
import type { Reason } from '../model/record.ts';
import type { Pause } from '../model/record-reader.ts';
import { parseInSteps } from '../model/json-pieces.ts';
import { isShown, pointer, type ReasonBudget } from '../model/reasons.ts';
import {
  resolve,
  type Resolution,
  readOnlyResolver,
  readOnlyKeeper,
  type SubmissionMode,
  type SubmittedItem,
  submissionReader,
} from '../model/submission.ts';
import { article } from '../resources/index.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store, WriteResult, WriteUnit } from '../store/store.ts';
import { compositeKey } from '../model/composite-key.ts';
import { costKeyOf } from '../http/cost-key.ts';
import { cooperativeYield, writeOf } from '../model/cooperative-yield.ts';
import { isShortWrite, maxShortBodyBytes } from '../model/short-writes.ts';
import { createMutex } from '../store/mutex.ts';
import { repeatable, type RepeatableRequest } from '../idempotency.ts';
import { type ArrayBody, type ArrayRule, type ReadElement, readArrayBody } from './json-body.ts';
import { createLongWriteTurns, type LongWriteTurns } from './long-write-turns.ts';
import { operationAnswer, operationAudit } from './operation-result.ts';

export interface SubmitDependencies {
  readonly store: Store;
  /** Lengths of digit codes that are checked as a GTIN: see `CheckContext`. */
  readonly gtinLengths?: readonly number[];
  /** Default: those of this process. */
  readonly longWrites?: LongWriteTurns;
}

/** The most articles of one request (decision D16). */
export const maxArticles = 500;

/** Of the body (decision D42). */
const maxBodyBytes = 10 * 1_048_576;

const articlesRule: ArrayRule = {
  noun: 'articles',
  max: maxArticles,
};

/**
 * Requests with more objects take hundreds of megabytes of memory while they are processed, so only one runs at a time.
 */
const maxObjects = 50_000;

/** Its name in the audit trail. */
const action = 'articles.submit';

/** The body limits of `POST /articles`. */
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
  const longWrites = dependencies.longWrites ?? createLongWriteTurns();
  const handle = async (call: Call): Promise<Answer | AuditedFailure> => {
    const mode = readMode(call);
    const body = await call.body();
    const fingerprint = (): string => hash('sha256', body, 'base64url');
    const isShort = body.length <= maxShortBodyBytes;
    const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
      longWrites(costKeyOf(call.principal), async () => {
        // It may have waited for long.
        await call.confirmAccess();
        return work();
      });
    const carryOut = async (request: RepeatableRequest): Promise<Answer | AuditedFailure> => {
      const turn = cooperativeYield(isShort ? 'short' : 'outside');
      const array = await readArrayBody(body, articlesRule, turn);
      const work = async (): Promise<Answer | AuditedFailure> => {
        const activities = await ownActivities(dependencies.store, call.principal.activityCodes);
        const read = submissionReader(article, activities, array.length, dependencies.gtinLengths);
        const items = await readItems(array, read, turn);
        return submit({ call, mode, request, items, budget: read.budget });
      };
      if (array.objects > maxObjects) return oneAtATime(work);
      return isShort && !isShortWrite(array.length) ? inTurn(work) : work();
    };
    return repeatable(dependencies, call, { fingerprint }, (request) =>
      isShort ? carryOut(request) : inTurn(() => carryOut(request)),
    );
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

/** Names, by code, of the client's existing activities. */
async function ownActivities(store: Store, codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.activities.named(codes)).map(({ code, name }) => [code, name]));
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
    // Checking what was parsed gets a stretch of its own.
    await turn();
    const faults = faultsOf(element, index);
    if (element.kind === 'unread')
      items.push({ key: `#${index}`, activity: null, reasons: faults, unlisted: 0, accepted: null });
    else if (array.isLong(index)) items.push(await read.inTurns(element.value, index, faults, turn));
    else items.push(read(element.value, index, faults));
  }
  return items;
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
  readonly budget: ReasonBudget;
}

/**
 * Resolves the items against what is stored and writes, all in one transaction; when no item can pass, it locks no
 * activity.
 */
async function submit(submission: Submission): Promise<Answer | AuditedFailure> {
  const { request, mode, items, budget } = submission;
  const activities = [...new Set(items.flatMap(({ accepted }) => accepted?.activity ?? []))].toSorted();
  const work = async (unit: WriteUnit): Promise<Answer> => {
    const operationId = uuidv7();
    const stored = await storedKeys(unit, items);
    const resolution = resolve(article, await resolveReadOnly(unit, items, budget), stored, mode);
    const results = mode.dryRun ? [] : await write(unit, resolution, operationId);
    const { answer, entry } = await outcomeOf(submission, resolution, operationId, results);
    if (!mode.dryRun) await unit.audit(entry);
    return answer;
  };
  return request.write(activities, work);
}

/** Natural keys of the existing records, by activity. */
async function storedKeys(
  unit: WriteUnit,
  items: readonly SubmittedItem[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const stored = new Map<string, ReadonlySet<string>>();
  for (const [activity, own] of acceptedOf(items)) {
    const keys = own.map(({ record }) => record.naturalKey);
    stored.set(activity, await unit.storedKeys(article, activity, keys));
  }
  return stored;
}

/** Reads only the bodies of records for which an item contains a read-only value. */
async function resolveReadOnly(
  unit: WriteUnit,
  items: readonly SubmittedItem[],
  budget: ReasonBudget,
): Promise<readonly SubmittedItem[]> {
  const resolveItem = readOnlyResolver(article, budget);
  const turn = cooperativeYield(writeOf(items.length));
  const saying = items.filter(({ accepted }) => accepted !== null && accepted.readOnlyValues.length > 0);
  const resolved = new Map<SubmittedItem, SubmittedItem>();
  for (const [activity, own] of acceptedOf(saying)) {
    const itemOf = new Map(saying.flatMap((item) => (item.accepted === null ? [] : [[keyOf(item.accepted), item]])));
    const keys = own.map(({ record }) => record.naturalKey);
    for await (const bodies of unit.storedBodies(article, activity, keys))
      for (const [naturalKey, body] of bodies) {
        await turn();
        const item = itemOf.get(compositeKey(activity, naturalKey));
        if (item !== undefined) resolved.set(item, resolveItem(item, await parseInSteps(body, turn)));
      }
  }
  const all: SubmittedItem[] = [];
  for (const item of items) {
    all.push(resolved.get(item) ?? resolveItem(item, null));
    await turn();
  }
  return all;
}

type Accepted = NonNullable<SubmittedItem['accepted']>;

function acceptedOf(items: readonly SubmittedItem[]): ReadonlyMap<string, readonly Accepted[]> {
  return Map.groupBy(
    items.flatMap((item) => item.accepted ?? []),
    ({ activity }) => activity,
  );
}

function keyOf({ activity, record }: Accepted): string {
  return compositeKey(activity, record.naturalKey);
}

async function write(unit: WriteUnit, { writes }: Resolution, operationId: string): Promise<readonly WriteResult[]> {
  const keep = readOnlyKeeper(article);
  const results: WriteResult[] = [];
  for (const [activity, own] of Map.groupBy(writes, (each) => each.activity)) {
    const records = own.map(({ record }) => record);
    results.push(...(await unit.write(article, activity, records, operationId, keep)));
  }
  return results;
}

async function outcomeOf(
  { call, mode, items }: Submission,
  resolution: Resolution,
  operationId: string,
  results: readonly WriteResult[],
): Promise<{ readonly answer: Answer; readonly entry: NewAuditEntry }> {
  const result = operationResult(operationId, resolution);
  // Includes those of refused items: the answer names them, and only a client with access to all of them may read it.
  const named = [...new Set(items.flatMap(({ activity }) => activity ?? []))].toSorted();
  // A client with a single activity means that one, as in a request that is refused as a whole.
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
    answer: await operationAnswer(result),
    entry: operationAudit(call, { action, activityCodes, target: null, details }, result),
  };
}
