// Creates or changes an article: every field that clients may write, its barcodes and its logistical variants.
import { Alert, Button, Card, Fieldset, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useSession } from '../contexts.ts';
import { articleFieldFacts } from '../generated/article-fields.ts';
import { Icon } from '../icons.tsx';
import { useLatest } from '../latest.ts';
import { type AnyRecord, listSource } from '../list/list-source.ts';
import { consoleList, recordRequest } from '../resources.ts';
import { placeAddress } from '../route.ts';
import { Failed, Loading, Notice } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { ArticleField } from './article-field.tsx';
import { emptyDraft, isEmpty, type KeptChanges, keepDraft, keptDraft } from './draft.ts';
import {
  type ArticleList,
  changesWithout,
  type EditedElement,
  elementsOf,
  faultsOf,
  inputOf,
  overtakenNames,
  shownText,
} from './edited.ts';
import { articleGroups } from './field-groups.ts';
import { type Outcome, OutcomeAlert, Overtaken } from './form-outcome.tsx';
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
    // Editing starts from the newest version, which changes only where the form reads it again.
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
      ) : found.data === null ? (
        <Notice icon="empty" title={sayCommon('recordGone')} />
      ) : found.data !== undefined ? (
        <Fields
          article={found.data}
          readAgain={async () => (await found.refetch({ throwOnError: true })).data ?? null}
        />
      ) : found.isError ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : (
        <Loading />
      )}
    </Stack>
  );
}

/** A new article is of the first activity, until another one is chosen. */
function NewFields(): ReactElement {
  const { activityCodes } = useSession();
  const [activityCode = ''] = activityCodes;
  return <Fields article={{ activityCode }} readAgain={null} />;
}

interface FieldsProps {
  /** As it was read last. */
  readonly article: AnyRecord;
  /** Gives the article as it is now, also as the next `article`; null: it is a new one. */
  readonly readAgain: (() => Promise<AnyRecord | null>) | null;
}

function Fields({ article, readAgain }: FieldsProps): ReactElement {
  const isNew = readAgain === null;
  const say = useWords(articleWords);
  const { client } = useSession();
  const queries = useQueryClient();
  const name = isNew ? '' : `${String(article.activityCode)}/${String(article.articleReference)}`;
  const [draft, setDraft] = useState(() => keptDraft(name));
  const [isRestored, setRestored] = useState(() => !isEmpty(draft));
  const edited = { ...draft, from: article };
  /** @param base the article of which the reader knows */
  const keep = (next: Omit<KeptChanges, 'base'>, base = isEmpty(draft) ? article : (draft.base ?? article)): void => {
    const begun = { ...next, base };
    setDraft(begun);
    keepDraft(name, begun);
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
      // Others may have changed the article meanwhile: what was not edited here stays as they left it.
      const now = isNew ? article : await readAgain();
      if (now === null) return;
      const base = draft.base ?? now;
      const names = overtakenNames([base, draft.sent ?? base], now, draft);
      if (names.length > 0) {
        keep(draft, now);
        return setOutcome({ kind: 'overtaken', names });
      }
      const edited = { ...draft, from: now };
      const input = inputOf(edited, articleFieldFacts);
      // Kept before it is sent: the answer may be lost, and what was saved then is no change of somebody else.
      if (!isNew && !dryRun) keep({ ...draft, sent: input }, base);
      const query = { dryRun, onExisting: isNew ? ('reject' as const) : ('replace' as const) };
      const result = await client.articles.create([asInput(input)], query);
      const [activity, reference] = [shownText(edited, 'activityCode'), shownText(edited, 'articleReference')];
      if (result.status !== 200) {
        keep(draft, base);
        return setOutcome({ kind: 'refused', faults: faultsOf(result, edited) });
      }
      setOutcome(dryRun ? { kind: 'checked' } : { kind: 'saved', activity, reference });
      if (dryRun) return;
      // It is no longer a draft. A new article stays visible until the page is left.
      keepDraft(name, { ...emptyDraft, base: null });
      setRestored(false);
      if (!isNew && (await readAgain().catch(() => null)) !== null) setDraft({ ...emptyDraft, base: null });
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
        <Fieldset variant="unstyled" disabled={isSending}>
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
          </Stack>
        </Fieldset>
        {outcome?.kind === 'overtaken' ? (
          <Overtaken
            article={article}
            names={outcome.names}
            onTake={() => {
              keep(changesWithout(draft, outcome.names));
              setOutcome(null);
            }}
          />
        ) : (
          <OutcomeAlert outcome={outcome} />
        )}
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
