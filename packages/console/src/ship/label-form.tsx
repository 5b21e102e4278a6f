// The form for a label, according to the requirements of an account's carrier.
import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ErrorText } from '../states.tsx';
import { type LabelRequest, ProblemError, type ShippingAccount } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { draftAfterFailure, type KeptDraft, newDraft, type SentRequest } from './draft.ts';
import { FieldGroups } from './field-groups.tsx';
import type { LabelDraft, LabelField } from './label-fields.ts';
import { labelKey } from './use-label.ts';
import { shipWords } from './words.ts';

interface FormProps {
  readonly account: ShippingAccount;
  readonly orderId: string;
  readonly draft: KeptDraft;
  /** @param next null: the label is made, and the draft ends */
  readonly keep: (next: KeptDraft | null) => void;
  /** @param number of the label that now exists */
  readonly onMade: (sent: SentRequest, number: string) => void;
}

type Outcome = { readonly kind: 'checked' } | { readonly kind: 'failed'; readonly error: unknown };

export function LabelForm({ account, orderId, draft, keep, onMade }: FormProps): ReactElement {
  const say = useWords(shipWords);
  const { client } = useSession();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isSending, setSending] = useState<'check' | 'create' | null>(null);
  const order = orderId === '' ? {} : { orderId };
  const attempt = async (work: 'check' | 'create', act: () => Promise<void>): Promise<void> => {
    setSending(work);
    setOutcome(null);
    try {
      await act();
    } catch (error) {
      setOutcome({ kind: 'failed', error });
    } finally {
      setSending(null);
    }
  };
  const check = async (): Promise<void> => {
    const { context, carrier } = account;
    await client.shipping.createLabel(context, carrier, requestOf(draft.values, account), { ...order, dryRun: true });
    setOutcome({ kind: 'checked' });
  };
  const create = async (): Promise<void> => {
    const { context, carrier } = draft.sent?.account ?? account;
    const sent = draft.sent ?? { account: { context, carrier }, request: requestOf(draft.values, account) };
    // Kept before it is sent: the tab may end before the answer is there.
    keep({ ...draft, sent });
    try {
      const options = { idempotencyKey: draft.key };
      const result = await client.shipping.createLabel(context, carrier, sent.request, order, options);
      queries.setQueryData(labelKey(sent.account, result.expeditionNumber), result);
      keep(null);
      onMade(sent, result.expeditionNumber);
      void queries.invalidateQueries({ queryKey: ['labels-of-order'] });
    } catch (error) {
      keep(draftAfterFailure(draft, sent, error));
      throw error;
    }
  };
  const isUnsure = draft.sent !== undefined && isSending === null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void attempt('create', create);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Fieldset variant="unstyled" disabled={draft.sent !== undefined}>
          <Stack gap="lg">
            <FieldGroups
              account={account}
              values={draft.values}
              errors={outcome?.kind === 'failed' ? errorsOf(outcome.error) : {}}
              onChange={(field, value) => keep({ ...draft, values: { ...draft.values, [field]: value } })}
            />
          </Stack>
        </Fieldset>
        <OutcomeAlert outcome={outcome} isUnsure={isUnsure} />
        <Group>
          <Button type="submit" loading={isSending === 'create'} disabled={isSending === 'check'}>
            {say('create')}
          </Button>
          {isUnsure ? (
            <Button
              variant="default"
              onClick={() => {
                setOutcome(null);
                keep(newDraft(draft.values));
              }}
            >
              {say('beginNew')}
            </Button>
          ) : (
            <Button
              variant="default"
              loading={isSending === 'check'}
              disabled={isSending === 'create'}
              onClick={() => void attempt('check', check)}
            >
              {say('check')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** @param props.isUnsure whether it is not known if there is a label, also after a reload */
function OutcomeAlert(props: { readonly outcome: Outcome | null; readonly isUnsure: boolean }): ReactElement | null {
  const { outcome, isUnsure } = props;
  const say = useWords(shipWords);
  const { say: sayCommon } = useTexts();
  if (outcome?.kind === 'checked')
    return (
      <Alert color="green" role="status">
        {say('checked')}
      </Alert>
    );
  if (outcome === null && !isUnsure) return null;
  const error = outcome?.error;
  const requestId = error instanceof ProblemError ? error.requestId : null;
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />} title={say(isUnsure ? 'unsure' : 'refused')}>
      {outcome !== null && <ErrorText error={error} />}
      {isUnsure && <Text size="sm">{say('sameAgain')}</Text>}
      {requestId !== null && (
        <p>
          {sayCommon('requestId')} <code>{requestId}</code>
        </p>
      )}
    </Alert>
  );
}

/** The first sentence on each field. */
function errorsOf(error: unknown): Readonly<Partial<Record<LabelField, string>>> {
  if (!(error instanceof ProblemError)) return {};
  return Object.fromEntries(
    Object.entries(error.problem.errors ?? {}).map(([field, sentences]) => [field, sentences.join(' ')]),
  );
}

/**
 * Without empty values, and without modes that were chosen for another account and that this one does not offer; the
 * first output of the carrier unless another one is chosen.
 */
function requestOf(values: LabelDraft, { choices, outputs }: ShippingAccount): LabelRequest {
  const isOffered = ([field, value]: readonly [string, string | undefined]): boolean =>
    value !== undefined &&
    (!/^mode/.test(field) || (choices.find((choice) => choice.field === field)?.values.includes(value) ?? true));
  const chosen = outputs.find(({ outputType }) => outputType === values.outputType) ?? outputs[0];
  const output =
    chosen === undefined
      ? {}
      : {
          outputType: chosen.outputType,
          outputFormat:
            chosen.outputFormats.find((format) => format === values.outputFormat) ?? chosen.outputFormats[0],
        };
  const offered = Object.entries({ ...values, ...output }).filter((entry) => entry[1] !== '' && isOffered(entry));
  const needed = ['modeCol', 'modeLiv', 'destAddr1', 'destCity', 'destZip', 'destCountry', 'weight', 'nbPackage'];
  const empty = Object.fromEntries(needed.map((field) => [field, '']));
  return { ...empty, ...Object.fromEntries(offered) } as LabelRequest;
}
