// Makes one list of parcels that was begun: transmits it to the carrier if required, keeps the paper, and records the
// outcome with the audit entry.
import { Readable } from 'node:stream';
import { requireSettings } from '../carriers/account-needs.ts';
import { CarrierError } from '../carriers/carrier.ts';
import { type CarrierHandover, isSupported } from '../carriers/desk.ts';
import type { CallCarrier } from '../carriers/host.ts';
import { documentName } from '../documents/names.ts';
import type { DocumentStorage } from '../documents/storage.ts';
import { Problem } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { HandedLabel } from '../store/handover-labels.ts';
import type { Handover, HandoverOutcome } from '../store/handovers.ts';
import type { LabelFile } from '../store/labels.ts';
import type { Store } from '../store/store.ts';
import type { AccountDependencies, OpenAccount } from './accounts.ts';

export interface HandoverDependencies extends Pick<AccountDependencies, 'onFault'> {
  readonly store: Pick<Store, 'handovers'>;
  readonly documents: Pick<DocumentStorage, 'receive'>;
  readonly callCarrier: CallCarrier;
  /** Days for which a list is kept. */
  readonly labelRetentionDays: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Which parcels are to be handed over, and who requested it. */
export interface HandoverRequest {
  /** The account that made the labels. */
  readonly opened: OpenAccount;
  /** Date of the labels in France, such as 2026-11-23. */
  readonly day: string;
  /** The audit entry except for the outcome. */
  readonly audit: Omit<NewAuditEntry, 'action' | 'activityCodes' | 'target' | 'operationId' | 'outcome' | 'details'>;
}

/** Its name in the audit trail. */
export const handoverAction = 'label.hand-over';

/** The outcome of a list, and what the caller is told when there is none. */
interface Ended {
  readonly outcome: Pick<HandoverOutcome, 'state' | 'detail' | 'number' | 'file'>;
  readonly problem: unknown;
}

/**
 * Makes a list that was begun.
 * @param turn `again`: it was requested before, with unknown outcome
 * @throws Problem when there is no list, or its outcome is unknown
 */
export async function makeList(
  dependencies: HandoverDependencies,
  wish: HandoverRequest,
  list: Handover,
  turn: 'first' | 'again',
): Promise<void> {
  const { store, now } = dependencies;
  const labels = await store.handovers.labelsOf(list);
  const { outcome, problem } =
    labels.length === 0 ? nothingLeft() : await attempt(dependencies, wish, { list, labels, turn });
  const counts = { labels: labels.length, parcels: parcelNumbersOf(labels).length };
  const kept = await store.handovers.end(
    list,
    { attempt: list.attempt, endedAt: now() },
    { ...outcome, ...counts, audit: auditOf(wish, { ...list, ...counts }, outcome) },
  );
  if (kept.state !== 'made' && problem !== null) throw problem;
}

/** All labels that were on it have been voided meanwhile, or are being voided. */
function nothingLeft(): Ended {
  const detail = 'All of its labels are void or being voided.';
  return { outcome: { state: 'refused', detail, number: null, file: null }, problem: null };
}

interface BegunList {
  readonly list: Handover;
  readonly labels: readonly HandedLabel[];
  readonly turn: 'first' | 'again';
}

async function attempt(dependencies: HandoverDependencies, wish: HandoverRequest, begun: BegunList): Promise<Ended> {
  let given: CarrierHandover;
  try {
    given = await tellCarrier(dependencies, wish, begun);
  } catch (error) {
    return endedBadly(dependencies, wish, begun.turn, error);
  }
  try {
    const file = await keep(dependencies, begun.list, await paperOf(wish, begun, given));
    return { outcome: { state: 'made', detail: given.detail, number: given.number, file }, problem: null };
  } catch (error) {
    const detail = `${given.detail} The paper could not be kept: ask again.`;
    return { outcome: { state: 'unknown', detail, number: given.number, file: null }, problem: error };
  }
}

async function tellCarrier(
  { callCarrier, now }: HandoverDependencies,
  { opened: { carrier, account }, day }: HandoverRequest,
  { labels }: BegunList,
): Promise<CarrierHandover> {
  const { close } = carrier.desk.handover;
  if (!isSupported(close)) return { detail: close.instead, number: null, slip: null };
  requireSettings(carrier, account, 'labels');
  const task = { account, parcelNumbers: parcelNumbersOf(labels), day, now: now() };
  return callCarrier(close(task), carrier.origins(account));
}

/** The carrier's slip; otherwise our own list, whose drawing code is loaded on first use. */
async function paperOf(
  { opened: { carrier, stored } }: HandoverRequest,
  { list, labels }: BegunList,
  { slip, detail }: CarrierHandover,
): Promise<Buffer> {
  if (slip !== null) return slip;
  const { handoverPdf } = await import('./handover-pdf.ts');
  const isTold = isSupported(carrier.desk.handover.close);
  return handoverPdf({
    ...{ list, labels, carrierTitle: carrier.title, sender: stored.sender },
    said: isTold ? detail : null,
  });
}

const dayMs = 86_400_000;
/** No slip is larger. */
const maxPaperBytes = 50 * 1_048_576;

async function keep(
  { documents, labelRetentionDays, now }: HandoverDependencies,
  { activity, carrier, day, id }: Handover,
  bytes: Buffer,
): Promise<Omit<LabelFile, 'token'>> {
  const received = await documents.receive(Readable.from([bytes], { objectMode: false }), { size: maxPaperBytes });
  const storedAs = documentName(activity, 'pdf', now());
  try {
    await received.keep(storedAs);
  } finally {
    await received.discard();
  }
  return {
    mediaType: 'application/pdf',
    fileName: `handover-${carrier}-${day}-${id.slice(-6)}.pdf`,
    storedAs,
    size: bytes.length,
    expiresAt: now() + labelRetentionDays * dayMs,
  };
}

/** An error that does not come from the carrier leaves the outcome unknown: it may have occurred after the answer. */
function endedBadly(
  { onFault }: HandoverDependencies,
  { opened: { stored, carrier } }: HandoverRequest,
  turn: BegunList['turn'],
  error: unknown,
): Ended {
  const none = { number: null, file: null };
  if (!(error instanceof CarrierError))
    return { outcome: { ...none, state: 'unknown', detail: 'The attempt broke off.' }, problem: error };
  const { kind, message, carrierCode, carrierMessage } = error;
  if (kind === 'configuration')
    onFault({ activity: stored.activity, context: stored.context, carrier: carrier.name, detail: message });
  const words = carrierCode === null ? {} : { carrierCode, carrierMessage };
  if (kind === 'refused' || kind === 'invalid' || kind === 'unknown')
    return {
      outcome: { ...none, state: 'refused', detail: message },
      problem: new Problem('carrier-rejected', `${message} No list was made of these labels.`, words),
    };
  // An attempt that was never sent does not settle what an earlier one left open.
  const isUnknown = turn === 'again' || error.acted === 'unknown';
  return {
    outcome: { ...none, state: isUnknown ? 'unknown' : 'refused', detail: message },
    problem: new Problem(
      kind === 'timeout' ? 'carrier-timeout' : 'carrier-unavailable',
      isUnknown
        ? `${message} Whether the carrier has the list is not known: send the same request again.`
        : `${message} No list was made of these labels.`,
      words,
      kind === 'configuration' ? {} : { 'retry-after': '30' },
    ),
  };
}

function parcelNumbersOf(labels: readonly HandedLabel[]): readonly string[] {
  return labels.flatMap(({ parcelNumbers }) => parcelNumbers);
}

function auditOf(
  { audit }: HandoverRequest,
  { activity, context, carrier, id, attempt: operationId, day, labels, parcels }: Handover,
  { state, number }: Ended['outcome'],
): HandoverOutcome['audit'] {
  return {
    ...audit,
    action: handoverAction,
    activityCodes: [activity],
    target: `${context}/${carrier}`,
    operationId,
    outcome: state === 'made' ? 'accepted' : state === 'refused' ? 'refused' : 'failed',
    details: { handoverId: id, day, state, labels, parcels, ...(number !== null && { number }) },
  };
}
