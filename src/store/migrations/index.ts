// Every step of the database, in order; a step is added at the end and never changed.
import type { Migration } from '../migrate.ts';
import { records } from './0001-records.ts';
import { administration } from './0002-administration.ts';
import { signIn } from './0003-sign-in.ts';
import { writes } from './0004-writes.ts';
import { shipping } from './0005-shipping.ts';
import { parcelNumbers } from './0006-parcel-numbers.ts';
import { outboxText } from './0007-outbox-text.ts';
import { access } from './0008-access.ts';
import { quotaWindows } from './0009-quota-windows.ts';
import { jobLeases } from './0010-job-leases.ts';
import { auditByActivity } from './0011-audit-by-activity.ts';
import { valueOrder } from './0012-value-order.ts';
import { textForm } from './0013-text-form.ts';

export const migrations: readonly Migration[] = [
  records,
  administration,
  signIn,
  writes,
  shipping,
  parcelNumbers,
  outboxText,
  access,
  quotaWindows,
  jobLeases,
  auditByActivity,
  valueOrder,
  textForm,
];
