// What a refusal says about single fields of a request.
import { List } from '@mantine/core';
import type { ReactElement } from 'react';
import { ValueFault } from '../../states.tsx';
import { ProblemError } from '../../../../client/src/index.ts';

/** The faults, field by field. */
export function FieldFaults({ error }: { readonly error: unknown }): ReactElement | null {
  const errors = error instanceof ProblemError ? Object.entries(error.problem.errors ?? {}) : [];
  if (errors.length === 0) return null;
  return (
    <List>
      {errors.map(([field, sentences]) => (
        <List.Item key={field}>
          {field !== '' && <code>{field}: </code>}
          <ValueFault>{sentences.join(' ')}</ValueFault>
        </List.Item>
      ))}
    </List>
  );
}
