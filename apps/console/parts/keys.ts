/** Keys that do something on a page; where one types, they are letters. */
import { useWindowEvent } from '@mantine/hooks';

const isTypedInto = (target: EventTarget | null) =>
  target instanceof HTMLInputElement
    ? target.type !== 'radio' && target.type !== 'checkbox'
    : target instanceof HTMLElement && /^(TEXTAREA|SELECT)$/.test(target.tagName);

/** @param keys as the layout writes them, so that `?` is one wherever it lies */
export function useKeys(keys: Record<string, () => void>): void {
  useWindowEvent('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (isTypedInto(target) || ctrlKey || metaKey || altKey || !(key in keys)) return;
    event.preventDefault();
    keys[key]();
  });
}
