// In charge of having refused writes recorded, within a time.
import type { FastifyRequest } from 'fastify';
import type { PipelineContext } from './request-pipeline.ts';
import type { RefusedWrite } from './route.ts';

/**
 * Longest wait for a refusal to be recorded: storage that is away must not hold up what the client is to
 * hear.
 */
const maxRecordingMs = 2000;

/** The client hears of its own problem, whatever becomes of the recording. */
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
