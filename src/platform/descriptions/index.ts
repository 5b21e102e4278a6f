// What each operation of the platform interface says of itself in the reference.
import { auditDescriptions } from './audit.ts';
import { documentDescriptions } from './documents.ts';
import { feedLineDescriptions } from './feed-lines.ts';
import { feedDescriptions } from './feeds.ts';
import { deskLabelDescriptions } from './labels.ts';
import { outboxDescriptions } from './outbox.ts';
import { reconciliationDescriptions } from './reconciliation.ts';

/** By the name of the operation. */
export const platformDescriptions = {
  ...outboxDescriptions,
  ...documentDescriptions,
  ...feedDescriptions,
  ...feedLineDescriptions,
  ...auditDescriptions,
  ...reconciliationDescriptions,
  ...deskLabelDescriptions,
} as const;
