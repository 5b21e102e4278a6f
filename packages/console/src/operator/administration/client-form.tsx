// What a client is registered with, and changed to.
import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useOperatorWords } from '../words/words.ts';
import type { OperatorWord } from '../words/en.ts';
import { ActivitiesField } from './fields.tsx';

/** A client as the form has it. */
export interface ClientDraft {
  readonly name: string;
  readonly redirectUris: string[];
  readonly activityCodes: string[];
  readonly readOnly: boolean;
  readonly confidential: boolean;
  readonly service: boolean;
  readonly pkceRequired: boolean;
  readonly platform: boolean;
}

export const emptyClient: ClientDraft = {
  ...{ name: '', redirectUris: [], activityCodes: [] },
  ...{ readOnly: false, confidential: false, service: false, pkceRequired: true, platform: false },
};

type Flag = 'confidential' | 'readOnly' | 'service' | 'pkceRequired' | 'platform';

const flagWords: Readonly<Record<Flag, OperatorWord>> = {
  confidential: 'confidential',
  readOnly: 'readOnly',
  service: 'service',
  pkceRequired: 'pkceRequired',
  platform: 'forPlatform',
};

/** @param props.flags those that can be set */
export function ClientForm(props: {
  readonly client: ClientDraft;
  readonly flags: readonly Flag[];
  readonly button: string;
  readonly isPending: boolean;
  readonly onSave: (client: ClientDraft) => void;
}): ReactElement {
  const { flags, button, isPending, onSave } = props;
  const say = useOperatorWords();
  const [client, setClient] = useState(props.client);
  const [addresses, setAddresses] = useState(props.client.redirectUris.join('\n'));
  const set = (change: Partial<ClientDraft>): void => setClient({ ...client, ...change });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const redirectUris = addresses.split(/\s+/).filter((address) => address !== '');
        onSave({ ...client, name: client.name.trim(), redirectUris });
      }}
    >
      <Stack gap="sm" maw={560}>
        <TextInput
          label={say('name')}
          value={client.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          maxLength={60}
          required
        />
        <Textarea
          label={say('redirectUris')}
          value={addresses}
          onChange={(event) => setAddresses(event.currentTarget.value)}
          autosize
          minRows={2}
          spellCheck={false}
        />
        <ActivitiesField value={client.activityCodes} onChange={(activityCodes) => set({ activityCodes })} />
        {flags.map((flag) => (
          <Checkbox
            key={flag}
            label={say(flagWords[flag])}
            checked={client[flag]}
            onChange={(event) => set({ [flag]: event.currentTarget.checked })}
          />
        ))}
        <Group>
          <Button type="submit" loading={isPending}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
