// What an account lacks: whether its settings are enough for labels, and for tracking.
import { type Carrier, type CarrierAccount, CarrierError } from './carrier.ts';

/** What an account is there for. */
export type AccountUse = keyof AccountLack;

/** The settings that an account lacks, by what they are needed for; null: none, or the carrier has no such thing. */
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

/** Whether the account lacks what it needs for everything that the carrier can do here. */
export function isUseless({ createLabel, track }: DescribedCarrier, { labels, tracking }: AccountLack): boolean {
  return (createLabel === null || labels !== null) && (track === null || tracking !== null);
}

/** Sentences on what is missing for which; '' where nothing is. */
export function lackText({ labels, tracking }: AccountLack): string {
  return [
    ...(labels === null ? [] : [`Labels need settings that it lacks: ${labels}.`]),
    ...(tracking === null ? [] : [`Tracking needs settings that it lacks: ${tracking}.`]),
  ].join(' ');
}

/** @throws CarrierError `configuration` where the account lacks what this needs: only the operator can mend it */
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
