// The language of the console: that of the browser until the user chooses another one.
import { createContext, useContext } from 'react';
import { english, type TextName } from './en.ts';
import { englishFieldName } from './field-names-en.ts';
import { frenchFieldName } from './field-names-fr.ts';
import { french } from './fr.ts';
import { frenchRefusal } from './refusals-fr.ts';

export type Language = 'en' | 'fr';

interface Texts {
  readonly language: Language;
  /** How numbers and dates are written: the reader's own form of the language. */
  readonly locale: string;
  /** @param values for the places in braces; those with two forms take a number */
  readonly say: (name: TextName, values?: Readonly<Record<string, string | number>>) => string;
  readonly number: (value: number) => string;
  /** Without its currency, which is a field of its own where the interface has it. */
  readonly money: (value: number) => string;
  /** An instant of the interface, in the time zone of the reader's device. */
  readonly instant: (value: string) => string;
  /** A day such as `2026-01-31` and a time such as `14:05` of some place's clock; unchanged where they are neither. */
  readonly clock: (day: string, time: string) => string;
  /** A share of 1, such as `12.5%`. */
  readonly percent: (share: number) => string;
  /** A length, such as `1.2 GB`. */
  readonly bytes: (value: number) => string;
  /** A name and its value on one line. */
  readonly pair: (name: string, value: string) => string;
  /** What a code of a refusal means; null in English, in which the service says so itself, and for an unknown code. */
  readonly refusal: (kind: 'problem' | 'reason', code: string) => string | null;
  /** The displayed name of a record field. */
  readonly fieldName: (name: string) => string;
}

const languageName = 'console-language';
const all: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = { en: english, fr: french };

export const TextsContext = createContext<Texts>(textsIn('en'));

export function useTexts(): Texts {
  return useContext(TextsContext);
}

export function chosenLanguage(): Language {
  const chosen = localStorage.getItem(languageName) ?? navigator.language.slice(0, 2);
  return chosen === 'fr' ? 'fr' : 'en';
}

export function chooseLanguage(language: Language): void {
  localStorage.setItem(languageName, language);
}

/**
 * The form of a language that the browser is set to, such as `en-GB`: the first one among those that its user prefers.
 * The language itself where none is of it.
 */
export function localeOf(language: Language, preferred: readonly string[] = navigator.languages): string {
  return preferred.find((locale) => new RegExp(`^${language}(-[A-Za-z0-9]{2,8})*$`).test(locale)) ?? language;
}

export function textsIn(language: Language): Texts {
  const locale = localeOf(language);
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    language,
    locale,
    say: (name, values = {}) => filled(all[language][name], values, language),
    number: (value) => numbers.format(value),
    money: (value) => amounts.format(value),
    instant: (value) => (Number.isNaN(Date.parse(value)) ? value : instants.format(new Date(value))),
    clock: (day, time) => clockText(day, time, locale),
    percent: (share) => percents.format(share),
    bytes: (value) => sizeText(value, locale),
    pair: (name, value) => `${name}${language === 'fr' ? '\u00a0' : ''}: ${value}`,
    refusal: (kind, code) => {
      const meaning = language === 'fr' ? frenchRefusal(kind, code) : null;
      return meaning === null ? null : unbroken(meaning);
    },
    fieldName: (name) => (language === 'fr' ? frenchFieldName(name) : englishFieldName(name)) ?? words(name),
  };
}

function clockText(day: string, time: string, locale: string): string {
  const told = `${day} ${time}`.trim();
  const read = new Date(`${day}T${time === '' ? '00:00' : time}Z`);
  if (Number.isNaN(read.valueOf())) return told;
  const date = { timeZone: 'UTC', dateStyle: 'medium' } as const;
  return new Intl.DateTimeFormat(locale, time === '' ? date : { ...date, timeStyle: 'short' }).format(read);
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

function sizeText(bytes: number, locale: string): string {
  const step = Math.min(sizeUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const unit = sizeUnits[step] ?? 'byte';
  return new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit, unitDisplay: step === 0 ? 'long' : 'short' },
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

/** The texts of one area, in each language: loaded with the area, to keep the initial load small. */
export type Words<Name extends string> = Readonly<Record<Language, Readonly<Record<Name, string>>>>;

/** Provides the texts of an area. */
export function useWords<Name extends string>(
  words: Words<Name>,
): (name: Name, values?: Readonly<Record<string, string | number>>) => string {
  const { language } = useTexts();
  return (name, values = {}) => filled(words[language][name], values, language);
}

/**
 * Fills the places of a text: `{name}` with a value unchanged, `{count|record|records}` with a number in the notation
 * of the language and the matching form.
 */
export function filled(text: string, values: Readonly<Record<string, string | number>>, language: Language): string {
  const whole = language === 'fr' ? unbroken(text) : text;
  return whole.replaceAll(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_place, key: string, one?: string, many = '') => {
    const value = values[key] ?? '';
    if (one === undefined) return String(value);
    const form = new Intl.PluralRules(language).select(Number(value)) === 'one' ? one : many;
    return `${new Intl.NumberFormat(localeOf(language)).format(Number(value))} ${form}`;
  });
}

/** No line of French begins with a sign that has a space before it, or ends with an opening quotation mark. */
function unbroken(french: string): string {
  return french.replaceAll(/ (?=[:;!?»%])|(?<=«) /g, '\u00a0');
}

/** `articleReference` → `Article reference`: based on the interface's own names, so that they can be found there. */
function words(name: string): string {
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([a-z])(\d)/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
