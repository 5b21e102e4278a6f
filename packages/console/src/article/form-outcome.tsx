// What became of an article that was sent from its form, and what somebody else made of it meanwhile.
import { Alert, Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { ProblemError } from '../../../client/src/index.ts';
import type { AnyRecord } from '../list/list-source.ts';
import { placeAddress } from '../route.ts';
import { ErrorText, Reasons } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type ArticleFaults, isList } from './edited.ts';
import { textOf } from './values.ts';
import { articleWords } from './words.ts';

export type Outcome =
  | { readonly kind: 'checked' }
  | { readonly kind: 'saved'; readonly activity: string; readonly reference: string }
  | { readonly kind: 'refused'; readonly faults: ArticleFaults }
  /** Somebody else changed the same fields meanwhile. */
  | { readonly kind: 'overtaken'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What somebody else changed of the same, as it is now: the reader decides. */
export function Overtaken(props: {
  readonly article: AnyRecord;
  readonly names: readonly string[];
  readonly onTake: () => void;
}): ReactElement {
  const { article, names, onTake } = props;
  const say = useWords(articleWords);
  const { fieldName, pair } = useTexts();
  return (
    <Alert color="yellow" role="alert" title={say('overtaken')}>
      <ul>
        {names.map((name) => (
          <li key={name}>{isList(name) ? fieldName(name) : pair(fieldName(name), textOf(article[name]) || '–')}</li>
        ))}
      </ul>
      <Text size="sm">{say('overtakenHint')}</Text>
      <Button variant="default" mt="xs" onClick={onTake}>
        {say('takeTheirs')}
      </Button>
    </Alert>
  );
}

export function OutcomeAlert({
  outcome,
}: {
  readonly outcome: Exclude<Outcome, { kind: 'overtaken' }> | null;
}): ReactElement | null {
  const say = useWords(articleWords);
  if (outcome === null) return null;
  if (outcome.kind === 'checked')
    return (
      <Alert color="green" role="status">
        {say('checked')}
      </Alert>
    );
  if (outcome.kind === 'saved')
    return (
      <Alert color="green" role="status">
        {say('saved', { article: outcome.reference })}{' '}
        <a href={placeAddress(['articles', outcome.activity, outcome.reference])}>{say('showArticle')}</a>
      </Alert>
    );
  const isReadOnly = outcome.kind === 'failed' && outcome.error instanceof ProblemError && outcome.error.status === 403;
  return (
    <Alert color="red" role="alert" title={say('notSaved')}>
      {isReadOnly ? (
        say('readOnly')
      ) : outcome.kind === 'refused' ? (
        <Reasons reasons={Object.values(outcome.faults).flatMap((faults) => faults ?? [])} />
      ) : (
        <ErrorText error={outcome.error} />
      )}
    </Alert>
  );
}
