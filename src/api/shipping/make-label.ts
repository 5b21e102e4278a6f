// Makes a label: records it, asks the carrier once, and stores the result together with the answer.
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { CarrierError, type CarrierLabel, type CarrierOutput, type LabelTask } from '../../carriers/carrier.ts';
import { unreadable } from '../../carriers/carrier-messages.ts';
import type { Answer, AuditedFailure, Call } from '../../http/route.ts';
import { Problem } from '../../model/problem.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest, LabelResult } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import type { LabelFile, NewLabel, StoredLabel } from '../../store/labels.ts';
import { nothingMade } from '../../store/label-writes.ts';
import { type RepeatableRequest, takenOver } from '../../idempotency.ts';
import type { OpenAccount } from '../../shipping/accounts.ts';
import { labelProblem } from '../../shipping/carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { labelAnswer, labelAudit } from './label-answers.ts';
import { publishOutputs } from './label-files.ts';
import { canBeKept, isParcelNumber } from '../../shipping/parcel-path.ts';
import { declaredBefore, declaresTheSame } from '../../shipping/declared-before.ts';

/** A label to be made. */
interface LabelWork {
  readonly call: Call;
  readonly opened: OpenAccount;
  readonly request: RepeatableRequest;
  /** The content of the label, including the presets of the context. */
  readonly wanted: LabelRequest;
  /** The customs declaration; null when none is needed. */
  readonly customs: CustomsDeclaration | null;
  readonly orderId: string | null;
  /** Hash of what the client sent. */
  readonly fingerprint: string;
}

/**
 * Makes a label. It is recorded before the carrier is asked, so that nobody asks a second time for a label that may
 * already exist. A carrier error is an answer.
 * @throws Problem `resource-not-found`, `quota-exceeded`, `idempotency-in-progress`; `validation-failed` when the goods
 *   of the order were declared with another label
 */
export async function makeLabel(dependencies: LabelDependencies, work: LabelWork): Promise<Answer | AuditedFailure> {
  const { stored, carrier, account } = work.opened;
  // Before the carrier is asked, so that a failure here leaves nothing behind.
  const papers = await papersOf(work, dependencies.now());
  const label = newLabel(work, dependencies.now());
  const midnight = Math.floor(label.createdAt / dayMs) * dayMs;
  const { store } = dependencies;
  const reservation = {
    claim: work.request.claim,
    series: carrier.series?.(account) ?? null,
    excludes: work.customs === null ? null : declaresTheSame(work.wanted),
  };
  const reserved = await store.records
    .submit([], (unit) => unit.reserveLabel(label, midnight, reservation))
    .catch(async (error: unknown) => {
      // The transaction may have been committed nevertheless: without this, the next request would believe that the
      // carrier was asked.
      await store.labels.takeBack(label).catch(() => undefined);
      throw error;
    });
  switch (reserved.state) {
    case 'gone':
      throw new Problem('resource-not-found', `The account of this context was removed a moment ago.`);
    case 'taken-over':
      throw takenOver();
    case 'excluded':
      throw declaredBefore(reserved.by);
    case 'beyond-limit': {
      const wait = Math.ceil((midnight + dayMs - label.createdAt) / 1000);
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
      const { wanted: request, customs } = work;
      const goods = customs === null ? {} : { customs };
      const task = { account, request, ...goods, sequence: reserved.sequence, now: dependencies.now() };
      const given = await askCarrier(dependencies, work.opened, task).catch((error: unknown) => ({ error }));
      if ('error' in given) return storeRefusal(dependencies, work, label, { error: given.error, papers });
      const { expeditionNumber, aliases } = given;
      const { outputs, files } = await publishOutputs(dependencies, {
        activity: stored.activity,
        expeditionNumber,
        given: [...given.outputs, ...papers],
        types: Object.keys(carrier.outputs),
        unstored: 'data',
      });
      return storeMade(dependencies, work, label, {
        result: { status: '0', expeditionNumber, outputs },
        files,
        aliases,
      });
    }
  }
}

/** Papers that we draw ourselves for the sender to attach to the parcel. */
async function papersOf({ opened, wanted, customs }: LabelWork, now: number): Promise<readonly CarrierOutput[]> {
  if (customs === null || opened.carrier.customs?.paper !== 'invoice') return [];
  const { invoicePaper } = await import('../../carriers/papers/invoice.ts');
  return [await invoicePaper(customs, wanted, now)];
}

const dayMs = 86_400_000;

function newLabel({ call, opened, request, wanted, orderId, fingerprint }: LabelWork, now: number): NewLabel {
  return {
    activity: opened.stored.activity,
    id: uuidv7(),
    accountId: opened.stored.id,
    context: opened.stored.context,
    carrier: opened.carrier.name,
    state: 'asked',
    requestKey: request.labelKey,
    fingerprint,
    nDossier: wanted.nDossier === '' ? null : wanted.nDossier,
    orderId,
    request: JSON.stringify(wanted),
    operationId: uuidv7(),
    clientId: call.principal.clientId,
    createdAt: now,
  };
}

async function askCarrier(
  { callCarrier }: LabelDependencies,
  { carrier, account }: OpenAccount,
  task: LabelTask,
): Promise<CarrierLabel> {
  if (carrier.createLabel === null) throw new Error('the carrier makes no labels');
  const label = await callCarrier(carrier.createLabel(task), carrier.origins(account));
  if (!canBeKept(label.expeditionNumber))
    throw unreadable(
      carrier.title,
      'no number of 1 to 64 characters in one line, under which the parcel could be kept',
    );
  return label;
}

/**
 * Stores the outcome of a label that the carrier did not provide: that there is none, which frees the key, or that it
 * is unknown. What the carrier gave of parcels that exist, and does not give again, is kept for when the label counts
 * as made.
 */
async function storeRefusal(
  dependencies: LabelDependencies,
  { call, opened, request }: LabelWork,
  label: NewLabel,
  { error, papers }: { readonly error: unknown; readonly papers: readonly CarrierOutput[] },
): Promise<Answer | AuditedFailure> {
  const isCertain = error instanceof CarrierError && error.acted === 'no';
  const parcels = error instanceof CarrierError ? error.parcels.filter(isParcelNumber) : [];
  const details =
    error instanceof CarrierError
      ? { kind: error.kind, carrierCode: error.carrierCode, ...(parcels.length > 0 ? { parcels } : {}) }
      : {};
  const [first] = parcels;
  const given = error instanceof CarrierError && first !== undefined ? error.given : null;
  const kept =
    given === null || first === undefined || given.outputs.length === 0
      ? null
      : await publishOutputs(dependencies, {
          activity: opened.stored.activity,
          expeditionNumber: first,
          given: [...given.outputs, ...papers],
          types: Object.keys(opened.carrier.outputs),
          unstored: 'data',
        });
  const result =
    kept === null || first === undefined
      ? null
      : JSON.stringify({ status: '0', expeditionNumber: first, outputs: kept.outputs } satisfies LabelResult);
  const ended: NewLabel = isCertain
    ? { ...label, ...nothingMade }
    : { ...label, state: 'unknown', expeditionNumber: first ?? null, result };
  const numbers = {
    parcels: parcels.length > 1 ? parcels : [],
    aliases: aliasesOf(opened, parcels, error instanceof CarrierError ? error.given?.aliases : []),
  };
  const answer = { error: labelProblem(error, opened, dependencies) };
  return writtenAtLast(dependencies, ended, answer, () =>
    request.write(
      [],
      async (unit) => {
        // The label has the number of the first one; the others are voided and handed over with it.
        await unit.putLabel(ended, kept?.files ?? [], numbers);
        await unit.audit(labelAudit(call, label, isCertain ? 'refused' : 'failed', details));
        return answer;
      },
      { irrevocable: true },
    ),
  );
}

/** The parts of a label that was made. */
interface MadeLabel {
  readonly result: LabelResult;
  readonly files: readonly LabelFile[];
  readonly aliases: readonly string[] | undefined;
}

/** Other numbers under which the carrier knows the parcels with these numbers, and others that it gave. */
function aliasesOf(
  { carrier }: OpenAccount,
  numbers: readonly string[],
  given: readonly string[] = [],
): readonly string[] {
  return [...given, ...numbers.flatMap((number) => carrier.otherNumbers?.(number) ?? [])].filter(isParcelNumber);
}

async function storeMade(
  dependencies: LabelDependencies,
  { call, opened, request }: LabelWork,
  asked: NewLabel,
  { result, files, aliases }: MadeLabel,
): Promise<Answer | AuditedFailure> {
  const { expeditionNumber } = result;
  const named = result.outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => value);
  const label: NewLabel = { ...asked, state: 'made', expeditionNumber, result: JSON.stringify(result) };
  try {
    return await writtenAtLast(dependencies, label, labelAnswer(result), () =>
      request.write(
        [],
        async (unit) => {
          const duplicate = await unit.putMadeLabel(
            label,
            files,
            aliasesOf(opened, [expeditionNumber, ...named], aliases),
          );
          await unit.audit(labelAudit(call, label, 'accepted', { expeditionNumber }));
          return labelAnswer(result, (label.nDossier ?? null) === null ? null : duplicate);
        },
        { irrevocable: true, label },
      ),
    );
  } catch (error) {
    throw new Error(
      textBlock`
        the label ${expeditionNumber} was made in context ${label.context} at ${label.carrier}, and could not be stored
      `,
      { cause: error },
    );
  }
}

const pausesMs: readonly number[] = [100, 400];

/**
 * Writes what a carrier has said of a label: a brief storage failure must neither lose a parcel that is paid for nor
 * leave a doubt where there is none.
 * @param label as `write` writes it
 * @param written the answer if a failed attempt was committed nevertheless
 * @throws what the last attempt throws
 */
async function writtenAtLast(
  { store }: LabelDependencies,
  label: NewLabel,
  written: Answer | AuditedFailure,
  write: () => Promise<Answer | AuditedFailure>,
): Promise<Answer | AuditedFailure> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return attempt > 0 && isSame(await store.labels.byId(label.id), label) ? written : await write();
    } catch (error) {
      const wait = pausesMs[attempt];
      if (wait === undefined) throw error;
      await pause(wait);
    }
  }
}

function isSame(stored: StoredLabel | null, { state, expeditionNumber = null, result = null }: NewLabel): boolean {
  return stored?.state === state && stored.expeditionNumber === expeditionNumber && stored.result === result;
}
