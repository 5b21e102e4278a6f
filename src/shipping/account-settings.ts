// What carrier accounts must look like, whoever enters them: names, senders, and the settings of the carrier.
import { addressPattern } from '../carriers/endpoints.ts';
import type { Carrier, CarrierSetting } from '../carriers/carrier.ts';
import { OperatorError } from '../model/operator-error.ts';
import { labelRequestFields } from '../model/shipping.ts';
import { textBlock } from '../model/text-block.ts';

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;

/** Field of an account → what is wrong with it, as a sentence. A setting is `settings.` and its name. */
type FieldFaults = ReadonlyMap<string, string>;

/** An account that cannot be as it was entered. No message quotes a value: it may be a misplaced secret. */
export class AccountFaults extends OperatorError {
  readonly fields: FieldFaults;

  constructor(fields: FieldFaults) {
    super([...fields.values()].join(' '), 'Nothing was changed.');
    this.fields = fields;
  }
}

/** The fields of a label request that an account can fill in: those of the sender. */
export const senderFields = Object.entries(labelRequestFields)
  .filter(([name]) => name.startsWith('exp'))
  .map(([name, { max }]) => ({ name, max }));

/** The most labels a day to which an account can be limited. */
const maxDailyLimit = 1_000_000;

/** An account but for its settings. */
export interface AccountFrame {
  readonly context?: string;
  readonly sender?: Texts;
  /** Labels from midnight to midnight in UTC; null: any number. */
  readonly dailyLimit?: number | null;
}

/** @param called what the fields are called where they are entered */
export function frameFaults(
  { context, sender = {}, dailyLimit = null }: AccountFrame,
  called = { sender: 'sender', dailyLimit: 'dailyLimit' },
): FieldFaults {
  const faults = new Map<string, string>();
  if (context !== undefined && !/^[a-z0-9][a-z0-9._-]{0,39}$/.test(context))
    faults.set(
      'context',
      textBlock`
        A context is named with 1 to 40 lower-case letters, digits, dots, dashes and underscores, a letter or digit
        first.
      `,
    );
  if (dailyLimit !== null && !(Number.isInteger(dailyLimit) && dailyLimit >= 0 && dailyLimit <= maxDailyLimit))
    faults.set('dailyLimit', `${called.dailyLimit} must be a whole number from 0 to ${maxDailyLimit}.`);
  for (const [name, value] of Object.entries(sender)) {
    const field = senderFields.find((each) => each.name === name);
    if (field === undefined)
      faults.set('sender', `${called.sender} takes ${senderFields.map((each) => each.name).join(', ')}, not ${name}.`);
    else if (value.length > field.max)
      faults.set(`sender.${name}`, `${called.sender} ${name} may have ${field.max} characters.`);
  }
  return faults;
}

/** @param given all settings with the secrets; '' stands for the default */
export function settingsFaults({ title, settings }: Pick<Carrier, 'title' | 'settings'>, given: Texts): FieldFaults {
  const known = new Set(settings.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  return new Map([
    ...unknown.map((name) => [`settings.${name}`, `${title} has no setting ${name}.`] as const),
    ...settings.flatMap((setting) => {
      const fault = settingFault(setting, given[setting.name] ?? '');
      return fault === null ? [] : [[`settings.${setting.name}`, fault] as const];
    }),
  ]);
}

/** What is wrong with the value of a setting; null: nothing. */
export function settingFault(
  { name, meaning, otherwise, pattern, choices }: CarrierSetting,
  value: string,
): string | null {
  if (value === '') return otherwise === undefined ? `${name} is missing.` : null;
  if (choices !== undefined && !choices.includes(value)) return `${name} must be one of ${choices.join(', ')}.`;
  if (pattern === undefined || new RegExp(`^(?:${pattern})$`, 'u').test(value)) return null;
  return pattern === addressPattern
    ? textBlock`
        ${name} must be an address with https, or with http on this machine alone (http://localhost), without a slash at
        its end.
      `
    : `${name} is not of the right form: ${meaning}`;
}

/** @throws AccountFaults unless there are none */
export function refuseFields(...all: readonly FieldFaults[]): void {
  const faults = new Map(all.flatMap((each) => [...each]));
  if (faults.size > 0) throw new AccountFaults(faults);
}

/** Settings apart from secrets, without those that are left to their defaults. */
export function splitSettings(
  { settings: known }: Pick<Carrier, 'settings'>,
  given: Texts,
): { readonly settings: Texts; readonly secrets: Texts } {
  const secret = new Set(known.filter((setting) => setting.secret === true).map(({ name }) => name));
  const told = Object.entries(given).filter(([, value]) => value !== '');
  return {
    settings: Object.fromEntries(told.filter(([name]) => !secret.has(name))),
    secrets: Object.fromEntries(told.filter(([name]) => secret.has(name))),
  };
}
