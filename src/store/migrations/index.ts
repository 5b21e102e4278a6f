// Every step of the database, in order; a step is added at the end and never changed.
import type { Migration } from '../migrate.ts';
import { baseline } from './0001-baseline.ts';
import { clientKinds } from './0002-client-kinds.ts';
import { secondFactors } from './0003-second-factors.ts';
import { clientSecretOverlap } from './0005-client-secret-overlap.ts';
import { activityRemoval } from './0006-activity-removal.ts';
import { feeds } from './0007-feeds.ts';
import { retentionRules } from './0008-retention-rules.ts';
import { movementLots } from './0009-movement-lots.ts';
import { demonstration } from './0010-demonstration.ts';
import { feedMessagesKept } from './0011-feed-messages-kept.ts';
import { movementSums } from './0012-movement-sums.ts';
import { customerOrderIndex } from './0013-customer-order-index.ts';
import { elementsOfArrays } from './0014-elements-of-arrays.ts';
import { labelVoids } from './0015-label-voids.ts';
import { operators } from './0016-operators.ts';
import { requestLog } from './0017-request-log.ts';
import { handovers } from './0018-handovers.ts';
import { identityProviders } from './0019-identity-providers.ts';
import { orderLabels } from './0020-order-labels.ts';
import { demonstrationAdvances } from './0021-demonstration-advances.ts';
import { placesInArrays } from './0022-places-in-arrays.ts';
import { keysOfRefusedLines } from './0023-keys-of-refused-lines.ts';
import { openMessages } from './0024-open-messages.ts';
import { labelAliases } from './0025-label-aliases.ts';
import { withdrawalNotes } from './0026-withdrawal-notes.ts';

export const migrations: readonly Migration[] = [
  baseline,
  clientKinds,
  secondFactors,
  clientSecretOverlap,
  activityRemoval,
  feeds,
  retentionRules,
  movementLots,
  demonstration,
  feedMessagesKept,
  movementSums,
  customerOrderIndex,
  elementsOfArrays,
  labelVoids,
  operators,
  requestLog,
  handovers,
  identityProviders,
  orderLabels,
  demonstrationAdvances,
  placesInArrays,
  keysOfRefusedLines,
  openMessages,
  labelAliases,
  withdrawalNotes,
];
