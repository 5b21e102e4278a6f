// Checks the folder into which the warehouse system drops files: whether it is usable, and what is waiting in it.
import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../model/error-code.ts';
import type { Config } from '../../config.ts';
import {
  cannotRead,
  type FeedPlace,
  findPlaces,
  type FolderFault,
  topFolders,
} from '../../feeds/folder/drop-places.ts';
import { isNamedLikeFile, namedLikeFile, shownName } from '../../feeds/folder/inbox.ts';
import { fileFormatsIn } from '../../feeds/folder/file-formats.ts';
import { resources } from '../../resources/index.ts';
import { createActivities } from '../../store/activities.ts';
import type { Engine } from '../../store/engine.ts';
import type { Finding } from './finding.ts';

/** A file that has waited longer than this will not be picked up without intervention. */
const longWaitMs = 3_600_000;
/** The most folder faults that are listed individually. */
const maxFaults = 20;

/** @param now milliseconds since 1970 */
export async function checkFeedFolder(
  engine: Engine,
  { feedFolder }: Config,
  now: number,
): Promise<readonly Finding[]> {
  if (feedFolder === null) return [];
  const folders = await checkFolders(feedFolder);
  if (folders.some(({ verdict }) => verdict === 'wrong')) return folders;
  const activities = new Set((await createActivities(engine).list()).map(({ code }) => code));
  const { places, faults } = await findPlaces(feedFolder, activities);
  const formats = fileFormatsIn(feedFolder, resources);
  const found: FolderFault[] = [...faults];
  let waiting = 0;
  for (const place of places) {
    const format = await formats(place);
    if (format.kind === 'fault') found.push({ place: `inbox/${place.activity}/${place.name}`, ...format.fault });
    found.push(...(await faultsOf(place)));
    waiting += await filesBefore(place.inbox, now - longWaitMs);
  }
  const refused = await filesBelow(join(feedFolder, 'error'));
  const told = [
    ...folders,
    ...found.slice(0, maxFaults).map(({ place, detail, remedy }) => finding('wrong', `${place}: ${detail}`, remedy)),
    ...(found.length > maxFaults ? [finding('wrong', `${found.length - maxFaults} more folders are wrong.`)] : []),
    ...(waiting > 0 ? [finding('warning', `${waiting} files have waited for more than an hour.`, waitRemedy)] : []),
    ...(refused > 0 ? [finding('warning', `${refused} files lie in ${join(feedFolder, 'error')}.`, errorRemedy)] : []),
  ];
  if (told.length > 0) return told;
  return [finding('ok', `Files are taken from ${places.length} folders in ${join(feedFolder, 'inbox')}.`)];
}

const waitRemedy = 'Check that the server runs and that the files are complete: see FEED_FOLDER_COMPLETE.';
const errorRemedy =
  'Read what lies beside them (.reason.json, .refused.ndjson), mend and drop them anew, then remove them.';

async function checkFolders(root: string): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const devices = new Set<number>();
  for (const name of topFolders) {
    const path = join(root, name);
    try {
      const { dev } = await stat(path);
      if (name !== 'mappings') devices.add(dev);
      await access(path, constants.R_OK | constants.X_OK | (name === 'mappings' ? 0 : constants.W_OK));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // All of these except the inbox are created when needed.
      const isMade = name !== 'inbox' && /ENOENT/.test(reason);
      if (!isMade) found.push(finding('wrong', `${path} cannot be used: ${reason}.`, folderRemedy));
    }
  }
  if (devices.size > 1)
    found.push(finding('wrong', `The folders in ${root} are on several file systems.`, 'Put all of them on one.'));
  return found;
}

/** What prevents the server from reading or moving the files of a feed. */
async function faultsOf({
  activity,
  name,
  inbox,
  archive,
  error: refused,
}: FeedPlace): Promise<readonly FolderFault[]> {
  const found: FolderFault[] = [];
  for (const [top, path] of Object.entries({ inbox, archive, error: refused })) {
    try {
      // With a trailing slash, a file in place of the folder is an error too.
      await access(`${path}/`, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) found.push({ place: `${top}/${activity}/${name}`, ...cannotRead(error) });
    }
  }
  const entries = await readdir(inbox, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const bytes = Buffer.from(entry.name);
    if (entry.isDirectory() && isNamedLikeFile(bytes))
      found.push({ place: `inbox/${activity}/${name}/${shownName(bytes)}`, ...namedLikeFile });
  }
  return found;
}

const folderRemedy = 'Make the folder, and give it to the user who runs the server.';

/** Number of files in a folder that have not changed since an instant. */
async function filesBefore(folder: string, before: number): Promise<number> {
  let count = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true && found.mtimeMs < before && found.ctimeMs < before) count += 1;
  }
  return count;
}

/** Number of files below a folder, not counting those that explain others. */
async function filesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => !/^\.|\.(?:ack\.json|reason\.json|refused\.ndjson)$/.test(name))
    .filter((entry) => !entry.isDirectory()).length;
}

function finding(verdict: Finding['verdict'], message: string, remedy = ''): Finding {
  return { subject: 'feeds', verdict, message, remedy };
}
