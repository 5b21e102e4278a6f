// What settings an account lacks for labels and for tracking.
import { type Carrier, type CarrierAccount, CarrierError } from './carrier.ts';

/** What an account is used for. */
export type AccountUse = keyof AccountLack;

/** The settings that an account lacks for each use; null: none, or the carrier does not offer that use. */
export interface AccountLack {
  /** Such as `apiKey, or contractNumber and password`. */
  readonly labels: string | null;
  readonly tracking: string | null;
}

type DescribedCarrier = Pick<Carrier, 'title' | 'settings' | 'needs' | 'createLabel' | 'track'>;

/** @param account with the defaults of the carrier filled in */
export function lackOf(carrier: DescribedCarrier, account: CarrierAccount): AccountLack {
  return {
    labels: carrier.createLabel === null ? null : lackFor(carrier, account, 'labels'),
    tracking: carrier.track === null ? null : lackFor(carrier, account, 'tracking'),
  };
}

/** Whether the account lacks the settings for everything that this program can do with the carrier. */
export function isUseless({ createLabel, track }: DescribedCarrier, { labels, tracking }: AccountLack): boolean {
  return (createLabel === null || labels !== null) && (track === null || tracking !== null);
}

/** Sentences saying which settings are missing for which use; '' if none are. */
export function lackText({ labels, tracking }: AccountLack): string {
  return [
    ...(labels === null ? [] : [`Labels need settings that it lacks: ${labels}.`]),
    ...(tracking === null ? [] : [`Tracking needs settings that it lacks: ${tracking}.`]),
  ].join(' ');
}

/** @throws CarrierError `configuration` if the account lacks the settings for this use: only the operator can fix it */
export function requireSettings(carrier: DescribedCarrier, account: CarrierAccount, use: AccountUse): void {
  const lack = lackOf(carrier, account)[use];
  if (lack !== null) throw new CarrierError('configuration', lackText({ labels: null, tracking: null, [use]: lack }));
}

function lackFor({ settings, needs }: DescribedCarrier, account: CarrierAccount, use: AccountUse): string | null {
  const missing = (names: readonly string[]): readonly string[] =>
    names.filter((name) => (account.settings[name] ?? '') === '');
  const always = missing(settings.filter(({ otherwise }) => otherwise === undefined).map(({ name }) => name));
  const ways = (needs?.[use] ?? [[]]).map((way) => [...always, ...missing(way)]);
  return ways.some((names) => names.length === 0) ? null : ways.map(inWords).join(', or ');
}

function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
