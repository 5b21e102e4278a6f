// The sample server in a process of its own: what it uses of memory and processor is not mixed with what its clients
// use. Started by `own-process.ts`.
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { staticText } from '../../src/http/static-text.ts';
import { defaultLimits, type ServerOptions } from '../../src/http/server.ts';
import { rule, taking } from './body-route.ts';
import { json, listen, route, sample } from './sample-server.ts';
import { uploadRoute } from './upload-route.ts';

const limits: Partial<ServerOptions['limits']> = JSON.parse(process.argv[2] ?? '{}');

/** A megabyte that hardly shrinks. */
const filler = randomBytes(750_000).toString('base64');

const block = Buffer.alloc(100_000);

/** The same work each time, whatever else the machine does: some `ms` milliseconds of a processor of its own. */
function busy(ms: number): void {
  for (let times = 0; times < 10 * ms; times++) hash('sha256', block);
}

const { server } = sample({ after: () => {} }, { limits: { ...defaultLimits, ...limits } }, [
  taking({ body: { ...rule, limit: 10_485_760 } }, async (call) => json(String((await call.body()).length))),
  uploadRoute(),
  // Made anew for each answer, as a list makes its page.
  route('/page', async (call) => json(Buffer.from(`["${filler.repeat(Number(call.query[0]?.[1] ?? 1))}"]`))),
  // Two megabytes of which compressing takes a quarter of a second of the processor each time.
  route(
    '/fixed',
    staticText(async () => filler.repeat(2)),
    { access: 'public' },
  ),
  route('/poll', async () => ({ status: 304, headers: { etag: 'W/"7"' }, body: null, type: null }), { turn: 'own' }),
  // Keeps the one thread for some milliseconds, as a page or a batch does.
  route('/work', async (call) => {
    busy(Number(call.query[0]?.[1] ?? 1));
    return json('[]');
  }),
  route('/wait', async (call) => {
    await pause(Number(call.query[0]?.[1] ?? 1));
    return json('[]');
  }),
]);
const port = await listen(server);
process.on('message', () => {
  const { rss, external, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send?.({
    rss,
    held: external + heapUsed,
    peak: process.resourceUsage().maxRSS * 1024,
    cpuMs: (user + system) / 1000,
  });
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
