// Creates a label: checks the request, notes it down, asks the carrier once, stores what it gave.
import { textBlock } from '../../model/text-block.ts';
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { unreadable } from '../../carriers/carrier-messages.ts';
import { CarrierError, type CarrierLabel, type LabelTask } from '../../carriers/carrier.ts';
import type { Converse } from '../../carriers/host.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { readText } from '../../model/filter-values.ts';
import { readChoice, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelRequest, LabelResult } from '../../model/shipping.ts';
import { characters } from '../../model/text.ts';
import { order } from '../../resources/index.ts';
import {
  emptyRequest,
  findLabel,
  firstLabelAlike,
  type LabelFile,
  reserveLabel,
  type StoredLabel,
} from '../../store/labels.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import type { RequestClaim, Store } from '../../store/store.ts';
import { takenOver } from '../../store/idempotency-records.ts';
import { readKey, repeatable } from '../idempotency.ts';
import { type AccountDependencies, accountFinder, accountParameters, type OpenAccount } from './accounts.ts';
import { errorsByField, labelProblem } from './carrier-problems.ts';
import { createLabelDescription } from './description.ts';
import { type LabelFileDependencies, publishOutputs } from './label-files.ts';
import { invalidLabel, readLabelRequest } from './label-request.ts';
import { canBeKept, isParcelNumber } from './parcels.ts';
import { labelExample, labelRequestExample, labelRequestSchema } from './schemas.ts';

export interface LabelDependencies extends AccountDependencies, LabelFileDependencies {
  readonly store: Store;
  readonly converse: Converse;
}

/** Longest body in bytes (decision D42). */
const longestBody = 65_536;
/** Most characters of an `id` or `orderUniqueID`. */
const longestName = 36;
/** What the audit trail calls it. */
const action = 'label.create';

/** `POST /shippings/labels/{context}/{carrier}` (interface 4.12; decisions D23 to D28). */
export function createLabelRoute(dependencies: LabelDependencies): Route {
  return {
    method: 'POST',
    path: '/shippings/labels/{context}/{carrier}',
    operationId: 'createLabel',
    summary: 'Create a shipping label',
    access: 'token',
    rate: 'label',
    action,
    listOf: null,
    description: createLabelDescription,
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [
      ...accountParameters,
      {
        name: 'orderId',
        in: 'query',
        meaning: 'Links the label to an order of the same activity: its `id` or `orderUniqueID`.',
        schema: { type: 'string', minLength: 1, maxLength: 36 },
      },
      {
        name: 'dryRun',
        in: 'query',
        meaning:
          'With `true` everything is checked, the carrier is not asked, and there is no label: `status` is `dry-run`.',
        schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
      },
    ],
    body: {
      types: ['application/json', 'text/json', 'application/*+json'],
      limit: longestBody,
      encodings: [],
      schema: labelRequestSchema,
      example: labelRequestExample,
    },
    repeatable: true,
    answers: { schema: 'LabelResult', example: labelExample },
    answerHeaders: {
      'Label-Duplicates': {
        meaning:
          'Expedition number of the first label that was made from a request with the same fields, `orderId` and ' +
          '`nDossier`. There are two parcels now.',
        example: '10000001',
      },
    },
    refusals: { 422: ['carrier-rejected'], 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
    handle: createLabel(dependencies),
  };
}

/**
 * Makes the handler.
 * @returns handler that throws Problem `resource-not-found`, `validation-failed`, `malformed-json`, `quota-exceeded`,
 * `carrier-rejected`, `carrier-unavailable`, `carrier-timeout`, and those of `repeatable`
 */
function createLabel(dependencies: LabelDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    const opened = await findAccount(call);
    const { stored, carrier, account } = opened;
    if (carrier.createLabel === null)
      throw new Problem('resource-not-found', `${carrier.title} makes no labels here; it can be asked for tracking.`);
    const given = singleParameters(call.query, ['orderId', 'dryRun']);
    const dryRun = readChoice('dryRun', given.get('dryRun'), ['true', 'false'], 'false') === 'true';
    const { own, request } = readLabelRequest(await call.body(), stored.sender);
    const reasons = carrier.check(request, account);
    if (reasons.length > 0) throw invalidLabel(errorsByField(reasons, ''));
    const orderId = await orderOf(dependencies.store, stored.owner, given.get('orderId'));
    // What the client sent, without the presets: they may change between a request and its repetition.
    const fingerprint = hash('sha256', JSON.stringify([own, orderId]), 'base64url');
    return repeatable(
      dependencies,
      call,
      () => fingerprint,
      async (_keep, claim) => {
        if (dryRun) return labelAnswer({ status: 'dry-run', expeditionNumber: '', outputs: [] });
        return made(dependencies, { call, opened, request, orderId, fingerprint, claim });
      },
    );
  };
}

interface Asked {
  readonly call: Call;
  readonly opened: OpenAccount;
  readonly request: LabelRequest;
  readonly orderId: string | null;
  readonly fingerprint: string;
  /** Null without an `Idempotency-Key`. */
  readonly claim: RequestClaim | null;
}

async function orderOf(store: Store, owner: string, name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  const text = readText(name) ?? '';
  for (const field of text === '' || characters(text) > longestName ? [] : ['id', 'orderUniqueID']) {
    const [found] = await store.find(order, [owner], field, text, 1);
    const published: unknown = found === undefined ? null : JSON.parse(found.body);
    if (typeof published === 'object' && published !== null && 'id' in published) return String(published.id);
  }
  throw new Problem('resource-not-found', 'There is no order with this orderId in the activity of the context.');
}

/** The label is noted before the carrier is asked, so that nobody asks a second time for what may exist already. */
async function made(dependencies: LabelDependencies, asked: Asked): Promise<Answer> {
  const { store, now } = dependencies;
  const {
    call,
    opened: { stored, carrier, account },
    request,
    fingerprint,
  } = asked;
  const label: StoredLabel = {
    owner: stored.owner,
    id: uuidv7(),
    accountId: stored.id,
    context: stored.context,
    carrier: carrier.name,
    expeditionNumber: null,
    state: 'asked',
    requestKey: keyOf(call),
    fingerprint,
    nDossier: request.nDossier === '' ? null : request.nDossier,
    orderId: asked.orderId,
    request: JSON.stringify(request),
    result: null,
    operationId: uuidv7(),
    clientId: call.caller.clientId,
    createdAt: now(),
  };
  const midnight = Math.floor(label.createdAt / day) * day;
  const reserved = await reserveLabel(store.db, label, midnight, {
    claim: asked.claim,
    series: carrier.series?.(account) ?? null,
  });
  switch (reserved.state) {
    case 'gone':
      throw new Problem('resource-not-found', 'The account of this context was removed a moment ago.');
    case 'taken-over':
      throw takenOver();
    case 'known':
      return answerOf(reserved.label, fingerprint);
    case 'beyond-limit': {
      const wait = Math.ceil((midnight + day - label.createdAt) / 1000);
      throw new Problem(
        'quota-exceeded',
        textBlock`
          This context may make ${reserved.dailyLimit} labels a day (UTC), and has. Wait for tomorrow, or ask the
          operator to raise the limit.
        `,
        { 'violated-policies': ['daily-labels'] },
        { 'retry-after': String(wait) },
      );
    }
    case 'reserved': {
      const result = await askAndStore(dependencies, asked, label, reserved.sequence);
      // Asked for last, so that of two that were made at once one tells of the other. The parcel is there, whatever
      // happens now.
      const duplicate = label.nDossier === null ? null : await firstLabelAlike(store.db, label).catch(() => null);
      return labelAnswer(
        result,
        duplicate !== null && isHeaderText(duplicate) ? { 'Label-Duplicates': duplicate } : {},
      );
    }
  }
}

const day = 86_400_000;

/** Asks the carrier and stores what it gave, or what is known of its refusal. */
async function askAndStore(
  dependencies: LabelDependencies,
  { call, opened, request }: Asked,
  label: StoredLabel,
  sequence: number,
): Promise<LabelResult> {
  const { store, now } = dependencies;
  const given = await askCarrier(dependencies, opened, {
    account: opened.account,
    request,
    sequence,
    now: now(),
  }).catch(async (error: unknown) => {
    const isCertain = error instanceof CarrierError && error.acted === 'no';
    const parcels = error instanceof CarrierError ? error.parcels.filter(isParcelNumber) : [];
    const details =
      error instanceof CarrierError
        ? { kind: error.kind, carrierCode: error.carrierCode, ...(parcels.length > 0 ? { parcels } : {}) }
        : {};
    const ended: StoredLabel = isCertain
      ? { ...label, state: 'refused', requestKey: null, fingerprint: '', request: emptyRequest }
      : { ...label, state: 'unknown', expeditionNumber: parcels[0] ?? null };
    await store.submit([], async (unit) => {
      await unit.putLabel(ended, []);
      await unit.audit(auditOf(call, label, isCertain ? 'refused' : 'failed', details));
    });
    call.leaveNoEntry?.();
    throw labelProblem(error, opened, dependencies);
  });
  const { expeditionNumber } = given;
  const { outputs, files } = await publishOutputs(dependencies, {
    owner: label.owner,
    expeditionNumber,
    given: given.outputs,
    types: Object.keys(opened.carrier.outputs),
    unstored: 'data',
  });
  const result: LabelResult = { status: '0', expeditionNumber, outputs };
  await storeMade(
    dependencies,
    call,
    { ...label, state: 'made', expeditionNumber, result: JSON.stringify(result) },
    files,
  );
  return result;
}

const pauses: readonly number[] = [100, 400];

/** The parcel is paid for: a storage that fails for a moment must not lose its label. */
async function storeMade(
  { store }: LabelDependencies,
  call: Call,
  label: StoredLabel,
  files: readonly LabelFile[],
): Promise<void> {
  const { expeditionNumber } = label;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // What failed before may have been committed all the same.
      if (attempt > 0 && (await findLabel(store.db, label, expeditionNumber ?? ''))?.id === label.id) return;
      return await store.submit([], async (unit) => {
        await unit.putLabel(label, files);
        await unit.audit(auditOf(call, label, 'accepted', { expeditionNumber }));
      });
    } catch (error) {
      const wait = pauses[attempt];
      if (wait === undefined)
        throw new Error(
          textBlock`
            the label ${expeditionNumber} was made in context ${label.context} at ${label.carrier}, and could not be
            stored
          `,
          { cause: error },
        );
      await pause(wait);
    }
  }
}

async function askCarrier(
  { converse }: LabelDependencies,
  { carrier, account }: OpenAccount,
  task: LabelTask,
): Promise<CarrierLabel> {
  if (carrier.createLabel === null) throw new Error('the carrier makes no labels');
  const label = await converse(carrier.createLabel(task), carrier.origins(account));
  if (!canBeKept(label.expeditionNumber))
    throw unreadable(
      carrier.title,
      'no number of 1 to 64 characters in one line, under which the parcel could be kept',
    );
  return label;
}

/** What became of the label of an earlier request under the same key, whose answer was never stored. */
function answerOf({ state, result, fingerprint: earlier, expeditionNumber }: StoredLabel, fingerprint: string): Answer {
  if (earlier === '')
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used for a label that is no longer kept. Take a new key for a new request.',
    );
  if (earlier !== fingerprint)
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used for another label. Take a new key for a new request.',
    );
  // What an operator found out about has no outputs yet: they can be fetched.
  const body =
    result ??
    JSON.stringify({ status: '0', expeditionNumber: expeditionNumber ?? '', outputs: [] } satisfies LabelResult);
  if (state === 'made')
    return { status: 200, headers: { 'Cache-Control': 'no-store', 'Idempotency-Replayed': 'true' }, body, type: null };
  if (expeditionNumber !== null)
    throw new Problem(
      'carrier-timeout',
      textBlock`
        The carrier was asked under this Idempotency-Key before: the parcel ${expeditionNumber} exists, and its label
        did not come whole. Fetch the label by this number, where the carrier gives labels again, or ask whoever runs
        the service.
      `,
    );
  throw new Problem(
    'carrier-timeout',
    textBlock`
      The carrier was asked under this Idempotency-Key before, and it is not known whether it made a label. Ask the
      carrier by your nDossier; if there is none, send the request with a new key. Whoever runs the service can settle
      the question for this key.
    `,
  );
}

/** Carriers number as they like; a header holds visible characters. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function keyOf(call: Call): string | null {
  const key = readKey(call.header('idempotency-key'));
  return key === null
    ? null
    : hash('sha256', JSON.stringify([call.caller.clientId, call.caller.subject, call.path, key]), 'base64url');
}

function labelAnswer(result: LabelResult, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store', ...headers },
    body: JSON.stringify(result),
    type: null,
  };
}

/** Neither names nor addresses: the label itself has them. */
function auditOf(
  { caller, address }: Call,
  label: StoredLabel,
  outcome: NewAuditEntry['outcome'],
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  return {
    actorKind: caller.kind,
    actor: caller.clientId,
    subject: caller.subject,
    action,
    activityCodes: [label.owner],
    target: `${label.context}/${label.carrier}`,
    operationId: label.operationId,
    outcome,
    address,
    details: { labelId: label.id, nDossier: label.nDossier, orderId: label.orderId, ...details },
  };
}
