// The documents of an order: the attached ones, and attaching another one by dropping or choosing a file.
import { Alert, Button, FileButton, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { DocumentSlug, OrderDocument } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { saveFile } from '../list/save-file.ts';
import { Section } from '../section.tsx';
import { ErrorText, Failed, Loading, Reasons } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type OrderWord, orderWords } from './words.ts';

/** The limit of the interface (POST /orders/{orderId}/docs/{docSlug}). */
const maxBytes = 20 * 1_048_576;
/** Kinds that the interface has unless the operator of the service has configured others. */
const slugs: readonly DocumentSlug[] = [
  ...(['invoice', 'delivery-note', 'packing-list', 'gift-message', 'customs', 'label', 'other'] as const),
];

interface DocumentsProps {
  readonly orderId: string;
  readonly activity: string;
}

export function Documents({ orderId, activity }: DocumentsProps): ReactElement {
  const say = useWords(orderWords);
  const { client } = useSession();
  const documents = useQuery({
    queryKey: ['documents-of-order', orderId],
    queryFn: ({ signal }) => client.orders.documents(orderId, { activityCode: activity }, { signal }),
  });
  return (
    <Section title={say('documents')}>
      {documents.isPending ? (
        <Loading rows={2} />
      ) : documents.isError ? (
        <Failed error={documents.error} again={() => void documents.refetch()} />
      ) : documents.data.length === 0 ? (
        <Text c="dimmed">{say('noDocuments')}</Text>
      ) : (
        <DocumentTable documents={documents.data} />
      )}
      <Attach orderId={orderId} activity={activity} />
    </Section>
  );
}

function DocumentTable({ documents }: { readonly documents: readonly OrderDocument[] }): ReactElement {
  const say = useWords(orderWords);
  const { bytes, instant, number } = useTexts();
  const { client } = useSession();
  const [fault, setFault] = useState<unknown>(null);
  const save = (document: OrderDocument): void => {
    setFault(null);
    client.orders
      .documentFile(document)
      .then((file) => saveFile(file, nameOf(document)))
      .catch(setFault);
  };
  return (
    <>
      <PlainTable
        label={say('documents')}
        columns={[
          { name: say('file') },
          { name: say('kindOfDocument') },
          { name: say('version'), isRight: true },
          { name: say('size'), isRight: true },
          { name: say('since') },
        ]}
        rows={documents.map((document) => ({
          key: document.id,
          cells: [
            <Button
              key="file"
              variant="subtle"
              leftSection={<Icon name="export" />}
              aria-label={say('download', { name: nameOf(document) })}
              onClick={() => save(document)}
            >
              {nameOf(document)}
            </Button>,
            kindName(document.docSlug, say),
            number(document.version),
            bytes(document.size),
            <time key="since" dateTime={document.createdAt}>
              {instant(document.createdAt)}
            </time>,
          ],
        }))}
      />
      {fault !== null && <Failed error={fault} />}
    </>
  );
}

type Attaching =
  | { readonly kind: 'sending'; readonly name: string; readonly percent: number }
  | { readonly kind: 'attached'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly why: ReactNode };

function Attach({ orderId, activity }: DocumentsProps): ReactElement {
  const say = useWords(orderWords);
  const { bytes, say: sayCommon } = useTexts();
  const { client } = useSession();
  const queries = useQueryClient();
  const [slug, setSlug] = useState<DocumentSlug>('invoice');
  const [state, setState] = useState<Attaching | null>(null);
  const [isOver, setOver] = useState(false);
  const ending = useRef<AbortController | null>(null);
  const attach = async (files: readonly File[]): Promise<void> => {
    const [file] = files;
    if (file === undefined || state?.kind === 'sending') return;
    const { name, size } = file;
    const refuse = (why: ReactNode): void => setState({ kind: 'refused', name, why });
    if (files.length > 1) return refuse(say('oneFile'));
    if (size > maxBytes) return refuse(say('tooLarge', { name, size: bytes(size) }));
    if (size === 0) return refuse(say('emptyFile', { name }));
    const end = new AbortController();
    ending.current = end;
    setState({ kind: 'sending', name, percent: 0 });
    try {
      const { errors } = await client.orders.attach(orderId, slug, file, {
        name,
        activityCode: activity,
        signal: end.signal,
        onProgress: (sent, total) => setState({ kind: 'sending', name, percent: Math.floor((sent / total) * 100) }),
      });
      const reasons = Object.values(errors).flat();
      if (reasons.length > 0) return refuse(<Reasons reasons={reasons} />);
      setState({ kind: 'attached', name });
      await queries.invalidateQueries({ queryKey: ['documents-of-order', orderId] });
    } catch (error) {
      if (end.signal.aborted) return setState(null);
      refuse(<ErrorText error={error} />);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void attach([...event.dataTransfer.files]);
  };
  return (
    <fieldset
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => [event.preventDefault(), setOver(true)]}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      aria-label={say('attach')}
    >
      <Stack gap="sm">
        <Group align="flex-end">
          <Select
            label={say('kindOfDocument')}
            data={slugs.map((value) => ({ value, label: kindName(value, say) }))}
            value={slug}
            onChange={(chosen) => setSlug(slugs.find((each) => each === chosen) ?? 'other')}
            allowDeselect={false}
          />
          <FileButton
            onChange={(file) => void attach(file === null ? [] : [file])}
            inputProps={{ 'aria-label': say('choose') }}
          >
            {(props) => (
              <Button {...props} variant="default" loading={state?.kind === 'sending'}>
                {say('choose')}
              </Button>
            )}
          </FileButton>
        </Group>
        <Text size="sm" c="dimmed">
          {say('dropHere')}. {say('limits')}
        </Text>
        {state?.kind === 'sending' && (
          <Group wrap="nowrap" role="status">
            <Progress.Root size="lg" flex={1}>
              <Progress.Section value={state.percent} aria-label={say('sending', state)} />
            </Progress.Root>
            <Text size="sm">{say('sending', state)}</Text>
            <Button variant="subtle" onClick={() => ending.current?.abort()}>
              {sayCommon('cancel')}
            </Button>
          </Group>
        )}
        {state?.kind === 'attached' && (
          <Alert color="green" role="status">
            {say('attached', state)}
          </Alert>
        )}
        {state?.kind === 'refused' && (
          <Alert color="red" role="alert" title={say('notAttached', { name: state.name })}>
            {state.why}
          </Alert>
        )}
      </Stack>
    </fieldset>
  );
}

/** A kind of the operator's own has no other name. */
function kindName(slug: string, say: (word: OrderWord) => string): string {
  const known = slugs.find((each) => each === slug);
  return known === undefined ? slug : say(`kind-${known}`);
}

function nameOf({ fileName, docSlug, version }: OrderDocument): string {
  return fileName ?? `${docSlug}-${version}`;
}
