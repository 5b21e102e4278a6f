// How long each activity keeps what: the settings, and the rules by which an activity differs from them.
import type { Resource } from '../model/resource.ts';
import { resources } from '../resources/index.ts';
import type { RetentionRule } from '../store/retention-rules.ts';

/** The subjects with a retention period: every resource except articles, and the messages of feeds. */
const settingOf = {
  stock: 'stockRetentionDays',
  movements: 'movementRetentionDays',
  orders: 'orderRetentionDays',
  'order-reports': 'orderReportRetentionDays',
  procurements: 'procurementRetentionDays',
  'procurement-reports': 'procurementReportRetentionDays',
  feeds: 'feedRetentionDays',
} as const satisfies Record<string, string>;

export type RetentionSubject = keyof typeof settingOf;

/** The settings of days; null: for ever. */
export type RetentionSettings = Readonly<Record<(typeof settingOf)[RetentionSubject], number | null>>;

export function isRetentionSubject(name: string): name is RetentionSubject {
  return Object.hasOwn(settingOf, name);
}

/** All subjects, in display order. */
export const retentionSubjects: readonly RetentionSubject[] = Object.keys(settingOf).filter(isRetentionSubject);

/** How long something is kept, and what determines it. */
interface Kept {
  /** Null: for ever. */
  readonly days: number | null;
  /** True: a rule of the activity; false: the setting. */
  readonly isOwn: boolean;
}

/** Returns how long an activity keeps a subject. */
export type RetentionPolicy = (activity: string, subject: RetentionSubject) => Kept;

/** @param rules of any activities; a rule takes precedence over the setting */
export function retentionPolicy(settings: RetentionSettings, rules: readonly RetentionRule[]): RetentionPolicy {
  const own = new Map(rules.map((rule) => [`${rule.activity} ${rule.subject}`, rule.days]));
  return (activity, subject) => {
    const days = own.get(`${activity} ${subject}`);
    return days === undefined ? { days: settings[settingOf[subject]], isOwn: false } : { days, isOwn: true };
  };
}

/** The resources whose records are removed individually after some time, with the subject of each. */
export const agingResources: readonly (Resource & { readonly name: RetentionSubject })[] = resources.flatMap(
  (resource) =>
    resource.storage === 'records' && isRetentionSubject(resource.name) ? [{ ...resource, name: resource.name }] : [],
);
