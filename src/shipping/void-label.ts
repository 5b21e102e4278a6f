// Voids a label: records the request, asks the carrier once, and keeps its answer, so that nobody has to guess whether
// the parcel may still be handed over.
import { v7 as uuidv7 } from 'uuid';
import { requireSettings } from '../carriers/account-needs.ts';
import { CarrierError } from '../carriers/carrier.ts';
import { isSupported, type VoidTask } from '../carriers/desk.ts';
import type { CallCarrier } from '../carriers/host.ts';
import { Problem } from '../model/problem.ts';
import type { LabelResult } from '../model/shipping.ts';
import { textBlock } from '../model/text-block.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { LabelVoid, VoidOutcome } from '../store/label-voids.ts';
import type { StoredLabel } from '../store/labels.ts';
import type { Store } from '../store/store.ts';
import type { AccountDependencies, OpenAccount } from './accounts.ts';
import { requestOf } from './parcel-path.ts';

export interface VoidDependencies extends Pick<AccountDependencies, 'onFault'> {
  readonly store: Pick<Store, 'labelVoids'>;
  readonly callCarrier: CallCarrier;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who wants to void a label, and how. */
interface VoidRequest {
  readonly label: StoredLabel;
  /** The account that made it, or another account of the activity at the carrier. */
  readonly opened: OpenAccount;
  /** The carrier is not asked: the label was destroyed, and somebody vouches for that. */
  readonly unused: boolean;
  /** The audit entry except for the outcome. */
  readonly audit: Omit<NewAuditEntry, 'action' | 'activityCodes' | 'target' | 'outcome' | 'details'>;
}

/** Its name in the audit trail. */
export const voidAction = 'label.void';

/** A void label. */
export interface VoidedLabel {
  readonly detail: string;
  /** Since when that is known here, milliseconds; null when it is not stored. */
  readonly at: number | null;
}

/**
 * Voids a label. A repeated request for a void label is answered without asking the carrier; after an unknown outcome,
 * the carrier is asked once more.
 * @throws Problem `not-voidable` when the carrier has no way or does not take the label back, `void-in-progress`,
 *   `resource-not-found` for a label that was not made here, `carrier-unavailable`, `carrier-timeout`
 */
export async function voidLabel(dependencies: VoidDependencies, wish: VoidRequest): Promise<VoidedLabel> {
  const { label, opened, unused } = wish;
  const { store, now } = dependencies;
  const { carrier, account } = opened;
  if (label.state !== 'voided' && !unused) requireWay(opened);
  const attempt = { id: uuidv7(), at: now() };
  const begun = await store.labelVoids.begin(label, attempt);
  switch (begun.state) {
    case 'voided':
      return { detail: begun.before?.detail ?? '', at: begun.before?.endedAt ?? null };
    case 'not-made':
      throw new Problem('resource-not-found', 'There is no label with this number that was made here.');
    case 'running':
      throw inProgress(begun.until - attempt.at);
    case 'begun': {
      const outcome = unused
        ? voidedHere(carrier.title)
        : await askCarrier(dependencies, wish, begun.before, () => requireSettings(carrier, account, 'labels'));
      const kept = await store.labelVoids.end(
        label,
        { ...attempt, endedAt: now() },
        { ...outcome.kept, audit: auditOf(wish, attempt.id, outcome.kept) },
      );
      if (kept.state === 'voided') return { detail: kept.detail, at: kept.endedAt };
      throw outcome.problem;
    }
  }
}

/** The outcome, and what the caller is told when the label is not void. */
interface Ended {
  readonly kept: Omit<VoidOutcome, 'audit'>;
  readonly problem: unknown;
}

/** @throws Problem `not-voidable` with what to do instead of asking the carrier */
function requireWay({ carrier }: OpenAccount): void {
  const { voidLabel: way } = carrier.desk;
  if (isSupported(way)) return;
  throw new Problem(
    'not-voidable',
    textBlock`
      ${way.instead} Then have it noted here that the label is not used (unused=true), which leaves the carrier out.
    `,
  );
}

function voidedHere(title: string): Ended {
  const detail = `Noted as not used; ${title} was not asked.`;
  return { kept: { state: 'voided', detail, voidedParcels: [] }, problem: null };
}

async function askCarrier(
  dependencies: VoidDependencies,
  { label, opened }: VoidRequest,
  before: LabelVoid | null,
  require: () => void,
): Promise<Ended> {
  const { carrier, account } = opened;
  const way = carrier.desk.voidLabel;
  // A request whose process ended, or that got no answer, may have reached the carrier nevertheless.
  const again = before?.state === 'asked' || before?.state === 'unknown';
  try {
    if (!isSupported(way)) throw new Error('the carrier takes no labels back');
    require();
    const task = await taskOf(dependencies, label, opened, { before, again });
    const detail = await dependencies.callCarrier(
      way({ ...task, account }),
      carrier.origins(account),
      task.parcelNumbers.length,
    );
    return { kept: { state: 'voided', detail, voidedParcels: [] }, problem: null };
  } catch (error) {
    if (error instanceof CarrierError && error.kind === 'unknown' && again)
      return {
        kept: { state: 'voided', detail: `${carrier.title} knows the parcel no more.`, voidedParcels: [] },
        problem: null,
      };
    return endedBadly(dependencies, error, opened, again);
  }
}

async function taskOf(
  { store, now }: VoidDependencies,
  label: StoredLabel,
  { account }: OpenAccount,
  { before, again }: { readonly before: LabelVoid | null; readonly again: boolean },
): Promise<VoidTask> {
  const expeditionNumber = label.expeditionNumber ?? '';
  const { outputs }: Pick<LabelResult, 'outputs'> = label.result === null ? { outputs: [] } : JSON.parse(label.result);
  const named = outputs.filter(({ name }) => name === 'ParcelNumber').map(({ value }) => value);
  // Somebody may have found out more numbers than the carrier had given.
  const numbers = [...new Set([...named, ...(await store.labelVoids.parcelNumbers(label))])];
  const left = (numbers.length > 0 ? numbers : [expeditionNumber]).filter(
    (number) => before?.voidedParcels.includes(number) !== true,
  );
  const request = requestOf(label);
  return {
    account,
    expeditionNumber,
    parcelNumbers: left.length > 0 ? left : [expeditionNumber],
    outputs,
    label: request === null ? null : { request, createdAt: label.createdAt },
    again,
    now: now(),
  };
}

/** An error that does not come from the carrier leaves the outcome unknown: it may have occurred after the answer. */
function endedBadly(
  { onFault }: VoidDependencies,
  error: unknown,
  { stored, carrier }: OpenAccount,
  again: boolean,
): Ended {
  if (!(error instanceof CarrierError))
    return { kept: { state: 'unknown', detail: 'The attempt broke off.', voidedParcels: [] }, problem: error };
  const { kind, message, carrierCode, carrierMessage, voided } = error;
  if (kind === 'configuration')
    onFault({ activity: stored.activity, context: stored.context, carrier: carrier.name, detail: message });
  const words = carrierCode === null ? {} : { carrierCode, carrierMessage };
  if (kind === 'refused' || kind === 'invalid' || kind === 'unknown')
    return {
      kept: { state: 'refused', detail: message, voidedParcels: voided },
      problem: new Problem('not-voidable', message, words),
    };
  // An attempt that was never sent does not settle what an earlier one left open.
  const isUnknown = again || error.acted === 'unknown';
  return {
    kept: { state: isUnknown ? 'unknown' : 'refused', detail: message, voidedParcels: voided },
    problem: new Problem(
      kind === 'timeout' ? 'carrier-timeout' : 'carrier-unavailable',
      isUnknown
        ? `${message} Whether the label is void is not known: send the same request again.`
        : `${message} The label is not void.`,
      words,
      kind === 'configuration' ? {} : { 'retry-after': '30' },
    ),
  };
}

function inProgress(waitMs: number): Problem {
  return new Problem(
    'void-in-progress',
    textBlock`
      Another request is asking the carrier to take this label back, or the process that asked has died. Send it again
      after the time in Retry-After.
    `,
    {},
    { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  );
}

function auditOf(
  { label, unused, audit }: VoidRequest,
  attempt: string,
  { state, voidedParcels }: Ended['kept'],
): NewAuditEntry {
  return {
    ...audit,
    action: voidAction,
    activityCodes: [label.activity],
    target: `${label.context}/${label.carrier}`,
    operationId: attempt,
    outcome: state === 'voided' ? 'accepted' : state === 'refused' ? 'refused' : 'failed',
    details: {
      labelId: label.id,
      expeditionNumber: label.expeditionNumber,
      state,
      ...(unused && { unused }),
      ...(voidedParcels.length > 0 && { voidedParcels }),
    },
  };
}
