// Provides the texts of the pages for operators in the language of the reader.
import { useWords, type Words } from '../../texts/texts.ts';
import { english, type OperatorWord } from './en.ts';
import { french } from './fr.ts';

const words: Words<OperatorWord> = { en: english, fr: french };

export type SayWord = (name: OperatorWord, values?: Readonly<Record<string, string | number>>) => string;

export function useOperatorWords(): SayWord {
  return useWords(words);
}
