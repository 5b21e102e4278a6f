// The platform interface on one screen: its operations for the warehouse side with a platform key, and for operators
// who signed in.
import type { PlatformRole } from '../auth/platform-roles.ts';
import type { BodyLimits, Route, RouteDescription } from '../http/route.ts';
import { type AdministrationDependencies, administrationRows } from './administration/administration-rows.ts';
import { readAudit } from './audit.ts';
import { listCarrierAccounts, testCarrierAccount } from './carrier-accounts.ts';
import {
  advanceAction,
  advanceDemonstration,
  askDemonstrationFault,
  type DemonstrationDependencies,
  demonstrationBody,
  faultAction,
  readDemonstration,
} from './demonstration.ts';
import { platformDescriptions } from './descriptions/index.ts';
import { type DocumentDependencies, readDocument, readDocumentContent } from './documents.ts';
import {
  dropAction,
  dropFeedLine,
  dropFeedLines,
  editAction,
  editFeedLine,
  mendedRecordBody,
} from './feed-line-changes.ts';
import { downloadFeedLines, listFeedLines, readFeedLine } from './feed-lines.ts';
import { endAction, endMessage, listFeeds, listFeedMessages, readMessage } from './feed-messages.ts';
import { replayAction, replayFeedLine, replayFeedLines } from './feed-replay.ts';
import { type HealthDependencies, readHealth } from './health-report.ts';
import { type HandoverDeskDependencies, handOverDay, readHandoverDay, readHandoverDocument } from './handovers.ts';
import { type LabelDeskDependencies, readDeskLabel, voidDeskLabel } from './labels.ts';
import { readLineage } from './lineage.ts';
import { readMe } from './me.ts';
import {
  acknowledgeAction,
  acknowledgementBody,
  acknowledgeOutbox,
  type OutboxDependencies,
  readOutbox,
} from './outbox.ts';
import { listConsumers } from './outbox-consumers.ts';
import { listPoints, trialBody, tryDeskLabel } from './desk-points.ts';
import { feedBody } from './feed-body.ts';
import { receiveAction, type ReceiveDependencies, receiveFeed } from './receive-feed.ts';
import { listRequests } from './requests.ts';
import { readReconciliation } from './reconciliation.ts';
import { listWaiting } from './waiting-entries.ts';
import { handoverAction } from '../shipping/make-list.ts';
import { voidAction } from '../shipping/void-label.ts';

/** What the platform interface needs. */
type PlatformDependencies = AdministrationDependencies &
  OutboxDependencies &
  DocumentDependencies &
  ReceiveDependencies &
  LabelDeskDependencies &
  HealthDependencies &
  HandoverDeskDependencies &
  DemonstrationDependencies;

type Row = readonly [
  Route['method'],
  string,
  keyof typeof platformDescriptions,
  PlatformRole | null,
  BodyLimits | ((dependencies: PlatformDependencies) => BodyLimits) | null,
  Pick<Route, 'action' | 'turn' | 'withoutActivity' | 'asksCarrier' | 'repeatable'>,
  (dependencies: PlatformDependencies) => Route['handle'],
];

const feedTurn = { action: receiveAction, turn: 'own' } as const;
const acknowledge = { action: acknowledgeAction };
const edit = { action: editAction };
const end = { action: endAction };
const drop = { action: dropAction };
const asking = { asksCarrier: true } as const;
const voiding = { action: voidAction, ...asking };
const handing = { action: handoverAction, ...asking };
const advance = { action: advanceAction, repeatable: true } as const;
const fault = { action: faultAction, repeatable: true } as const;
const accounts = '/shippings/accounts';
const demo = '/demonstration';
const label = '/shippings/labels/{context}/{carrier}/{id}';
const handovers = '/shippings/handovers/{context}/{carrier}';
const replay = { action: replayAction, turn: 'own' } as const;

/**
 * Method, path, operation, role, body, name in the audit trail, handler. The documentation of each route is in
 * `descriptions/`.
 */
const table: readonly Row[] = [
  ...administrationRows,
  ['GET', '/me', 'readMe', null, null, { withoutActivity: true }, readMe],
  ['GET', '/outbox', 'readOutbox', 'outbox', null, {}, readOutbox],
  ['POST', '/outbox/ack', 'acknowledgeOutbox', 'outbox', acknowledgementBody, acknowledge, acknowledgeOutbox],
  ['GET', '/outbox/consumers', 'listOutboxConsumers', 'operations', null, {}, listConsumers],
  ['GET', '/outbox/waiting', 'listWaitingEntries', 'operations', null, {}, listWaiting],
  ['GET', '/documents/{documentId}', 'getDocument', 'outbox', null, {}, readDocument],
  ['GET', '/documents/{documentId}/content', 'getDocumentContent', 'outbox', null, {}, readDocumentContent],
  ['GET', '/audit', 'readAudit', 'audit', null, {}, readAudit],
  ['POST', '/feeds/{resource}', 'receiveFeed', 'feed', feedBody, feedTurn, receiveFeed],
  ['GET', '/feeds', 'listFeeds', 'feed', null, {}, listFeeds],
  ['GET', '/feeds/messages', 'listFeedMessages', 'feed', null, {}, listFeedMessages],
  ['GET', '/feeds/messages/{messageId}', 'getFeedMessage', 'feed', null, {}, readMessage],
  ['POST', '/feeds/messages/{messageId}/end', 'endFeedMessage', 'feed', null, end, endMessage],
  ['GET', '/lineage', 'readLineage', 'feed', null, {}, readLineage],
  ['GET', '/feeds/lines', 'listRefusedLines', 'feed', null, {}, listFeedLines],
  ['GET', '/feeds/lines.ndjson', 'downloadRefusedLines', 'feed', null, {}, downloadFeedLines],
  ['GET', '/feeds/lines/{lineId}', 'getRefusedLine', 'feed', null, {}, readFeedLine],
  ['POST', '/feeds/lines/{lineId}/edit', 'editRefusedLine', 'feed', mendedRecordBody, edit, editFeedLine],
  ['POST', '/feeds/lines/{lineId}/drop', 'dropRefusedLine', 'feed', null, drop, dropFeedLine],
  ['POST', '/feeds/messages/{messageId}/drop', 'dropRefusedLines', 'feed', null, drop, dropFeedLines],
  ['POST', '/feeds/lines/{lineId}/replay', 'replayRefusedLine', 'feed', null, replay, replayFeedLine],
  ['POST', '/feeds/messages/{messageId}/replay', 'replayRefusedLines', 'feed', null, replay, replayFeedLines],
  ['GET', '/reconciliation', 'reconcileStock', 'stock', null, {}, readReconciliation],
  ['GET', '/health', 'readHealth', 'operations', null, {}, readHealth],
  ['GET', '/requests', 'listRequests', 'operations', null, {}, listRequests],
  ['GET', demo, 'readDemonstration', 'operations', null, {}, readDemonstration],
  ['POST', `${demo}/advance`, 'advanceDemonstration', 'operations', demonstrationBody, advance, advanceDemonstration],
  ['POST', `${demo}/faults`, 'askDemonstrationFault', 'operations', demonstrationBody, fault, askDemonstrationFault],
  ['GET', label, 'getDeskLabel', 'shipping', null, {}, readDeskLabel],
  ['POST', `${label}/void`, 'voidDeskLabel', 'shipping', null, voiding, voidDeskLabel],
  ['GET', '/shippings/points/{context}/{carrier}', 'listPickupPoints', 'shipping', null, asking, listPoints],
  ['GET', accounts, 'listCarrierAccounts', 'shipping', null, {}, listCarrierAccounts],
  ['POST', `${accounts}/{context}/{carrier}/test`, 'testCarrierAccount', 'shipping', null, asking, testCarrierAccount],
  ['POST', '/shippings/dry-runs/{context}/{carrier}', 'tryLabel', 'shipping', trialBody, asking, tryDeskLabel],
  ['GET', handovers, 'getHandoverDay', 'shipping', null, {}, readHandoverDay],
  ['POST', handovers, 'handOverDay', 'shipping', null, handing, handOverDay],
  ['GET', `${handovers}/{handoverId}/document`, 'getHandoverDocument', 'shipping', null, {}, readHandoverDocument],
];

/** The routes of the platform interface; paths are relative to its base URL. */
export function platformRoutes(dependencies: PlatformDependencies): readonly Route[] {
  return table.map(([method, path, operation, role, limits, own, handler]) => {
    const { body: described, ...description }: RouteDescription = platformDescriptions[operation];
    const body = typeof limits === 'function' ? limits(dependencies) : limits;
    return {
      ...{ method, path, operationId: operation, access: 'platform-key', rate: 'platform', listOf: null },
      ...(role !== null && { role }),
      produces: ['application/json'],
      ...description,
      ...(body !== null && described !== undefined && { body: { ...body, ...described } }),
      ...own,
      handle: handler(dependencies),
    };
  });
}
