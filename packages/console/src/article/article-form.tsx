// Creates or changes an article: every field that clients may write, and its barcodes.
import { Alert, Button, Card, Group, Select, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ProblemError } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import type { ArticleFieldFacts } from '../generated/article-fields.ts';
import { Icon } from '../icons.tsx';
import { type AnyRecord, listSource } from '../list/list-source.ts';
import { consoleList, recordRequest } from '../resources.ts';
import { measureOf, useUnits } from '../measures.ts';
import { placeAddress } from '../route.ts';
import { ErrorText, Failed, Loading, Notice, Reasons } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { BarcodeFields, barcodesIn } from './barcode-fields.tsx';
import { emptyDraft, isEmpty, keepDraft, keptDraft } from './draft.ts';
import { articleGroups } from './field-groups.ts';
import { frenchMeaning } from './field-meanings-fr.ts';
import { type ArticleFault, type ArticleFaults, asInput, faultsOf, textOf, readValue } from './values.ts';
import { articleWords } from './words.ts';

interface FormPageProps {
  /** Empty for a new article. */
  readonly activity: string;
  /** Null: a new article. */
  readonly reference: string | null;
}

export function ArticleForm({ activity, reference }: FormPageProps): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  const { client } = useSession();
  const found = useQuery({
    queryKey: ['article-to-change', activity, reference],
    queryFn: async ({ signal }) => {
      const request = recordRequest(consoleList('articles'), activity, reference ?? '');
      return (await listSource(client, 'articles').page(request, signal)).records[0] ?? null;
    },
    enabled: reference !== null,
    // Editing starts from the newest version, which must not change during editing.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Stack gap="lg" maw={1000}>
      <Stack gap={4}>
        <a href={reference === null ? '#/articles' : placeAddress(['articles', activity, reference])} className="more">
          <Icon name="back" size={16} /> {reference ?? sayCommon('articles')}
        </a>
        <Title order={1} size="h2">
          {reference === null ? say('create') : say('change', { article: reference })}
        </Title>
      </Stack>
      {reference === null ? (
        <Fields article={{}} isNew />
      ) : found.isPending ? (
        <Loading />
      ) : found.isError ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : found.data === null ? (
        <Notice icon="empty" title={sayCommon('recordGone')} />
      ) : (
        <Fields article={found.data} isNew={false} />
      )}
    </Stack>
  );
}

const fieldOrder: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

type Outcome =
  | { readonly kind: 'checked' }
  | { readonly kind: 'saved'; readonly activity: string; readonly reference: string }
  | { readonly kind: 'refused'; readonly faults: ArticleFaults }
  | { readonly kind: 'failed'; readonly error: unknown };

function Fields({ article, isNew }: { readonly article: AnyRecord; readonly isNew: boolean }): ReactElement {
  const say = useWords(articleWords);
  const { client, activityCodes } = useSession();
  const queries = useQueryClient();
  const name = isNew ? '' : `${String(article.activityCode)}/${String(article.articleReference)}`;
  const [draft, setDraft] = useState(() => keptDraft(name));
  const [isRestored, setRestored] = useState(() => !isEmpty(draft));
  const values = { ...startOf(article, activityCodes), ...draft.values };
  const barcodes = draft.barcodes ?? barcodesIn(article);
  const keep = (next: typeof draft): void => {
    setDraft(next);
    keepDraft(name, next);
  };
  const beginAnew = (): void => {
    keep(emptyDraft);
    setRestored(false);
  };
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (dryRun: boolean): Promise<void> => {
    setSending(true);
    setOutcome(null);
    try {
      const changed = { ...article, ...writtenOf(values, article), barcodes };
      const query = { dryRun, onExisting: isNew ? ('reject' as const) : ('replace' as const) };
      const result = await client.articles.create([asInput(changed)], query);
      const [activity, reference] = [values.activityCode ?? '', values.articleReference ?? ''];
      if (result.status !== 200) return setOutcome({ kind: 'refused', faults: faultsOf(result) });
      setOutcome(dryRun ? { kind: 'checked' } : { kind: 'saved', activity, reference });
      if (dryRun) return;
      // What was saved stays visible until the page is left; it is no longer a draft.
      keepDraft(name, emptyDraft);
      setRestored(false);
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'article-to-change' });
    } catch (error) {
      setOutcome({ kind: 'failed', error });
    } finally {
      setSending(false);
    }
  };
  const faults = outcome?.kind === 'refused' ? outcome.faults : {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send(false);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        {isRestored && (
          <Alert color="blue" role="status">
            <Group justify="space-between">
              {say('restored')}
              <Button variant="default" onClick={beginAnew}>
                {say('beginAnew')}
              </Button>
            </Group>
          </Alert>
        )}
        {articleGroups.map(({ name, isOpen, fields }) => {
          const content = (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {fields.map((field) => (
                <Field
                  key={field.name}
                  field={field}
                  value={values[field.name] ?? ''}
                  fault={faults[field.name]}
                  isFixed={!isNew && (field.name === 'activityCode' || field.name === 'articleReference')}
                  onChange={(value) => keep({ ...draft, values: { ...draft.values, [field.name]: value } })}
                />
              ))}
            </SimpleGrid>
          );
          const mustSee = fields.some((field) => faults[field.name] !== undefined);
          return (
            <Card key={name} withBorder padding="lg">
              {isOpen ? (
                <Stack gap="md">
                  <Title order={2} size="h5">
                    {say(name)}
                  </Title>
                  {content}
                </Stack>
              ) : (
                <details open={mustSee || undefined}>
                  <summary className="more">{say(name)}</summary>
                  {content}
                </details>
              )}
            </Card>
          );
        })}
        <BarcodeFields
          barcodes={barcodes}
          fault={faults.barcodes}
          onChange={(changed) => keep({ ...draft, barcodes: changed })}
        />
        <OutcomeAlert outcome={outcome} />
        <Group>
          <Button type="submit" loading={isSending}>
            {say('save')}
          </Button>
          <Button variant="default" disabled={isSending} onClick={() => void send(true)}>
            {say('check')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Field(props: {
  readonly field: ArticleFieldFacts;
  readonly value: string;
  readonly fault: readonly ArticleFault[] | undefined;
  readonly isFixed: boolean;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { field, value, fault, isFixed, onChange } = props;
  const { fieldName, language, say } = useTexts();
  const { activityCodes } = useSession();
  const unit = useUnits()(measureOf(field.name));
  const meaning = language === 'fr' ? frenchMeaning(field) : field.meaning;
  const common = {
    label: fieldName(field.name),
    required: field.required,
    error: fault === undefined ? undefined : <Reasons reasons={fault} />,
    // Below its field, so that fields beside each other stay level where one of them says more.
    inputWrapperOrder: fieldOrder,
    description: unit === null ? meaning : `${meaning ?? ''} (${unit})`.trimStart(),
  };
  const choices =
    field.kind === 'boolean'
      ? [
          { value: 'true', label: say('yes') },
          { value: 'false', label: say('no') },
        ]
      : field.name === 'activityCode' && activityCodes.length > 0
        ? activityCodes.map((code) => ({ value: code, label: code }))
        : null;
  return choices === null ? (
    <TextInput
      {...common}
      value={value}
      disabled={isFixed}
      maxLength={field.max ?? 40}
      inputMode={field.kind === 'integer' || field.kind === 'decimal' ? 'decimal' : 'text'}
      placeholder={field.kind === 'date-time' ? '2026-01-31T12:00:00Z' : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <Select
      {...common}
      data={choices}
      disabled={isFixed}
      clearable={!field.required}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

function OutcomeAlert({ outcome }: { readonly outcome: Outcome | null }): ReactElement | null {
  const say = useWords(articleWords);
  if (outcome === null) return null;
  if (outcome.kind === 'checked')
    return (
      <Alert color="green" role="status">
        {say('checked')}
      </Alert>
    );
  if (outcome.kind === 'saved')
    return (
      <Alert color="green" role="status">
        {say('saved', { article: outcome.reference })}{' '}
        <a href={placeAddress(['articles', outcome.activity, outcome.reference])}>{say('showArticle')}</a>
      </Alert>
    );
  const isReadOnly = outcome.kind === 'failed' && outcome.error instanceof ProblemError && outcome.error.status === 403;
  return (
    <Alert color="red" role="alert" title={say('notSaved')}>
      {isReadOnly ? (
        say('readOnly')
      ) : outcome.kind === 'refused' ? (
        <Reasons reasons={Object.values(outcome.faults).flat()} />
      ) : (
        <ErrorText error={outcome.error} />
      )}
    </Alert>
  );
}

function startOf(article: AnyRecord, activityCodes: readonly string[]): Readonly<Record<string, string>> {
  const shown = articleGroups.flatMap(({ fields }) => fields).map(({ name }) => [name, textOf(article[name])] as const);
  const start: Record<string, string> = Object.fromEntries(shown);
  const [first = ''] = activityCodes;
  return { ...start, activityCode: start.activityCode === '' ? first : (start.activityCode ?? '') };
}

/** Fields whose text was changed: a value that a form cannot represent exactly stays unchanged. */
function writtenOf(values: Readonly<Record<string, string>>, article: AnyRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    articleGroups
      .flatMap(({ fields }) => fields)
      .filter(({ name }) => (values[name] ?? '') !== textOf(article[name]))
      .map(({ name, kind }) => [name, readValue(values[name] ?? '', kind)]),
  );
}
