// The reference documentation of every operation of the platform interface.
import { administrationDescriptions } from '../administration/descriptions.ts';
import { auditDescriptions } from './audit.ts';
import { carrierAccountDescriptions } from './carrier-accounts.ts';
import { demonstrationDescriptions } from './demonstration.ts';
import { documentDescriptions } from './documents.ts';
import { feedLineDescriptions } from './feed-lines.ts';
import { feedDescriptions } from './feeds.ts';
import { healthDescriptions } from './health.ts';
import { handoverDescriptions } from './handovers.ts';
import { deskLabelDescriptions } from './labels.ts';
import { meDescriptions } from './me.ts';
import { outboxDescriptions } from './outbox.ts';
import { pointDescriptions } from './pickup-points.ts';
import { reconciliationDescriptions } from './reconciliation.ts';
import { requestDescriptions } from './requests.ts';

/** By operation name. */
export const platformDescriptions = {
  ...administrationDescriptions,
  ...meDescriptions,
  ...outboxDescriptions,
  ...documentDescriptions,
  ...feedDescriptions,
  ...feedLineDescriptions,
  ...auditDescriptions,
  ...reconciliationDescriptions,
  ...deskLabelDescriptions,
  ...healthDescriptions,
  ...pointDescriptions,
  ...requestDescriptions,
  ...handoverDescriptions,
  ...carrierAccountDescriptions,
  ...demonstrationDescriptions,
} as const;
