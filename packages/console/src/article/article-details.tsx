// The details of an article: its packaging, its barcodes, its stock, and how that came about.
import { Button, Group, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AnyRecord } from '../list/list-source.ts';
import { placeAddress } from '../route.ts';
import { useWords } from '../texts/texts.ts';
import { Balance } from './balance.tsx';
import { Barcodes } from './barcodes.tsx';
import { Levels } from './levels.tsx';
import { StockByPlace } from './stock-by-place.tsx';
import { textOf } from './values.ts';
import { articleWords } from './words.ts';

export default function ArticleDetails({ record }: { readonly record: AnyRecord }): ReactElement {
  const say = useWords(articleWords);
  const [activity, reference] = [textOf(record.activityCode), textOf(record.articleReference)];
  return (
    <Stack gap="lg">
      <Group>
        <Button component="a" variant="default" href={placeAddress(['articles', 'change', activity, reference])}>
          {say('changeArticle')}
        </Button>
      </Group>
      <Levels article={record} />
      <Barcodes article={record} />
      <StockByPlace activity={activity} reference={reference} />
      <Balance activity={activity} reference={reference} />
    </Stack>
  );
}
