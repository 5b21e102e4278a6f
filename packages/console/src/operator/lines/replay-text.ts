// The result of a replay, as a sentence.
import type { Replay } from '../../../../client/src/index.ts';
import type { SayWord } from '../words/words.ts';

export function replayText(replay: Replay, say: SayWord): string {
  const { message, changed, unchanged, refused } = replay;
  return say('replayed', { message, new: replay.new, changed, unchanged, refused });
}
