// The form of a carrier account: which activity ships with whom and under which name, the settings, the sender.
import { Alert, Button, Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { type AdministeredAccount, type CarrierSettings, ProblemError } from '../../../../client/src/index.ts';
import { Icon } from '../../icons.tsx';
import { useDraft } from '../../kept-draft.ts';
import { ActivityField } from '../administration/fields.tsx';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { FieldFaults } from '../desk/field-faults.tsx';
import { Answered } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import { type AccountDraft, changeOf, draftOf, type EnteredSecrets, newAccountOf } from './account-draft.ts';
import { faultNode, SenderFields, SettingFields } from './setting-fields.tsx';

interface FormProps {
  /** Null: a new one. */
  readonly account: AdministeredAccount | null;
  readonly onSaved: (account: AdministeredAccount) => void;
}

export function AccountForm(props: FormProps): ReactElement {
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'carriers'],
    queryFn: ({ signal }) => platform.administration.carriers({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Answered query={query}>{(known) => <KnownForm known={known} {...props} />}</Answered>;
}

function KnownForm({ known, account, onSaved }: FormProps & { readonly known: CarrierSettings }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const name = account === null ? 'account' : `account-${account.context}/${account.carrier}`;
  const [draft, setDraft, forget] = useDraft(name, draftOf(account));
  const [secrets, setSecrets] = useState<EnteredSecrets>({});
  const set = (change: Partial<AccountDraft>): void => setDraft({ ...draft, ...change });
  const carrier = known.carriers.find((each) => each.carrier === draft.carrier);
  const saving = useAction(async () => {
    if (carrier === undefined) return null;
    const { activityCode, context } = draft;
    const saved =
      account === null
        ? await platform.administration.addCarrierAccount({
            ...{ activityCode, context: context.trim(), carrier: carrier.carrier },
            ...newAccountOf(draft, secrets, carrier),
          })
        : await platform.administration.changeCarrierAccount(
            ...([account.context, account.carrier, changeOf(draft, secrets, account)] as const),
          );
    setSecrets({});
    forget();
    onSaved(saved);
    return null;
  });
  if (account !== null && carrier === undefined) return <Alert color="yellow">{say('unknownCarrier')}</Alert>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md" maw={860}>
        {account === null && <Naming known={known} draft={draft} error={saving.error} set={set} />}
        {carrier !== undefined && (
          <>
            <FormPart title={say('accountSettings')}>
              <SettingFields
                carrier={carrier}
                values={draft.settings}
                secrets={secrets}
                stored={account?.secrets ?? []}
                error={saving.error}
                onChange={(setting, value) => set({ settings: { ...draft.settings, [setting]: value } })}
                onSecret={(setting, value) => setSecrets(withSecret(secrets, setting, value))}
              />
            </FormPart>
            <FormPart title={say('senderPart')} meaning={say('senderMeaning')}>
              <SenderFields
                fields={known.senderFields}
                values={draft.sender}
                error={saving.error}
                onChange={(field, value) => set({ sender: { ...draft.sender, [field]: value } })}
              />
            </FormPart>
            <TextInput
              label={say('dailyLimit')}
              description={say('limitMeaning')}
              value={draft.dailyLimit}
              onChange={(event) => set({ dailyLimit: event.currentTarget.value })}
              error={faultNode(saving.error, 'dailyLimit')}
              inputMode="numeric"
              maw={420}
            />
            <Group>
              <Button type="submit" loading={saving.isPending}>
                {say(account === null ? 'addAccount' : 'saveAccount')}
              </Button>
            </Group>
          </>
        )}
        <Refusal error={saving.error} />
      </Stack>
    </form>
  );
}

interface NamingProps {
  readonly known: CarrierSettings;
  readonly draft: AccountDraft;
  readonly error: unknown;
  readonly set: (change: Partial<AccountDraft>) => void;
}

/** What an account is found by, which does not change. */
function Naming({ known, draft, error, set }: NamingProps): ReactElement {
  const say = useOperatorWords();
  return (
    <Stack gap="sm" maw={420}>
      <Select
        label={say('chooseCarrier')}
        data={known.carriers.map(({ carrier, title }) => ({ value: carrier, label: title }))}
        value={draft.carrier === '' ? null : draft.carrier}
        onChange={(carrier) => set({ carrier: carrier ?? '' })}
        error={faultNode(error, 'carrier')}
        allowDeselect={false}
        required
      />
      <ActivityField
        label={say('accountActivity')}
        value={draft.activityCode}
        onChange={(activityCode) => set({ activityCode })}
        error={faultNode(error, 'activityCode')}
      />
      <TextInput
        label={say('context')}
        description={say('contextMeaning')}
        value={draft.context}
        onChange={(event) => set({ context: event.currentTarget.value })}
        error={faultNode(error, 'context')}
        maxLength={40}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
    </Stack>
  );
}

function FormPart(props: {
  readonly title: string;
  readonly meaning?: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Card withBorder padding="lg">
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={2} size="h5">
            {props.title}
          </Title>
          {props.meaning !== undefined && (
            <Text size="sm" c="dimmed">
              {props.meaning}
            </Text>
          )}
        </Stack>
        {props.children}
      </Stack>
    </Card>
  );
}

/** Beside the faults at the fields: that nothing was saved, and what belongs to no single field. */
function Refusal({ error }: { readonly error: unknown }): ReactElement | null {
  const say = useOperatorWords();
  const errors = error instanceof ProblemError ? error.problem.errors : undefined;
  if (errors === undefined) return <Outcome error={error} told={null} />;
  const isAtField = Object.keys(errors).every((field) => !['body', 'settings', 'sender'].includes(field));
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      {say('notSaved')}
      {!isAtField && <FieldFaults error={error} />}
    </Alert>
  );
}

function withSecret(secrets: EnteredSecrets, name: string, value: string | null): EnteredSecrets {
  const others = Object.fromEntries(Object.entries(secrets).filter(([each]) => each !== name));
  return value === null ? others : { ...others, [name]: value };
}
