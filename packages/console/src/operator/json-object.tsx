// Parses JSON typed by an operator.
import type { ReactElement } from 'react';
import { English } from '../states.tsx';
import { useOperatorWords } from './words/words.ts';

/** The object in a text; else a description of the fault. */
export function objectIn(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : '{ … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @param props.fault as `objectIn` describes it, in the words of the browser */
export function NotJson({ fault }: { readonly fault: string }): ReactElement {
  const say = useOperatorWords();
  return (
    <>
      {say('notJson', { fault: '' })}
      <English>{fault}</English>
    </>
  );
}
