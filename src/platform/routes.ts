// The platform interface on one screen: what the WMS side may ask, with a platform key.
import type { BodyLimits, Route, RouteDescription } from '../http/route.ts';
import { readAudit } from './audit.ts';
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
import { type LabelDeskDependencies, readDeskLabel, voidDeskLabel } from './labels.ts';
import { readLineage } from './lineage.ts';
import {
  acknowledgeAction,
  acknowledgementBody,
  acknowledgeOutbox,
  type OutboxDependencies,
  readOutbox,
} from './outbox.ts';
import { feedBody, receiveAction, type ReceiveDependencies, receiveFeed } from './receive-feed.ts';
import { readReconciliation } from './reconciliation.ts';
import { voidAction } from '../shipping/void-label.ts';

/** What the platform interface needs. */
type PlatformDependencies = OutboxDependencies & DocumentDependencies & ReceiveDependencies & LabelDeskDependencies;

type Row = readonly [
  Route['method'],
  string,
  keyof typeof platformDescriptions,
  'outbox' | 'audit' | 'feed' | 'stock' | 'shipping',
  BodyLimits | ((dependencies: PlatformDependencies) => BodyLimits) | null,
  Pick<Route, 'action' | 'turn'>,
  (dependencies: PlatformDependencies) => Route['handle'],
];

const feedTurn = { action: receiveAction, turn: 'own' } as const;
const acknowledge = { action: acknowledgeAction };
const edit = { action: editAction };
const end = { action: endAction };
const drop = { action: dropAction };
const voiding = { action: voidAction };
const label = '/shippings/labels/{context}/{carrier}/{id}';
const replay = { action: replayAction, turn: 'own' } as const;

/** Method, path, operation, role, body, name in the audit trail, handler. What a route says is in `descriptions/`. */
const table: readonly Row[] = [
  ['GET', '/outbox', 'readOutbox', 'outbox', null, {}, readOutbox],
  ['POST', '/outbox/ack', 'acknowledgeOutbox', 'outbox', acknowledgementBody, acknowledge, acknowledgeOutbox],
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
  ['GET', label, 'getDeskLabel', 'shipping', null, {}, readDeskLabel],
  ['POST', `${label}/void`, 'voidDeskLabel', 'shipping', null, voiding, voidDeskLabel],
];

/** The routes of the platform interface; paths are relative to its base URL. */
export function platformRoutes(dependencies: PlatformDependencies): readonly Route[] {
  return table.map(([method, path, operation, role, limits, own, handler]) => {
    const { body: described, ...description }: RouteDescription = platformDescriptions[operation];
    const body = typeof limits === 'function' ? limits(dependencies) : limits;
    return {
      ...{ method, path, operationId: operation, role, access: 'platform-key', rate: 'platform', listOf: null },
      produces: ['application/json'],
      ...description,
      ...(body !== null && described !== undefined && { body: { ...body, ...described } }),
      ...own,
      handle: handler(dependencies),
    };
  });
}
