// The box in which a form reports the fault of what was submitted.
import { html, type Markup } from './markup.ts';

/** Its id is `fault`: the affected fields refer to it in `aria-describedby`. */
export function faultBox(text: string): Markup {
  return html`<div class="fault" id="fault" role="alert"><svg viewBox="0 0 20 20" width="20" height="20" fill="none" \
stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true" focusable="false"><circle cx="10" \
cy="10" r="8.25"/><path d="M10 5.75v5M10 14h.01"/></svg><p>${text}</p></div>`;
}
