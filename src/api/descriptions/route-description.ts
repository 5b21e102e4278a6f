// What a route says of itself in the reference, beside its row in the table.
import type { BodyRule, Route } from '../../http/route.ts';

export interface RouteDescription
  extends Pick<Route, 'summary' | 'description' | 'parameters'>,
    Partial<Pick<Route, 'produces' | 'listOf' | 'answers' | 'answerHeaders' | 'refusals'>> {
  readonly body?: Pick<BodyRule, 'schema' | 'example'>;
}
