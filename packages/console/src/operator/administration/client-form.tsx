// The form for registering or changing a client.
import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useDraft } from '../../kept-draft.ts';
import { useOperatorWords } from '../words/words.ts';
import type { OperatorWord } from '../words/en.ts';
import { ActivitiesField } from './fields.tsx';

/** A client in the form. */
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

/** @param props.flags the settable ones */
export function ClientForm(props: {
  /** Name for unsaved input. */
  readonly draftName: string;
  readonly client: ClientDraft;
  readonly flags: readonly Flag[];
  readonly button: string;
  readonly isPending: boolean;
  /** @param forget discards the kept input of the form */
  readonly onSave: (client: ClientDraft, forget: () => void) => void;
}): ReactElement {
  const { flags, button, isPending, onSave } = props;
  const say = useOperatorWords();
  const [draft, setDraft, forget] = useDraft(props.draftName, begunWith(props.client));
  const { addresses, client } = draft;
  const set = (change: Partial<ClientDraft>): void => setDraft({ addresses, client: { ...client, ...change } });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const redirectUris = addresses.split(/\s+/).filter((address) => address !== '');
        onSave({ ...client, name: client.name.trim(), redirectUris }, forget);
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
          onChange={(event) => setDraft({ client, addresses: event.currentTarget.value })}
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

/** The initial content of the form: what can be changed in a client, with the addresses as typed. */
function begunWith(given: ClientDraft): { readonly addresses: string; readonly client: ClientDraft } {
  const { name, redirectUris, activityCodes, readOnly, confidential, service, pkceRequired, platform } = given;
  const client = { name, redirectUris, activityCodes, readOnly, confidential, service, pkceRequired, platform };
  return { addresses: redirectUris.join('\n'), client };
}
