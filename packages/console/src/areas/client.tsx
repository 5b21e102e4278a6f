// The pages for a client's people: the overview, lists and their records, labels, and editing articles.
import { lazy, type ReactElement, Suspense } from 'react';
import type { AreaProps } from '../areas.ts';
import { isListName } from '../list/list-names.ts';
import { Loading, Notice } from '../states.tsx';
import { useTexts } from '../texts/texts.ts';

const Overview = lazy(async () => ({ default: (await import('../overview/overview.tsx')).Overview }));
const ListPage = lazy(async () => ({ default: (await import('../pages/list-page.tsx')).NamedListPage }));
const RecordPage = lazy(async () => ({ default: (await import('../pages/record-page.tsx')).NamedRecordPage }));
const ShipPage = lazy(async () => ({ default: (await import('../ship/ship-page.tsx')).ShipPage }));
const ArticleForm = lazy(async () => ({ default: (await import('../article/article-form.tsx')).ArticleForm }));
const ArticleImport = lazy(async () => ({ default: (await import('../article/article-import.tsx')).ArticleImport }));

export function ClientPages({ parts }: AreaProps): ReactElement {
  return (
    <Suspense fallback={<Loading />}>
      <ClientPage parts={parts} />
    </Suspense>
  );
}

function ClientPage({ parts }: Pick<AreaProps, 'parts'>): ReactElement {
  const { say } = useTexts();
  const [page, activity, title, reference] = parts;
  if (page === undefined) return <Overview />;
  if (page === 'ship') return <ShipPage />;
  // Codes of activities have at most three characters.
  if (page === 'articles' && activity === 'create') return <ArticleForm key="create" activity="" reference={null} />;
  if (page === 'articles' && activity === 'import') return <ArticleImport />;
  if (page === 'articles' && activity === 'change' && title !== undefined && reference !== undefined)
    return <ArticleForm key={parts.join('/')} activity={title} reference={reference} />;
  if (!isListName(page)) return <Notice icon="empty" title={say('notFound')} isPage />;
  if (activity === undefined || title === undefined) return <ListPage key={page} name={page} />;
  return <RecordPage key={parts.join('/')} name={page} activity={activity} title={title} />;
}
