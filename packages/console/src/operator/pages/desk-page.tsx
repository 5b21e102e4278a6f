// The shipping desk: what became of a label, and having it voided.
import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { DeskLabel } from '../../../../client/src/index.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { ActionButton } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { Answered, Facts, Instant, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

interface Asked {
  readonly context: string;
  readonly carrier: string;
  readonly id: string;
}

export function DeskPage(): ReactElement {
  const say = useOperatorWords();
  const { parameters } = usePlace();
  const given = (name: keyof Asked): string => parameters.get(name) ?? '';
  const asked: Asked = { context: given('context'), carrier: given('carrier'), id: given('id') };
  const isComplete = Object.values(asked).every((value) => value !== '');
  return (
    <PageFrame title={say('desk')} intro={say('deskIntro')}>
      <Request key={JSON.stringify(asked)} asked={asked} />
      {isComplete && <Found key={`found ${JSON.stringify(asked)}`} asked={asked} />}
    </PageFrame>
  );
}

function Request({ asked }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped] = useState(asked);
  const input = (name: keyof Asked, label: string): ReactElement => (
    <TextInput
      label={label}
      value={typed[name]}
      onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
      required
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { context, carrier, id } = typed;
        goTo(
          placeAddress(['operator', 'labels'], {
            ...{ context: context.trim(), carrier: carrier.trim(), id: id.trim() },
          }),
        );
      }}
    >
      <Group gap="sm" align="flex-end">
        {input('context', say('context'))}
        {input('carrier', say('carrier'))}
        {input('id', say('labelNumber'))}
        <Button type="submit">{say('find')}</Button>
      </Group>
    </form>
  );
}

function Found({ asked }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { context, carrier, id } = asked;
  const query = useQuery({
    queryKey: ['platform', 'label', asked],
    queryFn: ({ signal }) => platform.label(context, carrier, id, { signal }),
  });
  const voiding = (unused: 'true' | 'false') => async () => {
    await platform.voidLabel(context, carrier, id, { unused });
    return say('voided');
  };
  return (
    <Answered query={query}>
      {(label) => (
        <Stack gap="md">
          <About label={label} />
          {label.state !== 'voided' && (
            <Group align="flex-start" gap="xs">
              <ActionButton label={say('void')} question={say('voidQuestion')} color="red" act={voiding('false')} />
              <ActionButton
                label={say('voidUnused')}
                question={say('voidUnusedQuestion')}
                color="red"
                act={voiding('true')}
              />
            </Group>
          )}
        </Stack>
      )}
    </Answered>
  );
}

function About({ label }: { readonly label: DeskLabel }): ReactElement {
  const say = useOperatorWords();
  const wish = label.void;
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('state'), say(`label-${label.state}`)],
          [say('activity'), label.activityCode],
          [say('carrier'), `${label.carrier} (${label.context})`],
          [say('labelNumber'), label.expeditionNumber],
          [say('order'), label.nDossier ?? label.orderId],
          [say('created'), <Instant key="created" at={label.createdAt} />],
          [say('voidState'), wish === null ? null : `${say(`label-${wish.state}`)}: ${wish.detail}`],
        ]}
        hidesEmpty
      />
    </Card>
  );
}
