// Dry runs at the shipping desk: whether a carrier would make a label for a request.
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { LabelTrial } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { NotJson, objectIn } from '../json-object.tsx';
import { useOperatorWords } from '../words/words.ts';
import type { DeskAccount } from './account-choice.tsx';
import { FieldFaults } from './field-faults.tsx';

/** The request for a parcel within France; the sender is that of the account. */
const example = {
  modeCol: 'CCC',
  modeLiv: 'HOM',
  weight: '1200',
  nbPackage: '1',
  destAddr1: 'Camille Moreau',
  destAddr2: '6 place des Vosges',
  destZip: '75004',
  destCity: 'Paris',
  destCountry: 'FR',
  destTel1: '+33600000000',
} as const;

const draftName = 'console-desk-trial';

export function LabelTrialForm({ account: { context, carrier } }: { readonly account: DeskAccount }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [text, setText] = useState(() => sessionStorage.getItem(draftName) ?? JSON.stringify(example, null, 2));
  const [orderId, setOrderId] = useDraft('desk-trial-order', '');
  const [trial, setTrial] = useState<LabelTrial | null>(null);
  const request = objectIn(text);
  const trying = useAction(async (given: object) => {
    setTrial(null);
    const order = orderId.trim();
    setTrial(await platform.desk.tryLabel(context, carrier, given, order === '' ? {} : { orderId: order }));
    return null;
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof request === 'object') trying.mutate(request);
      }}
    >
      <Stack gap="md" maw={760}>
        <Text c="dimmed">{say('trialIntro')}</Text>
        <Textarea
          label={say('requestAsJson')}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            sessionStorage.setItem(draftName, currentTarget.value);
          }}
          error={typeof request === 'string' ? <NotJson fault={request} /> : undefined}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          className="code"
        />
        <TextInput
          label={say('orderOfGoods')}
          value={orderId}
          onChange={({ currentTarget }) => setOrderId(currentTarget.value)}
          maxLength={36}
        />
        <Group>
          <Button type="submit" loading={trying.isPending} disabled={typeof request === 'string'}>
            {say('tryIt')}
          </Button>
        </Group>
        <Outcome error={trying.error} told={trial === null ? null : <Told trial={trial} />} />
        <FieldFaults error={trying.error} />
      </Stack>
    </form>
  );
}

function Told({ trial: { judgedBy, detail } }: { readonly trial: LabelTrial }): ReactElement {
  const say = useOperatorWords();
  return (
    <Stack gap={4}>
      <Text fw={700}>{say(judgedBy === 'carrier' ? 'byCarrier' : 'byService')}</Text>
      <Text lang="en">{detail}</Text>
    </Stack>
  );
}
