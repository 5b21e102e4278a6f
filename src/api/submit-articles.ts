// Creates articles: reads and checks the items of a request, judges them in one transaction with what is there, and
// writes.
import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Answer, Call, Parameter, Route } from '../http/route.ts';
import { operationExample, operationResult } from '../model/operation.ts';
import { readChoice, singleParameters } from '../model/parameters.ts';
import type { IncomingRecord, Reason } from '../model/record.ts';
import { isShown, pointer } from '../model/reasons.ts';
import { createSchema } from '../model/schema.ts';
import {
  resolve,
  type Resolution,
  readOnlyKeeper,
  type SubmissionMode,
  type SubmittedItem,
  submissionReader,
} from '../model/submission.ts';
import { article } from '../resources/index.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store, WriteResult, WriteUnit } from '../store/store.ts';
import { cooperativeYield } from '../store/cooperative-yield.ts';
import { type StoreAnswer, repeatable } from './idempotency.ts';
import { mostObjects, type ReadElement, readArrayBody } from './json-body.ts';
import { operationAnswer, operationAudit } from './operation-result.ts';

export interface SubmitDependencies {
  readonly store: Store;
}

/** Most articles of one request (decision D16). */
export const mostArticles = 500;

/** Longest body in bytes (decision D42). */
const longestBody = 10 * 1_048_576;
/** What the audit trail calls it. */
const action = 'articles.submit';

/** `POST /articles` (interface 4.4; decisions D3, D7, D12, D15, D16). */
export function submitArticlesRoute(dependencies: SubmitDependencies): Route {
  return {
    method: 'POST',
    path: '/articles',
    operationId: 'createArticles',
    summary: 'Create articles',
    description: `Creates up to ${mostArticles} articles with their barcodes and logistical variants (clause 4.4), or replaces them as a whole: what is left out is null afterwards. The same article again is no change. Each item is judged by itself; \`errors\` has the reasons for refusing it, at most 100 of one item and 1 MB of all; the last one says how many more there are. Leave out what is read-only. A barcode occurs once in an article; only where the article's list names the variant that it belongs to may it stand in that variant's list as well. At most one barcode of a list is the primary one, and a variant has no second one in the article's list. One article may hold ${mostObjects.element - 1} barcodes and variants, and all of a request ${mostObjects.body} objects together.`,
    access: 'token',
    rate: 'write',
    action,
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: submitParameters,
    listOf: null,
    body: {
      types: ['application/json'],
      limit: longestBody,
      encodings: ['gzip', 'zstd'],
      schema: { type: 'array', minItems: 1, maxItems: mostArticles, items: createSchema(article) },
      example: [exampleArticle],
    },
    repeatable: true,
    answers: { schema: 'OperationResult', example: operationExample },
    handle: submitArticles(dependencies),
  };
}

const submitParameters: readonly Parameter[] = [
  {
    name: 'onExisting',
    in: 'query',
    schema: { type: 'string', enum: ['replace', 'reject', 'skip'], default: 'replace' },
    meaning:
      'What becomes of an article that exists already: `replace` it as a whole, `reject` the item, or `skip` it, ' +
      'which leaves the article as it is.',
  },
  {
    name: 'atomic',
    in: 'query',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    meaning: 'All or nothing: with `true`, one item that is refused refuses all.',
  },
  {
    name: 'dryRun',
    in: 'query',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    meaning:
      'With `true`, everything is judged and nothing is written, not even to the audit trail: the operator will ' +
      'not find its `operationId`.',
  },
];

const exampleArticle = {
  activityCode: 'AUR',
  articleReference: 'CID-BRU-075',
  longArticleDescription: 'Organic cider, dry, bottle of 75 cl',
  shortArticleDescription: 'Organic cider dry 75 cl',
  articleType: 0,
  netWeightPerUVC: 0.75,
  barcodes: [{ code: '9520000123451', isPrimary: true, barcodeUnit: 'UVC', barcodeQuantity: 1 }],
};

/**
 * Makes the handler.
 * @returns handler that throws Problem `unknown-parameter`, `invalid-parameter`, those of `repeatable`, `readArrayBody`
 * and `Call.body`
 */
export function submitArticles(dependencies: SubmitDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const mode = readMode(call);
    const body = await call.body();
    return repeatable(
      dependencies,
      call,
      () => hash('sha256', body, 'base64url'),
      async (storeAnswer) => {
        const activities = await ownActivities(dependencies.store, call.caller.activityCodes);
        return submit({ ...dependencies, call, mode, storeAnswer, items: await readItems(body, activities) });
      },
    );
  };
}

interface Mode extends SubmissionMode {
  readonly dryRun: boolean;
}

function readMode(call: Call): Mode {
  const given = singleParameters(
    call.query,
    submitParameters.map(({ name }) => name),
  );
  const isTrue = (name: string): boolean => readChoice(name, given.get(name), ['true', 'false'], 'false') === 'true';
  return {
    onExisting: readChoice('onExisting', given.get('onExisting'), ['replace', 'reject', 'skip'], 'replace'),
    atomic: isTrue('atomic'),
    dryRun: isTrue('dryRun'),
  };
}

/** Name by code of the caller's activities that exist. */
async function ownActivities(store: Store, codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const own = new Set(codes);
  return new Map(
    (await store.activities.list()).filter(({ code }) => own.has(code)).map(({ code, name }) => [code, name]),
  );
}

async function readItems(body: Buffer, activities: ReadonlyMap<string, string>): Promise<readonly SubmittedItem[]> {
  const turn = cooperativeYield('outside');
  const array = await readArrayBody(body, { noun: 'articles', most: mostArticles }, turn);
  const read = submissionReader(article, activities, array.length);
  const items: SubmittedItem[] = [];
  for (let index = 0; index < array.length; index++) {
    await turn();
    const element = array.read(index);
    // What has been parsed is checked in a stretch of its own.
    await turn();
    items.push(
      element.kind === 'unread'
        ? { key: `#${index}`, owner: null, reasons: faultsOf(element, index), unlisted: 0, accepted: null }
        : read(element.value, index, faultsOf(element, index)),
    );
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

interface Submission extends SubmitDependencies {
  readonly call: Call;
  readonly mode: Mode;
  readonly storeAnswer: StoreAnswer;
  readonly items: readonly SubmittedItem[];
}

/**
 * Judges the items with what is stored and writes, all in one transaction; where no item can pass it locks no activity.
 */
async function submit(submission: Submission): Promise<Answer> {
  const { store, mode, storeAnswer, items } = submission;
  const owners = [...new Set(items.flatMap(({ accepted }) => accepted?.owner ?? []))].toSorted();
  return store.submit(owners, async (unit) => {
    const operationId = uuidv7();
    const stored = await storedTexts(unit, items);
    const resolution = resolve(article, items, stored, mode);
    const results = mode.dryRun ? [] : await write(unit, resolution, stored, operationId);
    const { answer, entry } = outcomeOf(submission, resolution, operationId, results);
    if (!mode.dryRun) await unit.audit(entry);
    await storeAnswer(unit, answer);
    return answer;
  });
}

type StoredTexts = ReadonlyMap<string, ReadonlyMap<string, string>>;

async function storedTexts(unit: WriteUnit, items: readonly SubmittedItem[]): Promise<StoredTexts> {
  const accepted = Map.groupBy(
    items.flatMap((item) => item.accepted ?? []),
    ({ owner }) => owner,
  );
  const stored = new Map<string, ReadonlyMap<string, string>>();
  for (const [owner, own] of accepted)
    stored.set(
      owner,
      await unit.stored(
        article,
        owner,
        own.map(({ record }) => record.naturalKey),
      ),
    );
  return stored;
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
  for (const [owner, own] of Map.groupBy(writes, (each) => each.owner)) {
    const records: IncomingRecord[] = [];
    for (const { record } of own) {
      await turn();
      const before = stored.get(owner)?.get(record.naturalKey);
      records.push(before === undefined ? record : keepReadOnly(record, before));
    }
    results.push(...(await unit.write(article, owner, records, operationId)));
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
  const named = [...new Set(items.flatMap(({ owner }) => owner ?? []))].toSorted();
  // Whoever has but one activity means that one, as in a request that is refused as a whole.
  const activityCodes =
    named.length === 0 && call.caller.activityCodes.length === 1 ? call.caller.activityCodes : named;
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
