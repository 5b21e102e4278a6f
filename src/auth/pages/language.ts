// The languages of the pages, and the choice of one for a browser.
import Negotiator from 'negotiator';
import { maxAcceptLength } from '../../http/memoize.ts';

export type Language = 'en' | 'fr';

/** The first is for browsers that accept none of them. */
const languages: readonly Language[] = ['en', 'fr'];

/** @param acceptLanguage value of the header `Accept-Language`, well-formed or not */
export function languageOf(acceptLanguage: string | undefined): Language {
  const [chosen] = new Negotiator({
    headers: { 'accept-language': acceptLanguage?.slice(0, maxAcceptLength) },
  }).languages([...languages]);
  return languages.find((language) => language === chosen) ?? 'en';
}
