// Refused lines with their reasons, to be corrected, replayed or discarded in place.
import { Stack, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlatformQueryOf } from '../../../../client/src/index.ts';
import { useOperator } from '../contexts.ts';
import { PagedRows } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';
import { LineCard } from './line-card.tsx';

export function RefusedLines(props: {
  readonly asked: NonNullable<PlatformQueryOf<'listRefusedLines'>>;
  readonly nothing: string;
  /** They are part of a page about something else. */
  readonly isPart?: boolean;
}): ReactElement {
  const { asked, nothing, isPart } = props;
  const say = useOperatorWords();
  const { platform } = useOperator();
  const paged = usePaged(['lines', asked], async (after, signal) => {
    const page = await platform.refusedLines(
      { ...asked, limit: 20, ...(after !== undefined && { after }) },
      { signal },
    );
    return { rows: page.lines, after: page.after };
  });
  return (
    <Stack gap="sm">
      {isPart === true && (
        <Title order={2} size="h4">
          {say('refusedLines')}
        </Title>
      )}
      <PagedRows paged={paged} nothing={nothing}>
        {(lines) => lines.map((line) => <LineCard key={line.id} line={line} />)}
      </PagedRows>
    </Stack>
  );
}
