// Creates or changes an article: every field that clients may write, its barcodes and its logistical variants.
import { Alert, Button, Card, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ProblemError } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { articleFieldFacts } from '../generated/article-fields.ts';
import { Icon } from '../icons.tsx';
import { useLatest } from '../latest.ts';
import { type AnyRecord, listSource } from '../list/list-source.ts';
import { consoleList, recordRequest } from '../resources.ts';
import { placeAddress } from '../route.ts';
import { ErrorText, Failed, Loading, Notice, Reasons } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { ArticleField } from './article-field.tsx';
import { emptyDraft, isEmpty, keepDraft, keptDraft } from './draft.ts';
import {
  type ArticleFaults,
  type ArticleList,
  type EditedElement,
  elementsOf,
  faultsOf,
  inputOf,
  shownText,
} from './edited.ts';
import { articleGroups } from './field-groups.ts';
import { BarcodeFields, VariantFields } from './nested-fields.tsx';
import { asInput } from './values.ts';
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
        <NewFields />
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

type Outcome =
  | { readonly kind: 'checked' }
  | { readonly kind: 'saved'; readonly activity: string; readonly reference: string }
  | { readonly kind: 'refused'; readonly faults: ArticleFaults }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A new article is of the first activity, until another one is chosen. */
function NewFields(): ReactElement {
  const { activityCodes } = useSession();
  const [activityCode = ''] = activityCodes;
  return <Fields article={{ activityCode }} isNew />;
}

function Fields({ article, isNew }: { readonly article: AnyRecord; readonly isNew: boolean }): ReactElement {
  const say = useWords(articleWords);
  const { client } = useSession();
  const queries = useQueryClient();
  const name = isNew ? '' : `${String(article.activityCode)}/${String(article.articleReference)}`;
  const [draft, setDraft] = useState(() => keptDraft(name));
  const [isRestored, setRestored] = useState(() => !isEmpty(draft));
  const edited = { from: article, ...draft };
  const keep = (next: typeof draft): void => {
    setDraft(next);
    keepDraft(name, next);
  };
  const change = useLatest((field: string, value: string) =>
    keep({ ...draft, values: { ...draft.values, [field]: value } }),
  );
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
      const query = { dryRun, onExisting: isNew ? ('reject' as const) : ('replace' as const) };
      const result = await client.articles.create([asInput(inputOf(edited, articleFieldFacts))], query);
      const [activity, reference] = [shownText(edited, 'activityCode'), shownText(edited, 'articleReference')];
      if (result.status !== 200) return setOutcome({ kind: 'refused', faults: faultsOf(result, edited) });
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
  const nested = (list: ArticleList) => ({
    ...{ elements: elementsOf(edited, list), place: list, faults },
    onChange: (elements: readonly EditedElement[]) => keep({ ...draft, lists: { ...draft.lists, [list]: elements } }),
  });
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
                <ArticleField
                  key={field.name}
                  list={null}
                  field={field}
                  value={shownText(edited, field.name)}
                  fault={faults[field.name]}
                  isFixed={!isNew && (field.name === 'activityCode' || field.name === 'articleReference')}
                  onChange={change}
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
        <Card withBorder padding="lg">
          <BarcodeFields {...nested('barcodes')} variant={null} />
        </Card>
        <Card withBorder padding="lg">
          <VariantFields {...nested('logisticalVariants')} />
        </Card>
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
        <Reasons reasons={Object.values(outcome.faults).flatMap((faults) => faults ?? [])} />
      ) : (
        <ErrorText error={outcome.error} />
      )}
    </Alert>
  );
}
