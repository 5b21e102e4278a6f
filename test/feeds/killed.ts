// A process that takes in one message and is killed meanwhile: `killed.ts DATABASE FILE RESOURCE KEY`, where DATABASE
// is a folder or an address. It says when it has read a batch, and when it is done.
import { createReadStream } from 'node:fs';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { jsonReading } from '../../src/feeds/read-records.ts';
import { receiveMessage } from '../../src/feeds/receive.ts';
import { definitions, resources } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';

const [database = '', file = '', name = '', requestKey = ''] = process.argv.slice(2);
const isAddress = database.startsWith('postgres');
const store = await openStore(
  { dataDir: isAddress ? '' : database, databaseUrl: isAddress ? database : null },
  definitions,
);
const resource = resources.find((each) => each.name === name);
if (resource === undefined) throw new Error(`there is no resource ${name}`);
await receiveMessage({
  store,
  resource,
  activity: 'ACM',
  activityName: 'Acme Home',
  turns: createFeedTurns(),
  source: { read: () => jsonReading(createReadStream(file, { highWaterMark: 16_384 })) },
  onProgress: () => void process.stdout.write('batch\n'),
  message: {
    ...{ feed: 'main', channel: 'http', source: null, messageId: null, sequence: null, requestKey },
    ...{ mapping: null, replayOf: null, actor: 'test' },
  },
});
process.stdout.write('done\n');
await store.close();
