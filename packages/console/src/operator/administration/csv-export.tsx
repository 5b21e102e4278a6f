// A button that exports a list as a CSV file.
import { Button, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Icon } from '../../icons.tsx';
import { saveFile } from '../../list/save-file.ts';
import { Outcome } from '../confirmed.tsx';
import { useOperatorWords } from '../words/words.ts';

/** @param props.text reads the list to its end, and returns the file */
export function CsvExport(props: { readonly file: string; readonly text: () => Promise<string> }): ReactElement {
  const { file, text } = props;
  const say = useOperatorWords();
  const saving = useMutation({
    mutationFn: async () => saveFile(new Blob([await text()], { type: 'text/csv;charset=utf-8' }), file),
  });
  return (
    <Stack gap={4}>
      <Button
        variant="default"
        leftSection={<Icon name="export" />}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        {say('exportCsv')}
      </Button>
      <Outcome error={saving.error} told={null} />
    </Stack>
  );
}
