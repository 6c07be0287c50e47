/** Keys that do something on a page; where one types, they are letters. */
import { useWindowEvent } from '@mantine/hooks';

/** @param keys as the layout writes them, so that `?` is one wherever it lies */
export function useKeys(keys: Record<string, () => void>): void {
  useWindowEvent('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const typing = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (typing || ctrlKey || metaKey || altKey || !(key in keys)) return;
    event.preventDefault();
    keys[key]();
  });
}
