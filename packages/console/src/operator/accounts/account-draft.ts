// What is entered in the form of a carrier account, and what of it is sent.
import type { AdministeredAccount, CarrierSettings } from '../../../../client/src/index.ts';

export type DescribedCarrier = CarrierSettings['carriers'][number];
export type DescribedSetting = DescribedCarrier['settings'][number];

/** Texts by name. */
export type Entered = Readonly<Record<string, string>>;

/** What is kept in the tab while it is entered: everything but the secrets. */
export interface AccountDraft {
  readonly carrier: string;
  readonly activityCode: string;
  readonly context: string;
  readonly settings: Entered;
  readonly sender: Entered;
  /** '' stands for any number. */
  readonly dailyLimit: string;
}

/** Secrets that are entered, by name: '' removes the stored one; absent ones stay. They are kept nowhere. */
export type EnteredSecrets = Entered;

/** @param account null: a new one */
export function draftOf(account: AdministeredAccount | null): AccountDraft {
  if (account === null) return { carrier: '', activityCode: '', context: '', settings: {}, sender: {}, dailyLimit: '' };
  const { carrier, activityCode, context, settings, sender, dailyLimit } = account;
  return {
    ...{ carrier, activityCode, context, settings, sender },
    dailyLimit: dailyLimit === null ? '' : String(dailyLimit),
  };
}

interface SentAccount {
  readonly settings: Record<string, string>;
  readonly sender: Record<string, string>;
  readonly dailyLimit: number | null;
}

type SentChange = Pick<SentAccount, 'settings' | 'sender'> & Partial<Pick<SentAccount, 'dailyLimit'>>;

/** All of a new account, as far as the carrier knows it. */
export function newAccountOf(draft: AccountDraft, secrets: EnteredSecrets, carrier: DescribedCarrier): SentAccount {
  const names = new Set(carrier.settings.map(({ name }) => name));
  const settings = Object.entries({ ...draft.settings, ...secrets });
  return {
    settings: Object.fromEntries(settings.filter(([name, value]) => names.has(name) && value !== '')),
    sender: withoutEmpty(draft.sender),
    dailyLimit: limitOf(draft),
  };
}

/** What differs, and the secrets that were entered; what is not sent stays as it is, or as others made it meanwhile. */
export function changeOf(draft: AccountDraft, secrets: EnteredSecrets, account: AdministeredAccount): SentChange {
  return {
    settings: { ...differing(draft.settings, account.settings), ...secrets },
    sender: differing(draft.sender, account.sender),
    ...(draft.dailyLimit.trim() !== draftOf(account).dailyLimit && { dailyLimit: limitOf(draft) }),
  };
}

/** A text without anything but spaces is none. */
function differing(entered: Entered, stored: Entered): Record<string, string> {
  const texts = Object.entries(entered).map(([name, text]) => [name, text.trim() === '' ? '' : text] as const);
  return Object.fromEntries(texts.filter(([name, text]) => text !== (stored[name] ?? '')));
}

/** What is no number is sent as one that the service refuses at its field. */
function limitOf({ dailyLimit }: AccountDraft): number | null {
  const text = dailyLimit.trim();
  if (text === '') return null;
  return /^\d{1,7}$/.test(text) ? Number(text) : -1;
}

function withoutEmpty(entered: Entered): Record<string, string> {
  return Object.fromEntries(Object.entries(entered).filter(([, value]) => value.trim() !== ''));
}
