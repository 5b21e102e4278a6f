// Has refused writes recorded, within a time limit.
import type { FastifyRequest } from 'fastify';
import type { PipelineContext } from './request-pipeline.ts';
import type { RefusedWrite } from './route.ts';

/** The longest wait for a refusal to be recorded: unavailable storage must not delay the response. */
const maxRecordingMs = 2000;

/** The client gets its own problem, whatever becomes of the recording. */
export async function recordRefusal(
  { onRefusedWrite, logger }: Pick<PipelineContext, 'onRefusedWrite' | 'logger'>,
  refused: RefusedWrite,
  request: FastifyRequest,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it took longer than ${maxRecordingMs} ms`)), maxRecordingMs);
  try {
    await Promise.race([onRefusedWrite?.(refused), late.promise]);
  } catch (err) {
    logger.error({ err, requestId: request.id, route: request.note?.route }, 'a refused write could not be recorded');
  } finally {
    clearTimeout(timer);
  }
}
