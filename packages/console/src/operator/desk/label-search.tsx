// One label at the shipping desk: finding it by its number, its state, and voiding it.
import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { English } from '../../states.tsx';
import type { DeskLabel } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { ActionButton } from '../confirmed.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { Answered, Facts, Instant } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import type { DeskAccount } from './account-choice.tsx';

interface Asked extends DeskAccount {
  readonly id: string;
}

export function LabelSearch({ account }: { readonly account: DeskAccount }): ReactElement {
  const asked: Asked = { ...account, id: usePlace().parameters.get('id') ?? '' };
  return (
    <>
      <Request key={JSON.stringify(asked)} asked={asked} />
      {asked.id !== '' && <Found key={`found ${JSON.stringify(asked)}`} asked={asked} />}
    </>
  );
}

function Request({ asked: { context, carrier, id } }: { readonly asked: Asked }): ReactElement {
  const say = useOperatorWords();
  const [typed, setTyped, forgetTyped] = useDraft('label-search', id);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        forgetTyped();
        goTo(placeAddress(['operator', 'labels'], { context, carrier, id: typed.trim() }));
      }}
    >
      <Group gap="sm" align="flex-end">
        <TextInput
          label={say('labelNumber')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          maxLength={100}
          required
        />
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
  const { pair } = useTexts();
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
          [
            say('voidState'),
            wish === null ? null : (
              <span key="void">
                {pair(say(`label-${wish.state}`), '')}
                <English>{wish.detail}</English>
              </span>
            ),
          ],
        ]}
        hidesEmpty
      />
    </Card>
  );
}
