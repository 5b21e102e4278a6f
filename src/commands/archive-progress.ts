// Reports on standard error: the progress of a backup, a restore or an export from time to time, the document files
// that an archive lacks, and unfinished archives beside it.
import { unfinishedArchives } from '../backup/archive-folder.ts';
import type { OnRows } from '../backup/archived-tables.ts';
import type { Manifest } from '../backup/manifest.ts';
import { textBlock } from '../model/text-block.ts';
import type { Environment } from './environment.ts';
import { Interrupted } from './failure.ts';

const lineEveryMs = 5000;

/**
 * Makes the callback for copied rows. It also ends the work when the operator interrupts it.
 * @param does what is being done, such as `backup`
 * @param json the command writes JSON: programs that read it expect nothing else
 * @param left what an interruption leaves behind
 * @throws Interrupted when it is called after a signal
 */
export function archiveProgress(
  environment: Environment,
  { does, json, left }: { readonly does: string; readonly json: boolean; readonly left: string },
): OnRows {
  const stopped = environment.interruption();
  let shownAt = environment.now();
  let [current, count] = ['', 0];
  return (what, rows) => {
    if (stopped.aborted) throw new Interrupted(`Interrupted: ${left}`);
    [current, count] = current === what ? [what, count + rows] : [what, rows];
    if (json || environment.now() - shownAt < lineEveryMs) return;
    shownAt = environment.now();
    environment.stderr.write(`${does}: ${what.replaceAll('_', ' ')}, ${count.toLocaleString('en-GB')}\n`);
  };
}

/** Reports how many document files an archive lacks; nothing when it is complete. */
export function reportMissingDocuments(
  { stderr }: Pick<Environment, 'stderr'>,
  { missingDocuments }: Pick<Manifest, 'missingDocuments'>,
): void {
  if (missingDocuments.length === 0) return;
  stderr.write(
    textBlock`
      ${missingDocuments.length} document files that the database names were not in their storage; manifest.json lists
      them.
    `.concat('\n'),
  );
}

/** Names what other runs, killed ones among them, have begun to write for the same folder. */
export async function reportUnfinishedArchives({ stderr }: Pick<Environment, 'stderr'>, folder: string): Promise<void> {
  for (const path of await unfinishedArchives(folder))
    stderr.write(`${path} is unfinished: remove it, unless a command is still writing it.\n`);
}
