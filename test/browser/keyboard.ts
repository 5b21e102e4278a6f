// A person without a mouse: goes from one thing to the next with the Tab key, and sees at each where they are.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
  readonly isInView: boolean;
  readonly isInMain: boolean;
}

/** What has the focus: by what it is called, whether a ring or a caret says so, and whether it can be seen at all. */
const focused = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const { top, bottom, left, right, width } = element.getBoundingClientRect();
  const bar = element.closest('header') === null ? document.querySelector('.mantine-AppShell-header') : null;
  const isField = element.matches('input:not([type=checkbox], [type=radio]), textarea');
  const ring = element.matches('input') ? getComputedStyle(element.parentElement) : null;
  return {
    name: (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim(),
    isSeen: isField || (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none' ||
      (ring !== null && ring.outlineStyle !== 'none'),
    isInView: width > 0 && right > 0 && left < innerWidth && top < innerHeight &&
      bottom > Math.max(0, element.matches('.skip') ? 0 : bar?.getBoundingClientRect().bottom ?? 0),
    isInMain: element.closest('main') !== null,
  };
})()`;

export function focusedNow(page: Page): Promise<Focused> {
  return page.evaluate(focused);
}

/**
 * Presses Tab until what is called so has the focus; fails where something on the way has it unseen.
 * @param options.key `Shift+Tab` goes back
 */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  { limit = 120, key = 'Tab' }: { readonly limit?: number; readonly key?: 'Tab' | 'Shift+Tab' } = {},
): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < limit; presses += 1) {
    await page.keyboard.press(key);
    const now = await focusedNow(page);
    assert.ok(now.isSeen, `the focus cannot be seen at "${now.name}"`);
    assert.ok(now.isInView, `"${now.name}" has the focus out of sight`);
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) return;
    passed.push(now.name.slice(0, 40));
  }
  assert.fail(`no way to ${String(name)}: ${passed.join(' → ')}`);
}
