// A label: displayed, printed, and saved in each of its formats.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ErrorText, Failed, Loading } from '../states.tsx';
import type { LabelResult } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { saveFile } from '../list/save-file.ts';
import { useWords } from '../texts/texts.ts';
import { filesOf, type LabelFile, readLabelFile, textOf } from './label-files.ts';
import { type ShipWord, shipWords } from './words.ts';

export function LabelView({ result }: { readonly result: LabelResult }): ReactElement {
  const say = useWords(shipWords);
  const { files, texts } = filesOf(result);
  return (
    <Stack gap="md">
      {files.length === 0 && <Text c="dimmed">{say('noFiles')}</Text>}
      {files.map((file) => (
        <FileView key={file.name} file={file} number={result.expeditionNumber} />
      ))}
      {texts.length > 0 && (
        <dl className="facts">
          {texts.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one for each parcel, under one name
            <div key={index}>
              <dt>{outputName(name, say)}</dt>
              <dd>
                {/^https?:/.test(value) ? (
                  <a href={value} target="_blank" rel="noreferrer">
                    {value}
                  </a>
                ) : (
                  value
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Stack>
  );
}

function FileView({ file, number }: { readonly file: LabelFile; readonly number: string }): ReactElement {
  const say = useWords(shipWords);
  const { client } = useSession();
  const [fault, setFault] = useState<unknown>(null);
  const save = (): void => {
    setFault(null);
    readLabelFile(client, file)
      .then((bytes) => saveFile(bytes, file.name))
      .catch((error: unknown) => setFault(error));
  };
  // A paper that goes with the label; the label itself needs no name.
  const paper = Object.hasOwn(outputNames, file.output) ? outputName(file.output, say) : null;
  const isImage = file.mediaType.startsWith('image/');
  const isPdf = file.mediaType === 'application/pdf';
  const isText = file.mediaType === 'text/plain';
  const hasAddress = file.address.startsWith('http');
  return (
    <Stack gap="sm" className="label-file">
      {paper !== null && <Text fw={600}>{paper}</Text>}
      <Group gap="xs">
        {(isImage || (isPdf && !hasAddress)) && (
          <Button variant="default" onClick={() => window.print()}>
            {say('print')}
          </Button>
        )}
        {!isImage && !isText && hasAddress && (
          <Button variant="default" component="a" href={file.address} target="_blank" rel="noreferrer">
            {say('open')}
          </Button>
        )}
        <Button variant="default" leftSection={<Icon name="export" />} onClick={save}>
          {say('download', { kind: file.kind })}
        </Button>
      </Group>
      {fault !== null && (
        <Alert color="red" role="alert">
          <ErrorText error={fault} />
        </Alert>
      )}
      {isImage && <img className="label-image" src={file.address} alt={say('preview', { number })} />}
      {isPdf && <PdfView file={file} number={number} />}
      {isText && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section aria-label={say('zplPreview')} className="raw" tabIndex={0}>
          <code>{textOf(file)}</code>
        </section>
      )}
    </Stack>
  );
}

const outputNames: Readonly<Record<string, ShipWord>> = {
  ParcelNumber: 'parcelNumber',
  TrackingUrl: 'trackingPage',
  CustomsUrl: 'customsPaper',
  InvoiceUrl: 'invoicePaper',
};

function outputName(output: string, say: (word: ShipWord) => string): string {
  const word = outputNames[output];
  return word === undefined ? output : say(word);
}

/** The pages of a PDF, as images. */
function PdfView({ file, number }: { readonly file: LabelFile; readonly number: string }): ReactElement {
  const say = useWords(shipWords);
  const { client } = useSession();
  const pages = useQuery({
    queryKey: ['pages-of-label', file.address],
    queryFn: async () => {
      const [{ pagesOfPdf }, bytes] = await Promise.all([import('./pdf-pages.ts'), readLabelFile(client, file)]);
      return pagesOfPdf(bytes);
    },
  });
  if (pages.isPending) return <Loading rows={6} />;
  if (pages.isError)
    return (
      <>
        <Text c="dimmed">{say('notDrawn')}</Text>
        <Failed error={pages.error} again={() => void pages.refetch()} />
      </>
    );
  return (
    <>
      {pages.data.map((image, index) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: pages have no other name
          key={index}
          className="label-image"
          src={image}
          alt={say('preview', { number })}
        />
      ))}
    </>
  );
}
