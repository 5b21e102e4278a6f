// The language of the console: that of the browser until somebody chooses another one.
import { createContext, useContext } from 'react';
import { english, type TextName } from './en.ts';
import { french } from './fr.ts';

export type Language = 'en' | 'fr';

export interface Texts {
  readonly language: Language;
  /** @param values for the places in braces */
  readonly say: (name: TextName, values?: Readonly<Record<string, string | number>>) => string;
  readonly number: (value: number) => string;
  /** An instant of the interface, in the time of the reader's device. */
  readonly instant: (value: string) => string;
  /** What a field of a record is called. */
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

export function textsIn(language: Language): Texts {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });
  const instants = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    language,
    say: (name, values = {}) =>
      all[language][name].replaceAll(/\{(\w+)\}/g, (_place, key: string) => String(values[key] ?? '')),
    number: (value) => numbers.format(value),
    instant: (value) => (Number.isNaN(Date.parse(value)) ? value : instants.format(new Date(value))),
    fieldName: words,
  };
}

/** `articleReference` → `Article reference`: the interface's own names, so that what is seen here is found there. */
function words(name: string): string {
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
