// The form for a label, according to the requirements of an account's carrier.
import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ErrorText } from '../states.tsx';
import { type LabelRequest, ProblemError, type ShippingAccount } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { keepDraft, keptDraft, newDraft } from './draft.ts';
import { FieldGroups } from './field-groups.tsx';
import type { LabelDraft, LabelField } from './label-fields.ts';
import { labelKey } from './use-label.ts';
import { shipWords } from './words.ts';

interface FormProps {
  readonly account: ShippingAccount;
  /** What the draft is kept by: the order and its activity; '' for a label without an order. */
  readonly place: string;
  readonly orderId: string;
  readonly start: LabelDraft;
  /** @param number of the label that now exists */
  readonly onMade: (number: string) => void;
}

type Outcome = { readonly kind: 'checked' } | { readonly kind: 'failed'; readonly error: unknown };

export function LabelForm({ account, place, orderId, start, onMade }: FormProps): ReactElement {
  const say = useWords(shipWords);
  const { client } = useSession();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => keptDraft(place) ?? newDraft(start));
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isSending, setSending] = useState<'check' | 'create' | null>(null);
  const keep = (next: typeof draft): void => {
    setDraft(next);
    keepDraft(place, next);
  };
  const send = async (work: 'check' | 'create'): Promise<void> => {
    setSending(work);
    setOutcome(null);
    try {
      const query = { ...(orderId !== '' && { orderId }), ...(work === 'check' && { dryRun: true }) };
      const options = work === 'check' ? {} : { idempotencyKey: draft.key };
      const request = requestOf(draft.values, account);
      const result = await client.shipping.createLabel(account.context, account.carrier, request, query, options);
      if (work === 'check') return setOutcome({ kind: 'checked' });
      queries.setQueryData(labelKey(account, result.expeditionNumber), result);
      keepDraft(place, null);
      onMade(result.expeditionNumber);
      void queries.invalidateQueries({ queryKey: ['labels-of-order'] });
    } catch (error) {
      setOutcome({ kind: 'failed', error });
      // A refused request has made nothing: the corrected one is a new request.
      if (work === 'create' && isRefusal(error)) keep(newDraft(draft.values));
    } finally {
      setSending(null);
    }
  };
  const errors = outcome?.kind === 'failed' ? errorsOf(outcome.error) : {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send('create');
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FieldGroups
          account={account}
          values={draft.values}
          errors={errors}
          onChange={(field, value) => keep({ ...draft, values: { ...draft.values, [field]: value } })}
        />
        <OutcomeAlert outcome={outcome} />
        <Group>
          <Button type="submit" loading={isSending === 'create'} disabled={isSending === 'check'}>
            {say('create')}
          </Button>
          <Button
            variant="default"
            loading={isSending === 'check'}
            disabled={isSending === 'create'}
            onClick={() => void send('check')}
          >
            {say('check')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function OutcomeAlert({ outcome }: { readonly outcome: Outcome | null }): ReactElement | null {
  const say = useWords(shipWords);
  const { say: sayCommon } = useTexts();
  if (outcome === null) return null;
  if (outcome.kind === 'checked')
    return (
      <Alert color="green" role="status">
        {say('checked')}
      </Alert>
    );
  const { error } = outcome;
  const requestId = error instanceof ProblemError ? error.requestId : null;
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />} title={say('refused')}>
      <ErrorText error={error} />
      {!isRefusal(error) && <p>{say('unsure')}</p>}
      {requestId !== null && (
        <p>
          {sayCommon('requestId')} <code>{requestId}</code>
        </p>
      )}
    </Alert>
  );
}

/** Whether it is certain that there is no label (docs/shipping.md): otherwise the same request has to be sent again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && [400, 403, 404, 413, 415, 422].includes(error.status);
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
