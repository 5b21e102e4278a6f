// Refused lines of all messages, and a single line.
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { PlatformQueryOf } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { ActivityChoice, ResourceChoice, StateChoice } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { LineCard } from '../lines/line-card.tsx';
import { RefusedLines } from '../lines/refused-lines.tsx';
import { Answered, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

export function LinesPage(): ReactElement {
  const say = useOperatorWords();
  const { parameters } = usePlace();
  const [activity, resource] = [parameters.get('activity') ?? '', parameters.get('resource') ?? ''];
  const asked = {
    ...(activity !== '' && { activity }),
    ...(resource !== '' && { resource }),
    state: parameters.get('state') ?? 'refused',
  } as NonNullable<PlatformQueryOf<'listRefusedLines'>>;
  return (
    <PageFrame title={say('refusedLines')}>
      <Group gap="xs">
        <ActivityChoice />
        <ResourceChoice />
        <StateChoice
          label={say('state')}
          otherwise="refused"
          states={[
            { value: 'refused', label: say('stateRefused') },
            { value: 'dropped', label: say('stateDropped') },
            { value: 'replayed', label: say('stateReplayed') },
          ]}
        />
      </Group>
      <RefusedLines asked={asked} nothing={say(asked.state === 'refused' ? 'noLinesLeft' : 'noLines')} />
    </PageFrame>
  );
}

export function LinePage({ id }: { readonly id: string }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'line', id],
    queryFn: ({ signal }) => platform.refusedLine(id, { signal }),
  });
  return (
    <PageFrame title={id} back={{ address: placeAddress(['operator', 'lines']), label: say('refusedLines') }}>
      <Answered query={query}>{(line) => <LineCard line={{ ...line, isLong: false }} />}</Answered>
    </PageFrame>
  );
}
